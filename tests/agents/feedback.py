"""What the tests of feedback begin with: episodes that failed, and the agents that are to know."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from messages.bus import GoalHandle, ServiceError
from messages.chat import (
    ASK,
    Answered,
    Ask,
    DecomposeAnswer,
    DecomposeQuestion,
)
from messages.plan import (
    ACHIEVE,
    EVALUATE,
    IMPLEMENT,
    AchieveSubtask,
    Evaluated,
    Implement,
    Implemented,
    Limits,
    Line,
    Samples,
    Stage,
    SubAction,
    Subtask,
    SubtaskReport,
)
from messages.program import Program, ProgramReport
from messages.verdict import Verdict
from messages.world import Condition, Episode, Task
from nodes.common.questions.asking import render
from nodes.slow_agent.slow_agent import SlowAgent
from nodes.testing import MockBus, start
from tests.agent_stack import LOG, TASK, seen
from tests.bus_processes import ROOT

FACING = Condition(kind="facing", name="wood")
FIND = SubAction(name="find a tree", method="code", success=FACING)
HARVEST = SubAction(name="harvest log", method="code", success=LOG)
WORKED = Verdict(success=True, success_rate=1.0, reason="seen", episodes=20)
STICK = Task(
    id="stick", prompt="A stick.", success=Condition(kind="have", name="stick"), horizon=100
)


def episode(number: int, ended: Any, cause: str = "") -> Episode:
    return Episode(
        environment=number,
        seed=950_000 + number,
        success=ended == "success",
        steps=40,
        reward=0.0,
        ended=ended,
        before=seen(""),
        after=seen("have" if ended == "success" else ""),
        cause=cause,
    )


EVALUATED = Evaluated(
    success_rate=0.6,
    episodes=[
        *(episode(number, "success") for number in range(6)),
        episode(6, "death", "drowning"),
        episode(7, "death", "drowning"),
        episode(8, "running"),
        episode(9, "horizon"),
    ],
    steps=100,
    reports=[
        ProgramReport(
            program="dig",
            status="error",
            count=1,
            steps=9,
            line=3,
            error="ValueError: no axe",
            environments=[8],
        )
    ],
    held=[9, 6],
    lost=[1, 3],
)


def prompt(agent: str, question: Any) -> str:
    return render(ROOT / "nodes" / agent / "prompts", question)[1].content


class Outer:
    """A slow agent whose questions are answered in turn, and whose fast agent always succeeds in
    tryouts; what evaluations come to is given."""

    def __init__(self, run: Path, answers: Sequence[list[SubAction]], *came: Evaluated) -> None:
        self.asked: list[DecomposeQuestion] = []
        self.implemented: list[tuple[str, Implement]] = []
        self.none_left: set[str] = set()  # sub-actions whose programs use up all steps
        self.no_stage: set[str] = set()  # sub-actions that can't be implemented
        self._answers, self._came = list(answers), list(came)
        self.bus = MockBus("slow_agent")
        self.bus.answer(ASK, self._answer)
        self.bus.answer_action(IMPLEMENT, self._implement)
        self.bus.answer_action(EVALUATE, lambda goal: self._came.pop(0))
        start(SlowAgent, self.bus, run)

    def achieve(self, **fields: Any) -> SubtaskReport:
        subtask = fields.pop("subtask", Subtask(name="log", success=LOG))
        limits = fields.pop("limits", Limits(iterations=2))
        asked = AchieveSubtask(task=TASK, subtask=subtask, limits=limits, **fields)
        return self.bus.run_goal(ACHIEVE, "goal/0-log", asked)

    def _answer(self, request: Ask) -> Answered:
        self.asked.append(request.question)  # type: ignore[arg-type]
        if not self._answers:
            raise ServiceError("The server is gone.", code="no_answer")
        answer = DecomposeAnswer(sub_actions=self._answers.pop(0))
        return Answered(id=request.id, answer=msgspec.json.encode(answer).decode(), model="test")

    def _implement(self, goal: GoalHandle[Implement, Any]) -> Implemented:
        sub_action = goal.request.sub_action
        self.implemented.append((goal.id.rpartition("/")[2], goal.request))
        program = Program(name="p", source=f"# {len(self.implemented)}")
        return Implemented(
            stage=None
            if sub_action.name in self.no_stage
            else Stage(sub_action=sub_action, program=program),
            line=Line(
                sub_action=sub_action,
                attempts=1,
                verdict=WORKED,
                none_left=sub_action.name in self.none_left,
            ),
            samples=Samples(trial=10),
        )


ALL_WELL = Evaluated(success_rate=1.0, episodes=[episode(0, "success")] * 10, steps=10, held=[10])
