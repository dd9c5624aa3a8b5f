"""What nodes keep in SQLite, read from outside while they may be writing: goals and memories.

Nothing is written, and no node waits for the reader. A missing or damaged file holds nothing.
"""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from messages.bus.goal_store import GoalRecord
from messages.codec import CodecError, decode
from messages.interface import Action

Value = TypeVar("Value")


def goals(run: Path, action: Action[Any, Any, Any]) -> list[GoalRecord]:
    """The goals that the node of an action was sent, the oldest first."""
    found: list[GoalRecord] = []
    query = "select record from goals where action = ? order by number"
    for (record,) in rows(run / action.node / "goals.sqlite", query, (action.name,)):
        try:
            found.append(msgspec.msgpack.decode(record, type=GoalRecord))
        except (msgspec.DecodeError, TypeError):
            continue
    return found


def memory(run: Path, node: str, name: str, type: type[Value]) -> Value | None:
    """What a node remembers under a name."""
    query = "select value from memory where name = ?"
    for (value,) in rows(run / node / "memory.sqlite", query, (name,)):
        try:
            return msgspec.msgpack.decode(value, type=type)
        except (msgspec.DecodeError, TypeError):
            return None
    return None


def request(record: GoalRecord, kind: type[Value]) -> Value | None:
    """What a goal asks for."""
    return _decoded(record.request, kind)


def result(record: GoalRecord, kind: type[Value]) -> Value | None:
    """The result of a goal; None unless it succeeded."""
    return _decoded(record.result, kind) if record.status == "succeeded" else None


def rows(path: Path, query: str, values: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """What a query finds, none where the file or the table cannot be read."""
    if not path.is_file():
        return
    # In a folder that cannot be written to, SQLite reads only what it may take for unchanging.
    for mode in ("mode=ro", "immutable=1"):
        try:
            table = sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True)
        except sqlite3.Error:
            continue
        try:
            found = table.execute(query, values).fetchall()
        except sqlite3.Error:
            continue
        finally:
            table.close()
        yield from found
        return


def _decoded(frames: list[bytes], kind: type[Value]) -> Value | None:
    try:
        return decode(kind, frames)
    except (CodecError, IndexError):
        return None
