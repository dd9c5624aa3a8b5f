"""Reads the rule file into types, and fills in what a condition says."""

import re
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec
import yaml

from messages.plan import Method
from messages.world import Condition, RewardTerm
from models.rules import BLOCKS
from models.ways import MADE, Unreachable, way_to

HERE = Path(__file__).parent

_CONSTANT = re.compile(r"^(ITEM|BLOCK|QUANTITY) = .*$", re.MULTILINE)


class Step(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A sub-action, with its methods from the cheapest on and its stock of programs and specs."""

    name: str
    description: str
    success: Literal["goal"] | Condition
    methods: list[Method]
    programs: list[str]
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


class VerdictLine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    when: dict[str, Any]
    reason: str
    suggestion: str = ""


class Rules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    blocks: dict[str, str]
    sources: dict[str, str]
    subtasks: dict[Literal["gather", "make", "reach"], Approach]
    specs: dict[str, Spec]
    verdicts: list[VerdictLine]


class NoRule(Exception):
    """The rules say nothing about this; the message says about what."""


@cache
def rules() -> Rules:
    text = (HERE / "rules.yaml").read_text()
    return msgspec.convert(yaml.safe_load(text), type=Rules)


def approach(goal: Condition) -> Approach:
    """How a subtask with this success is gone about, with everything filled in.

    Raises:
        NoRule: the rules know no way.
    """
    known = rules()
    if goal.kind != "have":
        return fill(known.subtasks["reach"], goal, goal.name)
    if _is_made(goal.name):  # planks are dug too, but first they are made
        return fill(known.subtasks["make"], goal, "")
    if (block := _dug_from(goal.name)) is not None:
        return fill(known.subtasks["gather"], goal, block)
    raise NoRule(f"the rulebook knows no way to get {goal.name!r}")


def _is_made(item: str) -> bool:
    """Whether the plan's way to the item is a recipe."""
    try:
        return way_to(item).how in MADE
    except Unreachable:
        return False


def spec(name: str, goal: Condition) -> Spec:
    block = goal.name if goal.kind != "have" else _dug_from(goal.name) or ""
    return fill(rules().specs[name], goal, block)


def program(file: str, goal: Condition) -> str:
    """A program of the stock, its constants set to what the goal names."""
    block = goal.name if goal.kind != "have" else _dug_from(goal.name) or ""
    values = {"ITEM": goal.name, "BLOCK": block, "QUANTITY": goal.quantity}
    source = (HERE / "programs" / file).read_text()
    return _CONSTANT.sub(lambda found: _constant(found[1], values[found[1]]), source)


def _constant(name: str, value: str | int) -> str:
    return f"{name} = {msgspec.json.encode(value).decode()}"


def _dug_from(item: str) -> str | None:
    """Localised name of the block that drops the item."""
    if (chosen := rules().blocks.get(item)) is not None:
        return chosen
    dropping = [block for block in BLOCKS if any(drop[0] == item for drop in block.drops)]
    # Of several blocks, the one that gives it for certain and has its name is the natural one.
    dropping.sort(key=lambda block: (block.name != item, block.hardness))
    return dropping[0].localised if dropping else None


def fill(value: Any, goal: Condition, block: str) -> Any:
    """A copy of a rule with the braces in its strings filled in."""
    words = {
        "item": goal.name,
        "thing": goal.name.replace("_", " "),
        "block": block,
        "source": rules().sources.get(block, f"{_article(block)} {block}"),
        "quantity": goal.quantity,
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
