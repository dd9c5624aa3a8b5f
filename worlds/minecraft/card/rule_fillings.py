"""What the rulebook's rules for Minecraft are filled in with.

``tables`` of a rule file: ``by_parts`` (blocks of which a single one is approached step by step),
``blocks`` (the block to look for, by the item that is wanted),
``sources`` (what a person calls the place where a block is found), ``levels`` (how deep one goes
for a block).
"""

from collections.abc import Mapping
from pathlib import Path

from messages.world import Condition
from voxeldojo.rules import BLOCKS, ITEMS
from voxeldojo.rules.mobs import MOBS
from worlds.card import RulebookRules, Tables, Unreachable
from worlds.common.ways import Way
from worlds.minecraft.card.conditions import TICKS
from worlds.minecraft.card.naming import mob_seen_as
from worlds.minecraft.card.planning import ALIKE, MEALS, MOB_NAMES, check_way, needs, no_way
from worlds.minecraft.card.ways import MADE, PLACES, easiest, open_ways, way_to

_HERE = Path(__file__).parent
_NOTHING: Mapping[str, int] = {}
_LOCALISED = {block.name: block.localised for block in BLOCKS}
_KINDS = {
    "killed": "fight",
    "placed": "put",
    "worn": "wear",
    "lived": "live",
    "in_biome": "travel",
    "health": "recover",
}
_ITEMS = {item.name: item for item in ITEMS}
_DIPPED = ("bucket", "fishing_rod", "glass_bottle")
_LISTS = ("sources", "crafts", "places", "hands")
# Land animals, which do not strike back and live in herds.
_ANIMALS = {
    mob.name
    for mob in MOBS
    if mob.nature == "passive" and mob.food and not (mob.damage or mob.flies or mob.swims)
}


class MinecraftRulebook(RulebookRules):
    def __init__(self) -> None:
        self.files = _HERE / "rules"
        self.programs = _HERE / "programs"

    def kind_of(
        self, goal: Condition, inventory: Mapping[str, int], alone: bool, tables: Tables
    ) -> str:
        """``gather``, ``collect``, ``mine``, ``make``, ``make_at``, ``hunt``, ``apply``,
        ``follow``, ``dip``, ``reach``, ``place``, ``kill``, ``fight``, ``live``, ``enter``,
        ``travel``, ``climb``, ``descend``, ``recover``, or how an item is used.
        """
        if goal.kind == "nearby":
            return "place"
        if goal.kind == "used":
            return use_of(goal.name)
        if goal.kind == "placed" and not _ITEMS[goal.name].block:
            return "press"  # it becomes a block of another name, which only the use key lays
        if goal.kind in _KINDS:
            check_way(goal)
            animal = goal.kind == "killed" and goal.name in _ANIMALS
            return "kill" if animal else _KINDS[goal.kind]
        if goal.kind == "height":
            return "climb" if goal.name == "above" else "descend"
        if goal.kind in ("near", "facing"):
            return "reach"
        if goal.kind == "in_dimension":
            check_way(goal)
            return "enter"
        if goal.kind != "have":
            raise Unreachable(no_way(goal))
        way = _way(goal, inventory)
        if way is not None and way.how == "find" and way.of in MOB_NAMES:
            return "follow"
        if way is None or way.how == "find":
            if _dug_from(goal.name, tables) is None:
                raise Unreachable(f"the rulebook knows no way to get {goal.name!r}")
            return "collect"
        if way.how in MADE:
            return "make_at" if way.station else "make"
        if way.how == "kill":
            return "hunt"
        if way.how in ("fish", "fill"):
            if way.of != "water":
                raise Unreachable(f"the rulebook knows no way to get {goal.name!r}")
            return "dip"
        if way.how == "use":
            return "apply"
        block = _block_of(goal, tables)
        if block in tables["levels"]:
            return "mine"
        by_parts = alone and goal.quantity == 1 and block in tables.get("by_parts", ())
        return "gather" if by_parts else "collect"

    def words(
        self, goal: Condition, inventory: Mapping[str, int], alone: bool, tables: Tables
    ) -> dict[str, object]:
        """``item`` registry name, ``thing`` the item in words, ``only`` where nothing else
        counts, ``block`` localised name of the block that drops it, ``source`` what a person looks
        for, ``quantity``; ``of`` the mob, ``tool`` what is used on it; ``station`` in words and
        ``station_item`` what it is made at.
        """
        block, way = _block_of(goal, tables), _way(goal, inventory)
        return {
            "item": goal.name,
            "thing": goal.name.replace("_", " "),
            "only": " only" if alone and _alike(goal) else "",
            "block": block,
            "source": tables["sources"].get(block, f"{_article(block)} {block}"),
            "quantity": goal.quantity,
            "of": _mob(goal, way),
            "tool": _tool(goal, way),
            "station": (way.station if way else "").replace("_", " "),
            "station_item": way.station if way else "",
        }

    def constants(
        self, goal: Condition, inventory: Mapping[str, int], alone: bool, tables: Tables
    ) -> dict[str, str | int | list[str]]:
        block = _block_of(goal, tables)
        way = _way(goal, inventory) or Way(how="find")
        return {
            "ITEM": goal.name,
            "BLOCK": block,
            "QUANTITY": goal.quantity,
            "MOB": _mob(goal, way),
            "VICTIM": goal.name if goal.kind == "killed" else way.of,
            "TOOL": _tool(goal, way),
            "TOOLS": way.tools,
            "ALIKE": [] if alone else _alike(goal),
            "OTHERS": _alike(goal) if alone else [],
            "STATION": goal.name if goal.kind == "nearby" else way.station,
            "TICKS": goal.quantity * TICKS.get(goal.name, 1),
            "LEVEL": tables["levels"].get(block, 0),
            "HEIGHT": goal.quantity,
            "VITAL": goal.name,
            "MEALS": list(MEALS),
        }

    def lists(
        self, goal: Condition, inventory: Mapping[str, int], tables: Tables
    ) -> dict[str, list[str]]:
        """What comes of the way to a goal: ``sources`` (blocks that are dug and mobs that are met),
        ``crafts`` (items that are made), ``places`` (stations that are put down), ``hands`` (tools
        and weapons). Empty where there is no way."""
        found = {key: list[str]() for key in _LISTS}
        total = inventory.get(goal.name, 0) + goal.quantity if goal.kind == "have" else 1
        try:
            steps = needs(goal.name, total, inventory) if goal.kind in ("have", "nearby") else []
        except Unreachable:
            steps = []
        for step in steps:
            way = step.way
            if way.how in MADE:
                found["crafts"].append(step.item)
            elif way.how == "dig":
                found["sources"].append(_dug_from(step.item, tables) or way.of)
            else:
                found["sources"].append(way.of)
            if way.station and way.station not in PLACES:
                found["places"].append(way.station)
            if way.how in ("use", "fill"):
                found["hands"] += [item for item in way.uses if item not in found["hands"]]
            if way.tools:
                carried = [tool for tool in way.tools if inventory.get(tool, 0)]
                found["hands"].append((carried or [easiest(way.tools)])[-1])
        if goal.kind == "nearby":
            found["places"].append(goal.name)
        elif goal.kind in ("near", "facing"):
            found["sources"].append(goal.name)
        found["hands"] += [item for item in inventory if item.endswith("_sword")]
        return {key: list(dict.fromkeys(names)) for key, names in found.items()}


def _alike(goal: Condition) -> list[str]:
    """Items that do as well as the goal's on the way to something else."""
    return [other for other, item in ALIKE.items() if item == goal.name]


def _mob(goal: Condition, way: Way | None) -> str:
    """What is killed, or whatever the way leads to, by the name that it is seen by."""
    return mob_seen_as(goal.name if goal.kind == "killed" else way.of if way else "")


def _tool(goal: Condition, way: Way | None) -> str:
    """What is used to get, or to use, what the goal names."""
    if goal.kind == "used":
        return goal.name
    return next(iter([*way.tools, *way.uses]), "") if way else ""


def _way(goal: Condition, inventory: Mapping[str, int]) -> Way | None:
    try:
        return way_to(goal.name, open_ways(inventory))
    except Unreachable:
        return None


def _block_of(goal: Condition, tables: Tables) -> str:
    return (goal.name if goal.kind != "have" else _dug_from(goal.name, tables)) or ""


def _dug_from(item: str, tables: Tables) -> str | None:
    """Localised name of the block that the item is dug from."""
    if (chosen := tables["blocks"].get(item)) is not None:
        return chosen
    # What a block gives to one tool alone, as a dead bush itself to shears, is none of its drops.
    way = _way(Condition(kind="have", name=item), _NOTHING)
    if way is not None and way.how == "dig":
        return _LOCALISED.get(way.of)
    dropping = [block for block in BLOCKS if any(drop[0] == item for drop in block.drops)]
    # Of several blocks, the one that gives it for certain and has its name is the natural one.
    dropping.sort(key=lambda block: (block.name != item, block.hardness))
    return dropping[0].localised if dropping else None


def use_of(item: str) -> str:
    """How an item is used: ``wear``, ``shoot``, ``till``, ``put`` down, ``eat``, ``dip`` into
    water, ``dig_once`` with it, or ``press`` the use key."""
    entry = _ITEMS.get(item)
    if entry is None:
        return "press"
    if entry.slot != "mainhand":
        return "wear"
    if item == "bow":
        return "shoot"
    if item.endswith("_hoe"):
        return "till"
    if entry.block:
        return "put"
    if entry.food[0] and item != "cake":  # which is put down
        return "eat"
    if item in _DIPPED:
        return "dip"
    dug = item.endswith(("_sword", "_axe", "_pickaxe", "_shovel"))
    return "dig_once" if dug else "press"


def _article(name: str) -> str:
    return "an" if name[:1] in set("aeiou") else "a"


RULEBOOK = MinecraftRulebook()
