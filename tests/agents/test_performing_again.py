"""Plans that are made again while a goal is performed: what counts as brought, and as at hand."""

import msgspec

from messages.plan import Perform, Practised, Subtask
from messages.world import Condition, Episode, Task, View
from nodes.fast_agent.agent import Agent
from nodes.fast_agent.playing.episode_plans import EpisodePlan, begin_together, to_gain
from tests.agents.performances import stages_for
from worlds.minecraft.card.planning import PLANNING

FURNACE = Task(id="f", prompt="", success=Condition(kind="have", name="furnace"))
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


def goes_on(plan: EpisodePlan, now: Episode) -> bool:
    return begin_together(Agent.Parameters(), [now], [plan]) == [0]


def plan_of_a_pickaxe() -> EpisodePlan:
    return EpisodePlan(Perform(task=PICKAXE, subtasks=practised()))


def next_item(plan: EpisodePlan, now: Episode) -> str:
    assert goes_on(plan, now), plan.gave_up
    return plan.left[0].success.name


def test_the_logs_of_another_tree_are_what_was_to_be_brought():
    plan = plan_of_a_pickaxe()
    assert next_item(plan, episode({})) == "log"
    assert next_item(plan, episode({"log2": 3})) == "planks"
    assert (plan.failed, plan.fruitless) == (0, 0)
    assert plan.gained == {"log"}  # a milestone of the report


def test_after_a_failed_try_another_trees_logs_count_all_the_same():
    plan = plan_of_a_pickaxe()
    for _ in range(2):
        assert next_item(plan, episode({})) == "log"
    assert plan.failed == 1
    assert next_item(plan, episode({"log2": 3})) == "planks"


def test_a_station_beside_the_player_counts_until_a_try_at_it_failed():
    held = {"planks": 7, "stick": 2}
    beside = {"crafting table": 1}
    plan = plan_of_a_pickaxe()
    assert next_item(plan, episode(held, beside)) == "wooden_pickaxe"
    assert next_item(plan, episode(held, beside)) == "crafting_table"
    assert next_item(plan, episode({**held, "planks": 3, "crafting_table": 1}, beside)) == (
        "wooden_pickaxe"
    )


def subtask(kind: str, name: str, quantity: int = 1) -> Subtask:
    return Subtask(
        name=f"{kind} {name}", success=Condition(kind=kind, name=name, quantity=quantity)
    )


def performing(*subtasks: Subtask) -> EpisodePlan:
    """The plan of an episode for the goal that the last of them reaches."""
    task = Task(id="t", prompt="", success=subtasks[-1].success)
    practised = [Practised(subtask=each, stages=[]) for each in subtasks]
    return EpisodePlan(Perform(task=task, subtasks=practised))


def after(**seen: object) -> Episode:
    now = episode({})
    return msgspec.structs.replace(now, after=msgspec.structs.replace(now.after, **seen))


def test_a_goal_that_the_rules_know_no_way_to_goes_by_the_practised_plan():
    """What was done stays done, also where it was used up since."""
    plan = performing(
        subtask("have", "log", 2), subtask("killed", "cow", 2), subtask("in_dimension", "overworld")
    )
    played = list[str]()
    for now in (
        episode({}),
        episode({"log": 1}),
        episode({"log": 2}),
        after(killed={"cow": 1}),
        after(killed={"cow": 2}),
        after(killed={"cow": 3}),
    ):
        assert goes_on(plan, now), plan.gave_up
        played.append(plan.left[0].success.name)
    assert played == ["log", "log", "cow", "cow", "overworld", "overworld"]
    assert plan.failed == 1  # the overworld, in one try


def test_a_place_that_was_entered_is_a_gain_and_a_kill_is_none():
    plan = performing(
        subtask("killed", "cow"), subtask("in_dimension", "nether"), subtask("have", "netherrack")
    )
    assert to_gain(plan.request) == ["nether", "netherrack"]
    plan.note_gains(after(killed={"cow": 1}))
    assert plan.gained == set()
    plan.note_gains(after(dimension="nether"))
    plan.note_gains(episode({"netherrack": 1}))  # back again
    assert plan.gained == {"nether", "netherrack"}


def test_it_gives_up_there_too_after_tries_that_brought_nothing():
    plan = performing(subtask("have", "log"), subtask("have", "chorus_plant"))
    assert [goes_on(plan, episode({})) for _ in range(4)] == [True] * 3 + [False]
    assert plan.gave_up == "3 tries at log"


def test_kills_and_uses_count_as_brought_and_no_longer_as_wanted():
    cows = performing(subtask("killed", "cow", 6))
    for killed in range(6):
        assert goes_on(cows, after(killed={"cow": killed})), cows.gave_up
        assert cows.left[-1].success.quantity == 6 - killed
    assert cows.fruitless == 0
    torches = performing(subtask("have", "torch", 3), subtask("placed", "torch", 3))
    assert goes_on(torches, after(inventory={"torch": 1}, used={"torch": 2}))
    assert [each.success for each in torches.left] == [subtask("placed", "torch").success]


def test_a_tool_is_counted_with_the_uses_that_are_left():
    """A wooden pickaxe stands 59: with 55 spent, eight stones take another one."""
    request = Perform(task=FURNACE, subtasks=[])
    held = {"wooden_pickaxe": 1, "crafting_table": 1, "stick": 2, "planks": 3}
    planned: dict[int, list[str]] = {}
    for used in (0, 51, 55, 59 + 51):
        plan = EpisodePlan(request)
        plan.plan_again(after(inventory=held, used={"wooden_pickaxe": used}))
        planned[used] = [each.success.name for each in plan.left]
    assert planned[0] == planned[51] == planned[110] == ["cobblestone", "furnace"]
    assert planned[55] == ["wooden_pickaxe", "cobblestone", "furnace"]


def test_uses_of_a_tool_that_was_there_before_the_views_count_do_not():
    """Only what the episode shows."""
    now = after(inventory={"wooden_pickaxe": 1}, used={"wooden_pickaxe": 55})
    before = msgspec.structs.replace(now.before, used={"wooden_pickaxe": 50})
    worn = PLANNING.worn({"wooden_pickaxe": 1}, msgspec.structs.replace(now, before=before))
    assert not PLANNING.shortfalls([subtask("have", "cobblestone", 54)], worn)
    assert PLANNING.shortfalls([subtask("have", "cobblestone", 55)], worn)
