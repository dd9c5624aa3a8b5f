"""The skill library: coded actions and policies that worked, in a folder that outlives the runs.

``library.sqlite`` has a row for each skill: its aim, its start, its origin and its success counts.
Beside it, each skill has a folder with ``program.py`` (a guard's with its condition, ``when.py``),
or with the policy's ``checkpoint.pt`` and ``spec.json``: a copy, so that a library does not need
its runs. Several runs may use one library at a time.
"""

import ast
import builtins
import keyword
import os
import shlex
import shutil
import sqlite3
import threading
import time
import uuid
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeGuard

import msgspec

from nodes.common.goals.goal_ids import slug
from nodes.common.skills.skills import (
    CHECKPOINT,
    SPEC,
    Counts,
    Learned,
    LibraryError,
    Skill,
    follows,
    guard_key,
    holds,
    skill_key,
)
from nodes.common.storage.sqlite_file import transaction, unusable
from nodes.common.storage.whole_files import write_whole
from worlds import card

FILE = "library.sqlite"
LOCKED_SECONDS = 30.0
"""How long a library is waited for that another process holds."""

# Seconds since 1970, that of a year which a date can be made of.
_Time = Annotated[float, msgspec.Meta(ge=0, le=1e11)]

_TABLES = """
create table if not exists skills (
    name text primary key,
    key text not null unique,
    created real not null,
    successes integer not null,
    episodes integer not null,
    used_successes integer not null,
    used_episodes integer not null,
    samples integer not null,
    record text not null
);
create table if not exists counted (
    occasion text not null,
    key text not null,
    primary key (occasion, key)
);
"""


_IS_THERE = "select 1 from sqlite_schema where type = 'table' and name = 'skills'"


class Library:
    """Safe to use from any thread, and from several processes. A library that cannot be written is
    opened to read.

    Args:
        folder: of the library; made if ``make``.

    Raises:
        LibraryError: there is none, or it is broken. A file without a table of skills is a new
            library only where it is to be made and there are no skills' files beside it.
    """

    def __init__(self, folder: Path, make: bool = True) -> None:
        self.folder = folder.absolute()
        self._lock = threading.Lock()
        path = self.folder / FILE
        self._reads_only = False
        if not make and not path.exists():
            raise LibraryError(f"there is no skill library {path}")
        try:
            self._table = self._opened(path, make)
        except OSError as error:  # of its folder
            raise LibraryError(
                f"the skill library {path} cannot be used: {error.strerror}; {_ANOTHER}"
            ) from error
        except sqlite3.Error as error:
            if self._reads_only:
                why = f"{path} cannot be used: {error}; {_OTHER}"
            else:  # one that is only locked, say, is not to be moved away
                why = str(unusable(path, error, "its skills"))
            raise LibraryError(f"the skill library {why}") from error

    def all(self) -> list[Skill]:
        """Every skill, by name."""
        return [self._skill(row) for row in self._rows()]

    def readable(self, warn: Callable[[str], None]) -> list[Skill]:
        """Every skill that can be read, by name; ``warn`` is called with a sentence about each
        other one. A row is one skill's: the rest of the library does not suffer by it."""
        found: list[Skill] = []
        for row in self._rows():
            try:
                found.append(self._skill(row))
            except LibraryError as error:
                warn(str(error))
        return found

    def find(self, name: str) -> Skill | None:
        with self._using():
            row = self._table.execute(
                f"select {_COLUMNS} from skills where name = ?", (name,)
            ).fetchone()
        return None if row is None else self._skill(row)

    def add(
        self, occasion: str, wanted: str, learned: Learned, checkpoint: Path | None, counts: Counts
    ) -> str:
        """Add a skill, or add to the counts of the same one; returns its name.

        ``occasion`` names the episodes that are counted: each is counted once. ``wanted`` is made a
        name that is free. ``checkpoint`` is copied.
        """
        world = learned.provenance.world
        with self._changing() as table:
            if learned.guard is not None:
                key = guard_key(world, learned.guard, checkpoint)
            else:
                key = skill_key(world, learned.condition, learned.program, checkpoint)
            row = table.execute(f"select {_COLUMNS} from skills where key = ?", (key,)).fetchone()
            if row is not None:
                known = self._skill(row)
                wider = _wider(known.learned, learned)
                table.execute("update skills set record = ? where key = ?", (_text(wider), key))
                self._count(table, occasion, key, counts)
                return known.name
            name = self._free_name(table, wanted, learned.task.game)
            self._write_files(self.folder / name, learned, checkpoint)
            table.execute(
                "insert into skills values (?, ?, ?, 0, 0, 0, 0, 0, ?)",
                (name, key, time.time(), _text(learned)),
            )
            self._count(table, occasion, key, counts)
            return name

    def count(self, occasion: str, key: str, counts: Counts) -> None:
        """Add to the counts of a skill, once for each occasion; a removed skill is ignored."""
        with self._changing() as table:
            self._count(table, occasion, key, counts)

    def names(self) -> list[str]:
        """The names of all rows, also of those that cannot be read; see `_shown`."""
        with self._using():
            return [_shown(row[0]) for row in self._table.execute("select name from skills")]

    def remove(self, name: str) -> bool:
        """Remove a skill, of whose row only the name has to be readable, and delete its files;
        returns whether there were any. If the name is no identifier no files are deleted: they
        would not be the library's.

        Raises:
            LibraryError: there is no such skill.
        """
        with self._changing() as table:
            rows = table.execute("select rowid, name from skills").fetchall()
            row = next((row for row in rows if _shown(row[1]) == name), None)
            if row is None:
                raise LibraryError(f"there is no skill `{name}` in {self.folder}")
            number, stored = row
            table.execute(
                "delete from counted where key = (select key from skills where rowid = ?)",
                (number,),
            )
            table.execute("delete from skills where rowid = ?", (number,))
            if not _is_name(stored):
                return False
            # Moved while no other process can write: once the name is free, another run may add a
            # skill of that name. With a dot, as no skill's name has one.
            trash = self.folder / f".removed-{uuid.uuid4().hex}"
            try:
                (self.folder / stored).rename(trash)
            except FileNotFoundError:
                return False
        shutil.rmtree(trash, ignore_errors=True)
        return True

    def close(self) -> None:
        with self._lock:
            self._table.close()

    # ---- inside

    def _opened(self, path: Path, make: bool) -> sqlite3.Connection:
        if path.exists() and not path.is_file():
            raise LibraryError(f"the skill library {path} is no file; move it away")
        self._reads_only = path.is_file() and not _may_write(path)
        # Looked for before its table is: a skill's folder is made after that.
        folders = _skill_folders(self.folder)
        fresh = not path.exists() or (make and not folders)
        if not fresh and not path.stat().st_size:
            # Before SQLite opens it, which deletes the log beside an empty file.
            raise LibraryError(_without_table(path, folders))
        if not self._reads_only:
            self.folder.mkdir(parents=True, exist_ok=True)
        table = _opened_to_read(path) if self._reads_only else _connected(path)
        try:
            if not fresh and table.execute(_IS_THERE).fetchone() is None:
                raise LibraryError(_without_table(path, folders))
            if not self._reads_only:
                table.execute("pragma journal_mode=wal")
                table.executescript(_TABLES)
            table.execute(f"select {_COLUMNS} from skills limit 1").fetchall()
        except (sqlite3.Error, LibraryError):
            table.close()
            raise
        return table

    def _rows(self) -> list[tuple[Any, ...]]:
        with self._using():
            return self._table.execute(f"select {_COLUMNS} from skills order by name").fetchall()

    @contextmanager
    def _using(self) -> Generator[None]:
        with self._lock:
            try:
                yield
            except sqlite3.Error as error:
                # Damage is found where it lies: a library may be opened, and listed in part.
                why = unusable(self.folder / FILE, error, "its skills")
                raise LibraryError(f"the skill library {why}") from error
            except (OSError, msgspec.MsgspecError) as error:
                raise LibraryError(
                    f"the skill library {self.folder / FILE} cannot be used: {error}"
                ) from error

    @contextmanager
    def _changing(self) -> Generator[sqlite3.Connection]:
        if self._reads_only:
            raise LibraryError(
                f"the skill library {self.folder / FILE} cannot be written; {_OTHER}"
            )
        with self._using(), transaction(self._table):
            yield self._table

    def _count(self, table: sqlite3.Connection, occasion: str, key: str, counts: Counts) -> None:
        inserted = table.execute("insert or ignore into counted values (?, ?)", (occasion, key))
        if inserted.rowcount:
            table.execute(
                "update skills set successes = successes + ?, episodes = episodes + ?, "
                "used_successes = used_successes + ?, used_episodes = used_episodes + ?, "
                "samples = samples + ? where key = ?",
                (*msgspec.structs.astuple(counts), key),
            )

    def _free_name(self, table: sqlite3.Connection, wanted: str, game: str) -> str:
        taken = {row[0] for row in table.execute("select name from skills")}
        stem = slug(wanted).replace("-", "_")
        free = stem.isidentifier() and stem not in _reserved_names(game)
        stem = stem if free else f"skill_{stem}"
        name, number = stem, 2
        while name in taken:
            name, number = f"{stem}_{number}", number + 1
        return name

    def _write_files(self, folder: Path, learned: Learned, checkpoint: Path | None) -> None:
        folder.mkdir(exist_ok=True)
        if learned.program is not None:
            write_whole(folder / "program.py", learned.program.source.encode())
        if learned.guard is not None:
            write_whole(folder / "when.py", learned.guard.when.encode())
            if learned.guard.program is not None:
                write_whole(folder / "program.py", learned.guard.program.source.encode())
        if checkpoint is not None:
            write_whole(folder / CHECKPOINT, checkpoint.read_bytes())
        if checkpoint is not None and learned.spec is not None:
            write_whole(folder / SPEC, msgspec.json.format(msgspec.json.encode(learned.spec)))

    def _skill(self, row: tuple[Any, ...]) -> Skill:
        """Raises LibraryError: SQLite stores values of any type in a column, and a library may come
        from another user."""
        name, key, created, *counts, record = row
        self._check_name(name)
        try:
            _check_text(key, record)
            return Skill(
                name=name,
                key=msgspec.convert(key, str),
                created=msgspec.convert(created, _Time),
                learned=msgspec.json.decode(record, type=Learned),
                counts=msgspec.convert(
                    dict(zip(Counts.__struct_fields__, counts, strict=True)), Counts
                ),
                folder=str(self.folder / name),
            )
        except (msgspec.MsgspecError, TypeError, ValueError, RecursionError) as error:
            raise LibraryError(
                f"the skill library {self.folder / FILE} is broken at `{name}`: {error}; "
                f"{_forget(name)}"
            ) from error

    def _check_name(self, name: object) -> None:
        """A name is also a folder's, and a library may come from another user: one that is no
        identifier could point to files outside of the library."""
        if not _is_name(name):
            raise LibraryError(
                f"the skill library {self.folder / FILE} is broken at the name {name!r:.60}: "
                f"a skill's name is an identifier; {_forget(name)}"
            )


_ANOTHER = "name another (of a command: --library, of a launch: skills=)"
_OTHER = f"copy it, or {_ANOTHER}"


def _is_name(name: object) -> TypeGuard[str]:
    return isinstance(name, str) and name.isidentifier()


def _shown(name: object) -> str:
    """A name as it is given to a command: that of a broken row may be of any type, or have letters
    that cannot be typed or are no UTF-8."""
    if not isinstance(name, str):
        return repr(name)
    text = name.encode(errors="backslashreplace").decode()
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _forget(name: object) -> str:
    return f"`rlgpt skill remove {shlex.quote(_shown(name))}` forgets it"


def _skill_folders(folder: Path) -> list[str]:
    """The folders that skills have, by their names."""
    kept = ("program.py", "when.py", CHECKPOINT)
    return sorted({each.parent.name for name in kept for each in folder.glob(f"[!.]*/{name}")})


def _without_table(path: Path, folders: list[str]) -> str:
    if not folders:
        return f"the skill library {path} has no table of skills: it is none; {_ANOTHER}"
    names = ", ".join(folders[:3]) + (", ..." if len(folders) > 3 else "")
    return (
        f"the skill library {path} is damaged: its table of skills is gone, and the files of "
        f"{len(folders)} are there ({names}); put a copy of it in its place, or move it away to "
        "begin without its skills"
    )


def _may_write(path: Path) -> bool:
    """SQLite writes files beside its own, too."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def _connected(path: Path | str, uri: bool = False) -> sqlite3.Connection:
    table = sqlite3.connect(
        path, timeout=LOCKED_SECONDS, check_same_thread=False, isolation_level=None, uri=uri
    )
    table.text_factory = _text_of  # SQLite's own refuses all rows for one that is not UTF-8
    return table


def _text_of(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _check_text(*values: object) -> None:
    """Raises UnicodeEncodeError, which is a ValueError, for what was no UTF-8."""
    for value in values:
        if isinstance(value, str):
            value.encode()


def _opened_to_read(path: Path) -> sqlite3.Connection:
    """A library with a write-ahead log is read with files beside it. If there are none and they
    cannot be made, all is in the one file, which is read as it is."""
    uri = f"{path.as_uri()}?mode=ro"
    table = _connected(uri, uri=True)
    try:
        table.execute("select name from sqlite_schema").fetchall()
    except sqlite3.OperationalError:
        table.close()
        log = path.with_name(f"{path.name}-wal")
        if log.exists() and log.stat().st_size:
            raise
        return _connected(f"{uri}&immutable=1", uri=True)
    return table


_COLUMNS = "name, key, created, successes, episodes, used_successes, used_episodes, samples, record"


@cache
def _reserved_names(game: str) -> frozenset[str]:
    """Names that have another meaning in a program: a skill of that name would redefine it."""
    api = ast.parse(card(game).language.stub.read_text("utf-8"))
    functions = {node.name for node in api.body if isinstance(node, ast.FunctionDef)}
    return frozenset({"action", "obs", *functions, *dir(builtins), *keyword.kwlist})


def _text(learned: Learned) -> str:
    return msgspec.json.encode(learned).decode()


def _wider(known: Learned, seen: Learned) -> Learned:
    """The same skill worked from another start. If that start has no more than the known one, in
    its items and in the stages before it, it replaces it; two that each lack something of the other
    do not show that a start that lacks both is enough."""
    if not (holds(known.start, seen.start) and follows(seen, known.before)):
        return known
    return msgspec.structs.replace(known, start=seen.start, before=seen.before)
