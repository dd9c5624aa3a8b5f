"""What a game's rulebook is written in: its rule files, read into types and checked against the
files and the sections that they name."""

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, cast

import msgspec
import yaml

from messages.bounds import Positive
from messages.plan import Method
from messages.world import Condition, RewardTerm
from voxeldojo.names import near
from worlds.card import RulebookRules, Unreachable

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
    """How subtasks of one kind are approached. ``guards``: names of those that take over, the first
    of them first."""

    name: str
    splits: list[list[Step]]
    guards: list[str] = []


class GuardRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A guard. Its program is ``<file>.py`` and its condition ``<file>_when.py`` in the card's
    ``guards/``. By rl it has the spec of the name ``spec``, where that takes programs its own one
    as a macro, and the condition in the file ``learned_when``, if that is another one. ``methods``
    are those that it is proposed by, the first of them first."""

    when: str  # in words
    description: str
    methods: list[Method]
    file: str
    max_steps: Positive
    spec: str = ""
    learned_when: str = ""
    beside: tuple[Method, ...] = ("code", "rl")  # of the sub-actions that it is proposed with


class Macro(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: str
    file: str
    purpose: str
    max_steps: Positive


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
    interrupt: Positive = 50
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


@cache
def read_rules(rulebook: RulebookRules, file: str) -> Rules:
    """A rule file of a game. One that names a ``base`` is that file with its own entries put in the
    place of those that have the same names.

    Raises:
        NoRule: there is no such file, it is none of rules, or it names what there is not.
    """
    try:
        read = msgspec.convert(_read(rulebook.files, file), type=Rules)
    except (yaml.YAMLError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise NoRule(f"{file}: {' '.join(str(error).split())}") from None
    except RecursionError:
        raise NoRule(f"{file}: its `base` leads back to it") from None
    if not read.advice or read.advice[-1].when:
        raise NoRule(f"{file}: the last of its `advice` has `when: {{}}`, for what fits no other")
    if problem := next(_problems(read, rulebook), ""):
        raise NoRule(f"{file}: {problem}")
    return read


def kind_of(
    rulebook: RulebookRules, file: str, goal: Condition, inventory: Mapping[str, int], alone: bool
) -> str:
    """Which of a rule file's subtasks has this success; ``inventory``: what it begins with.

    Raises:
        NoRule: the rules know no way, or see `read_rules`.
    """
    rules = read_rules(rulebook, file)
    if BY_ANY_WAY in rules.subtasks:
        return BY_ANY_WAY
    try:
        kind = rulebook.kind_of(goal, inventory, alone, rules.tables)
    except Unreachable as reason:
        raise NoRule(str(reason)) from None
    if kind not in rules.subtasks:
        raise NoRule(f"{file} has no subtasks of the kind {kind!r}")
    return kind


def _problems(rules: Rules, rulebook: RulebookRules) -> Iterator[str]:
    """What a rule file names and there is not. A name with braces is filled in only later."""
    programs, guards = _python_of(rulebook.programs), _python_of(rulebook.guards)
    for kind, approach in rules.subtasks.items():
        where = f"subtasks.{kind}"
        yield from _missing("guard", approach.guards, rules.guards, where)
        for step in (step for split in approach.splits for step in split):
            yield from _missing("program", step.programs, programs, where)
            yield from _missing("training spec", step.specs, rules.specs, where)
    for name, spec in rules.specs.items():
        files = [macro.file for macro in spec.macros]
        yield from _missing("program", files, programs, f"specs.{name}")
    for name, guard in rules.guards.items():
        files = [f"{guard.file}_when.py"]
        files += [f"{guard.file}.py"] if "code" in guard.methods else []
        files += [guard.learned_when] if guard.learned_when else []
        yield from _missing("program of a guard", files, guards, f"guards.{name}")
        specs = [guard.spec] if guard.spec else []
        yield from _missing("training spec", specs, rules.specs, f"guards.{name}")


def _missing(what: str, names: list[str], known: Collection[str], where: str) -> Iterator[str]:
    for name in names:
        if name not in known and "{" not in name:
            yield f"{where}: there is no {what} {name!r}{near(name, known)}"


def _python_of(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("*.py")}


def rule_files(folder: Path) -> list[str]:
    """The names of the rule files in a folder."""
    return sorted(path.name for path in folder.glob("*.yaml"))


def known_files(folder: Path) -> str:
    """The rule files in a folder, for the sentence about one that is not there."""
    known = rule_files(folder)
    return f"there are {', '.join(known)}" if known else f"there is none in {folder}"


def _read(folder: Path, file: str) -> dict[str, Any]:
    if file not in rule_files(folder):
        raise NoRule(f"there is no rule file {file!r}; {known_files(folder)}")
    read: Any = yaml.safe_load((folder / file).read_text("utf-8"))
    if not isinstance(read, dict):
        raise NoRule(f"{file}: a rule file is a mapping")
    own = cast(dict[str, Any], read)
    base = own.pop("base", None)
    if base is None:
        return own
    whole = _read(folder, base)
    for section, entries in own.items():
        if section == "tables":
            whole[section] = {**whole.get(section, {}), **_merged(whole.get(section, {}), entries)}
        else:
            whole |= _merged(whole, {section: entries})
    return whole


def _merged(base: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """Entry by entry: a mapping is that of the base with its own put in, all else takes its
    place."""
    return {
        name: {**base.get(name, {}), **entry} if isinstance(entry, dict) else entry
        for name, entry in own.items()
    }
