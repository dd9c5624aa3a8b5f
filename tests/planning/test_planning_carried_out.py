"""Plans of our own against the rules, carried out one item at a time by another arithmetic."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence

import pytest

from messages.world import Condition
from voxeldojo.rules import CRAFTS, ITEMS
from worlds.card import Unreachable
from worlds.minecraft.card.planning import PLANNING, expected, needs, shortfalls
from worlds.minecraft.card.ways import open_ways, way_to

ITEM = {item.name: item for item in ITEMS}
DUG = ("cobblestone", "coal", "iron_ore", "gold_ore", "diamond", "redstone", "obsidian", "wool")
GOALS = [*(craft.item for craft in CRAFTS), *DUG, "leaves", "snowball", "milk_bucket"]
TOOLS = [
    *(f"{tier}_pickaxe" for tier in ("wooden", "golden", "stone", "iron", "diamond")),
    "golden_shovel",
    "shears",
]
HELD = [*TOOLS, "coal", "log", "planks", "stick", "crafting_table", "furnace", "cobblestone",
        "iron_ore", "iron_ingot", "gold_ingot", "bucket", "wool", "torch", "diamond"]  # fmt: skip


def carried_out(plan: Sequence[tuple[str, int]], inventory: Mapping[str, int]) -> Counter[str]:
    """What is held in the end; fails where something is missing. Every use of a tool and every
    item that is smelted is done by itself, the fire going out between steps."""
    held = Counter(inventory)
    uses = {tool: [ITEM[tool].durability] * held[tool] for tool in held if ITEM[tool].durability}
    for number, (item, gain) in enumerate(plan):
        way = way_to(item, open_ways(held))
        assert not way.station or held[way.station], (item, way.station)
        fire, brought = 0, 0
        while brought < gain:
            if way.how == "smelt":
                while fire < 200:
                    fire += _fuel(held, plan[number + 1 :])
                fire -= 200
            if way.tools:
                # Any that does fewer of the later digs is as good; those are what is left over.
                tool = min((t for t in way.tools if any(uses.get(t, []))), key=_worth, default="")
                assert tool, f"{item}: all of {way.tools} are worn out"
                one = next(i for i, left in enumerate(uses[tool]) if left)
                uses[tool][one] -= 1
            for used, count in way.uses.items():
                assert held[used] >= count, (item, used)
                held[used] -= count
            brought += way.gives
        held[item] += brought if way.how in ("craft", "smelt") else gain
        if item in ITEM and ITEM[item].durability:
            uses.setdefault(item, []).extend([ITEM[item].durability] * brought)
    return held


def _fuel(held: Counter[str], later: Sequence[tuple[str, int]]) -> int:
    needed = sum(  # by what comes after
        way_to(item).uses.get("coal", 0) * -(-gain // way_to(item).gives) for item, gain in later
    )
    again = any(item == "coal" for item, _ in later)
    fuel = "coal" if held["coal"] > needed and not again else "planks"
    assert held[fuel], "nothing is left to be burnt"
    held[fuel] -= 1
    return ITEM[fuel].fuel


def _worth(tool: str) -> int:
    return sum(tool in way_to(item).tools for item in DUG if item != "wool")


def gained(goal: str, quantity: int, inventory: Mapping[str, int]) -> list[tuple[str, int]]:
    return [(need.item, need.gain) for need in needs(goal, quantity, inventory)]


@pytest.mark.parametrize("seed", range(4))
def test_no_plan_of_ours_is_refused_or_fails_when_it_is_carried_out(seed: int):
    draw = random.Random(seed)
    planned = 0
    while planned < 700:
        names = draw.sample(HELD, draw.randint(0, 6))
        inventory = {name: draw.choice((1, 1, 2, 3, 7, 20)) for name in names}
        goal, more = draw.choice(GOALS), draw.choice((1, 2, 4, 16, 64, 300))
        total = inventory.get(goal, 0) + more
        try:
            plan = gained(goal, total, inventory)
        except Unreachable:
            continue
        planned += 1
        assert shortfalls(plan, inventory) == [], (goal, more, inventory)
        held = carried_out(plan, inventory)
        assert held[goal] >= total, (goal, more, inventory)
        if goal != "coal":  # of planks, the fire's last one may burn for nothing
            assert expected(plan, inventory).get(goal) == held[goal]


@pytest.mark.parametrize(
    ("goal", "quantity", "inventory"),
    [
        ("anvil", 4, {"stone_pickaxe": 1, "golden_pickaxe": 1}),
        ("banner", 64, {"shears": 1}),
        ("iron_pickaxe", 1, {"coal": 2, "iron_ore": 3, "stick": 2}),
        ("torch", 8, {"coal": 2, "cobblestone": 9, "log": 9}),
    ],
)
def test_plans_that_were_once_refused_can_be_carried_out(
    goal: str, quantity: int, inventory: dict[str, int]
):
    plan = gained(goal, quantity, inventory)
    assert shortfalls(plan, inventory) == []
    assert carried_out(plan, inventory)[goal] >= quantity


def test_coal_that_is_held_is_burnt_before_planks():
    ready = {"coal": 2, "furnace": 1, "iron_ore": 8, "planks": 1}
    assert gained("iron_ingot", 8, ready) == [("iron_ingot", 8)]
    after = expected([("iron_ingot", 8)], ready)
    assert after == {"furnace": 1, "iron_ingot": 8, "coal": 1, "planks": 1}
    assert list(after)[-2:] == ["coal", "planks"]  # the furnace burns what lies first
    # Some of the fire is still got from planks.
    assert gained("iron_ingot", 20, {**ready, "iron_ore": 20}) == [
        ("log", 1),
        ("planks", 2),  # 3.6 to burn, of which 2 coal are 16 of 20 items
        ("iron_ingot", 20),
    ]


def test_coal_that_is_needed_is_not_burnt():
    held = {"coal": 1, "furnace": 1, "iron_ore": 1, "planks": 1, "stick": 1}
    plan = [("iron_ingot", 1), ("torch", 4)]
    assert shortfalls(plan, held) == []
    assert expected(plan, held)["torch"] == 4
    later = expected(plan[:1], held, later=plan[1:])
    assert (later["coal"], later.get("planks", 0)) == (1, 0)
    assert list(expected([], held, later=plan[1:]))[-3:] == ["planks", "coal", "stick"]
    (said,) = shortfalls(plan, {**held, "planks": 0})
    assert said.startswith("Subtask 1 (1 iron_ingot) uses up 1 planks")
    # Where coal is the goal itself, what is held is not to be less by then.
    assert shortfalls([("iron_ingot", 1), ("coal", 1)], {**held, "wooden_pickaxe": 1}) == []
    assert expected([("iron_ingot", 1), ("coal", 1)], held)["coal"] == 2


def test_the_simplest_tool_is_named_first():
    assert way_to("cobblestone").tools[:3] == ["wooden_pickaxe", "golden_pickaxe", "stone_pickaxe"]
    lines = "\n".join(PLANNING.chain(Condition(kind="have", name="iron_ingot"), {}))
    assert "coal that is held for 8" in lines
