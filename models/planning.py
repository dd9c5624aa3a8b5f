"""What has to be had, in which order, to have an item: arithmetic over the world's rules.

The planner checks plans with it, the rulebook writes them with it, and a goal that is performed is
re-planned with it from the inventory of the moment. It knows recipes, tools and how long they last,
stations and fuel; models/ways.py says how each item is had. It does not know where anything is to
be found, and it counts a tool that is held as new.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from models.rules import ITEMS
from models.rules.mobs import MOBS
from models.ways import MADE, Unreachable, Way, easiest, open_ways, way_to

SMELT_TICKS = 200
FUEL = "planks"
_MOBS = frozenset(mob.name for mob in MOBS)
_DURABILITY = {item.name: item.durability for item in ITEMS}
_BURNS = next(item.fuel for item in ITEMS if item.name == FUEL)


class Need(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a plan: so many of an item are to be in the inventory after it."""

    item: str
    quantity: int  # to be had in all, what is there counted
    gain: int  # of these, what is missing when the step begins
    way: Way


def needs(goal: str, quantity: int, inventory: Mapping[str, int]) -> list[Need]:
    """What is still to be had for ``quantity`` of ``goal``, in an order in which it can be done.

    Every item comes once, with all of it that later steps use up; stations and tools are kept, and
    there are as many tools as the digging wears out. What mobs give, and can be had at once, comes
    first: they are where the player is now, and walking for wood loses sight of them.

    Raises:
        Unreachable: there is no way to something that is needed.
    """
    chosen = open_ways(inventory, make=True)
    wanted: dict[str, int] = {goal: quantity}
    kept: dict[str, int] = {}
    worn: dict[str, int] = {}  # tool that is made -> uses that it has to stand
    uses_left = {tool: count * _lasts(tool) for tool, count in inventory.items()}
    steps: list[Need] = []
    for item in _from_goal_down(goal, chosen):
        copies = math.ceil(worn.get(item, 0) / _lasts(item))
        total = wanted.get(item, 0) + max(kept.get(item, 0), copies)
        held = inventory.get(item, 0)
        if copies:  # those that are held have been counted as uses that are left
            total = max(total, held + copies)
        missing = total - held
        if missing <= 0:
            continue
        way = way_to(item, chosen)
        times = math.ceil(missing / way.gives)
        for used, each in way.uses.items():
            wanted[used] = wanted.get(used, 0) + each * times
        if way.how == "smelt":
            wanted[FUEL] = wanted.get(FUEL, 0) + _fuel(times)
        if way.station:
            kept[way.station] = 1
        if way.tools:
            rest = _wear(way.tools, times, uses_left)
            if rest:
                tool = easiest(way.tools)
                worn[tool] = worn.get(tool, 0) + rest
        steps.append(Need(item=item, quantity=total, gain=missing, way=way))
    return _mobs_first(steps[::-1], inventory)


def shortfalls(
    plan: Sequence[tuple[str, int]], inventory: Mapping[str, int], names: Sequence[str] = ()
) -> list[str]:
    """What is wrong with a plan, a list of items with how many more of each a step is to bring: a
    sentence for each step whose ingredients, tool, station or fuel would be missing by then.
    ``names``: what the steps are called, if not by their numbers."""
    held = dict(inventory)
    uses_left = {tool: count * _lasts(tool) for tool, count in held.items()}
    found: list[str] = []
    for number, (item, gain) in enumerate(plan, 1):
        where = names[number - 1] if names else f"Subtask {number} ({gain} {item})"
        try:
            way = way_to(item, open_ways(held))
        except Unreachable as reason:
            found.append(f"{where} cannot be done: {reason}.")
            continue
        times = math.ceil(max(0, gain) / way.gives)
        for used, count in used_up(way, times).items():
            if held.get(used, 0) < count:
                found.append(
                    f"{where} uses up {count} {used}, and there are {held.get(used, 0)} by then: "
                    "get them in an earlier subtask."
                )
        if way.station and not held.get(way.station, 0):
            found.append(f"{where} needs a {way.station}, which no earlier subtask gets.")
        if way.tools and times:
            found += _too_few_tools(where, way, times, uses_left)
        had = held.get(item, 0)
        _carry_out(held, item, gain, way)
        brought = held[item] - had
        uses_left[item] = uses_left.get(item, 0) + brought * _lasts(item)
    return found


def expected(plan: Iterable[tuple[str, int]], inventory: Mapping[str, int]) -> dict[str, int]:
    """The inventory after these steps, by the rules alone. Items that burn come last, the fuel
    first among them: the game burns what lies in the first slot, be it a tool or a table."""
    held = dict(inventory)
    for item, gain in plan:
        _carry_out(held, item, gain, way_to(item, open_ways(held)))
    burns = {item.name for item in ITEMS if item.fuel}
    order = sorted(held, key=lambda name: (name in burns, name != FUEL))
    return {name: held[name] for name in order if held[name] > 0}


def used_up(way: Way, times: int) -> dict[str, int]:
    """What doing it so many times takes out of the inventory."""
    burnt = {FUEL: _fuel(times)} if way.how == "smelt" else {}
    for used, each in way.uses.items():
        burnt[used] = burnt.get(used, 0) + each * times
    return burnt


def _mobs_first(steps: Sequence[Need], inventory: Mapping[str, int]) -> list[Need]:
    def at_once(step: Need) -> bool:
        way = step.way
        times = math.ceil(step.gain / way.gives)
        return (
            way.how in ("kill", "use")
            and way.of in _MOBS
            and all(inventory.get(item, 0) >= each * times for item, each in way.uses.items())
            and (not way.tools or any(inventory.get(tool, 0) for tool in way.tools))
            and (not way.station or inventory.get(way.station, 0) > 0)
        )

    return sorted(steps, key=lambda step: not at_once(step))


def _carry_out(held: dict[str, int], item: str, gain: int, way: Way) -> None:
    times = math.ceil(max(0, gain) / way.gives)
    for used, count in used_up(way, times).items():
        held[used] = max(0, held.get(used, 0) - count)
    # More than was asked for falls to whoever crafts; of what is dug, only that much is certain.
    brought = times * way.gives if way.how in MADE else gain
    held[item] = held.get(item, 0) + brought


def _too_few_tools(where: str, way: Way, times: int, uses_left: dict[str, int]) -> Iterator[str]:
    at_hand = any(uses_left.get(tool, 0) for tool in way.tools)
    rest = _wear(way.tools, times, uses_left)
    if not at_hand:
        yield f"{where} needs one of {', '.join(way.tools)} at hand, which no earlier subtask gets."
    elif rest:
        tool = easiest(way.tools)
        more = math.ceil(rest / _lasts(tool))
        yield f"{where} wears out the tools before its end: {more} more {tool} would do."


def _wear(tools: list[str], times: int, uses_left: dict[str, int]) -> int:
    """Use up what the tools at hand stand; how many uses are not covered."""
    for tool in tools:
        taken = min(times, uses_left.get(tool, 0))
        uses_left[tool] = uses_left.get(tool, 0) - taken
        times -= taken
    return times


def _lasts(item: str) -> int:
    return _DURABILITY.get(item, 0) or 1


def _fuel(times: int) -> int:
    return math.ceil(times * SMELT_TICKS / _BURNS)


def _from_goal_down(goal: str, chosen: frozenset[str]) -> tuple[str, ...]:
    """The goal and all that leads to it, everything before what it needs."""
    order: list[str] = []
    done: dict[str, bool] = {}

    def visit(item: str, path: tuple[str, ...]) -> None:
        if done.get(item):
            return
        if item in path:
            raise Unreachable(f"the way to {goal!r} goes round: {' <- '.join((*path, item))}")
        for need in _needed_for(item, chosen):
            visit(need, (*path, item))
        done[item] = True
        order.append(item)

    visit(goal, ())
    return tuple(order[::-1])


def _needed_for(item: str, chosen: frozenset[str]) -> Iterator[str]:
    way = way_to(item, chosen)
    yield from way.uses
    if way.how == "smelt":
        yield FUEL
    if way.station:
        yield way.station
    if way.tools:
        yield easiest(way.tools)
