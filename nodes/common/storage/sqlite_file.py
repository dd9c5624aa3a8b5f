"""A node's SQLite file: opened, checked at once that it is whole, and written."""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from messages.bus import ServiceError
from nodes.common.storage.whole_files import UnusableFile

# Of a file that may be whole: to move it away would lose what it holds.
_REMEDIES = {
    sqlite3.SQLITE_FULL: "make room on its disk",
    sqlite3.SQLITE_IOERR: "see that its disk has room and is in order",
    sqlite3.SQLITE_READONLY: "make it and its folder writable",
    sqlite3.SQLITE_BUSY: "try again, or end the process that holds it",
    sqlite3.SQLITE_CANTOPEN: "see that its folder is there and can be written",
}


def open_table(path: Path, schema: str, content: str) -> sqlite3.Connection:
    """A connection for any thread, which writes at once. The caller allows one thread at a time.
    ``content`` is what is lost when the file is moved away.

    Raises:
        UnusableFile: it is no SQLite file, is damaged, or cannot be written. Damage that is found
            only when a row is read would end the node in the middle of its work.
    """
    try:
        return _opened(path, schema)
    except sqlite3.Error as error:
        raise unusable(path, error, content) from error


def unusable(path: Path, why: object, content: str) -> UnusableFile:
    remedy = f"move it away to begin without {content}"
    if isinstance(why, sqlite3.Error):
        # Python's own complaints have no code, an extended code has the plain one in its last byte.
        remedy = _REMEDIES.get(getattr(why, "sqlite_errorcode", 0) & 0xFF, remedy)
    return UnusableFile(f"{path} cannot be used: {why}; {remedy}")


@contextmanager
def transaction(table: sqlite3.Connection) -> Generator[None]:
    """Commits all statements or none; the connection itself commits each statement."""
    table.execute("begin immediate")
    try:
        yield
        table.execute("commit")
    except BaseException:
        if table.in_transaction:  # SQLite itself rolls back where the disk is full, or fails
            table.execute("rollback")
        raise


@contextmanager
def writing(path: Path, content: str) -> Generator[None]:
    """Reports a table that cannot be written any more, as the disk is full, to who waits for what
    is written: the node goes on, and what failed may be tried again."""
    try:
        yield
    except sqlite3.Error as error:
        raise ServiceError(str(unusable(path, error, content)), code="memory") from error


def _opened(path: Path, schema: str) -> sqlite3.Connection:
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
