"""All ways to get things, as rules ``needs -> gives``, and what can be derived from them.

A token is an item's name, or ``block:NAME`` (such a block is somewhere in the world), ``mob:NAME``,
``place:NAME``, ``biome:NAME``, ``tool:...`` (one of several tools), ``fuel``. Quantities are left
out: what can be got once can be got again elsewhere.
"""

import heapq
from collections.abc import Iterable
from functools import cache

import msgspec

from voxeldojo.rules import BIOMES, BLOCKS, CRAFTS, ITEMS
from voxeldojo.rules.sources import OTHER_BIOMES, Sources, sources

CHEST = 400.0  # effort of finding a certain item in chests
STRUCTURE = 400.0  # effort of finding a structure
KILL = 4.0  # effort of finding and killing a mob
RAREST = 0.005  # rarer drops count as if they had this chance
JOURNEY = 60.0  # effort of going to a biome that may be far away
NEARBY = frozenset(("plains", "forest", "forest_hills", "birch_forest", "taiga", "extreme_hills"))
GIVEN = "given at the start"
A_BIOME = "a biome of it"  # how the overworld is reached: each of its biomes is in it
STATIONS = {"table": "block:crafting_table", "furnace": "block:furnace"}


class Rule(msgspec.Struct, frozen=True):
    """With all ``needs``, ``gives`` can be got. ``engine``: also in the embedded world. ``effort``:
    about how many tries it takes, so that the way that is shown does not rely on luck."""

    gives: str
    needs: tuple[str, ...]
    how: str
    engine: bool
    effort: float = 1.0


class Derivation(msgspec.Struct, frozen=True):
    """For each token that can be got, the rule with the least effort."""

    found: dict[str, Rule]

    def __contains__(self, token: str) -> bool:
        return token in self.found

    def steps(self, token: str) -> list[Rule]:
        """The rules that lead to a token, each after those that it needs."""
        ordered: dict[str, Rule] = {}

        def visit(name: str) -> None:
            rule = self.found[name]
            if name in ordered:
                return
            for need in rule.needs:
                visit(need)
            ordered[name] = rule

        visit(token)
        return list(ordered.values())


class World(msgspec.Struct, frozen=True):
    """What is given at the start: the biomes, the items, the mobs that are placed.

    ``engine``: only rules of the embedded world count.
    """

    biomes: tuple[str, ...]
    items: tuple[str, ...] = ()
    mobs: tuple[str, ...] = ()
    engine: bool = False


def derive(world: World) -> Derivation:
    """All that can be got in a world. The effort of a way includes that of its needs; tokens are
    settled in order of effort, as in Dijkstra's algorithm."""
    usable = [rule for rule in rules() if rule.engine or not world.engine]
    waiting: dict[str, list[int]] = {}
    missing, effort = [], []
    for number, rule in enumerate(usable):
        needs = set(rule.needs)
        missing.append(len(needs))
        effort.append(rule.effort)
        for need in needs:
            waiting.setdefault(need, []).append(number)
    found: dict[str, Rule] = {}
    # The number breaks ties, so that every run shows the same way.
    queue = [(rule.effort, -len(usable) + index, rule) for index, rule in enumerate(_givens(world))]
    heapq.heapify(queue)
    while queue:
        spent, _, rule = heapq.heappop(queue)
        if rule.gives in found:
            continue
        found[rule.gives] = rule
        for number in waiting.get(rule.gives, ()):
            missing[number] -= 1
            effort[number] += spent
            if missing[number] == 0:
                heapq.heappush(queue, (effort[number], number, usable[number]))
    return Derivation(found)


def _givens(world: World) -> Iterable[Rule]:
    for biome in world.biomes:
        token = f"place:{biome}" if biome in OTHER_BIOMES else f"biome:{biome}"
        away = len(world.biomes) > 1 and biome not in NEARBY
        yield Rule(token, (), "the task begins there", True, JOURNEY if away else 0.0)
    for item in world.items:
        yield Rule(item, (), GIVEN, True, 0.0)
    for mob in world.mobs:
        if not world.engine or mob in sources().engine.summoned:
            yield Rule(f"mob:{mob}", (), "laid out at the start", True, 0.0)


@cache
def rules_for(token: str) -> tuple[Rule, ...]:
    return tuple(rule for rule in rules() if rule.gives == token)


@cache
def rules() -> tuple[Rule, ...]:
    table = sources()
    found = [*_of_places(table), *_of_blocks(table), *_of_drops(table)]
    return tuple([*found, *_of_mobs(table), *_of_deeds(table), *_of_recipes()])


def _of_places(table: Sources) -> Iterable[Rule]:
    for biome in BIOMES:
        if biome.name not in OTHER_BIOMES:
            yield Rule("place:overworld", (f"biome:{biome.name}",), A_BIOME, True)
    for place in table.places:
        token = f"place:{place.place}"
        effort = STRUCTURE if place.effort is None else place.effort
        for spot in table.spots(place.within, place.without):
            yield Rule(token, (spot,), "found there", place.engine, effort)
        if place.needs:
            making = 1.0 if place.effort is None else place.effort
            yield Rule(token, tuple(place.needs), place.how, place.engine, making)


def _of_blocks(table: Sources) -> Iterable[Rule]:
    for entry in table.blocks:
        for spot in table.spots(entry.within, entry.without):
            yield Rule(f"block:{entry.block}", (spot,), "generates there", entry.engine)


def _of_drops(table: Sources) -> Iterable[Rule]:
    left_out = {(entry.block, entry.item) for entry in table.not_by_hand}
    for block in BLOCKS:
        needs = [f"block:{block.name}"]
        if block.tools:
            tool = f"tool:{'|'.join(sorted(block.tools))}"
            needs.append(tool)
        for item in dict.fromkeys(row[0] for row in block.drops):
            if (block.name, item) not in left_out:
                yield Rule(item, tuple(needs), f"break {block.name}", True)
    for tools in {tuple(sorted(block.tools)) for block in BLOCKS if block.tools}:
        for tool in tools:
            yield Rule(f"tool:{'|'.join(tools)}", (tool,), "is accepted", True)
    for item in ITEMS:
        if item.name.endswith("_hoe"):
            yield Rule("tool:hoe", (item.name,), "is accepted", True)
        if item.block:
            yield Rule(f"block:{item.block}", (item.name,), "place it", True)
        if item.fuel > 0:
            yield Rule("fuel", (item.name,), "burns", True)


def _of_mobs(table: Sources) -> Iterable[Rule]:
    for entry in table.mobs:
        token = f"mob:{entry.mob}"
        for spot in table.spots(entry.within, entry.without):
            yield Rule(token, (spot,), "spawns there", entry.engine, entry.effort)
        if entry.needs:
            yield Rule(token, tuple(entry.needs), entry.how, entry.engine)
        for item, _, _, chance in entry.drops:
            tries = KILL / max(chance, RAREST)
            yield Rule(item, (token,), f"kill a {entry.mob}", entry.engine, tries)


def _of_deeds(table: Sources) -> Iterable[Rule]:
    for deed in table.deeds:
        for token in deed.gives:
            yield Rule(token, tuple(deed.needs), deed.how, deed.engine, deed.effort)
    for chest in table.chests:
        for item in chest.items:
            needs = (f"place:{chest.place}",)
            yield Rule(item, needs, "break a chest open", chest.engine, CHEST)


def _of_recipes() -> Iterable[Rule]:
    for craft in CRAFTS:
        for recipe in craft.recipes:
            needs = list(recipe.ingredients)
            if craft.station != "hand":
                needs.append(STATIONS[craft.station])
            if craft.station == "furnace":
                needs.append("fuel")
            how = "smelt" if craft.station == "furnace" else "craft"
            yield Rule(craft.item, tuple(needs), how, True)
