"""Plans in Minecraft. A subtask that needs a station begins with it in the inventory, or beside it:
its stages put it down and use it, and who goes away takes it along, so that a plan never has to
know where something stands."""

from collections.abc import Mapping, Sequence

from messages.plan import Subtask
from messages.world import Condition, View
from voxeldojo.rules import ITEMS
from voxeldojo.rules.mobs import MOBS
from worlds.card import Unreachable
from worlds.common.arithmetic import Arithmetic, Fuel
from worlds.common.planning import WayPlanning
from worlds.common.ways import Way
from worlds.minecraft.card.naming import seen_name
from worlds.minecraft.card.ways import WAYS

_BLOCKS = {"crafting table": "crafting_table", "furnace": "furnace"}
_WEAPONS = tuple(
    f"{stuff}_{kind}"
    for stuff in ("diamond", "iron", "stone", "golden", "wooden")
    for kind in ("sword", "axe")
)
_DANGEROUS = frozenset(
    mob.name for mob in MOBS if mob.name not in (
        "bat", "chicken", "cow", "donkey", "horse", "llama", "mooshroom", "mule", "ocelot", "pig",
        "rabbit", "sheep", "skeleton_horse", "snowman", "squid", "villager", "zombie_horse",
    )
)  # fmt: skip
"""Mobs not to be fought with bare hands where that can be avoided."""
MOB_NAMES = frozenset(mob.name for mob in MOBS)
_DURABILITY = {item.name: item.durability for item in ITEMS}
_NO_WAY = frozenset(("in_biome", "in_dimension", "height", "health"))
ALIKE = {"log2": "log"}
"""Items that recipes take in place of another one: the trunks of other trees."""
_CARRIED = {"nearby": "places", "placed": "places", "used": "uses", "worn": "puts on"}
_VERBS = {
    "dig": "harvest",
    "craft": "craft",
    "smelt": "smelt",
    "kill": "get",
    "use": "get",
    "find": "find",
}
_PHRASES = {
    "dig": "dig the block {of}",
    "kill": "kill a {of}",
    "use": "use {held} on a {of}",
    "find": "find beside a {of}",
    "craft": "craft",
    "smelt": "smelt",
}


def _lasts(tool: str) -> int:
    return _DURABILITY.get(tool, 0) or 1


def _of_a_mob(way: Way) -> bool:
    """Mobs are where the player is now, and walking for wood loses sight of them."""
    return way.how in ("kill", "use") and way.of in MOB_NAMES


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
)
needs, shortfalls, expected = ARITHMETIC.needs, ARITHMETIC.shortfalls, ARITHMETIC.expected


def no_way(success: Condition) -> str:
    """The sentence for a condition that the rules do not know how to bring about."""
    return f"nothing in the rules brings about {success.kind} {success.name!r}"


class MinecraftPlanning(WayPlanning):
    def __init__(self) -> None:
        burning = " (and fuel: coal that is held for 8 of them, 2 planks for 3)"
        super().__init__(ARITHMETIC, _VERBS, _PHRASES, burning)

    def plan_for(self, success: Condition, inventory: Mapping[str, int]) -> list[Subtask]:
        found: list[Subtask] = []
        for part, held in self._parts(success, inventory):
            found += super().plan_for(part, held)
        return found

    def sums(self, success: Condition, inventory: Mapping[str, int]) -> str:
        found: list[str] = []
        for part, held in self._parts(success, inventory):
            found.append(super().sums(part, held))
        return "; ".join(filter(None, found))

    def seen_as(self, source: str) -> str:
        return seen_name(source)

    def _parts(
        self, success: Condition, inventory: Mapping[str, int]
    ) -> list[tuple[Condition, Mapping[str, int]]]:
        """What is to be had beside what a condition names, then the condition, each with the
        inventory that it starts from."""
        if success.kind in _NO_WAY:
            raise Unreachable(no_way(success))
        parts: list[tuple[Condition, Mapping[str, int]]] = []
        held: Mapping[str, int] = inventory
        for item, count in self._besides(success, held).items():
            if (more := count - held.get(item, 0)) > 0:
                also = Condition(kind="have", name=item, quantity=more)
                parts.append((also, held))
                held = self.expected(super().plan_for(also, held), held)
        return [*parts, (success, held)]

    def _besides(self, success: Condition, inventory: Mapping[str, int]) -> dict[str, int]:
        """What is to be had beside what a condition names: an arrow for a bow, soil for a hoe,
        which is made where there is only rock, and a weapon for who fights what fights back."""
        if success.kind == "used" and success.name == "bow":
            return {"arrow": success.quantity}
        if success.kind == "used" and success.name.endswith("_hoe"):
            return {"dirt": 1}
        if success.kind == "killed" and success.name in _DANGEROUS:
            armed = any(inventory.get(weapon, 0) for weapon in _WEAPONS)
            return {} if armed else {"stone_sword": 1}
        return {}

    def wanted(self, success: Condition, inventory: Mapping[str, int]) -> tuple[str, int] | None:
        if success.kind in ("nearby", "used", "worn"):
            return success.name, 1
        if success.kind == "placed":
            return success.name, success.quantity
        return super().wanted(success, inventory)

    def last(self, success: Condition) -> Subtask | None:
        kind, thing = success.kind, success.name.replace("_", " ")
        if kind == "have":
            return None
        names = {
            "nearby": f"place {thing}",
            "killed": f"kill {success.quantity} {thing}",
            "used": f"use {thing}",
            "placed": f"put down {success.quantity} {thing}",
            "worn": f"put {thing} on",
            "lived": f"live {success.quantity} {thing}",
        }
        return Subtask(name=names.get(kind, f"find {thing}"), success=success, why="the goal")

    def aim(self, success: Condition) -> str:
        aims = {"nearby": "to be placed", "placed": "to be placed", "used": "to be used"}
        return {**aims, "worn": "to be worn"}.get(success.kind, "the goal")

    def shortfalls(self, subtasks: Sequence[Subtask], inventory: Mapping[str, int]) -> list[str]:
        found = super().shortfalls(subtasks, inventory)
        held = dict(inventory)
        for subtask in subtasks:
            success = subtask.success
            if success.kind == "have":
                held[success.name] = held.get(success.name, 0) + success.quantity
            elif success.kind in _CARRIED and not held.get(success.name, 0):
                found.append(
                    f"The subtask {subtask.name!r} {_CARRIED[success.kind]} a {success.name}, "
                    "which no earlier one gets."
                )
        return found

    def at_hand(self, view: View, goal: Condition, beside: bool = True) -> dict[str, int]:
        """The stations that stand beside the player are counted in, but for one that is to be put
        down; so is what does as well as another item."""
        held = dict(view.inventory)
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
