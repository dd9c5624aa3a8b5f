"""What counts for a skill: its tryouts, and the evaluations that it was a part of."""

from pathlib import Path
from typing import Any

import msgspec

from messages.bus import GoalHandle
from messages.chat import ASK, Answered, Ask, ProgramAnswer, ProgramQuestion
from messages.plan import EVALUATE, IMPLEMENT, Evaluate, Implement, Implemented, Stage, SubAction
from messages.program import CHECK, Checked, ProgramReport
from messages.verdict import JUDGE, Evidence, Verdict
from messages.world import (
    CLOSE,
    LOOK,
    OPEN,
    RUN_PROGRAM,
    Activity,
    Closed,
    Condition,
    ProgramRan,
    RunProgram,
    SessionName,
    Task,
)
from nodes.common.skills.skill_library import Library
from nodes.common.skills.skills import Counts
from nodes.fast_agent.fast_agent import FastAgent
from nodes.testing import MockBus, start
from tests.agents.craft_world import STEPS, Inventories

LOG, PLANKS = (Condition(kind="have", name=name) for name in ("log", "planks"))
TASK = Task(id="planks", prompt="Get planks.", success=PLANKS)
EPISODES = 4


class Crafting:
    """A fast agent with a library, whose tryouts succeed at the rate ``rate``; in one environment
    planks are never made."""

    def __init__(self, run: Path, **parameters: Any) -> None:
        self.rate, self.run = 0.75, run
        self.world = world = Inventories()
        self.bus = MockBus("fast_agent")
        world.fails = lambda row, item, number: (row, item) == (3, "planks")
        self.bus.answer(ASK, self.answer)
        self.bus.answer(CHECK, lambda request: Checked(problems=[]))
        self.bus.answer(OPEN, world.open)
        self.bus.answer(LOOK, world.look)
        self.bus.answer(CLOSE, self.close)
        self.bus.answer_action(RUN_PROGRAM, world.run)
        self.bus.answer(JUDGE, self.judge)
        parameters |= {"trial_episodes": EPISODES, "evaluation_episodes": EPISODES}
        start(FastAgent, self.bus, run, skills="skills", reuse_rate=0.5, repairs=0, **parameters)

    def answer(self, request: Ask) -> Answered:
        assert isinstance(request.question, ProgramQuestion)
        item = request.question.sub_action.success.name
        program = ProgramAnswer(source=f'ITEM = "{item}"\nQUANTITY = 1\n')
        return Answered(id=request.id, answer=msgspec.json.encode(program).decode(), model="test")

    def close(self, request: SessionName) -> Closed:
        first = self.world.requests[request.session].seeds.first
        closed = self.world.close(request)
        seeded = [
            msgspec.structs.replace(each, seed=first + each.environment) for each in closed.episodes
        ]
        return msgspec.structs.replace(closed, episodes=seeded)

    def judge(self, evidence: Evidence) -> Verdict:
        return Verdict(success=self.rate >= 0.5, success_rate=self.rate, reason="seen")

    def implement(self, goal: str, aim: Condition, *before: Stage) -> Stage:
        sub_action = SubAction(name=f"get {aim.name}", method="code", success=aim)
        request = Implement(task=TASK, sub_action=sub_action, before=list(before), history=[])
        made: Any = self.bus.run_goal(IMPLEMENT, goal, request)
        assert isinstance(made, Implemented)
        assert made.stage is not None
        return made.stage

    def evaluate(self, goal: str, *stages: Stage) -> None:
        self.bus.run_goal(EVALUATE, goal, Evaluate(task=TASK, stages=list(stages)))

    def counts(self) -> dict[str, Counts]:
        return {each.name: each.counts for each in Library(self.run / "skills").all()}


def test_a_skill_counts_its_tryout_with_all_the_steps_that_it_took(tmp_path: Path):
    crafting = Crafting(tmp_path)
    log = crafting.implement("a/log", LOG)
    crafting.implement("a/planks", PLANKS, log)
    assert crafting.counts() == {
        "get_log": Counts(successes=3, episodes=EPISODES, samples=EPISODES * STEPS),
        # After the first program in each reset.
        "get_planks": Counts(successes=3, episodes=EPISODES, samples=2 * EPISODES * STEPS),
    }


def test_without_a_critic_a_tryout_counts_for_no_skill(tmp_path: Path):
    """It is only known whether a program of it failed, not how many episodes worked."""
    Crafting(tmp_path).implement("a/log", LOG)
    blind = Crafting(tmp_path, critic=False)
    before = blind.counts()

    def fails_once(goal: GoalHandle[RunProgram, Activity]) -> ProgramRan:
        error = ProgramReport(program="get", status="error", count=1, steps=1, line=1, error="no")
        return msgspec.structs.replace(blind.world.run(goal), reports=[error])

    blind.bus.answer_action(RUN_PROGRAM, fails_once)
    blind.implement("b/log", LOG)
    tried = [each.session for each in blind.world.requests.values()]
    assert "b/log/trial-skill/play-0" in tried
    assert blind.counts() == before


def test_an_evaluation_counts_as_use_and_for_the_aim_of_its_last_stage_alone(tmp_path: Path):
    crafting = Crafting(tmp_path)
    log = crafting.implement("a/log", LOG)
    planks = crafting.implement("a/planks", PLANKS, log)
    before = crafting.counts()
    crafting.evaluate("a/evaluate", log, planks)
    used = {"used_successes": 3, "used_episodes": EPISODES}
    once = crafting.counts()
    assert once == {
        "get_log": msgspec.structs.replace(before["get_log"], **used),
        "get_planks": msgspec.structs.replace(
            before["get_planks"], **used, successes=3 + 3, episodes=2 * EPISODES
        ),
    }
    crafting.evaluate("b/evaluate", log, planks)  # on the same starts, which is no new evidence
    assert crafting.counts() == once
    crafting.evaluate("c/evaluate", log)  # it ends in something else than the task's success
    alone = msgspec.structs.replace(once["get_log"], used_episodes=2 * EPISODES)
    assert crafting.counts() == {**once, "get_log": alone}
    crafting.evaluate("d/evaluate", planks, log)  # nothing says how planks went where others follow
    first = msgspec.structs.replace(once["get_planks"], used_episodes=2 * EPISODES)
    assert crafting.counts()["get_planks"] == first


def test_a_failed_tryout_of_a_skill_counts_the_episodes_in_which_it_worked(tmp_path: Path):
    crafting = Crafting(tmp_path)
    crafting.implement("a/log", LOG)
    crafting.rate = 0.25
    crafting.implement("b/log", LOG)
    steps = 2 * EPISODES * STEPS
    assert crafting.counts()["get_log"] == Counts(successes=3 + 1, episodes=8, samples=steps)
