"""What nodes keep in SQLite, read from outside while they may be writing: goals and memories.

Nothing is written, and no node waits for the reader. A missing or damaged file holds nothing: what
is to be relied on asks `check_readable` first.
"""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from messages.bus.actions.goal_store import GoalRecord
from messages.codec import CodecError, decode
from messages.interface import Action
from messages.undecodable import UNDECODABLE
from rlgpt.refused import Refused

Value = TypeVar("Value")


class GoalHead(msgspec.Struct, frozen=True, kw_only=True):
    """What a goal has that is neither its request nor its result: those may have megabytes."""

    action: str
    goal: str  # its id
    status: str
    text: str = ""  # why it failed


def check_readable(run: Path) -> None:
    """Raises Refused where a file of a node is there and is no database, or a damaged one."""
    for path in sorted(run.glob("*/*.sqlite")):
        try:
            with contextlib.closing(_opened(path, "mode=ro")) as table:
                ((found,),) = table.execute("pragma quick_check(1)")
        except sqlite3.OperationalError:
            continue  # locked, or in a folder that cannot be written to
        except sqlite3.DatabaseError as error:
            found = str(error)
        if found != "ok":
            why = " ".join(found.split())
            raise Refused(
                f"{path} is damaged ({why}): put a copy in its place, or move it away to go on "
                "without what was in it"
            )


def goals(run: Path, action: Action[Any, Any, Any]) -> list[GoalHead]:
    """The goals that the node of an action was sent, the oldest first."""
    query = "select record from goals where action = ? order by number"
    return _records(run, action, query, (action.name,), GoalHead)


def goal(run: Path, action: Action[Any, Any, Any], id: str) -> GoalRecord | None:
    """One of them with all that is stored of it."""
    query = "select record from goals where action = ? and goal = ?"
    return next(iter(_records(run, action, query, (action.name, id), GoalRecord)), None)


def memory(run: Path, node: str, name: str, type: type[Value]) -> Value | None:
    """What a node remembers under a name."""
    query = "select value from memory where name = ?"
    for (value,) in rows(run / node / "memory.sqlite", query, (name,)):
        try:
            return msgspec.msgpack.decode(value, type=type)
        except (TypeError, *UNDECODABLE):
            return None
    return None


def request(record: GoalRecord, kind: type[Value]) -> Value | None:
    """What a goal asks for."""
    return _decoded(record.request, kind)


def requests_below(
    run: Path, action: Action[Any, Any, Any], goal_id: str, kind: type[Value]
) -> Iterator[tuple[str, Value]]:
    """What an action was asked for as part of a goal, or under its own id: each goal's id and
    request, the oldest first."""
    for head in goals(run, action):
        if head.goal != goal_id and not head.goal.startswith(f"{goal_id}/"):
            continue
        record = goal(run, action, head.goal)
        asked = None if record is None else request(record, kind)
        if asked is not None:
            yield head.goal, asked


def result(record: GoalRecord, kind: type[Value]) -> Value | None:
    """The result of a goal; None unless it succeeded."""
    return _decoded(record.result, kind) if record.status == "succeeded" else None


def rows(
    path: Path, query: str, values: tuple[Any, ...] | dict[str, Any] = ()
) -> Iterator[tuple[Any, ...]]:
    """What a query finds, a row at a time; none where the file or the table cannot be read."""
    if not path.is_file():
        return
    # In a folder that cannot be written to, SQLite reads only what it may take for unchanging.
    for mode in ("mode=ro", "immutable=1"):
        try:
            table = _opened(path, mode)
        except sqlite3.Error:
            continue
        with contextlib.closing(table):
            try:
                found = table.execute(query, values)
            except sqlite3.Error:
                continue
            with contextlib.suppress(sqlite3.Error):
                yield from found
            return


def _opened(path: Path, mode: str) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True)


def _records(
    run: Path,
    action: Action[Any, Any, Any],
    query: str,
    values: tuple[str, ...],
    kind: type[Value],
) -> list[Value]:
    found: list[Value] = []
    for (record,) in rows(run / action.node / "goals.sqlite", query, values):
        try:
            found.append(msgspec.msgpack.decode(record, type=kind))
        except (TypeError, *UNDECODABLE):
            continue
    return found


def _decoded(frames: list[bytes], kind: type[Value]) -> Value | None:
    try:
        return decode(kind, frames)
    except (CodecError, IndexError):
        return None
