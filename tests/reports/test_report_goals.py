"""The report of a run that was given many goals: it is of one of them, and states so."""

from pathlib import Path

from rlgpt.report import played_episodes
from rlgpt.report.goal_outcomes import outcome
from rlgpt.report.tokens import TokenSum, token_table
from rlgpt.report.writing import read_summary, write
from tests.many_goals_run import EPISODES, TRAINED, evaluation, many_goals, policy, tryout
from tests.report_run import Outline


def reported(run: Path, goal: str | None = None) -> str:
    _, page = write(run, goal=goal)
    return " ".join(Outline(page.read_text()).text.split())


def test_the_report_has_the_episodes_and_trainings_of_its_own_goal_alone(tmp_path: Path) -> None:
    many_goals(tmp_path, 12)
    shown = reported(tmp_path, "goal-1")  # goal-10 and goal-11 begin like it
    for own in (evaluation("goal-1"), tryout("goal-1"), policy("goal-1")):
        assert own in shown
    for other in ("goal-0", "goal-10", "goal-11"):
        for theirs in (evaluation(other), tryout(other), policy(other)):
            assert theirs not in shown
    assert "no iteration uses this policy" in shown
    assert shown.count("no iteration uses this policy") == 1
    assert "This page is of goal-1" in shown
    newest = reported(tmp_path)
    assert evaluation("goal-11") in newest
    assert evaluation("goal-1") not in newest


def test_a_goal_that_was_not_reached_is_not_listed_as_succeeded(tmp_path: Path) -> None:
    many_goals(tmp_path, 3, reached=1)
    shown = reported(tmp_path)
    listed = shown.partition("3 goals, the newest first")[2].partition("This page is of")[0]
    assert "goal-2planner/pursuenot reached" in listed  # cells stand side by side
    assert "goal-0planner/pursuereached" in listed
    assert "succeeded" not in listed
    summary = read_summary(tmp_path)
    assert summary is not None
    assert [outcome(each) for each in summary.goals] == ["reached", "not reached", "not reached"]
    assert summary.goal == "goal-2"
    assert summary.state is not None
    assert summary.state.kind == "not_reached"


def test_tokens_of_iterations_of_several_goals_are_not_summed_up(tmp_path: Path) -> None:
    many_goals(tmp_path, 11)
    table = token_table(tmp_path, "goal-1")
    assert table is not None
    ((name, cells),) = table.rows
    assert name == "1"
    assert cells == [TokenSum(prompt=1000, answer=10)] * 2
    assert "1,000 + 10" in reported(tmp_path)
    assert "11,000 + 110" not in reported(tmp_path)


def test_tryouts_that_a_learner_plays_are_no_trainings(tmp_path: Path) -> None:
    many_goals(tmp_path, 3)
    episodes = played_episodes.counts(tmp_path)
    assert episodes == {
        "tryout": 3 * (EPISODES + 2),
        "evaluation": 3 * EPISODES,
        "training": 3 * TRAINED,
    }
    assert f"tryouts in training {policy('goal-2')}" in reported(tmp_path)
    assert f"{policy('goal-2')}/tryout" not in reported(tmp_path)


def test_the_report_of_a_single_goal_says_nothing_of_goals(tmp_path: Path) -> None:
    many_goals(tmp_path, 1)
    shown = reported(tmp_path)
    assert evaluation("goal-0") in shown
    assert policy("goal-0") in shown
    assert "all goals" not in shown
    assert "of this goal" not in shown
