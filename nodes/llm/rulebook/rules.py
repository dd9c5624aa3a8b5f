"""Reads a rule file into types, and fills in what a condition says."""

import re
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec
import yaml

from messages.plan import Method
from messages.world import Condition, RewardTerm
from models.rules import BLOCKS
from models.rules.mobs import MOBS
from models.ways import MADE, Unreachable, Way, open_ways, way_to

NOTHING: Mapping[str, int] = {}
HERE = Path(__file__).parent
BOOK = "rules.yaml"
"""The rule file of RL-GPT itself; the others are variants of it, see docs/methods.md."""

_LOCALISED = {block.name: block.localised for block in BLOCKS}
_CONSTANT = re.compile(r"^(ITEM|BLOCK|QUANTITY|MOB|TOOL|TOOLS|STATION|LEVEL) = .*$", re.MULTILINE)


Kind = Literal["gather", "collect", "mine", "make", "make_at", "hunt", "apply", "reach", "place"]
BY_ANY_WAY = "any"
"""In place of a kind: how every subtask is gone about, whatever its way."""


class Step(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A sub-action, with its methods from the cheapest on and its stock of programs and specs."""

    name: str
    description: str
    success: Literal["goal"] | Condition
    methods: list[Method]
    programs: list[str] = []
    specs: list[str] = []


class Approach(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How subtasks of one kind are gone about."""

    name: str
    splits: list[list[Step]]


class Macro(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: str
    file: str
    purpose: str
    max_steps: int


class Spec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    observations: list[str]
    actions: list[str]
    targets: list[str]
    rewards: list[RewardTerm]
    horizon: int
    budget: int
    macros: list[Macro] = []


class Advice(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``say`` is what is advised when all of ``when`` was seen in a tryout."""

    when: dict[str, Any]
    say: str = ""


class Rules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    blocks: dict[str, str]
    sources: dict[str, str]
    levels: dict[str, int]
    subtasks: dict[Kind | Literal["any"], Approach]
    specs: dict[str, Spec]
    advice: list[Advice]


class NoRule(Exception):
    """The rules say nothing about this; the message says about what."""


@cache
def rules(book: str = BOOK) -> Rules:
    """The rules of a file of this folder. One that names a ``base`` is that file with its own
    entries put in the place of those that have the same names.

    Raises:
        NoRule: there is no such file, or it is none of rules.
    """
    try:
        read = msgspec.convert(_read(book), type=Rules)
    except (yaml.YAMLError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise NoRule(f"{book}: {' '.join(str(error).split())}") from None
    except RecursionError:
        raise NoRule(f"{book}: its `base` leads back to it") from None
    if not read.advice or read.advice[-1].when:
        raise NoRule(f"{book}: the last of its `advice` has `when: {{}}`, for what fits no other")
    return read


def books() -> list[str]:
    """The rule files that there are."""
    return sorted(path.name for path in HERE.glob("*.yaml"))


def _read(book: str) -> dict[str, Any]:
    if book not in books():
        raise NoRule(f"there is no rule file {book!r}; there are {', '.join(books())}")
    own: Any = yaml.safe_load((HERE / book).read_text("utf-8"))
    if not isinstance(own, dict):
        raise NoRule(f"{book}: a rule file is a mapping")
    base = own.pop("base", None)
    if base is None:
        return own
    read = _read(base)
    for section, entries in own.items():
        merged = isinstance(entries, dict)
        read[section] = {**read[section], **entries} if merged else entries
    return read


def approach(
    goal: Condition,
    inventory: Mapping[str, int] = NOTHING,
    alone: bool = True,
    book: str = BOOK,
) -> Approach:
    """How a subtask with this success is gone about, with everything filled in. ``alone``: it is
    the whole goal, and no step on the way to one.

    Raises:
        NoRule: the rules know no way.
    """
    subtasks = rules(book).subtasks
    found = subtasks.get(BY_ANY_WAY)
    if found is None:
        kind = kind_of(goal, inventory, book)
        if kind == "gather" and not alone:
            kind = "collect"
        found = subtasks[kind]
    return fill(found, goal, inventory, book)


def open_to(known: Approach, methods: Collection[Method], most: int | None) -> Approach:
    """What is left of an approach where only these methods, and so many steps, are open to a run.

    Raises:
        NoRule: nothing is left.
    """
    splits: list[list[Step]] = []
    for split in known.splits:
        steps = [
            msgspec.structs.replace(step, methods=[m for m in step.methods if m in methods])
            for step in split
        ]
        if all(step.methods for step in steps) and (most is None or len(steps) <= most):
            splits.append(steps)
    if not splits:
        raise NoRule(f"the rulebook cannot {known.name!r} by {' and '.join(methods)} alone")
    return msgspec.structs.replace(known, splits=splits)


def kind_of(goal: Condition, inventory: Mapping[str, int], book: str = BOOK) -> Kind:
    """Which kind of way leads there; ``inventory``: what the subtask begins with."""
    if goal.kind == "nearby":
        return "place"
    if goal.kind != "have":
        return "reach"
    way = _way(goal, inventory)
    if way is None or way.how == "find":
        if dug_from(goal.name, book) is None:
            raise NoRule(f"the rulebook knows no way to get {goal.name!r}")
        return "gather"
    if way.how in MADE:
        return "make_at" if way.station else "make"
    if way.how == "kill":
        return "hunt"
    if way.how == "use":
        if way.of not in {mob.name for mob in MOBS}:
            raise NoRule(f"the rulebook knows no way to get {goal.name!r}")
        return "apply"
    if block_of(goal, book) in rules(book).levels:
        return "mine"
    return "gather" if goal.quantity == 1 else "collect"


def _way(goal: Condition, inventory: Mapping[str, int]) -> Way | None:
    try:
        return way_to(goal.name, open_ways(inventory))
    except Unreachable:
        return None


def block_of(goal: Condition, book: str = BOOK) -> str:
    return (goal.name if goal.kind != "have" else dug_from(goal.name, book)) or ""


def program(
    file: str, goal: Condition, inventory: Mapping[str, int] = NOTHING, book: str = BOOK
) -> str:
    """A program of the stock, its constants set to what the goal names."""
    block = block_of(goal, book)
    way = _way(goal, inventory) or Way(how="find")
    values = {
        "ITEM": goal.name,
        "BLOCK": block,
        "QUANTITY": goal.quantity,
        "MOB": way.of,
        "TOOL": next(iter([*way.tools, *way.uses]), ""),
        "TOOLS": way.tools,
        "STATION": goal.name if goal.kind == "nearby" else way.station,
        "LEVEL": rules(book).levels.get(block, 0),
    }
    source = (HERE / "programs" / file).read_text()
    return _CONSTANT.sub(lambda found: _constant(found[1], values[found[1]]), source)


def _constant(name: str, value: str | int | list[str]) -> str:
    return f"{name} = {msgspec.json.encode(value).decode()}"


def dug_from(item: str, book: str = BOOK) -> str | None:
    """Localised name of the block that the item is dug from."""
    if (chosen := rules(book).blocks.get(item)) is not None:
        return chosen
    dropping = [block for block in BLOCKS if any(drop[0] == item for drop in block.drops)]
    # Of several blocks, the one that gives it for certain and has its name is the natural one.
    dropping.sort(key=lambda block: (block.name != item, block.hardness))
    if dropping:
        return dropping[0].localised
    # What a block gives to one tool alone, as a dead bush itself to shears, is none of its drops.
    way = _way(Condition(kind="have", name=item), NOTHING)
    return _LOCALISED.get(way.of) if way is not None and way.how == "dig" else None


def fill(
    value: Any, goal: Condition, inventory: Mapping[str, int] = NOTHING, book: str = BOOK
) -> Any:
    """A copy of a rule with the braces in its strings filled in."""
    block, way = block_of(goal, book), _way(goal, inventory)
    words = {
        "item": goal.name,
        "thing": goal.name.replace("_", " "),
        "block": block,
        "source": rules(book).sources.get(block, f"{_article(block)} {block}"),
        "quantity": goal.quantity,
        "of": way.of if way else "",
        "tool": next(iter([*way.tools, *way.uses]), "") if way else "",
        "station": (way.station if way else "").replace("_", " "),
        "station_item": way.station if way else "",
    }

    def filled(part: Any) -> Any:
        if isinstance(part, str):
            return part.format(**words)
        if isinstance(part, list):
            return [filled(item) for item in part]
        if isinstance(part, dict):
            return {key: filled(item) for key, item in part.items()}
        return part

    return msgspec.convert(filled(msgspec.to_builtins(value)), type=type(value))


def _article(name: str) -> str:
    return "an" if name[:1] in set("aeiou") else "a"
