"""Which stage an evaluation's failed episodes were lost in."""

from pathlib import Path
from typing import Any

import msgspec

from messages.bus import GoalHandle
from messages.plan import EVALUATE, Evaluate, Evaluated, Stage
from messages.program import ProgramReport
from messages.world import CLOSE, LOOK, OPEN, RUN_PROGRAM, Condition, ProgramRan, Task
from models.outcomes import unseen
from nodes.fast_agent.fast_agent import FastAgent
from nodes.testing import MockBus, start
from tests.agents.craft_world import STEPS, Inventories
from tests.agents.performances import stages_for
from worlds.minecraft.card.planning import PLANNING

PLANKS = Condition(kind="have", name="planks", quantity=4)
TASK = Task(id="planks", prompt="", success=PLANKS, horizon=1_000)
STAGES = [
    stage for subtask in PLANNING.plan_for(PLANKS, {}) for stage in stages_for(subtask)
]  # a log, then planks


class Playing:
    """A fast agent and its world. ``endings``: how the program of a row ends, by stage and row."""

    def __init__(self, run: Path) -> None:
        self.world = Inventories()
        self.endings: dict[tuple[str, int], Any] = {}
        self.portions = 0
        self._bus = MockBus("fast_agent")
        self._bus.answer(OPEN, self._open)
        self._bus.answer(LOOK, self.world.look)
        self._bus.answer(CLOSE, self.world.close)
        self._bus.answer_action(RUN_PROGRAM, self._run)
        start(FastAgent, self._bus, run, evaluation_episodes=4)

    def evaluate(self, stages: list[Stage], samples: int | None = None) -> Evaluated:
        asked = Evaluate(task=TASK, stages=stages, samples=samples)
        return self._bus.run_goal(EVALUATE, "demo/evaluate", asked)

    def _open(self, request: Any) -> Any:
        self.portions += 1
        return self.world.open(request)

    def _run(self, goal: GoalHandle[Any, Any]) -> ProgramRan:
        ran = self.world.run(goal)
        (report,) = ran.reports
        first = self.world.requests[goal.request.session].seeds.first - 950_000
        found: dict[Any, list[int]] = {}
        for row in range(report.count):
            status = self.endings.get((report.program, first + row), "finished")
            found.setdefault(status, []).append(row)
        reports = [
            ProgramReport(
                program=report.program,
                status=status,
                count=len(rows),
                steps=STEPS,
                environments=rows,
            )
            for status, rows in found.items()
        ]
        return msgspec.structs.replace(ran, reports=reports)


def test_an_episode_is_lost_in_the_first_stage_whose_condition_did_not_hold(tmp_path: Path):
    playing = Playing(tmp_path)
    playing.world.fails = lambda row, item, number: (row, item) in ((1, "log"), (2, "planks"))
    found = playing.evaluate(STAGES)
    assert (found.held, found.lost) == ([3, 2], [1, 1])


def test_what_a_later_stage_made_up_for_is_not_lost(tmp_path: Path):
    """The first stage's condition seldom holds, and the next one succeeds all the same."""
    playing = Playing(tmp_path)
    dirt = Condition(kind="have", name="dirt")
    first = msgspec.structs.replace(
        STAGES[0], sub_action=msgspec.structs.replace(STAGES[0].sub_action, success=dirt)
    )
    playing.world.fails = lambda row, item, number: (row, item) == (3, "planks")
    found = playing.evaluate([first, STAGES[1]])
    assert (found.held, found.lost) == ([0, 3], [1, 0])
    playing = Playing(tmp_path / "all")
    found = playing.evaluate([first, STAGES[1]])
    assert (found.held, found.lost) == ([0, 4], [0, 0])
    assert unseen(found).weakest is None  # type: ignore[union-attr]


def test_nothing_is_lost_in_a_stage_that_is_left_out(tmp_path: Path):
    playing = Playing(tmp_path)
    playing.world.fails = lambda row, item, number: item == "planks"
    left_out = msgspec.structs.replace(STAGES[0], left_out=True)
    found = playing.evaluate([left_out, *STAGES])
    assert (found.held, found.lost) == ([None, 4, 0], [0, 0, 4])
    assert unseen(found).weakest == 2  # type: ignore[union-attr]


def test_portions_keep_the_reports_in_the_order_of_their_stages(tmp_path: Path):
    """In the second portion the first stage's program ends as it did in none before: what the
    episode ended with is the second one's all the same."""
    first, second = (
        msgspec.structs.replace(
            stage, program=msgspec.structs.replace(stage.program, name=name, max_steps=900)
        )
        for stage, name in zip(STAGES, ("find", "craft"), strict=True)
        if stage.program is not None
    )
    playing = Playing(tmp_path)
    playing.endings = {("find", 3): "step_limit"}
    playing.world.fails = lambda row, item, number: item == "planks"
    found = playing.evaluate([first, second], samples=3_100)
    assert playing.portions > 1
    assert [report.program for report in found.reports] == ["find", "find", "craft"]
    assert unseen(found).endings == [  # type: ignore[union-attr]
        "4 ended when the program craft came to its end"
    ]
