"""Plans in Minecraft. A subtask that needs a station begins with it in the inventory, or beside it:
its stages put it down and use it, and who goes away takes it along, so that a plan never has to
know where something stands."""

from collections.abc import Collection, Mapping, Sequence

import msgspec

from messages.plan import Subtask
from messages.world import Condition, Task, View
from voxeldojo.rules import ITEMS
from voxeldojo.rules.mobs import MOBS
from worlds.card import Unreachable
from worlds.common.plan_arithmetic import Arithmetic, Fuel, Need
from worlds.common.planning import WayPlanning
from worlds.common.ways import Way
from worlds.minecraft.card.naming import MOBS as SEEN_MOBS
from worlds.minecraft.card.naming import seen_name
from worlds.minecraft.card.start_slots import empty_handed
from worlds.minecraft.card.ways import FOUND, HOMES, MOBS_FOUND, PLACES, WAYS, found_here, way_to

_BLOCKS = {"crafting table": "crafting_table", "furnace": "furnace"}
_WEAPONS = tuple(
    f"{stuff}_{kind}"
    for stuff in ("diamond", "iron", "stone", "golden", "wooden")
    for kind in ("sword", "axe")
)
_PICKAXES = {f"{stuff}_pickaxe" for stuff in ("wooden", "stone", "iron", "golden", "diamond")}
MEALS = (
    *("cooked_beef", "cooked_porkchop", "cooked_mutton", "cooked_chicken"),
    *("bread", "apple", "carrot", "beef", "porkchop", "mutton"),
)
"""What is eaten where it is carried, the best first."""
_DANGEROUS = frozenset(
    mob.name for mob in MOBS if mob.name not in (
        "bat", "chicken", "cow", "donkey", "horse", "llama", "mooshroom", "mule", "ocelot", "pig",
        "rabbit", "sheep", "skeleton_horse", "snowman", "squid", "villager", "zombie_horse",
    )
)  # fmt: skip
"""Mobs not to be fought with bare hands where that can be avoided."""
MOB_NAMES = frozenset(mob.name for mob in MOBS)
_DURABILITY = {item.name: item.durability for item in ITEMS}
_BIOMES_OF = {"nether": "nether", "end": "the_end"}
"""The biome of each place: episodes that begin in it begin there."""
NOT_WALKED_TO = frozenset((*_BIOMES_OF.values(), "the_void"))
"""Biomes that are not of the overworld."""
_ROCK = 60  # y: who goes lower digs through stone
_FOOD_OF_A_MEAL = 3  # raw beef
ALIKE = {"log2": "log"}
"""Items that recipes take in place of another one: the trunks of other trees."""
_CARRIED = {"nearby": "places", "placed": "places", "used": "uses", "worn": "puts on"}
_VERBS = {
    "dig": "harvest",
    "craft": "craft",
    "smelt": "smelt",
    "enter": "enter",
    "kill": "get",
    "use": "get",
    "find": "find",
    "fish": "catch",
    "fill": "get",
}
_TAKES = {"dig": "attack", "kill": "attack", "use": "use"}
"""The action that the way by a verb takes."""
_PHRASES = {
    "dig": "dig the block {of}",
    "kill": "kill a {of}",
    "use": "use {held} on a {of}",
    "find": "find beside a {of}",
    "fish": "fish in {of} with a {held}",
    "fill": "fill {held} with {of}",
    "craft": "craft",
    "smelt": "smelt",
    "enter": "build the frame of a {of} of {held}, light it with flint_and_steel, stand in it",
}


def _lasts(tool: str) -> int:
    return _DURABILITY.get(tool, 0) or 1


def _carried(success: Condition) -> int:
    """How many of what a condition names it takes: of what is used as many as that wears out."""
    if success.kind == "placed":
        return success.quantity
    return -(-success.quantity // _lasts(success.name)) if success.kind == "used" else 1


def _of_a_mob(way: Way) -> bool:
    """Mobs are where the player is now, and walking for wood loses sight of them."""
    return way.how in ("kill", "use")


ARITHMETIC = Arithmetic(
    WAYS,
    lasts=_lasts,
    fuel=Fuel(
        verb="smelt",
        got="planks",
        spare="coal",
        burns={item.name: item.fuel for item in ITEMS if item.fuel},
        ticks=200,
    ),
    first=_of_a_mob,
    places=PLACES,
)
needs, shortfalls, expected = ARITHMETIC.needs, ARITHMETIC.shortfalls, ARITHMETIC.expected


def no_way(success: Condition) -> str:
    """The sentence for a condition that the rules do not know how to bring about."""
    return f"nothing in the rules brings about {success.kind} {success.name!r}"


def check_way(success: Condition) -> None:
    """Whether there is a way to where, or to what state, a condition wants the player.

    Raises:
        Unreachable: there is none, with the reason.
    """
    if success.kind == "in_dimension":
        if success.name not in PLACES:
            raise Unreachable(no_way(success))
        way_to(success.name)
    elif success.kind == "in_biome" and success.name in NOT_WALKED_TO:
        raise Unreachable(no_way(success))


def _here(begun: Mapping[str, int]) -> str:
    """Which of the `PLACES` an episode begins in that begins with ``begun``; "" for the
    Overworld."""
    return next((place for place in PLACES if begun.get(place, 0)), "")


def _not_here(here: str, task: Task) -> str:
    return f"not found in the {here.title()}, where an episode begins (task.biome={task.biome})"


class MinecraftPlanning(WayPlanning):
    places = PLACES

    def __init__(self) -> None:
        burning = " (and fuel: coal that is held for 8 of them, 2 planks for 3)"
        super().__init__(ARITHMETIC, _VERBS, _PHRASES, burning)

    def begun(self, task: Task) -> dict[str, int]:
        here = [place for place, biome in _BIOMES_OF.items() if task.biome == biome]
        return {**task.inventory, **dict.fromkeys(here, 1)}

    def wrong_start(self, task: Task, success: Condition) -> str:
        """A fight is planned for where the player is, so the mob has to come there. From another
        dimension no program leads back."""
        mob = success.name
        laid_out = {each.strip() for each in str(task.world.get("initial_mobs", "")).split(",")}
        if away := self._left_behind(task, success, laid_out):
            return away
        if success.kind != "killed" or mob in laid_out:
            return ""
        if mob not in MOBS_FOUND:
            return (
                f"no {mob} spawns anywhere, and the rulebook has no program that makes one: "
                f"task.world.initial_mobs={mob} lays one out"
            )
        here = _here(self.begun(task))
        if here in FOUND[mob]:
            return ""
        if mob not in HOMES:
            return f"{mob} is {_not_here(here, task)}: begin in another biome"
        home = _BIOMES_OF[HOMES[mob]]
        return (
            f"{mob} is found in the biome {home} alone, and a fight is planned for where an "
            f"episode begins: task.biome={home} begins there"
        )

    def _left_behind(self, task: Task, success: Condition, laid_out: Collection[str]) -> str:
        """What a goal takes of the overworld, where an episode begins elsewhere; "" if nothing."""
        begun = self.begun(task)
        here = _here(begun)
        if not here:
            return ""
        try:
            steps = self.arithmetic.needs_of_all(self.wanted(success, begun), begun)
        except Unreachable:
            return ""  # as the plan itself reports
        needed = [success.name] if success.kind == "in_biome" else []
        needed += [
            step.item
            for step in steps
            if step.way.of not in laid_out and not found_here(step.way, here)
        ]
        if not needed:
            return ""
        return (
            f"{needed[0]} is {_not_here(here, task)}, and the rulebook has no program that finds "
            "the way back: begin in another biome"
        )

    def task_from(self, task: Task, held: Mapping[str, int]) -> Task:
        begun = super().task_from(task, held)
        for place, biome in _BIOMES_OF.items():
            if held.get(place, 0):
                begun = msgspec.structs.replace(begun, biome=biome)
        return begun

    def practised_from(self, task: Task, held: Mapping[str, int]) -> Task:
        """The first subtask begins as the task does, a later one with nothing in hand."""
        begun = self.task_from(task, held)
        return begun if begun.inventory == task.inventory else empty_handed(begun)

    def subtask(self, step: Need, why: str) -> Subtask:
        if step.item not in PLACES:
            return super().subtask(step, why)
        success = Condition(kind="in_dimension", name=step.item)
        return Subtask(name=f"enter the {step.item}", success=success, why=why)

    def how(self, success: Condition, inventory: Mapping[str, int]) -> str:
        """Besides the ways of items ``follow``, for a mob that is to be faced or killed."""
        if success.kind in ("facing", "killed") and success.name in SEEN_MOBS:
            return "follow"
        return super().how(success, inventory)

    def taken_by(self, success: Condition) -> Sequence[Sequence[str]]:
        """Only where all ways to an item are to dig, to kill or to use another one on a mob."""
        ways = self.arithmetic.ways.ways_to(success.name) if success.kind == "have" else []
        if not ways or not all(way.how in _TAKES for way in ways):
            return []
        return [
            [*(f"equip:{item}" for item in (*way.uses, *way.tools[:1])), "use"]
            if way.how == "use"
            else [_TAKES[way.how]]
            for way in ways
        ]

    def gained(self, success: Condition) -> tuple[str, int] | None:
        if success.kind == "in_dimension" and success.name in PLACES:
            return success.name, 1
        return super().gained(success)

    def place_in_words(self, place: str) -> str:
        return f"in the {place.title()} alone"

    def seen_as(self, source: str) -> str:
        return seen_name(source)

    def _besides(self, success: Condition, inventory: Mapping[str, int]) -> dict[str, int]:
        """What is to be had beside what a condition names: an arrow for a bow, soil for a hoe,
        which is made where there is only rock, a weapon for who fights what fights back, a
        pickaxe for who digs down into the rock, and meat for who is to be fed, without which life
        does not come back either."""
        if success.kind == "used" and success.name == "bow":
            return {"arrow": success.quantity}
        if success.kind == "used" and success.name.endswith("_hoe"):
            return {"dirt": success.quantity}
        if success.kind == "killed" and success.name in _DANGEROUS:
            # What a sword is made of is not to be had in the Nether and in the End.
            armed = any(inventory.get(each, 0) for each in (*_WEAPONS, *PLACES))
            return {} if armed else {"stone_sword": 1}
        if success.kind == "height" and success.name == "below" and success.quantity < _ROCK:
            equipped = any(inventory.get(pick, 0) for pick in _PICKAXES)
            return {} if equipped else {"wooden_pickaxe": 1}
        if success.kind == "health" and success.name in ("life", "food"):
            eaten = sum(inventory.get(meal, 0) for meal in MEALS)
            return {} if eaten else {"beef": -(-success.quantity // (2 * _FOOD_OF_A_MEAL))}
        return {}

    def wanted(self, success: Condition, inventory: Mapping[str, int]) -> dict[str, int]:
        check_way(success)
        return {**self._besides(success, inventory), **self._named(success, inventory)}

    def _named(self, success: Condition, inventory: Mapping[str, int]) -> dict[str, int]:
        """The item that a condition names."""
        if success.kind in (*_CARRIED, "in_dimension"):
            return {success.name: _carried(success)}
        return super().wanted(success, inventory)

    def last(self, success: Condition) -> Subtask | None:
        kind, thing = success.kind, success.name.replace("_", " ")
        if kind in ("have", "in_dimension"):
            return None
        names = {
            "nearby": f"place {thing}",
            "killed": f"kill {success.quantity} {thing}",
            "used": f"use {thing}",
            "placed": f"put down {success.quantity} {thing}",
            "worn": f"put {thing} on",
            "lived": f"live {success.quantity} {thing}",
            "height": f"get to y {success.quantity} or {thing}",
            "health": f"have {success.quantity} {thing}",
        }
        return Subtask(name=names.get(kind, f"find {thing}"), success=success, why="the goal")

    def aim(self, success: Condition, item: str) -> str:
        if item != success.name:
            return "the goal"
        aims = {"nearby": "to be placed", "placed": "to be placed", "used": "to be used"}
        return {**aims, "worn": "to be worn"}.get(success.kind, "the goal")

    def shortfalls(self, subtasks: Sequence[Subtask], inventory: Mapping[str, int]) -> list[str]:
        found = super().shortfalls(subtasks, inventory)
        held = dict(inventory)
        for subtask in subtasks:
            success = subtask.success
            there = held.get(success.name, 0)
            wanted = _carried(success)
            if success.kind == "have":
                held[success.name] = there + success.quantity
            elif success.kind in _CARRIED and not there:
                found.append(
                    f"The subtask {subtask.name!r} {_CARRIED[success.kind]} a {success.name}, "
                    "which no earlier one gets."
                )
            elif success.kind in _CARRIED and there < wanted:
                found.append(
                    f"The subtask {subtask.name!r} {_CARRIED[success.kind]} {wanted} "
                    f"{success.name}, and there are {there} by then: get them in an earlier one."
                )
        return found

    def at_hand(self, view: View, goal: Condition, beside: bool = True) -> dict[str, int]:
        """The stations that stand beside the player are counted in, but for one that is to be put
        down; so are the dimension that he is in, what a portal beside him is made of, and what does
        as well as another item."""
        held = dict(view.inventory)
        if view.dimension in PLACES:
            held[view.dimension] = 1
        elif beside and view.around.get("portal", 0):
            way = way_to("nether")
            held |= {item: max(held.get(item, 0), count) for item, count in way.uses.items()}
            held |= {tool: max(held.get(tool, 0), 1) for tool in way.tools}
        for other, item in ALIKE.items():
            if goal.name not in (other, item) and (more := held.pop(other, 0)):
                held[item] = held.get(item, 0) + more
        if goal.kind == "nearby" or not beside:
            return held
        for block, item in _BLOCKS.items():
            if view.around.get(block, 0) and not held.get(item, 0):
                held[item] = 1
        return held


PLANNING = MinecraftPlanning()
