"""Reads a game's rule file into types, and fills in what a condition names."""

import hashlib
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec
import yaml

from messages.plan import Method
from messages.world import DEFAULT_GAME, Condition, RewardTerm
from worlds import card
from worlds.card import RulebookRules, Unreachable

NOTHING: Mapping[str, int] = {}
BOOK = "rules.yaml"
"""The rule file of RL-GPT itself; the others are variants of it, see docs/methods.md."""
BY_ANY_WAY = "any"
"""In place of a kind: how every subtask is approached, whatever its way."""


class Step(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A sub-action, with its methods from the cheapest on and its stock of programs and specs.
    ``from_code``: what it learns goes on from programs that were tried, so it needs code."""

    name: str
    description: str
    success: Literal["goal"] | Condition
    methods: list[Method]
    programs: list[str] = []
    specs: list[str] = []
    from_code: bool = False


class Approach(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How subtasks of one kind are approached. ``guards``: names of those that cut in, the first
    of them first."""

    name: str
    splits: list[list[Step]]
    guards: list[str] = []


class GuardRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A guard. Its program is ``<file>.py`` and its condition ``<file>_when.py`` in the card's
    ``guards/``; by rl it has the spec of the name ``spec``."""

    when: str  # in words
    description: str
    methods: list[Method]
    file: str
    max_steps: int
    spec: str = ""
    beside: tuple[Method, ...] = ("code", "rl")  # of the sub-actions that it is proposed with


class Macro(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: str
    file: str
    purpose: str
    max_steps: int


class Spec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    observations: list[str]
    actions: list[str]
    targets: list[str] = []
    rewards: list[RewardTerm]
    horizon: int
    budget: int
    macros: list[Macro] = []
    # Of the programs that were tried for the subtask in this run, which join the macros: those with
    # the sub-action's own aim, or all; and whether the policy begins as a clone of the best of its
    # aim. They are interrupted after so many steps.
    programs: Literal["none", "own", "all"] = "none"
    interrupt: int = 50
    clone: bool = False
    memory: Literal["none", "gru"] = "none"
    memory_size: int = 64


class Advice(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``say`` is the advice when all of ``when`` was seen in a tryout."""

    when: dict[str, Any]
    say: str = ""


class Rules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``tables`` are of the game's own form; its card reads them."""

    tables: dict[str, Any] = {}
    subtasks: dict[str, Approach]
    specs: dict[str, Spec] = {}
    guards: dict[str, GuardRule] = {}  # by their names
    advice: list[Advice]


class NoRule(Exception):
    """The rules do not cover this; the message names it."""


@dataclass(frozen=True)
class Book:
    """A rule file of a game. Its methods raise `NoRule` where the rules know no way."""

    game: str = DEFAULT_GAME
    file: str = BOOK

    @property
    def rules(self) -> Rules:
        """The file's rules. One that names a ``base`` is that file with its own entries put in the
        place of those that have the same names.

        Raises:
            NoRule: there is no such file, or it is none of rules.
        """
        return _rules(self._filler.files, self.file)

    @property
    def _filler(self) -> RulebookRules:
        return card(self.game).rulebook

    @property
    def version(self) -> str:
        """A digest of the rules and of the stock of programs."""
        return _version(self._filler.files, self._filler.programs)

    def approach(
        self, goal: Condition, inventory: Mapping[str, int] = NOTHING, alone: bool = True
    ) -> Approach:
        """How a subtask with this success is approached, with everything filled in. ``alone``: it
        is the whole goal, and no step on the way to one.

        Raises:
            NoRule: the rules know no way.
        """
        subtasks = self.rules.subtasks
        found = subtasks.get(BY_ANY_WAY)
        if found is None:
            kind = self.kind_of(goal, inventory, alone)
            found = subtasks.get(kind)
            if found is None:
                raise NoRule(f"{self.file} of {self.game} has no subtasks of the kind {kind!r}")
        return self.fill(found, goal, inventory)

    def kind_of(
        self, goal: Condition, inventory: Mapping[str, int] = NOTHING, alone: bool = True
    ) -> str:
        """Which kind of way leads there; ``inventory``: what the subtask begins with."""
        try:
            return self._filler.kind_of(goal, inventory, alone, self.rules.tables)
        except Unreachable as reason:
            raise NoRule(str(reason)) from None

    def program(self, file: str, goal: Condition, inventory: Mapping[str, int] = NOTHING) -> str:
        """A program of the stock, its constants set to what the goal names."""
        return self._filled(self._filler.programs / file, goal, inventory)

    def _filled(self, file: Path, goal: Condition, inventory: Mapping[str, int]) -> str:
        values = self._filler.constants(goal, inventory, self.rules.tables)
        source = file.read_text("utf-8")
        if not values:
            return source
        constant = re.compile(rf"^({'|'.join(map(re.escape, values))}) = .*$", re.MULTILINE)
        return constant.sub(lambda found: _constant(found[1], values[found[1]]), source)

    def guard(self, name: str) -> GuardRule:
        """Raises NoRule: there is none of this name."""
        found = self.rules.guards.get(name)
        if found is None:
            raise NoRule(f"the rulebook has no guard {name!r}")
        return found

    def guard_source(
        self, file: str, goal: Condition, inventory: Mapping[str, int] = NOTHING
    ) -> str:
        """A file of the stock of guards, filled in like a program."""
        return self._filled(self._filler.guards / file, goal, inventory)

    def lists(self, goal: Condition, inventory: Mapping[str, int]) -> dict[str, list[str]]:
        """Lists that training specs name."""
        return self._filler.lists(goal, inventory, self.rules.tables)

    def fill(self, value: Any, goal: Condition, inventory: Mapping[str, int] = NOTHING) -> Any:
        """A copy of a rule with the braces in its strings filled in."""
        words = self._filler.words(goal, inventory, self.rules.tables)

        def filled(part: Any) -> Any:
            if isinstance(part, str):
                return part.format(**words)
            if isinstance(part, list):
                return [filled(item) for item in part]
            if isinstance(part, dict):
                return {key: filled(item) for key, item in part.items()}
            return part

        return msgspec.convert(filled(msgspec.to_builtins(value)), type=type(value))


def open_to(known: Approach, methods: Collection[Method], most: int | None) -> Approach:
    """What is left of an approach where only these methods, and so many steps, are open to a run.

    Raises:
        NoRule: nothing is left.
    """
    splits: list[list[Step]] = []
    for split in known.splits:
        steps = [msgspec.structs.replace(step, methods=_open(step, methods)) for step in split]
        if all(step.methods for step in steps) and (most is None or len(steps) <= most):
            splits.append(steps)
    if not splits:
        raise NoRule(f"the rulebook cannot {known.name!r} by {' and '.join(methods)} alone")
    return msgspec.structs.replace(known, splits=splits)


def _open(step: Step, methods: Collection[Method]) -> list[Method]:
    if step.from_code and "code" not in methods:
        return []
    return [method for method in step.methods if method in methods]


@cache
def _rules(folder: Path, file: str) -> Rules:
    try:
        read = msgspec.convert(_read(folder, file), type=Rules)
    except (yaml.YAMLError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise NoRule(f"{file}: {' '.join(str(error).split())}") from None
    except RecursionError:
        raise NoRule(f"{file}: its `base` leads back to it") from None
    if not read.advice or read.advice[-1].when:
        raise NoRule(f"{file}: the last of its `advice` has `when: {{}}`, for what fits no other")
    return read


@cache
def _version(*folders: Path) -> str:
    files = sorted(path for folder in folders for path in folder.iterdir() if path.is_file())
    data = b"\0".join(path.name.encode() + b"\0" + path.read_bytes() for path in files)
    return hashlib.sha256(data).hexdigest()[:12]


def _files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*.yaml"))


def _read(folder: Path, file: str) -> dict[str, Any]:
    known = _files(folder)
    if file not in known:
        raise NoRule(f"there is no rule file {file!r}; there are {', '.join(known)}")
    own: Any = yaml.safe_load((folder / file).read_text("utf-8"))
    if not isinstance(own, dict):
        raise NoRule(f"{file}: a rule file is a mapping")
    base = own.pop("base", None)
    if base is None:
        return own
    read = _read(folder, base)
    for section, entries in own.items():
        if section == "tables":
            read[section] = {**read.get(section, {}), **_merged(read.get(section, {}), entries)}
        else:
            read |= _merged(read, {section: entries})
    return read


def _merged(base: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """Entry by entry: a mapping is that of the base with its own put in, all else takes its
    place."""
    return {
        name: {**base.get(name, {}), **entry} if isinstance(entry, dict) else entry
        for name, entry in own.items()
    }


def _constant(name: str, value: str | int | list[str]) -> str:
    return f"{name} = {msgspec.json.encode(value).decode()}"
