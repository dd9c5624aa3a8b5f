"""Plans in Minecraft. A subtask that needs a station begins with it in the inventory: its stages
put it down, use it and take it up again, so that a plan never has to know where something stands.
"""

from collections.abc import Mapping, Sequence

from messages.plan import Subtask
from messages.world import Condition, View
from voxeldojo.rules import ITEMS
from voxeldojo.rules.mobs import MOBS
from worlds.common.arithmetic import Arithmetic, Fuel
from worlds.common.planning import WayPlanning
from worlds.common.ways import Way
from worlds.minecraft.card.ways import WAYS

_BLOCKS = {"crafting table": "crafting_table", "furnace": "furnace"}
_MOBS = frozenset(mob.name for mob in MOBS)
_DURABILITY = {item.name: item.durability for item in ITEMS}
_VERBS = {
    "dig": "harvest",
    "craft": "craft",
    "smelt": "smelt",
    "kill": "get",
    "use": "get",
    "find": "find",
}
_PHRASES = {
    "dig": "dig {of}",
    "kill": "kill a {of}",
    "use": "use on a {of}",
    "find": "find beside a {of}",
    "craft": "craft",
    "smelt": "smelt",
}


def _lasts(tool: str) -> int:
    return _DURABILITY.get(tool, 0) or 1


def _of_a_mob(way: Way) -> bool:
    """Mobs are where the player is now, and walking for wood loses sight of them."""
    return way.how in ("kill", "use") and way.of in _MOBS


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


class MinecraftPlanning(WayPlanning):
    def __init__(self) -> None:
        burning = " (and fuel: coal that is held for 8 of them, 2 planks for 3)"
        super().__init__(ARITHMETIC, _VERBS, _PHRASES, burning)

    def wanted(self, success: Condition, inventory: Mapping[str, int]) -> tuple[str, int] | None:
        if success.kind == "nearby":
            return success.name, 1
        return super().wanted(success, inventory)

    def last(self, success: Condition) -> Subtask | None:
        if success.kind == "have":
            return None
        if success.kind == "killed":
            return Subtask(name=f"kill {success.quantity} {success.name.replace('_', ' ')}", success=success, why="the goal")
        verb = "place" if success.kind == "nearby" else "find"
        name = f"{verb} {success.name.replace('_', ' ')}"
        return Subtask(name=name, success=success, why="the goal")

    def aim(self, success: Condition) -> str:
        return "to be placed" if success.kind == "nearby" else "the goal"

    def shortfalls(self, subtasks: Sequence[Subtask], inventory: Mapping[str, int]) -> list[str]:
        found = super().shortfalls(subtasks, inventory)
        held = dict(inventory)
        for subtask in subtasks:
            success = subtask.success
            if success.kind == "have":
                held[success.name] = held.get(success.name, 0) + success.quantity
            elif success.kind == "nearby" and not held.get(success.name, 0):
                found.append(
                    f"The subtask {subtask.name!r} places a {success.name}, "
                    "which no earlier one gets."
                )
        return found

    def at_hand(self, view: View, goal: Condition) -> dict[str, int]:
        """The stations that stand beside the player are counted in, but for one that is to be put
        down."""
        held = dict(view.inventory)
        if goal.kind == "nearby":
            return held
        for block, item in _BLOCKS.items():
            if view.around.get(block, 0) and not held.get(item, 0):
                held[item] = 1
        return held


PLANNING = MinecraftPlanning()
