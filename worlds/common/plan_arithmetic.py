"""Which items are needed, in which order, to get some items: arithmetic over a game's ways.

The planner checks plans with it, the rulebook writes them with it, and a goal that is performed is
re-planned with it from the inventory of the moment. It knows what is used up, tools and how long
they last, stations and fuel. It does not know where anything is to be found, and it counts a tool
that is held as new, unless the inventory says how often it was used (`UsedInventory`).

Smelting burns fuel that nothing else in the plan needs, then the item collected as fuel. Of the
tools at hand the least is used first, so that the better ones are left for what takes them.
"""

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import MappingProxyType

import msgspec

from worlds.card import Unreachable
from worlds.common.ways import Way, Ways

ENDLESS = 10**9
"""Uses of a tool that does not wear."""


class Fuel(msgspec.Struct, frozen=True, kw_only=True):
    """What smelting burns; by default, nothing smelts."""

    verb: str = ""  # of the ways that burn fuel
    got: str = ""  # the item collected as fuel
    spare: str = ""  # one that is burnt where it is held and not needed
    burns: dict[str, int] = {}  # ticks that each item burns
    ticks: int = 0  # that one smelting takes


class Need(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a plan: so many of an item are to be in the inventory after it."""

    item: str
    quantity: int  # to be had in all, what is there counted
    gain: int  # of these, what is missing when the step begins
    way: Way
    times: int  # that the way is taken
    burns: int = 0  # of the fuel that is got for it


class UsedInventory(dict[str, int]):
    """An inventory of a player of whom it is known how often each item was ``used``, those that
    broke since included."""

    def __init__(self, held: Mapping[str, int], used: Mapping[str, int]) -> None:
        super().__init__(held)
        self.used = used


def _endless(tool: str) -> int:
    return ENDLESS


def _nothing_first(way: Way) -> bool:
    return False


class Arithmetic:
    """Over one game's ways.

    Args:
        lasts: how many uses a tool stands.
        fuel: what smelting burns.
        first: ways that are taken before all else where they can be taken at once.
        places: stations that one goes to, and what is near elsewhere is left behind. All that is
            not had there is got before.
        holds: how many of an item a player can hold, of those that have a limit.
    """

    def __init__(
        self,
        ways: Ways,
        lasts: Callable[[str], int] = _endless,
        fuel: Fuel = Fuel(),  # noqa: B008
        first: Callable[[Way], bool] = _nothing_first,
        places: Collection[str] = (),
        holds: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        self.ways = ways
        self.fuel = fuel
        self._lasts = lasts
        self._first = first
        self.places = frozenset(places)
        self._holds = holds

    def needs(self, goal: str, quantity: int, inventory: Mapping[str, int]) -> list[Need]:
        """`needs_of_all` for one item."""
        return self.needs_of_all({goal: quantity}, inventory)

    def needs_of_all(self, goals: Mapping[str, int], inventory: Mapping[str, int]) -> list[Need]:
        """What is still to be had for so many of each of ``goals``, in an order that can be
        followed, what leads to the first of them first.

        Every item comes once, with all of it that later steps use up; stations and tools are kept,
        and there are as many tools as are worn out.

        Raises:
            Unreachable: there is no way to something that is needed, or more of it is needed at
                once than a player can hold.
        """
        chosen = self.ways.open_ways(inventory, make=True)
        steps = self._counted_back(goals, inventory, chosen, {})
        if inventory.get(self.fuel.spare, 0) and (burnt := self._fuel_to_get(steps, inventory)):
            return self._counted_back(goals, inventory, chosen, burnt)
        return steps

    def _counted_back(
        self,
        goals: Mapping[str, int],
        inventory: Mapping[str, int],
        chosen: frozenset[str],
        burnt: Mapping[str, int],
    ) -> list[Need]:
        """``burnt``: fuel to be got that the smelting of an item burns, where what is spare leaves
        less of it to do."""
        wanted = dict(goals)
        kept: dict[str, int] = {}
        worn: dict[str, int] = {}  # tool that is made -> uses that it has to stand
        uses_left = {tool: self._uses_left(tool, inventory) for tool in inventory}
        steps: list[Need] = []
        here = {place for place in self.places if inventory.get(place, 0)}
        for item in self._from_goals_down(goals, chosen, here):
            copies = math.ceil(worn.get(item, 0) / self._lasts(item))
            total = wanted.get(item, 0) + max(kept.get(item, 0), copies)
            held = inventory.get(item, 0)
            if copies:  # those that are held have been counted as uses that are left
                total = max(total, held + copies)
            missing = total - held
            if missing <= 0:
                continue
            if total > (most := self._holds.get(item, total)):
                raise Unreachable(
                    f"{total} {item} are needed at once, and a player holds at most {most}"
                )
            way = self.ways.way_to(item, chosen)
            times = self._times(missing, way)
            for used, each in way.uses.items():
                wanted[used] = wanted.get(used, 0) + each * times
            burns = 0
            if way.how == self.fuel.verb:
                burns = burnt.get(item, self._to_burn(missing, way))
                wanted[self.fuel.got] = wanted.get(self.fuel.got, 0) + burns
            if way.station:
                kept[way.station] = 1
            if way.tools:
                rest = self._wear(way.tools, times, uses_left)
                if rest:
                    tool = self.ways.easiest(way.tools)
                    worn[tool] = worn.get(tool, 0) + rest
            need = Need(item=item, quantity=total, gain=missing, way=way, times=times, burns=burns)
            steps.append(need)
        return self._before_leaving(self._urgent_first(steps[::-1], inventory))

    def shortfalls(
        self,
        plan: Sequence[tuple[str, int]],
        inventory: Mapping[str, int],
        names: Sequence[str] = (),
    ) -> list[str]:
        """What is wrong with a plan, a list of items with how many more of each a step is to
        bring: a sentence for each step whose ingredients, tool, station or fuel would be missing by
        then. ``names``: what the steps are called, if not by their numbers."""
        held = dict(inventory)
        uses_left = {tool: self._uses_left(tool, inventory) for tool in inventory}
        found: list[str] = []
        for number, (item, gain) in enumerate(plan, 1):
            where = names[number - 1] if names else f"Subtask {number} ({gain} {item})"
            try:
                way = self.ways.way_to(item, self.ways.open_ways(held))
            except Unreachable as reason:
                found.append(f"{where} cannot be done: {reason}.")
                continue
            for used, count in self._used_up(item, gain, way, held, plan[number:]).items():
                if held.get(used, 0) < count:
                    there = held.get(used, 0)
                    found.append(
                        f"{where} uses up {count} {used}, and there are {there} by then: "
                        "get them in an earlier subtask."
                    )
            if way.station in self.places and not held.get(way.station, 0):
                found.append(
                    f"{where} can be had in the {way.station} alone, and no earlier subtask goes "
                    "there."
                )
            elif way.station and not held.get(way.station, 0):
                found.append(f"{where} needs a {way.station}, which no earlier subtask gets.")
            if way.tools and gain > 0:
                found += self._too_few_tools(where, way, self._times(gain, way), uses_left)
            had = held.get(item, 0)
            self._carry_out(held, item, gain, way, plan[number:])
            brought = held[item] - had
            uses_left[item] = uses_left.get(item, 0) + brought * self._lasts(item)
        return found

    def expected(
        self,
        plan: Sequence[tuple[str, int]],
        inventory: Mapping[str, int],
        later: Sequence[tuple[str, int]] = (),
    ) -> dict[str, int]:
        """The inventory after these steps, by the rules alone. Items that burn come last, for what
        lies in the first slot is burnt, be it a tool or a table: first among them the spare fuel
        that none of the ``later`` steps needs, and the fuel that was got."""
        held = dict(inventory)
        for number, (item, gain) in enumerate(plan, 1):
            way = self.ways.way_to(item, self.ways.open_ways(held))
            self._carry_out(held, item, gain, way, [*plan[number:], *later])
        fuels = [self.fuel.spare, self.fuel.got]
        if not self._spare(held, later):
            fuels.reverse()

        def slot(name: str) -> int:
            if name in fuels:
                return 1 + fuels.index(name)
            return 3 if name in self.fuel.burns else 0

        return {name: held[name] for name in sorted(held, key=slot) if held[name] > 0}

    def _uses_left(self, tool: str, inventory: Mapping[str, int]) -> int:
        """What the held ones of a tool still stand. Each that broke took all of its uses along; the
        rest of those that were made wore what is held."""
        held, lasts = inventory.get(tool, 0), self._lasts(tool)
        used = inventory.used.get(tool, 0) if isinstance(inventory, UsedInventory) else 0
        return held * lasts - used % lasts if held > 0 else 0

    def _times(self, gain: int, way: Way) -> int:
        return math.ceil(max(0, gain) / way.gives)

    def _used_up(
        self,
        item: str,
        gain: int,
        way: Way,
        held: Mapping[str, int],
        later: Sequence[tuple[str, int]],
    ) -> dict[str, int]:
        """What a step takes out of the inventory."""
        burnt: dict[str, int] = {}
        times = self._times(gain, way)
        if way.how == self.fuel.verb and times:
            own = way.uses.get(self.fuel.spare, 0) * times
            burnt = self._burnt(times, max(0, self._spare(held, later) - own))
        for used, each in way.uses.items():
            burnt[used] = burnt.get(used, 0) + each * times
        return burnt

    def _burnt(self, times: int, spare: int) -> dict[str, int]:
        """What smelting so many times burns where so much can be spared."""
        ticks = times * self.fuel.ticks
        fuel = self.fuel
        spare = min(spare, math.ceil(ticks / fuel.burns[fuel.spare]))
        left = max(0, ticks - spare * fuel.burns[fuel.spare])
        got = math.ceil(left / fuel.burns[fuel.got])
        return {item: count for item, count in ((fuel.spare, spare), (fuel.got, got)) if count}

    def _spare(self, held: Mapping[str, int], later: Sequence[tuple[str, int]]) -> int:
        """How much of the spare fuel that is held none of the later steps uses up, nor has to
        replace."""
        used = 0
        for item, gain in later:
            if item == self.fuel.spare and gain > 0:
                return 0
            try:
                way = self.ways.way_to(item)
            except Unreachable:
                continue
            used += way.uses.get(self.fuel.spare, 0) * self._times(gain, way)
        return max(0, held.get(self.fuel.spare, 0) - used)

    def _fuel_to_get(self, steps: Sequence[Need], inventory: Mapping[str, int]) -> dict[str, int]:
        """Fuel to be got that each smelted item's step burns after what can be spared."""
        plan = [(step.item, step.gain) for step in steps]
        held = {self.fuel.spare: inventory.get(self.fuel.spare, 0)}
        found: dict[str, int] = {}
        for number, step in enumerate(steps, 1):
            used = self._used_up(step.item, step.gain, step.way, held, plan[number:])
            if step.way.how == self.fuel.verb:
                own = step.way.uses.get(self.fuel.got, 0) * self._times(step.gain, step.way)
                found[step.item] = used.get(self.fuel.got, 0) - own
            held[self.fuel.spare] -= used.get(self.fuel.spare, 0)
            if step.item == self.fuel.spare:
                held[self.fuel.spare] += step.gain
        return found

    def _urgent_first(self, steps: Sequence[Need], inventory: Mapping[str, int]) -> list[Need]:
        def at_once(step: Need) -> bool:
            way, times = step.way, self._times(step.gain, step.way)
            uses = sum(self._uses_left(tool, inventory) for tool in way.tools)
            return (
                self._first(way)
                and all(inventory.get(item, 0) >= each * times for item, each in way.uses.items())
                and (not way.tools or uses >= times)
                and (not way.station or inventory.get(way.station, 0) > 0)
            )

        return sorted(steps, key=lambda step: not at_once(step))

    def _before_leaving(self, steps: Sequence[Need]) -> list[Need]:
        """What does not wait for a place comes before the way there."""
        waits = set(self.places)
        late: list[Need] = []
        early: list[Need] = []
        for step in steps:
            way = step.way
            if step.item in waits or waits & {*way.uses, *way.tools, way.station}:
                waits.add(step.item)
                late.append(step)
            else:
                early.append(step)
        return [*early, *late]

    def _carry_out(
        self, held: dict[str, int], item: str, gain: int, way: Way, later: Sequence[tuple[str, int]]
    ) -> None:
        for used, count in self._used_up(item, gain, way, held, later).items():
            held[used] = max(0, held.get(used, 0) - count)
        # Crafting may yield more than asked for, which is kept; of dug items only the requested
        # number is certain.
        brought = self._times(gain, way) * way.gives if way.how in self.ways.made else gain
        held[item] = held.get(item, 0) + brought

    def _too_few_tools(
        self, where: str, way: Way, times: int, uses_left: dict[str, int]
    ) -> Iterator[str]:
        at_hand = any(uses_left.get(tool, 0) for tool in way.tools)
        rest = self._wear(way.tools, times, uses_left)
        if not at_hand:
            tools = ", ".join(way.tools)
            yield f"{where} needs one of {tools} at hand, which no earlier subtask gets."
        elif rest:
            tool = self.ways.easiest(way.tools)
            more = math.ceil(rest / self._lasts(tool))
            yield f"{where} wears out the tools before its end: {more} more {tool} would do."

    def _wear(self, tools: list[str], times: int, uses_left: dict[str, int]) -> int:
        """Use up what the tools at hand stand; how many uses are not covered."""
        for tool in tools:
            taken = min(times, uses_left.get(tool, 0))
            uses_left[tool] = uses_left.get(tool, 0) - taken
            times -= taken
        return times

    def _to_burn(self, gain: int, way: Way) -> int:
        """Fuel to be got that it burns where none is to spare."""
        if way.how != self.fuel.verb:
            return 0
        return self._burnt(self._times(gain, way), 0).get(self.fuel.got, 0)

    def _from_goals_down(
        self, goals: Collection[str], chosen: frozenset[str], here: Collection[str]
    ) -> tuple[str, ...]:
        """The goals and all that leads to them, everything before what it needs. ``here``: places
        to which no way is asked for."""
        order: list[str] = []
        done: dict[str, bool] = {}

        def visit(item: str, path: tuple[str, ...]) -> None:
            if done.get(item) or item in here:
                return
            if item in path:
                circle = " <- ".join((*path, item))
                raise Unreachable(f"the way to {path[0]!r} is a circle: {circle}")
            for need in self._needed_for(item, chosen):
                visit(need, (*path, item))
            done[item] = True
            order.append(item)

        for goal in goals:
            visit(goal, ())
        return tuple(order[::-1])

    def _needed_for(self, item: str, chosen: frozenset[str]) -> Iterator[str]:
        way = self.ways.way_to(item, chosen)
        yield from way.uses
        if way.how == self.fuel.verb:
            yield self.fuel.got
        if way.station:
            yield way.station
        if way.tools:
            yield self.ways.easiest(way.tools)
