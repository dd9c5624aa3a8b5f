"""Changes of a node's SQLite file: all statements or none."""

import sqlite3
from pathlib import Path

import pytest

from nodes.common.storage.sqlite_file import open_table, transaction, unusable

SCHEMA = "create table if not exists kept (blob)"


def rows(table: sqlite3.Connection) -> int:
    return table.execute("select count(*) from kept").fetchone()[0]


def insert(table: sqlite3.Connection, *statements: str) -> None:
    with transaction(table):
        for statement in statements:
            table.execute(statement)


def test_what_fails_is_rolled_back(tmp_path: Path) -> None:
    table = open_table(tmp_path / "it.sqlite", SCHEMA, "its rows")
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        insert(table, "insert into kept values (1)", "insert into lost values (1)")
    assert rows(table) == 0
    insert(table, "insert into kept values (1)")
    assert rows(table) == 1


def test_a_full_disk_stays_the_cause_where_sqlite_has_rolled_back_itself(tmp_path: Path) -> None:
    table = open_table(tmp_path / "it.sqlite", SCHEMA, "its rows")
    table.execute("pragma max_page_count=4")
    with pytest.raises(sqlite3.Error) as full:
        insert(
            table,
            "insert into kept values (1)",
            "insert or rollback into kept values (zeroblob(1000000))",
        )
    assert "make room on its disk" in str(unusable(tmp_path, full.value, "its rows"))
    assert rows(table) == 0
    insert(table, "insert into kept values (1)")
    assert rows(table) == 1
