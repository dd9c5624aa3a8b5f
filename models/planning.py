"""What has to be had, in which order, to have an item: arithmetic over the world's rules.

The planner checks plans with it, the rulebook writes them with it, and a goal that is performed is
re-planned with it from the inventory of the moment. It knows recipes, tools and how long they last,
stations and fuel; models/ways.py says how each item is had. It does not know where anything is to
be found, and it counts a tool that is held as new.

A furnace burns coal that nothing else in the plan needs, then planks. Of the tools at hand the
least is used first, so that the better ones are left for what takes them.
"""

import math
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from models.rules import ITEMS
from models.rules.mobs import MOBS
from models.ways import MADE, Unreachable, Way, easiest, open_ways, way_to

SMELT_TICKS = 200
FUEL = "planks"
"""What is got to be burnt."""
SPARE_FUEL = "coal"
"""What is burnt where it is held and not needed."""
_MOBS = frozenset(mob.name for mob in MOBS)
_DURABILITY = {item.name: item.durability for item in ITEMS}
_BURNS = {item.name: item.fuel for item in ITEMS if item.fuel}


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
    steps = _counted_back(goal, quantity, inventory, chosen, {})
    if inventory.get(SPARE_FUEL, 0) and (burnt := _planks_to_burn(steps, inventory)):
        return _counted_back(goal, quantity, inventory, chosen, burnt)
    return steps


def _counted_back(
    goal: str,
    quantity: int,
    inventory: Mapping[str, int],
    chosen: frozenset[str],
    burnt: Mapping[str, int],
) -> list[Need]:
    """``burnt``: planks that the smelting of an item burns, where coal leaves fewer of them."""
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
        times = _times(missing, way)
        for used, each in way.uses.items():
            wanted[used] = wanted.get(used, 0) + each * times
        if way.how == "smelt":
            wanted[FUEL] = wanted.get(FUEL, 0) + burnt.get(item, _to_burn(missing, way))
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
        for used, count in _used_up(item, gain, way, held, plan[number:]).items():
            if held.get(used, 0) < count:
                found.append(
                    f"{where} uses up {count} {used}, and there are {held.get(used, 0)} by then: "
                    "get them in an earlier subtask."
                )
        if way.station and not held.get(way.station, 0):
            found.append(f"{where} needs a {way.station}, which no earlier subtask gets.")
        if way.tools and gain > 0:
            found += _too_few_tools(where, way, _times(gain, way), uses_left)
        had = held.get(item, 0)
        _carry_out(held, item, gain, way, plan[number:])
        brought = held[item] - had
        uses_left[item] = uses_left.get(item, 0) + brought * _lasts(item)
    return found


def expected(
    plan: Sequence[tuple[str, int]],
    inventory: Mapping[str, int],
    later: Sequence[tuple[str, int]] = (),
) -> dict[str, int]:
    """The inventory after these steps, by the rules alone. Items that burn come last, for the game
    burns what lies in the first slot, be it a tool or a table: first among them the coal that none
    of the ``later`` steps needs, and planks."""
    held = dict(inventory)
    for number, (item, gain) in enumerate(plan, 1):
        way = way_to(item, open_ways(held))
        _carry_out(held, item, gain, way, [*plan[number:], *later])
    fuels = [SPARE_FUEL, FUEL] if _spare(held, later) else [FUEL, SPARE_FUEL]

    def slot(name: str) -> int:
        if name in fuels:
            return 1 + fuels.index(name)
        return 3 if name in _BURNS else 0

    return {name: held[name] for name in sorted(held, key=slot) if held[name] > 0}


def _times(gain: int, way: Way) -> int:
    return math.ceil(max(0, gain) / way.gives)


def _used_up(
    item: str,
    gain: int,
    way: Way,
    held: Mapping[str, int],
    later: Sequence[tuple[str, int]],
) -> dict[str, int]:
    """What a step takes out of the inventory."""
    burnt: dict[str, int] = {}
    times = _times(gain, way)
    if way.how == "smelt" and times:
        own = way.uses.get(SPARE_FUEL, 0) * times
        burnt = _burnt(times, max(0, _spare(held, later) - own))
    for used, each in way.uses.items():
        burnt[used] = burnt.get(used, 0) + each * times
    return burnt


def _burnt(times: int, coal: int) -> dict[str, int]:
    """What smelting so many times burns where so much coal can be spared."""
    ticks = times * SMELT_TICKS
    coal = min(coal, math.ceil(ticks / _BURNS[SPARE_FUEL]))
    planks = math.ceil(max(0, ticks - coal * _BURNS[SPARE_FUEL]) / _BURNS[FUEL])
    return {fuel: count for fuel, count in ((SPARE_FUEL, coal), (FUEL, planks)) if count}


def _spare(held: Mapping[str, int], later: Sequence[tuple[str, int]]) -> int:
    """How much of the coal that is held none of the later steps uses up, nor has to replace."""
    used = 0
    for item, gain in later:
        if item == SPARE_FUEL and gain > 0:
            return 0
        try:
            way = way_to(item)
        except Unreachable:
            continue
        used += way.uses.get(SPARE_FUEL, 0) * _times(gain, way)
    return max(0, held.get(SPARE_FUEL, 0) - used)


def _planks_to_burn(steps: Sequence[Need], inventory: Mapping[str, int]) -> dict[str, int]:
    """Planks that each smelted item's step burns after the coal that can be spared."""
    plan = [(step.item, step.gain) for step in steps]
    held = {SPARE_FUEL: inventory.get(SPARE_FUEL, 0)}
    found: dict[str, int] = {}
    for number, step in enumerate(steps, 1):
        used = _used_up(step.item, step.gain, step.way, held, plan[number:])
        if step.way.how == "smelt":
            found[step.item] = used.get(FUEL, 0) - step.way.uses.get(FUEL, 0) * _times(
                step.gain, step.way
            )
        held[SPARE_FUEL] -= used.get(SPARE_FUEL, 0)
        if step.item == SPARE_FUEL:
            held[SPARE_FUEL] += step.gain
    return found


def _mobs_first(steps: Sequence[Need], inventory: Mapping[str, int]) -> list[Need]:
    def at_once(step: Need) -> bool:
        way, times = step.way, _times(step.gain, step.way)
        uses = sum(inventory.get(tool, 0) * _lasts(tool) for tool in way.tools)
        return (
            way.how in ("kill", "use")
            and way.of in _MOBS
            and all(inventory.get(item, 0) >= each * times for item, each in way.uses.items())
            and (not way.tools or uses >= times)
            and (not way.station or inventory.get(way.station, 0) > 0)
        )

    return sorted(steps, key=lambda step: not at_once(step))


def _carry_out(
    held: dict[str, int], item: str, gain: int, way: Way, later: Sequence[tuple[str, int]]
) -> None:
    for used, count in _used_up(item, gain, way, held, later).items():
        held[used] = max(0, held.get(used, 0) - count)
    # More than was asked for falls to whoever crafts; of what is dug, only that much is certain.
    brought = _times(gain, way) * way.gives if way.how in MADE else gain
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


def _to_burn(gain: int, way: Way) -> int:
    """Planks that it burns where there is no coal."""
    return _burnt(_times(gain, way), 0).get(FUEL, 0) if way.how == "smelt" else 0


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
