"""What failed reaches those who can change it: after tryouts, unseen evaluations, performances."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from messages.bus import GoalHandle
from messages.chat import (
    ASK,
    Answered,
    Ask,
    DecomposeAnswer,
    DecomposeQuestion,
    PlanAnswer,
    PlanQuestion,
    ProgramAnswer,
    ProgramQuestion,
)
from messages.plan import (
    ACHIEVE,
    EVALUATE,
    IMPLEMENT,
    PERFORM,
    PURSUE,
    AchieveSubtask,
    Evaluated,
    GoalReport,
    Implement,
    Implemented,
    Iteration,
    Limits,
    Line,
    Perform,
    Performed,
    PerformedEpisode,
    PursueGoal,
    Samples,
    Stage,
    SubAction,
    Subtask,
    SubtaskReport,
    Unseen,
)
from messages.program import CHECK, Checked, Problem, Program, ProgramReport
from messages.verdict import JUDGE, Evidence, Verdict
from messages.world import CLOSE, LOOK, OPEN, RUN_PROGRAM, Condition, Episode, Task
from models.outcomes import failed_first, unseen
from nodes.asking import render
from nodes.fast_agent.fast_agent import FastAgent
from nodes.fast_agent.seeds import performance_seeds
from nodes.planner.losses import losses, to_practise, wanted_of_subtask
from nodes.planner.planner import Planner
from nodes.slow_agent.slow_agent import SlowAgent
from nodes.testing import MockBus, start
from tests.agent_stack import LOG, TASK, ended_with_a_log, seen
from tests.bus_processes import ROOT
from tests.craft_world import Inventories

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
)


def prompt(agent: str, question: Any) -> str:
    return render(ROOT / "nodes" / agent / "prompts", question)[1].content


class Outer:
    """A slow agent whose questions are answered in turn, and whose fast agent always succeeds in
    tryouts; what evaluations come to is given."""

    def __init__(self, run: Path, answers: Sequence[list[SubAction]], *came: Evaluated) -> None:
        self.asked: list[DecomposeQuestion] = []
        self.implemented: list[tuple[str, Implement]] = []
        self._answers, self._came = list(answers), list(came)
        self.bus = MockBus("slow_agent")
        self.bus.answer(ASK, self._answer)
        self.bus.answer_action(IMPLEMENT, self._implement)
        self.bus.answer_action(EVALUATE, lambda goal: self._came.pop(0))
        start(SlowAgent, self.bus, run)

    def achieve(self, **fields: Any) -> SubtaskReport:
        subtask = Subtask(name="log", success=LOG)
        limits = fields.pop("limits", Limits(iterations=2))
        asked = AchieveSubtask(task=TASK, subtask=subtask, limits=limits, **fields)
        return self.bus.run_goal(ACHIEVE, "goal/0-log", asked)

    def _answer(self, request: Ask) -> Answered:
        self.asked.append(request.question)  # type: ignore[arg-type]
        answer = DecomposeAnswer(sub_actions=self._answers.pop(0))
        return Answered(id=request.id, answer=msgspec.json.encode(answer).decode(), model="test")

    def _implement(self, goal: GoalHandle[Implement, Any]) -> Implemented:
        sub_action = goal.request.sub_action
        self.implemented.append((goal.id.rpartition("/")[2], goal.request))
        program = Program(name="p", source=f"# {len(self.implemented)}")
        return Implemented(
            stage=Stage(sub_action=sub_action, program=program),
            line=Line(sub_action=sub_action, attempts=1, verdict=WORKED),
            samples=Samples(trial=10),
        )


ALL_WELL = Evaluated(success_rate=1.0, episodes=[episode(0, "success")] * 10, steps=10, held=[10])


def test_what_an_unseen_evaluation_came_to_reaches_both_agents(tmp_path: Path):
    outer = Outer(tmp_path, [[FIND, HARVEST], [FIND, HARVEST]], EVALUATED, ALL_WELL)
    report = outer.achieve()
    came = report.iterations[0].unseen
    assert came is not None
    assert (came.worked, came.episodes, came.held) == (6, 10, [9, 6])
    assert came.endings == [
        "2 died (drowning)",
        "1 ended when the program failed at line 3: ValueError: no axe",
        "1 reached the horizon",
    ]
    assert {each.ended for each in came.failed} == {"death", "running", "horizon"}
    text = prompt("slow_agent", outer.asked[1])
    assert "the condition held for find a tree in 9, for harvest log in 6" in text
    assert "most were lost in harvest log" in text
    assert "died (drowning) after 40 steps" in text
    assert "950006" not in text  # nothing by which that start would be known again
    again = outer.implemented[-1][1]
    assert [each.program.source for each in again.tried if each.program] == ["# 2"]
    text = prompt(
        "fast_agent",
        ProgramQuestion(task=TASK, sub_action=HARVEST, history=again.history, tried=again.tried),
    )
    assert "worked in 6 of 10 unseen episodes" in text
    assert "failed at line 3" in text
    assert "  1 # 2" in text


def test_what_lost_the_most_unseen_episodes_is_made_again_and_the_rest_is_kept(tmp_path: Path):
    outer = Outer(tmp_path, [[FIND, HARVEST], [FIND, HARVEST]], EVALUATED, ALL_WELL)
    assert outer.achieve().success
    assert [name for name, _ in outer.implemented] == ["find-a-tree", "harvest-log", "harvest-log"]


def test_a_sub_action_keeps_its_history_under_another_name(tmp_path: Path):
    renamed = msgspec.structs.replace(HARVEST, name="chop")
    outer = Outer(tmp_path, [[FIND, HARVEST], [FIND, renamed]], EVALUATED, ALL_WELL)
    outer.achieve()
    asked = outer.implemented[-1][1]
    assert asked.sub_action.name == "chop"
    assert [line.sub_action.name for line in asked.history] == ["harvest log"]
    question = ProgramQuestion(
        task=TASK, sub_action=renamed, history=asked.history, tried=asked.tried
    )
    assert "as harvest log, by code" in prompt("fast_agent", question)


def test_a_refused_decomposition_is_shown_again_with_every_problem(tmp_path: Path):
    outer = Outer(tmp_path, [[FIND, FIND], [HARVEST]], ALL_WELL)
    outer.achieve()
    first, second = outer.asked
    assert first.refused == []
    assert second.refused == [FIND, FIND]
    text = prompt("slow_agent", second)
    assert text.count('"name":"find a tree"') == 2
    assert "names must be unique" in text
    assert "does not end in the subtask's success" in text


# ---- programs


def implement(tmp_path: Path, check: Callable[[str], bool], **parameters: Any) -> Any:
    """The questions that are asked where ``check`` says which programs may run, and the result."""
    world, bus = Inventories(), MockBus("fast_agent")
    asked: list[ProgramQuestion] = []

    def answer(request: Ask) -> Answered:
        asked.append(request.question)  # type: ignore[arg-type]
        source = f'ITEM = "log"\nQUANTITY = 1\n# {len(asked)}\n'
        text = msgspec.json.encode(ProgramAnswer(source=source)).decode()
        return Answered(id=request.id, answer=text, model="test")

    def checked(request: Any) -> Checked:
        wrong = [Problem(line=1, message="no"), Problem(line=2, message="nor this")]
        return Checked(problems=[] if check(request.program.source) else wrong)

    bus.answer(ASK, answer)
    bus.answer(CHECK, checked)
    bus.answer(OPEN, world.open)
    bus.answer(LOOK, world.look)
    bus.answer(CLOSE, world.close)
    bus.answer_action(RUN_PROGRAM, world.run)
    rates = iter((0.5, 0.4, 0.3, 0.2))
    bus.answer(
        JUDGE,
        lambda evidence: Verdict(
            success=False, success_rate=next(rates), reason="so", episodes=len(evidence.episodes)
        ),
    )
    start(FastAgent, bus, tmp_path, **parameters)
    goal = Implement(task=TASK, sub_action=HARVEST, before=[], history=[])
    return asked, bus.run_goal(IMPLEMENT, "demo/harvest", goal)


def test_programs_that_are_refused_are_no_tries(tmp_path: Path):
    asked, made = implement(tmp_path, lambda source: "# 4" in source or "# 5" in source, repairs=1)
    assert made.stage is not None
    assert "# 4" in made.stage.program.source
    assert made.line.attempts == 5  # three were refused, two tried out
    assert [question.left for question in asked] == [1, 1, 1, 1, 0]


def test_programs_are_refused_so_often_and_then_every_problem_is_said(tmp_path: Path):
    asked, made = implement(tmp_path, lambda source: False, refusals=2)
    assert len(asked) == 3
    assert made.stage is None
    assert made.line.verdict.reason == "The program may not run: line 1: no; line 2: nor this"


def test_which_program_will_be_evaluated_is_said(tmp_path: Path):
    asked, _ = implement(tmp_path, lambda source: True, repairs=2)
    assert [question.best for question in asked] == [None, 0, 0]
    text = prompt("fast_agent", asked[2])
    assert "Program 1 is the best so far" in text
    assert "This is the last one that is tried." in text


# ---- the critic


def test_the_critic_sees_each_way_to_fail_first():
    worked, failed = ended_with_a_log(12, 12, steps=5), []
    for number in range(6):
        ended = "death" if number == 5 else "horizon"
        failed.append(episode(12 + number, ended, "a blow of a zombie" if number == 5 else ""))
    evidence = Evidence(
        id="e",
        sub_action="dig",
        description="",
        method="code",
        success=LOG,
        required_rate=0.9,
        episodes=[*worked, *failed],
    )
    order = failed_first(evidence)
    assert [each.ended for each in order[:7]] == [
        "horizon", "death", "horizon", "horizon", "horizon", "horizon", "running",
    ]  # fmt: skip
    from messages.chat import JudgeQuestion

    text = prompt("critic", JudgeQuestion(evidence=evidence, success_rate=0.67))
    assert text.index("Failed: used up its steps") < text.index("Worked:")
    assert "Failed: died (a blow of a zombie) after 40 steps" in text
    assert "5 reached the horizon, 1 died (a blow of a zombie)" in text


# ---- performances


def test_the_rate_of_a_subtask_follows_from_the_goals():
    limits = Limits(success_rate=0.5, goal_rate=0.9)
    assert wanted_of_subtask(limits, 1, 30) == 0.5
    assert wanted_of_subtask(limits, 2, 30) == pytest.approx(0.9**0.5)
    # Thirty episodes tell no more apart.
    assert wanted_of_subtask(limits, 9, 30) == pytest.approx(29 / 30)
    assert wanted_of_subtask(Limits(success_rate=0.9, goal_rate=0.1), 3, 30) == 0.9


def performed(worked: int, *lost: tuple[str, Any, int]) -> Performed:
    """``lost``: the item that episodes stood at, how they ended, how many."""
    episodes = [
        PerformedEpisode(environment=0, seed=0, success=True, steps=10, ended="success")
    ] * worked
    for item, ended, count in lost:
        at = Condition(kind="have", name=item)
        episodes += [
            PerformedEpisode(
                environment=0,
                seed=0,
                success=False,
                steps=10,
                ended=ended,
                subtask=f"get {item}",
                stood_at=at,
                cause="lava" if ended == "death" else "",
                reason=f"3 tries at {item}" if ended == "gave_up" else "",
            )
        ] * count
    rate = worked / len(episodes)
    return Performed(success_rate=rate, episodes=episodes, milestones={}, steps=100)


def test_what_lost_the_most_is_practised_as_far_as_it_takes():
    came = performed(4, ("log", "death", 3), ("planks", "gave_up", 1), ("log", "horizon", 2))
    lost = losses(came)
    assert [(each.success.name, each.lost, each.reasons) for each in lost] == [
        ("log", 5, {"died (lava)": 3, "the steps were used up": 2}),
        ("planks", 1, {"3 tries at planks": 1}),
    ]
    assert [each.success.name for each in to_practise(lost, came, 0.9)] == ["log"]
    assert len(to_practise(lost, came, 1.0)) == 2


def test_each_performance_has_seeds_of_its_own():
    first, second = performance_seeds(1, 0, 30), performance_seeds(1, 1, 30)
    assert second.first == first.first + 30


class Goals:
    """A planner whose slow agent succeeds with the rates that are given, by item, and whose
    performances come to what is given."""

    def __init__(self, run: Path, *came: Performed, **tries: list[float]) -> None:
        self.achieved: list[tuple[str, AchieveSubtask]] = []
        self.performed: list[Perform] = []
        self.asked: list[PlanQuestion] = []
        self._came, self._tries = list(came), tries
        self.bus = MockBus("planner")
        self.bus.answer(ASK, self._answer)
        self.bus.answer_action(ACHIEVE, self._achieve)
        self.bus.answer_action(PERFORM, self._perform)
        start(Planner, self.bus, run)

    def pursue(self, **limits: Any) -> GoalReport:
        wanted = Limits(**{"iterations": 3, "samples": 100_000, "goal_rate": 0.8, **limits})
        return self.bus.run_goal(PURSUE, "goal", PursueGoal(task=STICK, limits=wanted))

    def _answer(self, request: Ask) -> Answered:
        self.asked.append(request.question)  # type: ignore[arg-type]
        needed = ("log", 1), ("planks", 2), ("stick", 1)
        subtasks = [
            Subtask(name=f"get {item}", success=Condition(kind="have", name=item, quantity=count))
            for item, count in needed
        ]
        text = msgspec.json.encode(PlanAnswer(subtasks=subtasks)).decode()
        return Answered(id=request.id, answer=text, model="test")

    def _achieve(self, goal: GoalHandle[AchieveSubtask, Any]) -> SubtaskReport:
        request = goal.request
        self.achieved.append((goal.id, request))
        item, number = request.subtask.success.name, len(request.history)
        rates = self._tries.get(item, [1.0])
        rate = rates[min(number, len(rates) - 1)]
        sub_action = SubAction(name="get", method="code", success=request.subtask.success)
        program = Program(name="get", source=f"# {number}")
        made = Iteration(
            subtask=request.subtask.name,
            number=number,
            lines=[Line(sub_action=sub_action, attempts=1, verdict=WORKED)],
            stages=[Stage(sub_action=sub_action, program=program)],
            success_rate=rate,
            episodes=30,
            samples=Samples(trial=10),
            seconds=1.0,
        )
        best = max([*request.history, made], key=lambda each: (each.success_rate, each.number))
        return SubtaskReport(
            iterations=[made], success=rate >= 0.9, reason="done", chosen=best.number
        )

    def _perform(self, goal: GoalHandle[Perform, Any]) -> Performed:
        self.performed.append(goal.request)
        return self._came.pop(0)


SHORT = performed(24, ("log", "death", 6))
WELL = performed(29, ("log", "death", 1))


def test_a_performance_that_falls_short_is_asked_about_and_practised_further(tmp_path: Path):
    goals = Goals(tmp_path, SHORT, WELL, log=[0.9, 0.97])
    report = goals.pursue(goal_rate=0.9)
    assert report.success
    assert report.performance == WELL
    assert report.fell_short == [SHORT]
    names = [id for id, _ in goals.achieved]
    assert names == [
        "goal/0-get-log", "goal/1-get-planks", "goal/2-get-stick", "goal/0-get-log/again-1",
    ]  # fmt: skip
    further = goals.achieved[-1][1]
    assert [each.number for each in further.history] == [0]
    assert further.performed is not None
    assert (further.performed.lost, further.performed.reasons) == (6, {"died (lava)": 6})
    # Each of the three has to work more often than the whole.
    assert further.limits.success_rate == pytest.approx(0.9 ** (1 / 3))
    assert report.chosen == {"get log": 1, "get planks": 0, "get stick": 0}
    assert [each.number for each in goals.performed] == [0, 1]
    stages = {each.subtask.name: each.stages for each in goals.performed[1].subtasks}
    assert stages["get log"][0].program.source == "# 1"  # type: ignore[union-attr]
    text = prompt("planner", goals.asked[-1])
    assert "6 were lost at log (died (lava): 6)" in text
    assert "Of 30 episodes" in text


def test_nothing_is_performed_again_that_did_not_change(tmp_path: Path):
    goals = Goals(tmp_path, SHORT, log=[0.97, 0.5])
    report = goals.pursue(goal_rate=0.9)
    assert not report.success
    assert "Practising further brought nothing better" in report.reason
    assert len(goals.performed) == 1
    assert report.chosen["get log"] == 0


@pytest.mark.parametrize(
    ("limits", "said"),
    [({"iterations": 1}, "iterations are spent"), ({"samples": 4_500}, "samples that are left")],
)
def test_practice_goes_on_as_long_as_iterations_and_samples_last(
    tmp_path: Path, limits: dict[str, int], said: str
):
    goals = Goals(tmp_path, SHORT)
    report = goals.pursue(goal_rate=0.9, **limits)
    assert said in report.reason
    assert len(goals.achieved) == 3


def test_the_slow_agent_goes_on_after_what_it_had(tmp_path: Path):
    """Though its last iteration had reached the rate, and with what the performance lost there."""
    outer = Outer(tmp_path / "one", [[HARVEST]], ALL_WELL)
    (tmp_path / "one").mkdir(exist_ok=True)
    known = outer.achieve().iterations
    lost = losses(SHORT)[0]
    split = Outer(tmp_path / "two", [[FIND, HARVEST]], ALL_WELL)
    report = split.achieve(history=known, performed=lost)
    assert [each.number for each in report.iterations] == [1]
    assert report.chosen == 1
    assert split.asked[0].performed == lost
    text = prompt("slow_agent", split.asked[0])
    assert "6 of them were lost at this subtask (died (lava): 6)" in text
    assert split.implemented[0][1].performed == lost


def test_an_unseen_evaluation_knows_its_weakest_stage():
    assert unseen(EVALUATED).weakest == 1  # type: ignore[union-attr]
    assert Unseen(episodes=10, worked=5, held=[5, 5]).weakest == 0
    assert Unseen(episodes=10, worked=10, held=[9, 10]).weakest is None
    assert unseen(Evaluated(success_rate=0.0, episodes=[], steps=0)) is None
