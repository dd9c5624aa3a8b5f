"""Opening a node's SQLite file, and finding out at once whether it is whole."""

import sqlite3
from pathlib import Path


def open_table(path: Path, schema: str) -> sqlite3.Connection:
    """A connection for any thread, which writes at once. The caller lets one thread in at a time.

    Raises:
        sqlite3.Error: the file is none of SQLite's, is damaged, or cannot be written. Found only
            when a row is read, damage would end the node in the middle of its work.
    """
    table = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
    try:
        table.execute("pragma journal_mode=wal")
        table.executescript(schema)
        (found,) = table.execute("pragma quick_check(1)").fetchone()
        if found != "ok":
            raise sqlite3.DatabaseError(f"it is damaged ({' '.join(found.split())})")
    except sqlite3.Error:
        table.close()
        raise
    return table
