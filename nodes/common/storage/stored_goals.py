"""Goals on disk: a table in the node's folder, so that a goal outlives its process."""

import contextlib
import sqlite3
import threading
from pathlib import Path

import msgspec

from messages.bus.actions.goal_store import FINISHED, GoalRecord
from messages.undecodable import UNDECODABLE
from nodes.common.storage.sqlite_file import open_table, unusable, writing

_SCHEMA = """
create table if not exists goals (
    number integer primary key,
    action text not null,
    goal text not null,
    finished integer not null,
    record blob not null,
    unique (action, goal)
)
"""

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(GoalRecord).decode


class StoredGoals:
    """A `messages.bus.GoalStore` in an SQLite file.

    Raises:
        UnusableFile: the file is not such a table, is damaged, or cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self._path = path
        self._table = open_table(path, _SCHEMA, "its goals")
        try:
            # With a write-ahead log this outlives the process; after a power failure the last goals
            # may be missing, and are done again.
            self._table.execute("pragma synchronous=normal")
            self._check()
        except (sqlite3.Error, TypeError, *UNDECODABLE) as error:
            self._table.close()
            raise unusable(path, error, "its goals") from error

    def load(self, action: str, goal: str) -> GoalRecord | None:
        with self._lock:
            row = self._table.execute(
                "select record from goals where action = ? and goal = ?", (action, goal)
            ).fetchone()
        return None if row is None else _decode(row[0])

    def save(self, record: GoalRecord) -> None:
        """Raises ServiceError where it cannot be written, as on a full disk."""
        with self._lock, writing(self._path, "its goals"):
            self._table.execute(
                "insert into goals (action, goal, finished, record) values (?, ?, ?, ?) "
                "on conflict (action, goal) do update "
                "set finished = excluded.finished, record = excluded.record",
                (record.action, record.goal, record.status in FINISHED, _encode(record)),
            )

    def unfinished(self, action: str) -> list[GoalRecord]:
        with self._lock:
            rows = self._table.execute(
                "select record from goals where action = ? and not finished order by number",
                (action,),
            ).fetchall()
        return [_decode(row[0]) for row in rows]

    def _check(self) -> None:
        """Raises TypeError or `UNDECODABLE` for a goal that cannot be read: at the start, not
        when a caller sends it again."""
        for (record,) in self._table.execute("select record from goals"):
            _decode(record)

    def close(self) -> None:
        with self._lock:
            self._table.close()


def read_goals(path: Path) -> list[GoalRecord]:
    """The goals of a table that another process may be writing to, oldest first; none where there
    is no file.

    Raises:
        UnusableFile: it is no such table, or damaged.
    """
    if not path.is_file():
        return []
    try:
        with contextlib.closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as table:
            rows = table.execute("select record from goals order by number").fetchall()
            return [_decode(row[0]) for row in rows]
    except (sqlite3.Error, TypeError, *UNDECODABLE) as error:
        raise unusable(path, error, "its goals") from error
