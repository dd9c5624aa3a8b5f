"""Plans that are made again while a goal is performed: what counts as brought, and as at hand."""

from messages.plan import Perform, Practised
from messages.world import Condition, Episode, Task, View
from nodes.fast_agent.agent import Agent
from nodes.fast_agent.performing import PlanStanding, _next_together
from tests.agents.performances import stages_for
from worlds.minecraft.card.planning import PLANNING

PICKAXE = Task(id="t", prompt="", success=Condition(kind="have", name="wooden_pickaxe"))


def practised() -> list[Practised]:
    plan = PLANNING.plan_for(PICKAXE.success, {})
    return [Practised(subtask=each, stages=stages_for(each)) for each in plan]


def episode(inventory: dict[str, int], around: dict[str, int] | None = None) -> Episode:
    def view(held: dict[str, int]) -> View:
        return View(
            position=(0.0, 64.0, 0.0), yaw=0.0, pitch=0.0, life=20.0, food=20.0,
            inventory=held, facing="air", around=around or {},
        )  # fmt: skip

    return Episode(
        environment=0, seed=0, success=False, steps=9, reward=0.0, ended="running",
        before=view({}), after=view(inventory),
    )  # fmt: skip


def next_item(standing: PlanStanding, now: Episode) -> str:
    request = Perform(task=PICKAXE, subtasks=practised())
    assert _next_together(Agent.Parameters(), request, [now], [standing]) == [0], standing.gave_up
    return standing.left[0].success.name


def test_the_logs_of_another_tree_are_what_was_to_be_brought():
    standing = PlanStanding()
    assert next_item(standing, episode({})) == "log"
    assert next_item(standing, episode({"log2": 3})) == "planks"
    assert (standing.failed, standing.fruitless) == (0, 0)


def test_after_a_failed_try_another_trees_logs_count_all_the_same():
    standing = PlanStanding()
    for _ in range(2):
        assert next_item(standing, episode({})) == "log"
    assert standing.failed == 1
    assert next_item(standing, episode({"log2": 3})) == "planks"


def test_a_station_beside_the_player_counts_until_a_try_at_it_failed():
    held = {"planks": 7, "stick": 2}
    beside = {"crafting table": 1}
    standing = PlanStanding()
    assert next_item(standing, episode(held, beside)) == "wooden_pickaxe"
    assert next_item(standing, episode(held, beside)) == "crafting_table"
    assert next_item(standing, episode({**held, "planks": 3, "crafting_table": 1}, beside)) == (
        "wooden_pickaxe"
    )
