"""What has to be had, in which order, to have an item: arithmetic over the world's rules.

The planner checks plans with it, the rulebook writes them with it, and a goal that is performed is
re-planned with it from the inventory of the moment. It knows recipes, tools, stations and fuel, and
one way to each item: the one in ways.yaml, else the natural block that drops it, else a recipe,
else a mob. It does not know where anything is to be found.
"""

import math
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec
import yaml

from models.rules import BLOCKS, CRAFTS, ITEMS, Recipe
from models.rules.mobs import MOBS

How = Literal["dig", "craft", "smelt", "kill", "use"]
STATIONS = {"table": "crafting_table", "furnace": "furnace"}
SMELT_TICKS = 200
FUEL = "planks"
WAYS = Path(__file__).parent / "ways.yaml"


class Way(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One way to an item. ``of``: the block that is dug, the mob that is killed, or what ``tool``
    is used on. ``tools``: one of them has to be at hand, and is kept."""

    how: How
    of: str = ""
    tools: list[str] = []
    uses: dict[str, int] = {}  # consumed each time
    station: str = ""  # item that has to stand near, and is kept
    gives: int = 1  # items each time, at least


class Need(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a plan: so many of an item are to be in the inventory after it."""

    item: str
    quantity: int  # to be had in all, what is there counted
    way: Way


class Unreachable(ValueError):
    """No rule leads to the item; the message says which."""


def needs(goal: str, quantity: int, inventory: Mapping[str, int]) -> list[Need]:
    """What is still to be had for ``quantity`` of ``goal``, in an order in which it can be done.

    Every item comes once, with all of it that later steps use up.

    Raises:
        Unreachable: there is no way to something that is needed.
    """
    wanted: dict[str, int] = {goal: quantity}
    kept: dict[str, int] = {}
    steps: list[Need] = []
    for item in _from_goal_down(goal):
        total = wanted.get(item, 0) + kept.get(item, 0)
        missing = total - inventory.get(item, 0)
        if missing <= 0:
            continue
        way = way_to(item)
        times = math.ceil(missing / way.gives)
        for used, each in way.uses.items():
            wanted[used] = wanted.get(used, 0) + each * times
        if way.how == "smelt":
            wanted[FUEL] = wanted.get(FUEL, 0) + _planks_to_burn(times)
        if way.station:
            kept[way.station] = 1
        if way.tools and not any(inventory.get(tool, 0) for tool in way.tools):
            tool = _easiest(tuple(way.tools))
            kept[tool] = 1
        steps.append(Need(item=item, quantity=total, way=way))
    return steps[::-1]


def way_to(item: str) -> Way:
    """Raises Unreachable where there is none."""
    way = _ways().get(item)
    if way is None:
        raise Unreachable(f"nothing in the rules leads to {item!r}")
    return way


def shortfalls(plan: list[tuple[str, int]], inventory: Mapping[str, int]) -> list[str]:
    """What is wrong with a plan, a list of items with the quantity that is to be had after each
    step: a sentence for each step whose ingredients, tool, station or fuel would be missing."""
    held = dict(inventory)
    found: list[str] = []
    for number, (item, quantity) in enumerate(plan, 1):
        where = f"Subtask {number} ({quantity} {item})"
        try:
            way = way_to(item)
        except Unreachable as reason:
            found.append(f"{where} cannot be done: {reason}.")
            continue
        times = math.ceil(max(0, quantity - held.get(item, 0)) / way.gives)
        if times == 0:
            continue
        burnt = {FUEL: _planks_to_burn(times)} if way.how == "smelt" else {}
        for used, each in way.uses.items():
            burnt[used] = burnt.get(used, 0) + each * times
        for used, count in burnt.items():
            if held.get(used, 0) < count:
                found.append(
                    f"{where} uses up {count} {used}, and there are {held.get(used, 0)} by then."
                )
            held[used] = max(0, held.get(used, 0) - count)
        if way.station and not held.get(way.station, 0):
            found.append(f"{where} needs a {way.station}, which no earlier subtask gets.")
        if way.tools and not any(held.get(tool, 0) for tool in way.tools):
            found.append(f"{where} needs one of {', '.join(way.tools)} at hand.")
        held[item] = held.get(item, 0) + times * way.gives
    return found


def _planks_to_burn(times: int) -> int:
    fuel = next(item.fuel for item in ITEMS if item.name == FUEL)
    return math.ceil(times * SMELT_TICKS / fuel)


@cache
def _from_goal_down(goal: str) -> tuple[str, ...]:
    """The goal and all that leads to it, everything before what it needs."""
    order: list[str] = []
    state: dict[str, int] = {}

    def visit(item: str, path: tuple[str, ...]) -> None:
        if state.get(item) == 2:
            return
        if state.get(item) == 1:
            raise Unreachable(f"the way to {goal!r} goes round: {' <- '.join((*path, item))}")
        state[item] = 1
        for need in _needed_for(item):
            visit(need, (*path, item))
        state[item] = 2
        order.append(item)

    visit(goal, ())
    return tuple(order[::-1])


def _needed_for(item: str) -> Iterator[str]:
    way = way_to(item)
    yield from way.uses
    if way.how == "smelt":
        yield FUEL
    if way.station:
        yield way.station
    if way.tools:
        yield _easiest(tuple(way.tools))


TIERS = ("wooden", "stone", "iron", "diamond")


@cache
def _easiest(tools: tuple[str, ...]) -> str:
    """The tool of the lowest tier that is made, else the first."""
    for tier in TIERS:
        for tool in tools:
            if tool.startswith(tier):
                return tool
    return tools[0]


@cache
def _ways() -> dict[str, Way]:
    chosen = msgspec.convert(yaml.safe_load(WAYS.read_text()), type=dict[str, Way])
    found: dict[str, Way] = {}
    for mob in MOBS:
        for drop in mob.drops:
            found.setdefault(drop[0], Way(how="kill", of=mob.name))
    for craft in CRAFTS:
        recipe = _plainest(craft.recipes)
        found[craft.item] = Way(
            how="smelt" if craft.station == "furnace" else "craft",
            uses=dict(recipe.ingredients),
            station=STATIONS.get(craft.station, ""),
            gives=recipe.count,
        )
    for block in BLOCKS:
        for drop in block.drops:
            # A block that only an item makes is no source of that item.
            if drop[0] not in found or (drop[3] == 1 and drop[0] == block.name):
                if block.name in found and drop[0] == block.name:
                    continue
                if drop[0] in chosen:
                    continue
                found[drop[0]] = Way(how="dig", of=block.name, tools=list(block.tools))
    return {**found, **chosen}


def _plainest(recipes: list[Recipe]) -> Recipe:
    """The recipe with the fewest kinds of ingredients; the first of them."""
    return min(recipes, key=lambda recipe: len(recipe.ingredients))
