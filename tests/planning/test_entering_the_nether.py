"""The way to the Nether, walked in the world by the rulebook's plan and its programs."""

from benchmarks.goals import perform
from messages.world import Condition, Task

HELD = {"obsidian": 14, "flint_and_steel": 1, "iron_pickaxe": 1}


def begun(success: Condition) -> Task:
    return Task(
        id="nether_goal",
        prompt="",
        success=success,
        biome="plains",
        inventory=HELD,
        horizon=3000,
    )


def test_the_portal_is_built_lit_and_gone_through_in_eight_of_ten_episodes():
    result = perform(begun(Condition(kind="in_dimension", name="nether")), 10, 0)
    assert result.succeeded >= 8, result.failed


def test_a_plan_goes_on_where_the_portal_leads():
    result = perform(begun(Condition(kind="have", name="netherrack", quantity=2)), 5, 4000)
    assert result.succeeded >= 3, result.failed
