"""A game's rules for a goal: its rule file, with what the goal names filled in."""

import hashlib
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from messages.plan import Method
from messages.world import DEFAULT_GAME, Condition
from nodes.common.checks.rule_file import (
    BOOK,
    Approach,
    GuardRule,
    NoRule,
    Rules,
    Step,
    kind_of,
    read_rules,
)
from worlds import card
from worlds.card import RulebookRules

NOTHING: Mapping[str, int] = {}


@dataclass(frozen=True)
class Book:
    """A rule file of a game. Its methods raise `NoRule` where the rules know no way."""

    game: str = DEFAULT_GAME
    file: str = BOOK

    @property
    def rules(self) -> Rules:
        """The file's rules.

        Raises:
            NoRule: see `read_rules`.
        """
        return read_rules(self._filler, self.file)

    @property
    def _filler(self) -> RulebookRules:
        return card(self.game).rulebook

    @property
    def version(self) -> str:
        """A digest of what its answers are made of; see `version_of`."""
        return version_of(self._filler)

    def approach(
        self, goal: Condition, inventory: Mapping[str, int] = NOTHING, alone: bool = True
    ) -> Approach:
        """How a subtask with this success is approached, with everything filled in. ``alone``: it
        is the whole goal, and no step on the way to one.

        Raises:
            NoRule: the rules know no way.
        """
        found = self.rules.subtasks[self.kind_of(goal, inventory, alone)]
        return self.fill(found, goal, inventory, alone)

    def kind_of(
        self, goal: Condition, inventory: Mapping[str, int] = NOTHING, alone: bool = True
    ) -> str:
        """Which kind of way leads there; ``inventory``: what the subtask begins with."""
        return kind_of(self._filler, self.file, goal, inventory, alone)

    def program(
        self,
        file: str,
        goal: Condition,
        inventory: Mapping[str, int] = NOTHING,
        alone: bool = False,
    ) -> str:
        """A program of the stock, its constants set to what the goal names."""
        return self._filled(self._filler.programs / file, goal, inventory, alone)

    def _filled(
        self, file: Path, goal: Condition, inventory: Mapping[str, int], alone: bool = False
    ) -> str:
        values = self._filler.constants(goal, inventory, alone, self.rules.tables)
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

    def fill(
        self,
        value: Any,
        goal: Condition,
        inventory: Mapping[str, int] = NOTHING,
        alone: bool = False,
    ) -> Any:
        """A copy of a rule with the braces in its strings filled in.

        Raises:
            NoRule: braces name what this game has no word for.
        """
        words = self._filler.words(goal, inventory, alone, self.rules.tables)

        def filled(part: Any) -> Any:
            if isinstance(part, str):
                try:
                    return part.format(**words)
                except (LookupError, ValueError, AttributeError):
                    raise NoRule(
                        f"{self.file} of {self.game}: {part!r} cannot be filled in; the words in "
                        f"braces are {', '.join(sorted(words))}"
                    ) from None
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
def version_of(rulebook: RulebookRules) -> str:
    """A digest of a game's rules and of its stock of programs and guards."""
    folders = (rulebook.files, rulebook.programs, rulebook.guards)
    files = sorted(path for folder in folders for path in folder.glob("*") if path.is_file())
    data = b"\0".join(path.name.encode() + b"\0" + path.read_bytes() for path in files)
    return hashlib.sha256(data).hexdigest()[:12]


def _constant(name: str, value: str | int | list[str]) -> str:
    return f"{name} = {msgspec.json.encode(value).decode()}"
