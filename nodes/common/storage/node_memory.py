"""A node's memory on disk: values by name, in a table in its folder.

A goal that begins again after a restart finds its finished work here, so that it is neither done
nor counted twice.
"""

import sqlite3
import threading
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from messages.bus import ServiceError
from messages.undecodable import UNDECODABLE
from nodes.common.storage.sqlite_file import open_table, unusable, writing

_CONTENT = "what it remembers"
_SCHEMA = "create table if not exists memory (name text primary key, value blob)"

Value = TypeVar("Value")


class Memory:
    """Safe to use from any thread.

    Raises:
        UnusableFile: the file is not such a table, is damaged, or cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self._path = path
        self._table = open_table(path, _SCHEMA, _CONTENT)
        try:
            self._check()
        except (sqlite3.Error, TypeError, *UNDECODABLE) as error:
            self._table.close()
            raise unusable(path, error, _CONTENT) from error

    def find(self, name: str, type: type[Value]) -> Value | None:
        """Raises ServiceError for a value of another type; its goal begins again once the user
        has replaced the file and restarted the node."""
        with self._lock:
            return self._find(name, type)

    def keep(self, name: str, value: Value) -> Value:
        """Write the value to disk, in place of an earlier one of the same name. Raises
        ServiceError where it cannot be written, as on a full disk; its goal begins again once
        there is room and the node was restarted."""
        with self._lock:
            self._keep(name, value)
        return value

    def first(self, name: str, value: Value) -> Value:
        """The value that was kept by this name first: this one, if there was none. Raises as
        ``find`` and ``keep``."""
        with self._lock:
            known = self._find(name, type(value))
            if known is None:
                self._keep(name, value)
            return value if known is None else known

    def count(self, name: str) -> int:
        """How often this was called with this name before."""
        with self._lock:
            seen = self._find(name, int) or 0
            self._keep(name, seen + 1)
        return seen

    def close(self) -> None:
        with self._lock:
            self._table.close()

    def _check(self) -> None:
        """Raises TypeError or `UNDECODABLE` for a value that cannot be read: at the start, not in
        the middle of a goal."""
        for (value,) in self._table.execute("select value from memory"):
            msgspec.msgpack.decode(value)

    # With the lock held

    def _find(self, name: str, type: type[Value]) -> Value | None:
        row = self._table.execute("select value from memory where name = ?", (name,)).fetchone()
        if row is None:
            return None
        try:
            return msgspec.msgpack.decode(row[0], type=type)
        except (TypeError, *UNDECODABLE) as error:
            why = f"what it has of {name!r} cannot be read ({error})"
            broken = unusable(self._path, why, _CONTENT)
            raise ServiceError(str(broken), code="memory") from error

    def _keep(self, name: str, value: Any) -> None:
        data = msgspec.msgpack.encode(value)
        with writing(self._path, _CONTENT):
            self._table.execute("insert or replace into memory values (?, ?)", (name, data))
