"""The condition of a goal in words, as the planner asks for it and checks it."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from messages.bus import RemoteError, ServiceError
from messages.chat import ASK, Answered, Ask, GoalAnswer, GoalQuestion
from messages.plan import PURSUE, Limits, PursueGoal
from messages.world import UNSAID, Condition
from nodes.llm.rulebook.rulebook_backend import RulebookBackend
from nodes.planner.planner import Planner
from nodes.testing import MockBus, start
from worlds.card import Goals

THREE = Condition(kind="have", name="cobblestone", quantity=3)


@pytest.fixture
def bus(tmp_path: Path) -> Iterator[MockBus]:
    bus = MockBus("planner")
    planner = start(Planner, bus, tmp_path, repairs=1, plan=False)
    yield bus
    planner.close()


def _answers(bus: MockBus, *successes: Condition) -> list[GoalQuestion]:
    asked: list[GoalQuestion] = []
    left = list(successes)

    def answer(request: Ask) -> Answered:
        assert isinstance(request.question, GoalQuestion)
        asked.append(request.question)
        text = msgspec.json.encode(GoalAnswer(success=left.pop(0))).decode()
        return Answered(id=request.id, answer=text, model="mock")

    bus.answer(ASK, answer)
    return asked


def _pursue(bus: MockBus, prompt: str, goals: Goals) -> Condition:
    """What the planner makes of a prompt; too few samples end the goal before it is practised."""
    goal = PursueGoal(task=goals.open_task(prompt), limits=Limits(samples=1))
    return bus.run_goal(PURSUE, "goal", goal).task.success


def test_a_judged_goal_is_refused_where_the_critic_sees_no_pictures(
    bus: MockBus, goals: Goals
) -> None:
    """Nothing is asked or played for it."""
    task = goals.task("creative:0")
    with pytest.raises(RemoteError, match="only a critic that sees pictures") as refused:
        bus.run_goal(PURSUE, "demo", PursueGoal(task=task, limits=Limits()))
    assert refused.value.code == "invalid"


def test_the_planner_asks_for_the_condition_of_a_prompt(bus: MockBus, goals: Goals) -> None:
    asked = _answers(bus, Condition(kind="have", name="cobblestoen"), THREE)
    assert _pursue(bus, "cobblestone, thrice", goals) == THREE
    assert [len(question.problems) for question in asked] == [0, 1]
    assert "there is no item 'cobblestoen'" in asked[1].problems[0]


def test_the_planner_gives_an_episode_the_steps_that_the_condition_takes(
    bus: MockBus, goals: Goals
) -> None:
    """Those of any goal in words are no choice of the user's; others are, and are not changed."""
    days = Condition(kind="lived", name="days", quantity=2)
    _answers(bus, days, days)
    task = goals.open_task("do not die until the second evening")
    limits = Limits(samples=1)
    report = bus.run_goal(PURSUE, "one", PursueGoal(task=task, limits=limits))
    assert (task.horizon, report.task.horizon) == (3000, 48_000)
    short = msgspec.structs.replace(task, horizon=100)
    with pytest.raises(RemoteError, match=r"task\.horizon: to be alive after 2 days") as error:
        bus.run_goal(PURSUE, "two", PursueGoal(task=short, limits=limits))
    assert error.value.code == "invalid"


def test_a_prompt_of_which_no_condition_is_made_ends_the_goal(bus: MockBus, goals: Goals) -> None:
    _answers(bus, *[Condition(kind="have", name="happiness")] * 2)
    with pytest.raises(RemoteError, match="no condition was made of the goal 'be happy'") as error:
        _pursue(bus, "be happy", goals)
    assert error.value.code == "invalid"


@pytest.mark.parametrize(
    ("success", "why"),
    [
        (Condition(kind="judged", name="creative:0"), "only a critic that sees pictures"),
        (Condition(kind="health", name="life", quantity=10), "holds before the first step"),
        (Condition(kind="in_dimension", name="overworld"), "holds before the first step"),
    ],
    ids=["judged", "healthy", "in the Overworld"],
)
def test_a_condition_that_would_measure_nothing_is_asked_for_again(
    bus: MockBus, goals: Goals, success: Condition, why: str
) -> None:
    """No critic of the run sees whether it holds, or it holds before anything was done."""
    asked = _answers(bus, success, THREE, success, success)
    assert _pursue(bus, "do well", goals) == THREE
    assert why in asked[1].problems[0]
    task = goals.open_task("do well")
    with pytest.raises(RemoteError, match=f"of the goal 'do well': .*{why}") as error:
        bus.run_goal(PURSUE, "again", PursueGoal(task=task, limits=Limits()))
    assert error.value.code == "invalid"


@pytest.mark.parametrize("success", [UNSAID, THREE], ids=["in words", "by its condition"])
def test_a_goal_ends_retryable_where_no_model_was_reached(
    tmp_path: Path, goals: Goals, success: Condition
) -> None:
    """A server that cannot be reached says nothing about the goal; resume begins it again."""

    def unanswered(request: Ask) -> Answered:
        raise ServiceError("the server was not reached", code="no_model")

    bus = MockBus("planner")
    planner = start(Planner, bus, tmp_path, repairs=1)
    bus.answer(ASK, unanswered)
    task = msgspec.structs.replace(goals.open_task("get three cobblestone"), success=success)
    with pytest.raises(RemoteError, match="the server was not reached") as error:
        bus.run_goal(PURSUE, "goal", PursueGoal(task=task, limits=Limits()))
    planner.close()
    assert (error.value.code, error.value.retryable) == ("no_model", True)


def test_the_rulebook_answers_a_goal_question_with_the_condition_of_its_words(goals: Goals) -> None:
    question = GoalQuestion(task=goals.open_task("get three cobblestone"))
    answer = msgspec.json.decode(RulebookBackend().complete(question, [], {}).text, type=GoalAnswer)
    assert answer.success == THREE


def test_a_goal_without_a_plan_ends_with_a_report_and_the_reason(
    tmp_path: Path, goals: Goals
) -> None:
    """The rules have no plan for an elytra: that is a goal that was not reached, no failure."""
    bus = MockBus("planner")
    planner = start(Planner, bus, tmp_path, repairs=1)

    def unanswered(request: Ask) -> Answered:
        raise ServiceError("nothing in the rules leads to 'elytra'", code="no_answer")

    bus.answer(ASK, unanswered)
    goal = PursueGoal(task=goals.task("harvest_1_elytra"), limits=Limits())
    report = bus.run_goal(PURSUE, "goal", goal)
    planner.close()
    assert (report.success, report.iterations, report.performance) == (False, [], None)
    assert report.reason.startswith("There is no plan: ")
    assert "nothing in the rules leads to 'elytra'" in report.reason
