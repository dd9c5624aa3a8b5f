"""What failed in a performance reaches the planner, and is practised further."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from messages.bus import GoalHandle, ServiceError
from messages.chat import (
    ASK,
    Answered,
    Ask,
    GoalAnswer,
    GoalQuestion,
    PlanAnswer,
    PlanQuestion,
)
from messages.plan import (
    ACHIEVE,
    PERFORM,
    PURSUE,
    AchieveSubtask,
    Evaluated,
    GoalReport,
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
from messages.program import Program
from messages.world import Condition, Task
from models.outcomes import unseen
from nodes.fast_agent.playing.seeds import evaluation_seeds, performance_seeds, validation_seeds
from nodes.planner.iteration_choice import quicker
from nodes.planner.losses import losses, to_practise, wanted_of_subtask
from nodes.planner.planner import Planner
from nodes.testing import MockBus, start
from tests.agents.feedback import (
    ALL_WELL,
    EVALUATED,
    FIND,
    HARVEST,
    STICK,
    WORKED,
    Outer,
    episode,
    prompt,
)


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
                came_to=episode(0, ended, "lava") if ended == "death" else None,
                reason=f"3 tries at {item}" if ended == "gave_up" else "",
            )
        ] * count
    rate = worked / len(episodes)
    return Performed(success_rate=rate, episodes=episodes, milestones={}, steps=100)


def test_subtasks_that_lost_most_are_practised_until_the_rate_can_be_reached():
    came = performed(4, ("log", "death", 3), ("planks", "gave_up", 1), ("log", "horizon", 2))
    lost = losses(came)
    assert [(each.success.name, each.lost, each.reasons) for each in lost] == [
        ("log", 5, {"died (lava)": 3, "the steps were used up": 2}),
        ("planks", 1, {"3 tries at planks": 1}),
    ]
    assert [each.success.name for each in to_practise(lost, came, 0.9)] == ["log"]
    assert len(to_practise(lost, came, 1.0)) == 2


def test_what_decides_is_played_on_other_seeds_than_what_is_reported():
    evaluated, reported, validated = evaluation_seeds(1), performance_seeds(1), validation_seeds(1)
    assert evaluated.first + evaluated.count <= reported.first
    assert reported.first + reported.count <= validated.first
    assert validated.first + validated.count <= 2_000_000  # where the next run's seeds begin


class Goals:
    """A planner whose slow agent succeeds with the rates that are given, by item, and whose
    performances come to what is given."""

    def __init__(self, run: Path, *came: Performed, **tries: list[float]) -> None:
        self.achieved: list[tuple[str, AchieveSubtask]] = []
        self.performed: list[Perform] = []
        self.asked: list[PlanQuestion] = []
        self._came, self._tries = list(came), tries
        self.silent_after = 1_000  # plans that it asks for, after which there is no answer
        self.new: list[Subtask] = []  # a subtask that plans begin with after the first
        self.steps: dict[str, list[int]] = {}  # item -> of each iteration's evaluation, in all
        self.bus = MockBus("planner")
        self.bus.answer(ASK, self._answer)
        self.bus.answer_action(ACHIEVE, self._achieve)
        self.bus.answer_action(PERFORM, self._perform)
        start(Planner, self.bus, run)

    def pursue(self, **limits: Any) -> GoalReport:
        wanted = Limits(**{"iterations": 3, "samples": 100_000, "goal_rate": 0.8, **limits})
        return self.bus.run_goal(PURSUE, "goal", PursueGoal(task=STICK, limits=wanted))

    def _answer(self, request: Ask) -> Answered:
        if len(self.asked) >= self.silent_after:
            raise ServiceError("The server is gone.", code="no_answer")
        self.asked.append(request.question)  # type: ignore[arg-type]
        needed = ("log", 1), ("planks", 2), ("stick", 1)
        subtasks = [
            Subtask(name=f"get {item}", success=Condition(kind="have", name=item, quantity=count))
            for item, count in needed
        ]
        if self.new and len(self.asked) > 1:
            others = [msgspec.structs.replace(s, name=f"then {s.name}") for s in subtasks]
            subtasks = [*self.new, *others]
        text = msgspec.json.encode(PlanAnswer(subtasks=subtasks)).decode()
        return Answered(id=request.id, answer=text, model="test")

    def _achieve(self, goal: GoalHandle[AchieveSubtask, Any]) -> SubtaskReport:
        request = goal.request
        self.achieved.append((goal.id, request))
        # Where steps are given, there are as many iterations at once.
        first = len(request.history)
        last = max(first + 1, len(self.steps.get(request.subtask.success.name, [])))
        made = [self._iteration(request, number) for number in range(first, last)]
        best = max([*request.history, *made], key=lambda each: (each.success_rate, each.number))
        return SubtaskReport(
            iterations=made,
            success=made[-1].success_rate >= 0.9,
            reason="done",
            chosen=best.number,
        )

    def _iteration(self, request: AchieveSubtask, number: int) -> Iteration:
        item = request.subtask.success.name
        rates, steps = self._tries.get(item, [1.0]), self.steps.get(item, [0])
        rate = rates[min(number, len(rates) - 1)]
        sub_action = SubAction(name="get", method="code", success=request.subtask.success)
        program = Program(name="get", source=f"# {number}")
        return Iteration(
            subtask=request.subtask.name,
            number=number,
            lines=[Line(sub_action=sub_action, attempts=1, verdict=WORKED)],
            stages=[Stage(sub_action=sub_action, program=program)],
            success_rate=rate,
            episodes=30,
            samples=Samples(trial=10, evaluation=steps[min(number, len(steps) - 1)]),
            seconds=1.0,
        )

    def _perform(self, goal: GoalHandle[Perform, Any]) -> Performed:
        self.performed.append(goal.request)
        return self._came.pop(0)


SHORT = performed(24, ("log", "death", 6))
WELL = performed(29, ("log", "death", 1))


def test_a_performance_that_falls_short_is_asked_about_and_practised_further(tmp_path: Path):
    last = performed(28, ("log", "death", 2))
    goals = Goals(tmp_path, SHORT, WELL, last, log=[0.9, 0.97])
    report = goals.pursue(goal_rate=0.9)
    assert report.success
    assert report.performance == last
    assert report.validations == [SHORT, WELL]
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
    assert [each.validation for each in goals.performed] == [0, 1, None]
    stages = {each.subtask.name: each.stages for each in goals.performed[1].subtasks}
    assert stages["get log"][0].program.source == "# 1"  # type: ignore[union-attr]
    text = prompt("planner", goals.asked[-1])
    assert "6 were lost at log (died (lava): 6)" in text
    assert "Of 30 episodes" in text


def test_without_an_answer_about_a_performance_the_old_plan_is_practised_further(tmp_path: Path):
    goals = Goals(tmp_path, SHORT, WELL, WELL, log=[0.9, 0.97])
    goals.silent_after = 1
    report = goals.pursue(goal_rate=0.9)
    assert report.success
    assert goals.achieved[-1][0] == "goal/0-get-log/again-1"


def test_a_subtask_of_a_new_plan_does_not_take_the_name_of_another_one(tmp_path: Path):
    goals = Goals(tmp_path, SHORT, WELL, WELL, log=[0.9, 0.97], dirt=[1.0])
    goals.new = [Subtask(name="get log", success=Condition(kind="have", name="dirt"))]
    report = goals.pursue(goal_rate=0.9)
    assert [each.subtask.name for each in goals.performed[1].subtasks] == [
        "get log (2)", "get log", "get planks", "get stick",
    ]  # fmt: skip
    assert report.chosen == {"get log": 1, "get planks": 0, "get stick": 0, "get log (2)": 0}


def test_a_subtask_that_never_worked_is_not_practised_again_when_a_plan_repeats_it(tmp_path: Path):
    better = performed(26, ("log", "death", 4))
    goals = Goals(tmp_path, SHORT, better, WELL, WELL, log=[0.9, 0.95, 0.97], dirt=[0.0])
    goals.new = [Subtask(name="get dirt", success=Condition(kind="have", name="dirt"))]
    report = goals.pursue(goal_rate=0.9)
    assert len(goals.asked) == 3  # the plan, and after each validation that fell short
    tries = [id for id, request in goals.achieved if request.subtask.success.name == "dirt"]
    assert len(set(tries)) == len(tries)
    assert len(tries) == sum(each.subtask == "get dirt" for each in report.iterations)


def test_with_a_longer_plan_each_subtask_has_to_work_more_often(tmp_path: Path):
    goals = Goals(tmp_path, SHORT, WELL, WELL, log=[0.9, 0.97], dirt=[1.0])
    goals.new = [Subtask(name="get dirt", success=Condition(kind="have", name="dirt"))]
    goals.pursue(goal_rate=0.85)
    wanted = [(id, request.limits.success_rate) for id, request in goals.achieved]
    third, fourth = pytest.approx(0.85 ** (1 / 3)), pytest.approx(0.85 ** (1 / 4))
    assert wanted == [
        ("goal/0-get-log", third),
        ("goal/1-get-planks", third),
        ("goal/2-get-stick", third),
        ("goal/3-get-dirt", fourth),
        ("goal/0-get-log/again-1", fourth),
    ]


def sources(request: Perform) -> list[str]:
    """The program of each subtask that is performed."""
    programs = [each.stages[0].program for each in request.subtasks]
    return [program.source for program in programs if program is not None]


def test_what_a_validation_did_worse_with_is_taken_back(tmp_path: Path):
    worse, again = performed(20, ("log", "death", 10)), performed(22, ("log", "death", 8))
    goals = Goals(tmp_path, SHORT, worse, again, log=[0.9, 0.97])
    report = goals.pursue(goal_rate=0.9, iterations=2)
    assert [sources(each)[0] for each in goals.performed] == ["# 0", "# 1", "# 0"]
    assert [each.validation for each in goals.performed] == [0, 1, None]
    assert (report.performance, report.validations) == (again, [SHORT, worse])
    assert report.chosen["get log"] == 0
    assert not report.success
    assert "22 of 30" in report.reason
    assert "Before, on validation seeds: The whole goal was reached in 20 of 30" in report.reason


def test_a_goal_is_judged_by_its_last_performance_alone(tmp_path: Path):
    goals = Goals(tmp_path, WELL, SHORT)
    report = goals.pursue(goal_rate=0.9)
    assert (report.performance, report.validations) == (SHORT, [WELL])
    assert not report.success
    assert "24 of 30" in report.reason


def test_a_restart_decides_as_before_though_more_is_allowed_by_then(tmp_path: Path):
    """The planner is killed in the last performance, before which it had no samples to practise."""
    whole = 30 * STICK.horizon
    goals = Goals(tmp_path, SHORT)  # and no performance after it
    with pytest.raises(IndexError):
        goals.pursue(goal_rate=0.9, samples=2 * whole + 60)
    again = Goals(tmp_path, SHORT, SHORT)
    start(Planner, again.bus, tmp_path, samples=100 * whole)
    report = again.pursue(goal_rate=0.9, samples=2 * whole + 60)
    assert [each.validation for each in again.performed] == [0, None]
    assert [id for id, _ in again.achieved] == []
    assert (report.performance, report.validations) == (SHORT, [SHORT])


def test_a_restart_goes_on_with_the_old_plan_though_there_is_an_answer_by_then(tmp_path: Path):
    """The planner is killed in the second validation, for which it has practised further."""
    goals = Goals(tmp_path, SHORT, log=[0.9, 0.97])
    goals.silent_after = 1
    with pytest.raises(IndexError):
        goals.pursue(goal_rate=0.9)
    assert goals.achieved[-1][0] == "goal/0-get-log/again-1"
    again = Goals(tmp_path, SHORT, WELL, WELL)
    again.new = [Subtask(name="get dirt", success=Condition(kind="have", name="dirt"))]
    report = again.pursue(goal_rate=0.9)
    assert [id for id, _ in again.achieved] == []
    assert report.success
    assert report.chosen["get log"] == 1


def test_without_samples_for_both_only_the_last_performance_is_played(tmp_path: Path):
    goals = Goals(tmp_path, SHORT)
    whole = 30 * STICK.horizon
    report = goals.pursue(goal_rate=0.9, samples=2 * whole + 29)  # 30 are spent to practise
    assert [each.validation for each in goals.performed] == [None]
    assert (report.performance, report.validations) == (SHORT, [])


def test_an_iteration_that_was_taken_back_does_not_stand_again(tmp_path: Path):
    worse = performed(20, ("log", "death", 10))
    goals = Goals(tmp_path, SHORT, worse, WELL, WELL, log=[0.9, 0.97, 0.95])
    report = goals.pursue(goal_rate=0.9, iterations=3)
    # The slow agent chooses iteration 1 again, for it did best in its tryouts.
    assert [sources(each)[0] for each in goals.performed] == ["# 0", "# 1", "# 2", "# 2"]
    assert report.success
    assert report.chosen["get log"] == 2


@pytest.mark.parametrize(("ended", "then"), [("horizon", "# 0"), ("death", "# 1")])
def test_where_the_steps_were_used_up_the_quicker_iteration_is_performed(
    tmp_path: Path, ended: str, then: str
):
    short = performed(24, ("stick", ended, 6))
    goals = Goals(tmp_path, short, WELL, WELL, log=[0.9, 0.97])
    goals.steps = {"log": [3_000, 9_000]}
    report = goals.pursue(goal_rate=0.9, iterations=2, samples=1_000_000)
    assert [sources(each)[0] for each in goals.performed] == ["# 1", then, then]
    # It is performed before anything is practised further.
    assert len(goals.achieved) == (3 if then == "# 0" else 4)
    assert report.success


def iteration(number: int, rate: float, steps: int) -> Iteration:
    return Iteration(
        subtask="get log",
        number=number,
        lines=[],
        stages=[],
        success_rate=rate,
        episodes=10,
        samples=Samples(evaluation=steps),
        seconds=1.0,
    )


def test_the_quicker_iteration_has_fewer_steps_for_each_success():
    slow, sure = iteration(0, 0.5, 1_000), iteration(1, 1.0, 1_500)  # 200 and 150 for a success
    close, never = iteration(2, 1.0, 1_480), iteration(3, 0.0, 10)
    every = [slow, sure, close, never]
    assert quicker(slow, every, set(), 500) == close
    assert quicker(slow, every, {2}, 500) == sure
    assert quicker(sure, every, set(), 500) is None  # two steps are not worth a performance
    assert quicker(sure, every, set(), 100) == close
    assert quicker(close, every, set(), 500) is None


def test_a_refused_plan_and_a_refused_goal_are_shown_again(tmp_path: Path):
    asked: list[Any] = []

    def answer(request: Ask) -> Answered:
        asked.append(request.question)
        goal = isinstance(request.question, GoalQuestion)
        name = "wood" if len(asked) == 1 else "stick"
        wrong = Condition(kind="have", name=name)
        planks = Condition(kind="have", name="planks")
        plan = PlanAnswer(subtasks=[Subtask(name="get it", success=planks)] * 2)
        text = msgspec.json.encode(GoalAnswer(success=wrong) if goal else plan).decode()
        return Answered(id=request.id, answer=text, model="test")

    bus = MockBus("planner")
    bus.answer(ASK, answer)
    start(Planner, bus, tmp_path, repairs=1)
    unsaid = Task(id="prompt", prompt="A stick, please.")
    report = bus.run_goal(PURSUE, "goal", PursueGoal(task=unsaid, limits=Limits()))
    assert not report.success
    _, goal, plan, again = asked
    assert goal.refused == Condition(kind="have", name="wood")
    assert '"name":"wood"' in prompt("planner", goal)
    assert "wood is a block; the item is log" in prompt("planner", goal)
    assert (plan.refused, len(again.refused)) == ([], 2)
    text = prompt("planner", again)
    assert text.count('"name":"get it"') == 2
    assert "names must be unique" in text
    assert "uses up" in text


def test_a_goal_is_not_performed_again_when_practice_changed_nothing(tmp_path: Path):
    goals = Goals(tmp_path, SHORT, SHORT, log=[0.97, 0.5])
    report = goals.pursue(goal_rate=0.9)
    assert not report.success
    assert "Practising further brought nothing better" in report.reason
    assert [each.validation for each in goals.performed] == [0, None]
    assert report.chosen["get log"] == 0


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ({"iterations": 1}, "iterations are spent"),
        ({"samples": 7_500}, "samples that are left"),
        ({"samples": 4_500}, "or for further practice"),
    ],
)
def test_practice_goes_on_as_long_as_iterations_and_samples_last(
    tmp_path: Path, limits: dict[str, int], said: str
):
    goals = Goals(tmp_path, SHORT, SHORT)
    report = goals.pursue(goal_rate=0.9, **limits)
    assert said in report.reason
    assert len(goals.achieved) == 3


def test_the_slow_agent_continues_its_history_with_the_losses_of_the_performance(tmp_path: Path):
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


def test_a_sub_action_that_follows_the_subtasks_success_is_left_out(tmp_path: Path):
    """It would never run, and would take half of the samples."""
    again = SubAction(name="and again", method="rl", success=HARVEST.success)
    outer = Outer(tmp_path, [[FIND, HARVEST, again]], EVALUATED)
    report = outer.achieve(limits=Limits(iterations=1))
    assert [line.sub_action for line in report.iterations[0].lines] == [FIND, HARVEST]


def test_without_an_answer_the_best_iteration_so_far_is_the_subtasks(tmp_path: Path):
    outer = Outer(tmp_path, [[FIND, HARVEST]], EVALUATED)
    report = outer.achieve(limits=Limits(iterations=3))
    assert [each.number for each in report.iterations] == [0]
    assert report.chosen == 0
    assert report.reason.startswith("There is no decomposition: ")
    assert "The server is gone." in report.reason


def test_the_weakest_stage_of_an_unseen_evaluation_is_the_one_that_lost_most():
    assert unseen(EVALUATED).weakest == 1  # type: ignore[union-attr]
    assert Unseen(episodes=10, worked=5, held=[5, 5], lost=[5, 0]).weakest == 0
    assert Unseen(episodes=10, worked=10, held=[9, 10], lost=[0, 0]).weakest is None
    assert unseen(Evaluated(success_rate=0.0, episodes=[], steps=0)) is None
