"""Plans for goals that are more than having something, and for every task of MineDojo."""

import msgspec
import numpy as np
import pytest

from messages.plan import Subtask
from messages.world import Condition, Task, View
from nodes.common.checks.plan_check import plan_problems
from nodes.common.checks.task_check import plan_problem
from nodes.llm.rulebook.rules import Book, NoRule
from voxeldojo import EmbeddedWorld
from voxeldojo.rules import BLOCKS
from voxeldojo.tasks import task_ids
from worlds import card
from worlds.card import Unreachable
from worlds.minecraft.card.planning import PLANNING
from worlds.minecraft.card.task_check import setting, task_problems

UNKNOWN = {"elytra", "grass", "monster_egg", "spawn_egg"}
"""Targets that nothing in the rules leads to."""
OF_THE_END = {
    *("chorus_flower", "chorus_fruit", "chorus_plant", "dragon_egg"),
    *("end_bricks", "end_rod", "end_stone"),
}
"""Targets that are had in the End alone."""
OF_A_WITHER = {"beacon", "nether_star"}
"""Targets that take what a mob drops that nothing builds."""

VIEW = View(inventory={}, position=(0.0, 64.0, 0.0), life=20.0, food=20.0, facing="air")


def steps(kind: str, name: str, inventory: dict[str, int], quantity: int = 1) -> list[tuple]:
    goal = Condition(kind=kind, name=name, quantity=quantity)
    plan = PLANNING.plan_for(goal, inventory)
    assert PLANNING.shortfalls(plan, inventory) == []
    return [(each.success.kind, each.success.name, each.success.quantity) for each in plan]


def task_named(id: str) -> Task:
    goals = card("minecraft").goals
    assert goals is not None
    return goals.task(id)


def test_a_plan_to_use_an_item_gets_it_first_if_it_is_not_held():
    assert steps("used", "wooden_sword", {"planks": 2, "stick": 1, "crafting_table": 1}) == [
        ("have", "wooden_sword", 1),
        ("used", "wooden_sword", 1),
    ]
    assert steps("used", "clock", {"clock": 1}) == [("used", "clock", 1)]
    assert steps("worn", "iron_helmet", {"iron_ingot": 5, "crafting_table": 1}) == [
        ("have", "iron_helmet", 1),
        ("worn", "iron_helmet", 1),
    ]


def test_a_plan_to_use_an_item_several_times_gets_as_many_as_that_wears_out():
    held = {"bread": 1, "wheat": 6, "crafting_table": 1}
    assert steps("used", "bread", held, quantity=3) == [("have", "bread", 2), ("used", "bread", 3)]
    pick = {"wooden_pickaxe": 1, "planks": 3, "stick": 2, "crafting_table": 1}
    assert steps("used", "wooden_pickaxe", pick, quantity=50) == [("used", "wooden_pickaxe", 50)]
    plan = steps("used", "wooden_pickaxe", pick, quantity=100)  # one stands 59
    assert plan == [("have", "wooden_pickaxe", 1), ("used", "wooden_pickaxe", 100)]
    eat = [Subtask(name="eat", success=Condition(kind="used", name="bread", quantity=3))]
    (said,) = PLANNING.shortfalls(eat, {"bread": 1})
    assert "uses 3 bread, and there are 1 by then" in said


def test_a_plan_to_use_a_bow_gets_an_arrow():
    assert steps("used", "bow", {"bow": 1, "arrow": 1}) == [("used", "bow", 1)]
    plan = steps("used", "bow", {"bow": 1})
    assert ("have", "arrow", 1) in plan
    assert plan[-1] == ("used", "bow", 1)


def test_what_a_bow_and_its_arrow_take_both_comes_once_in_their_plan():
    plan = steps("used", "bow", {})
    assert len({name for kind, name, _ in plan if kind == "have"}) == len(plan) - 1
    assert ("have", "stick", 6) in plan  # 3 of a bow, 2 of a pickaxe, 1 of an arrow
    assert plan[-3:] == [("have", "arrow", 1), ("have", "bow", 1), ("used", "bow", 1)]


def test_a_plan_to_use_a_hoe_gets_soil_for_it_first():
    plan = PLANNING.plan_for(Condition(kind="used", name="iron_hoe"), {"iron_hoe": 1})
    assert [each.name for each in plan] == ["harvest 1 dirt", "use iron hoe"]


def test_a_plan_to_place_blocks_gets_those_that_are_not_held():
    assert steps("placed", "torch", {"torch": 1, "coal": 1, "stick": 1}, quantity=3) == [
        ("have", "torch", 2),
        ("placed", "torch", 3),
    ]


def test_a_plan_for_a_dangerous_fight_makes_a_weapon_first():
    assert steps("killed", "cow", {}) == [("killed", "cow", 1)]
    assert steps("killed", "zombie", {"iron_axe": 1}, quantity=2) == [("killed", "zombie", 2)]
    plan = steps("killed", "zombie", {})
    assert plan[-2:] == [("have", "stone_sword", 1), ("killed", "zombie", 1)]
    there = {"nether": 1}  # where there is no wood for one
    assert steps("killed", "ghast", there) == [("killed", "ghast", 1)]


def test_a_shortfall_of_what_is_put_down_counts_how_many_there_are():
    put = [Subtask(name="put", success=Condition(kind="placed", name="torch", quantity=3))]
    assert PLANNING.shortfalls(put, {"torch": 3}) == []
    (said,) = PLANNING.shortfalls(put, {"torch": 1})
    assert "places 3 torch, and there are 1 by then" in said
    (said,) = PLANNING.shortfalls(put, {})
    assert "which no earlier one gets" in said


def test_a_plan_for_what_is_had_in_the_nether_goes_there_with_all_that_it_takes():
    plan = steps("have", "netherrack", {})
    there = plan.index(("in_dimension", "nether", 1))
    assert plan[there:] == [("in_dimension", "nether", 1), ("have", "netherrack", 1)]
    assert {"obsidian", "flint_and_steel", "diamond_pickaxe"} <= {name for _, name, _ in plan}
    # What is had here alone comes before: there is no wood where the portal leads.
    plan = steps("have", "netherrack", {"obsidian": 10, "flint_and_steel": 1})
    assert [name for _, name, _ in plan[-3:]] == ["wooden_pickaxe", "nether", "netherrack"]
    plan = steps("have", "comparator", {})
    assert [name for _, name, _ in plan[-3:]] == ["nether", "quartz", "comparator"]


def test_a_plan_from_everything_held_only_builds_the_portal():
    held = {"obsidian": 14, "flint_and_steel": 1, "iron_pickaxe": 1}
    assert steps("in_dimension", "nether", held) == [("in_dimension", "nether", 1)]
    assert steps("have", "quartz", held) == [("in_dimension", "nether", 1), ("have", "quartz", 1)]
    view = msgspec.structs.replace(VIEW, inventory={"iron_pickaxe": 1})
    goal = Condition(kind="have", name="quartz")
    # A portal beside the player is not built again, and who is there goes nowhere.
    beside = PLANNING.at_hand(msgspec.structs.replace(view, around={"portal": 6}), goal)
    assert steps("have", "quartz", beside) == steps("have", "quartz", held)
    there = PLANNING.at_hand(msgspec.structs.replace(view, dimension="nether"), goal)
    assert steps("have", "quartz", there) == [("have", "quartz", 1)]


def test_who_begins_in_the_nether_need_not_go_there():
    task = task_named("combat_blaze_nether_diamond_armors_diamond_sword_shield")
    assert PLANNING.begun(task)["nether"] == 1
    assert "nether" not in task.inventory
    quartz = Condition(kind="have", name="quartz")
    plan = PLANNING.plan_for(quartz, {**PLANNING.begun(task), "iron_pickaxe": 1})
    assert [each.success for each in plan] == [quartz]


@pytest.mark.parametrize(
    ("success", "world", "missing"),
    [
        (Condition(kind="have", name="log"), {}, "log"),
        (Condition(kind="have", name="netherrack"), {}, "log"),  # of the pickaxe
        (Condition(kind="have", name="milk_bucket"), {}, "milk_bucket"),
        (Condition(kind="have", name="milk_bucket"), {"initial_mobs": "cow"}, ""),
        (Condition(kind="have", name="ghast_tear"), {}, ""),
        (Condition(kind="in_biome", name="forest"), {}, "forest"),
        (Condition(kind="killed", name="zombie"), {}, "zombie"),
        (Condition(kind="killed", name="zombie"), {"initial_mobs": "zombie"}, ""),
        (Condition(kind="killed", name="ghast"), {}, ""),
    ],
)
def test_who_begins_in_the_nether_gets_nothing_of_the_overworld(
    success: Condition, world: dict[str, str | int | float | bool], missing: str
):
    task = Task(
        id="t", prompt="", success=success, biome="nether", inventory={"bucket": 1}, world=world
    )
    refused = f"{missing} is not found in the Nether, where an episode begins" if missing else ""
    assert refused in plan_problem(task)
    assert bool(plan_problem(task)) == bool(missing)
    at_home = msgspec.structs.replace(task, biome="plains")
    assert "is not found in" not in plan_problem(at_home)


def test_fish_are_caught_with_a_rod():
    assert steps("have", "fish", {"fishing_rod": 1}, quantity=3) == [("have", "fish", 3)]
    plan = [name for _, name, _ in steps("have", "fish", {})]
    assert (plan[0], plan[-2:]) == ("string", ["fishing_rod", "fish"])


def test_stone_slabs_are_made_of_the_stone_that_is_everywhere():
    held = {"crafting_table": 1, "wooden_pickaxe": 1}
    assert [name for _, name, _ in steps("have", "stone_slab", held, quantity=8)] == [
        "cobblestone",
        "stone_slab",
    ]


def test_a_subtask_after_the_portal_is_practised_in_the_nether():
    task = Task(id="quartz", prompt="", success=Condition(kind="have", name="quartz"))
    plan = PLANNING.plan_for(task.success, {"obsidian": 10, "flint_and_steel": 1})
    held = PLANNING.expected(plan[:-1], {"obsidian": 10, "flint_and_steel": 1})
    begun = PLANNING.task_from(task, held)
    assert (begun.biome, begun.inventory["wooden_pickaxe"]) == ("nether", 1)
    assert "nether" not in begun.inventory
    assert PLANNING.task_from(task, {"log": 1}).biome == task.biome


WOOL = Task(
    id="wool",
    prompt="",
    success=Condition(kind="have", name="wool"),
    inventory={"iron_ingot": 2, "crafting_table": 1},
)


def test_a_later_subtask_is_practised_with_nothing_in_hand():
    """Else its tool would be there in every episode, and never in the performance."""
    held = {"shears": 1, "cobblestone": 70, "crafting_table": 1}
    begun = PLANNING.practised_from(WOOL, held)
    slots = "1=shears, 2=cobblestone, 3=cobblestone, 4=crafting_table"
    assert (begun.inventory, begun.world) == (held, {"initial_slots": slots})
    assert list(task_problems(begun)) == []
    assert setting(begun) == {"Biome": "forest", "In hand": "nothing"}
    world = EmbeddedWorld(size=1, biome="plains", inventory=held, initial_slots=slots)
    world.reset(np.zeros(1, np.int64), np.zeros(1, np.int64))
    ids, counts = world.inventory()
    names = [world.item_names[number] for number in ids[0, :6]]
    assert names == ["air", "shears", "cobblestone", "cobblestone", "crafting_table", "air"]
    assert counts[0, :6].tolist() == [0, 1, 64, 6, 1, 0]


@pytest.mark.parametrize(
    ("task", "held"),
    [
        (WOOL, WOOL.inventory),  # as the task begins: its first subtask
        (WOOL, {}),
        (WOOL, {"log": 36 * 64}),  # no slot is left
        (msgspec.structs.replace(WOOL, world={"initial_slots": "1=shears"}), {"shears": 1}),
    ],
)
def test_a_task_says_itself_where_its_items_lie(task: Task, held: dict[str, int]):
    begun = PLANNING.practised_from(task, held)
    assert begun == msgspec.structs.replace(task, inventory=held)


def test_a_plan_of_others_that_forgets_the_portal_is_told_so():
    quartz = Subtask(name="quartz", success=Condition(kind="have", name="quartz"))
    (said,) = PLANNING.shortfalls([quartz], {"iron_pickaxe": 1})
    assert "can be had in the nether alone, and no earlier subtask goes there" in said


@pytest.mark.parametrize(("kind", "name"), [("in_dimension", "end"), ("have", "end_stone")])
def test_the_end_is_refused_with_what_is_missing(kind: str, name: str):
    goal = Condition(kind=kind, name=name)
    with pytest.raises(Unreachable, match="no way to the End can be played: it takes twelve eyes"):
        PLANNING.plan_for(goal, {"diamond_pickaxe": 1})
    assert PLANNING.plan_for(
        Condition(kind="have", name="end_stone"), {"end": 1, "iron_pickaxe": 1}
    )


def test_logs_of_other_trees_count_as_logs_for_planks_but_not_for_a_goal_of_logs():
    view = msgspec.structs.replace(VIEW, inventory={"log": 1, "log2": 2})
    held = PLANNING.at_hand(view, Condition(kind="have", name="stick"))
    assert held == {"log": 3}
    for wood in ("log", "log2"):
        goal = Condition(kind="have", name=wood)
        assert PLANNING.at_hand(view, goal) == {"log": 1, "log2": 2}


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("in_dimension", "overworld"),
        ("in_biome", "nether"),
        ("in_biome", "the_end"),
    ],
)
def test_a_condition_that_no_rule_reaches_is_refused_in_one_sentence(kind: str, name: str):
    goal = Condition(kind=kind, name=name)
    with pytest.raises(Unreachable, match=f"nothing in the rules brings about {kind} '{name}'"):
        PLANNING.plan_for(goal, {})
    with pytest.raises(NoRule, match=f"nothing in the rules brings about {kind}"):
        Book().approach(goal)


@pytest.mark.parametrize(
    ("goal", "inventory", "first"),
    [
        (Condition(kind="in_biome", name="desert"), {}, "find desert"),
        (Condition(kind="height", name="above", quantity=100), {}, "get to y 100 or above"),
        (Condition(kind="height", name="below", quantity=20), {}, "harvest 3 log"),
        (
            Condition(kind="height", name="below", quantity=20),
            {"iron_pickaxe": 1},
            "get to y 20 or below",
        ),
        (Condition(kind="height", name="below", quantity=62), {}, "get to y 62 or below"),
        (Condition(kind="health", name="food", quantity=20), {}, "get 4 beef"),
        (Condition(kind="health", name="food", quantity=20), {"bread": 1}, "have 20 food"),
        (Condition(kind="health", name="life", quantity=12), {}, "get 2 beef"),
        (Condition(kind="health", name="oxygen", quantity=300), {}, "have 300 oxygen"),
    ],
)
def test_plans_to_a_place_a_height_and_a_vital(
    goal: Condition, inventory: dict[str, int], first: str
):
    """Who digs down into the rock has a pickaxe, and who is to be fed has something to eat."""
    subtasks = PLANNING.plan_for(goal, inventory)
    assert (subtasks[0].name, subtasks[-1].success) == (first, goal)
    assert Book().approach(goal).splits


def test_every_task_of_minedojo_has_a_plan_that_can_be_carried_out():
    missing: set[str] = set()
    refused: list[str] = []
    for id in [*task_ids("programmatic"), "playthrough"]:
        task = task_named(id)
        if plan_problem(task):
            refused.append(id)
        try:
            plan = PLANNING.plan_for(task.success, PLANNING.begun(task))
        except Unreachable:
            missing.add(task.success.name)
            assert refused[-1] == id
            continue
        assert plan_problems(task, plan) == [], id
        assert plan[-1].success == task.success, id
        for subtask in plan:
            Book().approach(subtask.success, task.inventory, len(plan) == 1)
    assert missing == UNKNOWN | OF_THE_END | OF_A_WITHER
    assert len(refused) == 26 + 1  # as docs/tasks.md says


@pytest.mark.parametrize("item", ["nether_star", "end_portal_frame", "white_shulker_box"])
def test_no_way_leads_to_a_block_or_a_mob_that_is_found_nowhere(item: str):
    with pytest.raises(Unreachable):
        PLANNING.plan_for(Condition(kind="have", name=item), {"diamond_pickaxe": 1})


def test_a_skull_is_had_from_a_mob_of_the_nether():
    plan = steps("have", "skull", {"nether": 1})
    assert plan == [("have", "skull", 1)]
    assert Book().kind_of(Condition(kind="have", name="skull")) == "hunt"
    assert ("in_dimension", "nether", 1) in steps("have", "skull", {})


def test_a_plan_with_a_subtask_that_a_rule_file_does_not_know_is_none():
    lava = Condition(kind="have", name="lava_bucket")
    task = Task(id="lava", prompt="", success=lava, inventory={"bucket": 1})
    assert PLANNING.plan_for(lava, task.inventory)
    assert "no way to get 'lava_bucket'" in plan_problem(task)
    assert plan_problem(task, "mineagent.yaml") == ""  # it has one approach to everything


@pytest.mark.parametrize(
    ("goal", "kind"),
    [
        (Condition(kind="killed", name="zombie"), "fight"),
        (Condition(kind="used", name="bow"), "shoot"),
        (Condition(kind="placed", name="torch"), "put"),
        (Condition(kind="placed", name="bed"), "press"),
        (Condition(kind="worn", name="iron_boots"), "wear"),
        (Condition(kind="lived", name="days"), "live"),
        (Condition(kind="have", name="log"), "collect"),
        (Condition(kind="have", name="log", quantity=8), "collect"),
        (Condition(kind="have", name="reeds"), "collect"),
        (Condition(kind="have", name="redstone"), "mine"),
        (Condition(kind="have", name="egg"), "follow"),
        (Condition(kind="have", name="fish"), "dip"),
        (Condition(kind="have", name="water_bucket"), "dip"),
        (Condition(kind="in_dimension", name="nether"), "enter"),
    ],
    ids=lambda each: f"{each.kind}-{each.name}" if isinstance(each, Condition) else each,
)
def test_the_rulebook_has_an_approach_for_each_kind_of_goal(goal: Condition, kind: str):
    assert Book().kind_of(goal) == kind


@pytest.mark.parametrize(
    ("item", "program"),
    [
        ("iron_boots", "wear.py"),
        ("shield", "wear.py"),
        ("bow", "shoot.py"),
        ("stone_hoe", "till.py"),
        ("tnt", "put_item_down.py"),
        ("golden_axe", "dig_once.py"),
        ("compass", "press_use.py"),
        ("golden_apple", "run_and_eat.py"),
        ("bucket", "use_at_water.py"),
    ],
)
def test_the_program_for_an_item_follows_from_how_it_is_used(item: str, program: str):
    goal = Condition(kind="used", name=item)
    (step,) = Book().approach(goal, {item: 1}, alone=True).splits[0]
    assert step.programs == [program]
    assert f'ITEM = "{item}"' in Book().program(program, goal)


@pytest.mark.parametrize(
    ("mob", "program"), [("chicken", "kill.py"), ("squid", "fight.py"), ("llama", "fight.py")]
)
def test_land_animals_that_do_not_strike_back_are_hunted_down(mob: str, program: str):
    goal = Condition(kind="killed", name=mob)
    (step,) = Book().approach(goal, {}, alone=True).splits[0]
    assert step.programs == [program]


def test_blocks_in_the_tables_of_rules_are_called_as_they_are_seen():
    """A name that no block has would never be looked for at its depth."""
    tables = Book().rules.tables
    seen = {block.localised for block in BLOCKS}
    assert {*tables["levels"], *tables["sources"], *tables["blocks"].values()} <= seen


def test_the_program_for_a_fight_names_the_mob_as_observations_do():
    source = Book().program("fight.py", Condition(kind="killed", name="zombie_pigman"))
    assert 'MOB = "pigzombie"' in source


@pytest.mark.parametrize(
    ("kind", "name", "held", "source"),
    [
        ("have", "log", {}, "wood"),
        ("have", "wool", {"shears": 1}, "sheep"),
        ("have", "milk_bucket", {}, "cow"),
        ("have", "stick", {"planks": 2}, ""),  # it is crafted
        ("killed", "zombie", {}, ""),  # what comes last is a weapon
        ("lived", "days", {}, ""),
    ],
)
def test_the_source_of_a_goal_is_what_its_item_comes_from(
    kind: str, name: str, held: dict[str, int], source: str
) -> None:
    assert PLANNING.source(Condition(kind=kind, name=name), held) == source
