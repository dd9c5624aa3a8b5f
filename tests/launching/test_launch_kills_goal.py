"""kill -9 of every node in turn while a goal of several subtasks is practised, and again while it
is performed: the same subtasks are finished, the same skills learned, the same samples counted as
without. The stack is the real one; only the budgets are small.

Not while a policy trains: what comes of that is another policy then
(`tests/launching/test_launch_kills.py`).
"""

import os
import signal
from pathlib import Path
from typing import Any

import msgspec
import pytest

from messages.plan import GoalReport
from nodes.common.skills.skill_library import Library
from nodes.common.skills.skills import Skill
from tests.launch_toys.launched import Launched, launched
from tests.launch_toys.watching import NODES, Watch, ended, summary

EPISODES = 8
OVERRIDES = (
    "task=stick",
    "task.biome=forest",
    "task.horizon=500",
    "skills=skills",  # each run its own: they are compared
    "limits.iterations=1",
    "limits.success_rate=1.0",
    "nodes.llm.module=tests.launch_toys.learning_llm",
    "nodes.fast_agent.parameters.budget=1500",
    "nodes.fast_agent.parameters.program_steps=400",
    "nodes.fast_agent.parameters.trial_episodes=4",
    f"nodes.fast_agent.parameters.evaluation_episodes={EPISODES}",
    "nodes.fast_agent.parameters.required_rate=0.0",  # however little it learns, it is kept
    "nodes.learner.parameters.environments=4",
    "nodes.learner.parameters.minibatch=64",
    "nodes.learner.parameters.hidden=32",
)


def stack(place: Path, name: str):
    run = place / name
    return launched("launch", "diamond", f"run={run}", *OVERRIDES, cwd=place, run=run)


def kill_while_practising(watch: Watch) -> None:
    seen = watch.at("trying program 0 for 'find a tree'")
    watch.kill("slow_agent", "env_server")
    seen = watch.at("training 'dig'", seen)
    watch.kill("planner", "fast_agent")
    seen = watch.at("evaluating 2 stages")
    watch.kill("learner", "critic")
    watch.at("evaluating 1 stage", seen)
    watch.kill("llm")


def kill_while_performing(watch: Watch, launch: Launched) -> None:
    seen = watch.at("performing 'harvest 1 log'")
    # The world stands still, so that all the others are back before anything goes on.
    os.kill(watch.state("env_server").pid, signal.SIGSTOP)
    watch.kill("planner", "slow_agent", "critic", "llm")
    watch.kill("env_server")
    watch.until(lambda: bool(list(launch.run.glob("learner/acting/*perform*"))))
    watch.kill("learner")
    watch.at("performing 'craft", seen)
    watch.kill("fast_agent")


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_goal_is_reached_as_if_nothing_had_been_killed(run_folder: Path) -> None:
    with stack(run_folder, "killed") as launch:
        launch.wait_for("all nodes are ready")
        watch = Watch(launch)
        kill_while_practising(watch)
        kill_while_performing(watch, launch)
        watch.close()
        assert ended(launch) == 0, launch.text
        assert "Traceback" not in launch.text
    with stack(run_folder, "straight") as straight:
        assert ended(straight) == 0, straight.text
    killed, was = summary(launch.run), summary(straight.run)
    assert killed["restarts"] == dict.fromkeys(NODES, 2)
    assert was["restarts"] == dict.fromkeys(NODES, 0)

    # Subtasks, and what each of their iterations cost.
    assert list(dict.fromkeys(row["subtask"] for row in was["iterations"])) == [
        "harvest 1 log",
        "craft 2 planks",
        "craft 1 stick",
    ]
    assert timeless(killed["iterations"]) == timeless(was["iterations"])
    assert report(launch.run).subtasks == report(straight.run).subtasks
    # The performance: the same episodes, counted once.
    assert len(was["performance"]["episodes"]) == EPISODES
    assert was["success_rate"] > 0
    for performed in (killed["performance"], was["performance"]):
        del performed["video"]  # it is named after the attempt
    assert killed["performance"] == was["performance"]
    # Skills, with the same weights and counts.
    skills = learned(straight.run)
    assert {"find_a_tree", "dig", "craft_planks", "craft_stick"} <= set(skills)
    assert learned(launch.run) == skills

    # What the rows say was spent is what the worlds were stepped; with kills, they were stepped
    # further, by the plays that were cut off and begun again.
    assert killed["samples"] == was["samples"]
    assert was["env_server_steps"] == was["samples"]["total"]
    assert killed["env_server_steps"] > killed["samples"]["total"]


def timeless(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]


def report(run: Path) -> GoalReport:
    return msgspec.json.decode((run / "goal_report.json").read_bytes(), type=GoalReport)


def learned(run: Path) -> dict[str, tuple[Any, ...]]:
    library = Library(run / "skills", make=False)

    def lasting(skill: Skill) -> tuple[Any, ...]:
        condition, start = skill.learned.condition, skill.learned.start
        return skill.key, skill.counts, condition, start, skill.learned.task

    found = {skill.name: lasting(skill) for skill in library.all()}
    library.close()
    return found
