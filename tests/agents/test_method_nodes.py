"""What the nodes' parameters do that make one method of the tables into another."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import yaml

from messages.chat import DecomposeQuestion
from messages.plan import PURSUE, GoalReport, SubAction, Subtask
from messages.program import Program
from messages.world import Condition, Interface, OpenSession, RewardTerm, SeedRange, Task
from nodes.common.checks.decomposition_check import decomposition_problems
from nodes.env_server.games import make_world
from nodes.env_server.session import Session
from nodes.llm.rulebook import filled_specs
from nodes.llm.rulebook.rulebook_backend import decompose
from nodes.llm.rulebook.rules import Book, NoRule
from tests.agent_stack import LOG, STEPS, TASK, stack
from tests.agents.test_agent_loops import told

LAUNCH = Path(__file__).parents[2] / "launch" / "task"


def pursued(run: Path, iterations: int, **options: Any) -> tuple[GoalReport, list[tuple[str, str]]]:
    """The report of the toy goal, and what was played for it."""
    with stack(run, **options) as agents:
        report = agents.bus.run_goal(PURSUE, "goal", agents.goal(iterations))
        return report, agents.world.played


def test_without_a_critic_every_stage_that_ran_counts_as_successful(run_folder: Path):
    without = {"critic": False, "trial_episodes": 2, "evaluation_episodes": 3}
    report, _ = pursued(run_folder, 4, nodes={"fast_agent": without})
    assert told(report) == [
        [("harvest log", "code", True)],
        [("find a tree", "code", True), ("harvest log", "code", True)],
        [("find a tree", "code", True), ("harvest log", "rl", True)],
        [("find a tree", "code", True), ("harvest log", "rl", True)],
    ]
    # Only the slow agent's evaluation sees that it did not work, so the last sub-action is changed.
    # No program is repaired. The policy lost most in an evaluation, so it is trained again; but
    # no verdict was that it failed, so it is given no macros.
    assert [iteration.success_rate for iteration in report.iterations] == [0, 0, 0, 0]
    assert report.iterations[3].samples == report.iterations[2].samples
    assert not any(line.macros for line in report.iterations[3].lines)
    assert all(each.attempts == 1 for iteration in report.iterations for each in iteration.lines)
    verdict = report.iterations[0].lines[0].verdict
    assert (verdict.reason, verdict.episodes) == ("It ran; it was not judged.", 0)


def test_with_one_sub_action_allowed_a_subtask_is_not_decomposed(run_folder: Path):
    report, _ = pursued(run_folder, 4, nodes={"slow_agent": {"most_sub_actions": 1}})
    assert told(report) == [
        [("harvest log", "code", False)],
        [("gather log", "code", False)],
        [("learn to harvest log", "rl", False)],
        [("learn to harvest log", "rl", False)],
    ]
    assert report.iterations[3].lines[0].macros == ["dig", "fetch", "go_to"]


def test_one_policy_for_the_whole_goal_begins_again_until_its_episodes_end(run_folder: Path):
    report, played = pursued(
        run_folder,
        1,
        llm={"kind": "rulebook", "rules": "mineagent.yaml"},
        nodes={
            "planner": {"plan": False},
            "slow_agent": {"methods": ["rl"], "most_sub_actions": 1},
        },
        macros=False,
        autocraft=True,
    )
    assert [subtask.name for subtask in report.subtasks] == [TASK.prompt]
    assert told(report) == [[("learn log", "rl", False)]]
    # The policy's horizon of 500 goes twice into the task's of 1,000: in the tryout and at the end.
    assert len(played) == 4
    assert report.iterations[0].samples.evaluation == 2 * 3 * STEPS


def test_each_policy_begins_again_at_its_horizon_until_its_episode_ends(run_folder: Path):
    report, played = pursued(run_folder, 1, nodes={"slow_agent": {"methods": ["rl"]}})
    assert told(report) == [[("find a tree", "rl", False), ("harvest log", "rl", False)]]
    stages = {
        part: [goal.split("/")[-2] for session, goal in played if f"/{part}/" in session]
        for part in ("find-a-tree/trial-0", "harvest-log/trial-0", "evaluate/episodes")
    }
    # Their horizons of 200 and 300 go four and three times more into the task's of 1,000.
    find, harvest = ["find-a-tree"] * 5, ["harvest-log"] * 4
    assert stages["find-a-tree/trial-0"] == find
    assert stages["harvest-log/trial-0"] == [*find, *harvest]
    assert stages["evaluate/episodes"] == [*find, *harvest]


def test_with_persist_off_a_policy_ends_at_its_horizon(run_folder: Path):
    slow_agent = {"methods": ["rl"], "most_sub_actions": 1}
    _, played = pursued(run_folder, 1, nodes={"slow_agent": slow_agent}, persist=False)
    assert len(played) == 2  # in the tryout and in the evaluation


def test_a_training_leaves_what_its_tryout_and_the_evaluation_may_take(run_folder: Path):
    with stack(run_folder) as agents:
        goal = agents.goal(3)
        limits = msgspec.structs.replace(goal.limits, samples=100_000)
        goal = msgspec.structs.replace(goal, limits=limits)
        report = agents.bus.run_goal(PURSUE, "goal", goal)
        left = 100_000 - sum(each.samples.total for each in report.iterations[:2])
        (trained,) = agents.world.trained.values()
        # Three episodes of 1,000 steps, and two of as many after a prefix of at most 1,000.
        assert trained.spec.most == left - 3 * 1000 - 2 * 2000
        assert trained.spec.budget == trained.spec.most


def test_decompositions_by_other_methods_or_of_more_steps_than_allowed_are_refused():
    subtask = Subtask(name="s", success=LOG)
    code = SubAction(name="a", method="code", success=LOG)
    learned = SubAction(name="b", method="rl", success=LOG)
    assert decomposition_problems(subtask, [code, learned]) == []
    assert decomposition_problems(subtask, [code, learned], ["rl"], 1) == [
        "There are 2 sub-actions; this run takes 1 at most.",
        "'a' is to be done by code; in this run there is rl only.",
    ]
    question = DecomposeQuestion(task=TASK, subtask=subtask, methods=("rl",))
    assert [each.method for each in decompose(question).sub_actions] == ["rl", "rl"]
    with pytest.raises(NoRule, match="by rl alone"):
        decompose(question, "deps.yaml")


# ---- the session's part: crafting done for a policy, mobs as targets


def task(name: str, **changes: Any) -> Task:
    read = msgspec.convert(yaml.safe_load((LAUNCH / f"{name}.yaml").read_text()), type=Task)
    return msgspec.structs.replace(read, **changes)


def session(asked: Task, interface: Interface, size: int = 2, autoreset: bool = False) -> Session:
    opened = OpenSession(
        session="s",
        task=asked,
        size=size,
        seeds=SeedRange(first=5000, count=50),
        interface=interface,
        autoreset=autoreset,
    )
    return Session(opened, make_world("embedded", size, asked))


def crafting(success: Condition, **changes: Any) -> Interface:
    fields: dict[str, Any] = {
        "observations": ["inventory"],
        "actions": ["noop", "look_down_15"],
        "rewards": [RewardTerm(kind="step", weight=-1.0)],
        "success": success,
        "horizon": 100,
        "autocraft": True,
        **changes,
    }
    return Interface(**fields)


def test_autocraft_crafts_what_the_goal_needs_and_each_craft_is_a_step():
    asked = task("stick", inventory={"log": 1})
    batch = session(asked, crafting(asked.success), autoreset=True)
    stepped = batch.step(np.zeros(2, np.int64))
    # A noop, the planks, the sticks: one decision of three steps, and three are paid for.
    assert stepped.steps.tolist() == [3, 3]
    assert stepped.success.all()
    assert stepped.terminated.all()
    assert stepped.reward.tolist() == [-3.0, -3.0]
    assert stepped.final_lengths.tolist() == [3, 3]
    batch.close()


def test_without_autocraft_nothing_is_crafted():
    asked = task("stick", inventory={"log": 1})
    batch = session(asked, crafting(asked.success, autocraft=False))
    assert batch.step(np.zeros(2, np.int64)).steps.tolist() == [1, 1]
    assert all(episode.after.inventory == {"log": 1} for episode in batch.episodes())
    batch.close()


def test_autocraft_crafts_only_what_the_goal_needs():
    asked = task("stick", inventory={"log": 3, "planks": 2})
    batch = session(asked, crafting(asked.success))
    stepped = batch.step(np.zeros(2, np.int64))
    assert stepped.steps.tolist() == [2, 2]
    assert all(e.after.inventory == {"log": 3, "stick": 4} for e in batch.episodes())
    batch.close()


def test_autocraft_crafts_a_station_that_is_wanted_though_one_stands_near():
    table = Condition(kind="have", name="crafting_table")
    put_down = (
        "def action(obs):\n    obs = look(60)\n    obs = craft('crafting_table')\n"
        "    obs = place('crafting_table')\n    obs = look(-15)\n"
    )
    batch = session(task("stick", inventory={"planks": 12}), crafting(table, autocraft=False))
    batch.run_program(Program(name="put down", source=put_down, max_steps=20))
    batch.take(crafting(table), begins=True)
    assert batch.step(np.zeros(2, np.int64)).success.all()
    for episode in batch.episodes():
        assert (episode.after.inventory, episode.after.stations) == (
            {"crafting_table": 1, "planks": 4},
            ["crafting_table"],
        )
    batch.close()


def test_autocraft_places_a_station_where_the_crosshair_is_on_a_block():
    goal = Condition(kind="have", name="bucket")
    asked = task("milk_bucket", success=goal)
    batch = session(asked, crafting(goal), size=8)
    steps = np.zeros(8, np.int64)
    for _ in range(5):  # the player looks down until the ground is in reach
        steps += batch.step(np.ones(8, np.int64)).steps
    episodes = batch.episodes()
    assert sum(episode.success for episode in episodes) >= 6
    assert all(e.steps == n for e, n in zip(episodes, steps.tolist(), strict=True))
    made = next(episode for episode in episodes if episode.success)
    assert made.after.inventory.get("bucket") == 1
    batch.close()


def test_a_mob_can_be_walked_up_to_faced_and_marked():
    asked = task("beef")
    cow = Condition(kind="facing", name="cow")
    spec = filled_specs.spec("find_mob", asked.success, asked.inventory)
    interface = Interface(
        observations=["facing", "target", "rays"],
        actions=["noop", "forward"],
        rewards=[RewardTerm(kind="facing", weight=1.0, name="cow")],
        targets=spec.targets,
        success=Condition(kind="have", name="beef"),
        horizon=50,
    )
    assert spec.targets == ["cow"]
    batch = session(asked, interface, size=4)
    source = Book().program("walk_up_to_mob.py", asked.success, asked.inventory)
    batch.run_program(Program(name="find", source=source, max_steps=1000))
    faced = np.array([episode.after.facing == "cow" for episode in batch.episodes()])
    assert faced.sum() >= 2
    batch.take(interface)
    features = batch.opened().features
    assert features[faced, 1].all()  # what is under the crosshair is a target
    assert (features[faced, 3] == 1).all()  # one is seen
    batch.take(msgspec.structs.replace(interface, success=cow))
    stepped = batch.step(np.zeros(4, np.int64))
    assert stepped.success[faced].any()
    assert (stepped.reward[stepped.success] == 1).all()
    batch.close()


def test_approach_rewards_coming_nearer_to_a_mob():
    asked = task("beef")
    interface = Interface(
        observations=["target"],
        actions=["forward"],
        rewards=[RewardTerm(kind="approach", weight=1.0, name="cow")],
        targets=["cow"],
        success=Condition(kind="facing", name="cow"),
        horizon=50,
    )
    batch = session(asked, interface, size=4)
    turn = (
        "def action(obs):\n    for _ in range(12):\n        seen = nearest_mob(obs, 'cow')\n"
        "        if seen is not None:\n            obs = turn(seen[0])\n            return\n"
        "        obs = turn(90)\n"
    )
    batch.run_program(Program(name="turn", source=turn, max_steps=50))
    batch.take(interface)
    seen = batch.opened().features[:, 0] == 1
    assert seen.any()
    paid = sum(batch.step(np.zeros(4, np.int64)).reward for _ in range(15))
    assert (np.asarray(paid)[seen] > 0.3).any()
    assert (np.asarray(paid) >= 0).all()
    batch.close()


def test_a_target_that_is_neither_block_nor_mob_is_refused():
    asked = task("beef")
    with pytest.raises(ValueError, match="there is no block or mob called 'cwo'"):
        session(asked, crafting(Condition(kind="facing", name="cwo")))
