"""Tools, stations, fuel and how items are used: helpers and programs of the stock, carried out."""

import pytest

from messages.program import Program
from messages.world import Condition, OpenSession, SeedRange, Task
from nodes.env_server.games import make_world
from nodes.env_server.session import Session
from nodes.llm.rulebook.rules import Book
from tests.programs.test_programs_helpers import SEEDS, assert_works, play

STONE = "3;7,60*1;1;"  # a flat world of stone
PIT = """
def action(obs):
    for _ in range(4):
        obs = sink(obs)
    assert obs.block(1, 0, 0) == "stone" and obs.block(1, 1, 0) == "stone"
"""


def carried_out(
    goal: Condition, inventory: dict[str, int], first: str = "", file: str | None = None
) -> list[dict[str, int]]:
    """What is held in the end where the stock's program for a subtask succeeds, after another
    program, in a world of stone."""
    task = Task(id="t", prompt="", success=goal, inventory=inventory, horizon=600)
    step = Book().approach(goal, inventory).splits[0][0]
    source = Book().program(file or step.programs[0], goal, inventory)
    seeds = SeedRange(first=0, count=SEEDS)
    world = make_world(
        "embedded", SEEDS, task, generate_world_type="flat", flat_world_seed_string=STONE
    )
    session = Session(OpenSession(session="s", task=task, size=SEEDS, seeds=seeds), world)
    try:
        for each in [first, source] if first else [source]:
            session.run_program(Program(name="p", source=each, max_steps=600))
        return [each.after.inventory for each in session.episodes() if each.success]
    finally:
        session.close()


def test_the_tool_that_is_held_is_the_quickest_for_a_block() -> None:
    assert_works(
        play(
            """
def action(obs):
    for block, tool in [
        ("stone", "golden_pickaxe"), ("iron ore", "stone_pickaxe"), ("dirt", "iron_shovel"),
        ("wood", "wooden_axe"), ("crafting table", "wooden_axe"), ("leaves", "wooden_axe"),
    ]:
        obs = hold_for(obs, block)
        assert obs.held == tool, (block, obs.held)
""",
            {"golden_pickaxe": 1, "stone_pickaxe": 1, "iron_shovel": 1, "wooden_axe": 1},
        )
    )


def test_find_passes_over_what_it_is_told_to() -> None:
    assert_works(
        play(
            """
def action(obs):
    obs = noop()
    first = find(obs, "stone")
    second = find(obs, "stone", 8, [first])
    assert second != first and second is not None, (first, second)
    assert find(obs, "stone", 8, [first, second]) not in (first, second)
    assert find(obs, "stone", 8, [(100, 0, 0)]) == first
    for wrong in ("stone", [3], [(1, 2)]):
        try:
            find(obs, "stone", 8, wrong)
        except TypeError as error:
            continue
        assert False, wrong
""",
            flat_world_seed_string=STONE,
        )
    )


def test_stations_are_taken_along_but_for_a_furnace_that_stones_replace() -> None:
    assert_works(
        play(
            """
def action(obs):
    obs = place_at(obs, "crafting_table", 1, 0, 1)
    obs = place_at(obs, "furnace", 1, 0, -1)
    assert not obs.inventory.get("crafting_table") and not obs.inventory.get("furnace")
    obs = take_along(obs)
    assert obs.inventory.get("crafting_table") == 1, obs.inventory
    assert not obs.inventory.get("furnace"), obs.inventory
    obs = destroy("cobblestone")
    obs = take_along(obs)
    assert obs.inventory.get("furnace") == 1, obs.inventory
""",
            {"crafting_table": 1, "furnace": 1, "cobblestone": 8, "wooden_pickaxe": 1},
            flat_world_seed_string=STONE,
        )
    )


def test_what_is_made_at_a_station_leaves_it_where_it_stands() -> None:
    held = {"crafting_table": 1, "planks": 3, "stick": 2}
    goal = Condition(kind="have", name="wooden_pickaxe")
    assert carried_out(goal, held) == [{"wooden_pickaxe": 1}] * SEEDS


def test_smelting_burns_planks_and_spares_the_sticks() -> None:
    held = {"stick": 4, "crafting_table": 1, "furnace": 1, "planks": 2, "iron_ore": 3}
    goal = Condition(kind="have", name="iron_ingot", quantity=3)
    after = {"stick": 4, "crafting_table": 1, "iron_ingot": 3}
    assert carried_out(goal, held) == [after] * SEEDS


def test_the_ground_is_tilled_in_a_pit_of_stone_with_dirt_that_is_carried() -> None:
    goal = Condition(kind="used", name="iron_hoe")
    held = {"iron_hoe": 1, "stone_pickaxe": 1, "dirt": 1}
    ends = carried_out(goal, held, first=PIT)
    assert len(ends) == SEEDS
    assert not any(end.get("dirt", 0) for end in ends)


@pytest.mark.parametrize("item", ["repeater", "redstone_torch", "compass", "iron_boots"])
def test_an_item_is_used_beside_a_table_at_the_bottom_of_a_shaft(item: str) -> None:
    """The crosshair is on the table, which opens at the use key."""
    first = (
        PIT
        + """
    obs = dig_at(obs, 1, 0, 0)
    obs = place_at(obs, "crafting_table", 1, 0, 0)
    obs = look_at(obs, 1.0, 0.5, 0.0)
    assert obs.facing == "crafting table", obs.facing
"""
    )
    goal = Condition(kind="used", name=item)
    held = {item: 1, "stone_pickaxe": 1, "crafting_table": 1}
    assert len(carried_out(goal, held, first=first)) == SEEDS


def test_digging_aside_does_not_take_the_ground_away() -> None:
    assert_works(
        play(
            PIT
            + """
    depth = floor(obs.position[1])
    for dx, dz in [(1, 0), (-1, 0), (0, 1), (0, -1)]:
        obs = dig_at(obs, dx, 0, dz)
        assert obs.position[1] == depth and obs.block(dx, 0, dz) == "air", (dx, dz)
""",
            {"stone_pickaxe": 1},
            flat_world_seed_string=STONE,
        )
    )
