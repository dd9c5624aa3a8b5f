"""What has to be had, in which order: the arithmetic over the rules that plans rest on."""

import pytest

from messages.plan import Subtask
from messages.world import Condition, View
from tests.expected_starts import starts
from voxeldojo.rules import CRAFTS
from worlds.card import Unreachable
from worlds.minecraft.card.planning import PLANNING, expected, needs, shortfalls

STARTS = [
    {},
    {"log": 10},
    {"wooden_pickaxe": 1},
    {"crafting_table": 1, "iron_ingot": 3},
    {"planks": 3, "stick": 1, "cobblestone": 5, "coal": 2},
]
OF_THE_END = ("chorus_fruit_popped", "end_bricks", "end_rod", "purpur_block", "purpur_pillar",
              "purpur_slab", "purpur_stairs")  # fmt: skip
NO_WAY = {
    "purple_shulker_box": "shulker_shell",  # no shulker in this world
    "beacon": "a nether star is had from a wither alone",
    **dict.fromkeys(OF_THE_END, "no way to the End can be played"),
}


def gained(goal: str, quantity: int, inventory: dict[str, int]) -> list[tuple[str, int]]:
    return [(need.item, need.gain) for need in needs(goal, quantity, inventory)]


@pytest.mark.parametrize("inventory", STARTS, ids=lambda start: ",".join(start) or "nothing")
def test_every_plan_to_a_craft_argument_can_be_carried_out(inventory: dict[str, int]):
    for craft in CRAFTS:
        for quantity in (1, 7):
            wanted = inventory.get(craft.item, 0) + quantity
            if craft.item in NO_WAY:
                with pytest.raises(Unreachable, match=NO_WAY[craft.item]):
                    needs(craft.item, wanted, inventory)
                continue
            plan = gained(craft.item, wanted, inventory)
            assert shortfalls(plan, inventory) == [], craft.item
            assert len({item for item, _ in plan}) == len(plan)
            assert expected(plan, inventory)[craft.item] >= wanted
            # Nothing is superfluous: a plan cannot be carried out without any one of its steps,
            # tools apart (another one of the plan may do, and wool comes without shears).
            for left_out, (item, _) in enumerate(plan[:-1]):
                if not item.endswith(("pickaxe", "shears")):
                    rest = plan[:left_out] + plan[left_out + 1 :]
                    assert shortfalls(rest, inventory), (craft.item, item)


def test_a_plan_for_a_stick_from_bare_hands_gets_log_planks_and_stick():
    assert gained("stick", 1, {}) == [("log", 1), ("planks", 2), ("stick", 1)]


def test_a_plan_for_a_furnace_from_ten_logs_gets_no_further_log():
    assert gained("furnace", 1, {"log": 10}) == [
        ("planks", 9),
        ("stick", 2),
        ("crafting_table", 1),
        ("wooden_pickaxe", 1),
        ("cobblestone", 8),
        ("furnace", 1),
    ]


def test_a_plan_for_a_diamond_from_bare_hands_has_twelve_subtasks():
    plan = gained("diamond", 1, {})
    assert [item for item, _ in plan] == [
        "log", "planks", "stick", "crafting_table", "wooden_pickaxe", "cobblestone",
        "stone_pickaxe", "iron_ore", "furnace", "iron_ingot", "iron_pickaxe", "diamond",
    ]  # fmt: skip
    # 4 for the table, 3 for the wooden pickaxe, 3 for six sticks, 2 to burn.
    assert dict(plan)["planks"] == 4 + 3 + 4 + 2
    assert dict(plan)["cobblestone"] == 3 + 8


def test_plans_of_milk_wool_and_bed_use_the_items_of_the_start():
    assert gained("milk_bucket", 1, {"crafting_table": 1, "iron_ingot": 3}) == [
        ("bucket", 1),
        ("milk_bucket", 1),
    ]
    assert gained("wool", 1, {"crafting_table": 1, "iron_ingot": 2}) == [("shears", 1), ("wool", 1)]
    assert gained("wool", 1, {"shears": 1}) == [("wool", 1)]
    assert needs("wool", 1, {"shears": 1})[0].way.tools == ["shears"]
    assert needs("wool", 1, {})[0].way.how == "kill"
    bed = gained("bed", 1, {"crafting_table": 1, "shears": 1})
    # The sheep stand near when the goal begins, so their wool comes before the log.
    assert bed == [("wool", 3), ("log", 1), ("planks", 3), ("bed", 1)]


def test_mob_items_come_first_only_if_they_can_be_had_at_once():
    # The shears have to be made first here, and the wool still comes before the bed's planks if not
    # before what the shears are made of.
    items = [item for item, _ in gained("bed", 1, {"crafting_table": 1, "iron_ingot": 2})]
    assert items.index("shears") < items.index("wool")
    assert [item for item, _ in gained("milk_bucket", 1, {"bucket": 1})] == ["milk_bucket"]


def test_mob_items_come_after_the_items_that_they_use_up():
    two = {"bucket": 2, "iron_ingot": 15, "crafting_table": 1}
    plan = [(need.item, need.gain) for need in needs("milk_bucket", 7, two)]
    assert plan == [("bucket", 5), ("milk_bucket", 7)]
    assert shortfalls(plan, two) == []


def test_digging_wears_tools_out():
    assert dict(gained("cobblestone", 50, {}))["wooden_pickaxe"] == 1  # it stands 59 blocks
    assert dict(gained("cobblestone", 200, {}))["wooden_pickaxe"] == 4
    assert dict(gained("cobblestone", 200, {"wooden_pickaxe": 1}))["wooden_pickaxe"] == 3
    assert gained("cobblestone", 200, {"stone_pickaxe": 2}) == [("cobblestone", 200)]
    # Coal and stone are dug with the same pickaxes.
    both = [*gained("furnace", 6, {"crafting_table": 1}), ("coal", 20)]
    assert any("wears out" in said for said in shortfalls(both, {"crafting_table": 1}))


def test_tools_that_are_made_wear_out_beside_those_that_are_there():
    ready = {"wooden_pickaxe": 1, "planks": 3, "stick": 2, "crafting_table": 1}
    plan = [("wooden_pickaxe", 1), ("cobblestone", 118)]
    assert shortfalls(plan, ready) == []  # 59 blocks each
    plan = [("wooden_pickaxe", 1), ("cobblestone", 119)]
    (said,) = shortfalls(plan, ready)
    assert said == (
        "Subtask 2 (119 cobblestone) wears out the tools before its end: "
        "1 more wooden_pickaxe would do."
    )


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ([("stick", 4)], "Subtask 1 (4 stick) uses up 2 planks, and there are 0 by then"),
        ([("log", 1), ("planks", 4), ("wooden_pickaxe", 1)], "needs a crafting_table"),
        ([("iron_ore", 1)], "needs one of stone_pickaxe"),
        ([("planks", 4), ("log", 1)], "uses up 1 log"),  # the wrong way round
        ([("cobblestone", 1)], "needs one of"),
        ([("bedrock", 1)], "cannot be done: nothing in the rules leads to 'bedrock'"),
        ([("log", 1), ("log", 1), ("planks", 12)], "uses up 3 log, and there are 2"),
    ],
)
def test_each_shortfall_of_a_plan_is_one_sentence(plan: list[tuple[str, int]], said: str):
    assert any(said in sentence for sentence in shortfalls(plan, {}))


def test_gains_of_the_same_item_in_two_subtasks_are_added_up():
    assert shortfalls([("log", 1), ("log", 1), ("planks", 8)], {}) == []
    assert expected([("log", 1), ("planks", 4), ("planks", 0)], {}) == {"planks": 4}


def test_smelting_uses_up_planks():
    ready = {"furnace": 1, "iron_ore": 3}
    assert shortfalls([("iron_ingot", 3)], {**ready, "planks": 2}) == []
    assert "uses up 2 planks" in shortfalls([("iron_ingot", 3)], ready)[0]


def test_a_plan_for_a_nearby_station_ends_in_placing_it():
    goal = Condition(kind="nearby", name="crafting_table")
    plan = PLANNING.plan_for(goal, {})
    assert [subtask.success.name for subtask in plan] == [
        "log",
        "planks",
        "crafting_table",
        "crafting_table",
    ]
    assert plan[-1].success == goal
    assert PLANNING.shortfalls(plan, {}) == []
    assert "which no earlier one gets" in PLANNING.shortfalls(plan[-1:], {})[0]
    assert PLANNING.plan_for(goal, {"crafting_table": 1}) == plan[-1:]


def test_a_subtask_states_what_it_is_and_what_for():
    plan = PLANNING.plan_for(Condition(kind="nearby", name="furnace"), {})
    assert [(subtask.name, subtask.why) for subtask in plan] == [
        ("harvest 3 log", "needed for planks"),
        ("craft 9 planks", "needed for stick, crafting_table, wooden_pickaxe"),
        ("craft 2 stick", "needed for wooden_pickaxe"),
        ("craft 1 crafting table", "needed for wooden_pickaxe, furnace"),
        ("craft 1 wooden pickaxe", "needed for cobblestone"),
        ("harvest 8 cobblestone", "needed for furnace"),
        ("craft 1 furnace", "to be placed"),
        ("place furnace", "the goal"),
    ]
    smelted = PLANNING.plan_for(
        Condition(kind="have", name="iron_ingot"), {"iron_ore": 1, "furnace": 1}
    )
    assert [subtask.why for subtask in smelted] == [
        "needed for planks",
        "needed for iron_ingot",  # to burn
        "the goal",
    ]


def test_a_goal_counts_from_where_the_episode_began():
    goal = Condition(kind="have", name="log", quantity=2)
    assert PLANNING.plan_for(goal, {"log": 5})[0].success.quantity == 2


def test_each_subtask_begins_with_the_items_that_those_before_it_leave():
    plan = PLANNING.plan_for(Condition(kind="have", name="wooden_pickaxe"), {})
    begins = {s.name: start for s, start in zip(plan, starts(plan, {}), strict=True)}
    assert begins["harvest 3 log"] == {}
    assert begins["craft 9 planks"] == {"log": 3}
    assert begins["craft 1 wooden pickaxe"] == {"planks": 6, "stick": 4, "crafting_table": 1}
    # The furnace burns what lies in the first slot: planks come before what is still needed.
    smelting = starts(PLANNING.plan_for(Condition(kind="have", name="iron_ingot"), {}), {})[-1]
    assert list(smelting)[-3:] == ["planks", "crafting_table", "wooden_pickaxe"]


def test_a_station_beside_the_player_counts_as_held():
    def seen(inventory: dict[str, int], around: dict[str, int]) -> View:
        return View(
            position=(0.0, 64.0, 0.0),
            yaw=0.0,
            pitch=0.0,
            life=20.0,
            food=20.0,
            inventory=inventory,
            facing="air",
            around=around,
        )

    goal = Condition(kind="have", name="stick")
    by_a_table = seen({"log": 1}, {"crafting table": 1})
    assert PLANNING.at_hand(by_a_table, goal) == {"log": 1, "crafting_table": 1}
    assert PLANNING.at_hand(seen({"furnace": 2}, {"furnace": 1}), goal) == {"furnace": 2}
    # One that is to be put down has to be carried.
    placed = Condition(kind="nearby", name="crafting_table")
    assert PLANNING.at_hand(by_a_table, placed) == {"log": 1}


def test_a_recipe_chain_has_stations_tools_and_fuel():
    lines = "\n".join(PLANNING.chain(Condition(kind="have", name="iron_pickaxe"), {}))
    assert "planks: craft 4 from 1 log" in lines
    assert "wooden_pickaxe: craft 1 from 3 planks, 2 stick, at a crafting_table" in lines
    # Blocks as programs see them: a model that read "dig log" looked for blocks of that name.
    assert "log: dig the block wood" in lines
    assert "iron_ore: dig the block iron ore, with one of stone_pickaxe" in lines
    assert "fuel" in lines


def test_a_recipe_chain_states_quantities_as_the_plan_has_them():
    goal = Condition(kind="nearby", name="crafting_table")
    lines = PLANNING.chain(goal, {}, quantities=True)
    plan = PLANNING.plan_for(goal, {})
    assert [line.partition(":")[0].replace("_", " ") for line in lines] == [
        subtask.name for subtask in plan
    ]
    assert lines[0] == "harvest 1 log: dig the block wood"
    assert lines[-1] == "place crafting table: the goal"


def test_a_recipe_chain_names_the_way_that_the_held_tools_allow():
    bed = Condition(kind="have", name="bed")
    assert "wool: kill a sheep" in PLANNING.chain(bed, {})
    assert "wool: use shears on a sheep" in PLANNING.chain(bed, {"shears": 1})
    milk = Condition(kind="have", name="milk_bucket")
    assert PLANNING.chain(milk, {"bucket": 1}) == ["milk_bucket: use 1 bucket on a cow"]


def test_a_placed_item_is_gained_before_it_is_placed():
    place = Subtask(name="place", success=Condition(kind="nearby", name="crafting_table"))
    gain = PLANNING.plan_for(Condition(kind="have", name="crafting_table"), {})
    assert PLANNING.shortfalls([*gain, place], {}) == []
    assert PLANNING.shortfalls([place, *gain], {"crafting_table": 1}) == []
    (said,) = PLANNING.shortfalls([place, *gain], {})
    assert said == "The subtask 'place' places a crafting_table, which no earlier one gets."


def test_a_plan_of_subtasks_without_a_needed_station_has_a_shortfall():
    plan = PLANNING.plan_for(Condition(kind="have", name="diamond"), {})
    assert PLANNING.shortfalls(plan, {}) == []
    without: list[Subtask] = [s for s in plan if s.success.name != "furnace"]
    smelting = next(n for n, s in enumerate(without, 1) if s.success.name == "iron_ingot")
    assert PLANNING.shortfalls(without, {}) == [
        f"Subtask {smelting} (3 iron_ingot) needs a furnace, which no earlier subtask gets."
    ]
