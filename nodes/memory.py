"""A node's memory on disk: values by name, in a table in its folder.

A goal that is started again after a restart finds here what it had finished, so that finished work
is neither done nor counted twice.
"""

import sqlite3
import threading
from pathlib import Path
from typing import TypeVar

import msgspec

Value = TypeVar("Value")


class Memory:
    """Safe to use from any thread."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self._table = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._table.execute("PRAGMA journal_mode=WAL")
        self._table.execute("CREATE TABLE IF NOT EXISTS memory (name TEXT PRIMARY KEY, value BLOB)")

    def find(self, name: str, type: type[Value]) -> Value | None:
        with self._lock:
            row = self._table.execute("SELECT value FROM memory WHERE name = ?", (name,)).fetchone()
        return None if row is None else msgspec.msgpack.decode(row[0], type=type)

    def keep(self, name: str, value: Value) -> Value:
        """Write the value to disk, in place of an earlier one of the same name."""
        data = msgspec.msgpack.encode(value)
        with self._lock:
            self._table.execute("INSERT OR REPLACE INTO memory VALUES (?, ?)", (name, data))
        return value

    def count(self, name: str) -> int:
        """How often this was called with this name before."""
        seen = self.find(name, int) or 0
        self.keep(name, seen + 1)
        return seen

    def close(self) -> None:
        with self._lock:
            self._table.close()
