"""The page of a run that was given many goals: each can be looked at, and every list has an end."""

from pathlib import Path
from urllib.parse import urlencode

import msgspec
import pytest

from messages.bus.actions.goal_store import GoalRecord
from messages.codec import encode, snapshot
from messages.plan import (
    ACHIEVE,
    IMPLEMENT,
    PURSUE,
    AchieveSubtask,
    Implement,
    Limits,
    PursueGoal,
    SubAction,
    SubtaskReport,
)
from nodes.common.storage.node_memory import Memory
from nodes.common.storage.stored_goals import StoredGoals
from rlgpt.dash import films
from rlgpt.dash.views import episode_view, plan_view, program_view, time_view
from rlgpt.dash.views.conversation_view import Conversation
from rlgpt.dash.views.curve_view import Curves
from rlgpt.refused import Refused
from rlgpt.runs.launches import Launches
from rlgpt.runs.run_folder import Lock
from tests.dash.browser import NONE, PROGRAM, Browser
from tests.dash.dash_served import served
from tests.many_goals_run import EPISODES, PLAYS, TRAINED, evaluation, many_goals, policy
from tests.report_run import TASK, goal_report
from tests.reports.test_report_any_time import sent

GOALS = 45


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("runs") / "many"
    many_goals(run, GOALS, reached=2)
    return run


def test_the_overview_is_of_the_newest_goal_or_the_one_that_is_named(run: Path) -> None:
    found = plan_view.plan(run)
    assert (found["goal"], found["success"]) == ("goal-44", False)
    assert (found["all_goals"], found["reached_goals"]) == (GOALS, 2)
    assert found["goals"][0] == {"id": "goal-0", "outcome": "reached"}
    assert found["goals"][-1] == {"id": "goal-44", "outcome": "not reached"}
    named = plan_view.plan(run, "goal-1")
    assert (named["goal"], named["success"]) == ("goal-1", True)
    assert named["subtasks"][0]["goal"] == "goal-1/0-harvest-log"
    with pytest.raises(Refused, match="goal-99"):
        plan_view.plan(run, "goal-99")


def test_work_for_a_goal_whose_id_begins_alike_is_not_shown_as_this_ones(tmp_path: Path) -> None:
    many_goals(tmp_path, 2)
    pursued = StoredGoals(tmp_path / "planner" / "goals.sqlite")
    request = snapshot(encode(PursueGoal(task=TASK, limits=Limits())))
    # Another goal is under way, in a subtask whose name begins like that of goal-1.
    id = "goal-1/0-harvest-log-quickly"
    pursued.save(GoalRecord(action=PURSUE.name, goal=id, status="running", request=request))
    pursued.close()
    with Lock(tmp_path):
        Launches(tmp_path)
        found = plan_view.plan(tmp_path, "goal-1")
    assert [each.id for each in found["under_way"]] == [id]
    assert [each["state"] for each in found["subtasks"]] == ["done"]


def test_iterations_of_renewed_practice_are_shown_with_their_own_episodes(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("name: a\nnodes: {planner: {}}\n")
    first, second = goal_report().iterations
    (harvest,) = goal_report().subtasks
    own = "goal/2-harvest-log"  # its place when it was begun; the plan is another one by now
    again = f"{own}/again-1"
    done = SubtaskReport(iterations=[first], success=False, reason="It was not enough.")
    asked = AchieveSubtask(task=TASK, subtask=harvest, limits=Limits())
    action = SubAction(name="dig", method="rl", success=TASK.success)
    dig = Implement(task=TASK, sub_action=action, before=[], history=[])
    stores = [
        sent(tmp_path, PURSUE, "goal", PursueGoal(task=TASK, limits=Limits())),
        sent(tmp_path, ACHIEVE, own, asked, "succeeded", done),
        sent(tmp_path, ACHIEVE, again, msgspec.structs.replace(asked, history=[first])),
        sent(tmp_path, IMPLEMENT, f"{again}/iteration-2/dig", dig),
    ]
    slow_agent = Memory(tmp_path / "slow_agent" / "memory.sqlite")
    slow_agent.keep(f"{again}/iteration-1", second)
    with Lock(tmp_path):
        Launches(tmp_path)
        (subtask,) = plan_view.plan(tmp_path)["subtasks"]
    assert (subtask["state"], subtask["goal"]) == ("active", own)
    goals = [turn["goal"] for turn in subtask["iterations"]]
    assert goals == [f"{own}/iteration-0", f"{again}/iteration-1"]
    assert subtask["current"]["number"] == 2
    assert [line["name"] for line in subtask["current"]["lines"]] == ["dig"]
    for store in stores:
        store.close()
    links = (Path(plan_view.__file__).parents[1] / "static/panels/overview.js").read_text()
    assert "of/${encodeURIComponent(turn.goal)}" in links


def test_of_a_program_that_ran_in_many_plays_the_newest_are_listed_and_all_counted(
    run: Path,
) -> None:
    programs = {each.name: each for each in program_view.programs(run)[::-1]}
    shared = programs["find_a_tree"]
    assert shared.plays == GOALS * PLAYS
    assert shared.episodes == GOALS * PLAYS * EPISODES
    assert shared.successes == GOALS * PLAYS * (EPISODES - 1)
    assert len(shared.uses) == 40
    assert shared.uses[-1].play == evaluation("goal-44")
    assert shared.uses[-1].words == "evaluation of harvest-log, iteration 1, goal goal-44"
    assert shared.uses[-2].words == "tryout 0 of harvest-log, iteration 1, goal goal-44"


def test_trainings_and_films_of_a_goal_are_its_own_and_those_of_all_are_counted(run: Path) -> None:
    every = episode_view.listing(run, None, None, None, 0, 5)
    assert every["trainings"] == []
    assert every["trained"]["trainings"] == GOALS
    assert every["trained"]["episodes"] == GOALS * TRAINED
    assert every["rows"][0]["words"].endswith("goal goal-44")
    own = episode_view.listing(run, None, None, "goal-1", 0, 5)  # not goal-10 to goal-19
    assert [each["words"] for each in own["trainings"]] == [
        f"training {policy('goal-1')}",
        f"tryouts in training {policy('goal-1')}",
    ]
    assert own["found"] == PLAYS * EPISODES
    listed = films.listing(run)
    assert (listed["all"], len(listed["rows"])) == (GOALS, 30)
    (film,) = films.listing(run, "goal-1")["rows"]
    assert film["name"].startswith("goal-1+")


def test_a_question_of_an_early_goal_can_be_found(run: Path) -> None:
    conversation = Conversation(run)
    newest = conversation.questions(0, 10)
    assert (newest["found"], newest["newest"], len(newest["questions"])) == (GOALS, GOALS, 10)
    found = conversation.questions(0, 10, "Goal-1/")
    assert found["found"] == 1
    assert [each.number for each in found["questions"]] == [2]
    assert found["newest"] == GOALS  # to go on from there


def test_a_time_line_has_no_more_spans_than_can_be_seen(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    curves = Curves(run).lines(1)
    each = time_view.times(run, curves, 0.0)
    assert len(each["spans"]) == GOALS * (PLAYS + 2)  # plays, a training and a question
    assert len(each["profile"]["trainings"]) == 5
    assert each["profile"]["all_trainings"] == GOALS
    assert each["profile"]["trainings"][-1].policy == policy("goal-44")
    monkeypatch.setattr(time_view, "_APART", 4)
    few = time_view.times(run, curves, 0.0)
    assert len(few["spans"]) <= 4 * 2 * 4
    assert sum(span["number"] for span in few["spans"]) == len(each["spans"])
    whole = sum(span["seconds"] for span in few["spans"])
    assert whole == pytest.approx(sum(span["seconds"] for span in each["spans"]))
    assert few["parts"] == each["parts"]


@pytest.mark.skipif(PROGRAM is None, reason=NONE)
def test_a_goal_is_chosen_and_led_from_to_its_own_policies_and_questions(run: Path) -> None:
    with served(run) as page, Browser() as browser:
        browser.open(f"{page.address}/#/many/overview")
        browser.wait_text("2 of 45 goals reached")
        assert browser.run("document.querySelector('.goals select').value") == "goal-44"
        assert "not reached" in browser.text()
        browser.run(
            "(() => { const at = document.querySelector('.goals select');"
            " at.value = 'goal-1'; at.dispatchEvent(new Event('change')); })()"
        )
        browser.wait("location.hash === '#/many/overview/goal/goal-1'")
        browser.wait("document.querySelector('.goals a').href.endsWith('/of/goal-1')")
        browser.click(".goals a[href*='/learning/']")
        browser.wait_text("45 policies")
        shown = "[...document.querySelectorAll('.choices label')].map((each) => each.innerText)"
        assert browser.wait(shown) == ["goal 1 / 0 harvest log / iteration 1 / harvest log"]
        browser.open(f"{page.address}/#/many/learning")
        browser.wait("document.querySelectorAll('.choices label').length === 12")
        browser.open(f"{page.address}/#/many/model/of/goal-1")
        browser.wait("document.querySelectorAll('.list .entry').length === 1")
        browser.wait_text("goal-1/0-harvest-log/iteration-1/harvest-log/program-0")
        browser.open(f"{page.address}/#/many/episodes/of/goal-1")
        browser.wait_text("6 of 270 episodes")
        status, _, _ = page.ask(f"/api/runs/many/plan?{urlencode({'goal': 'goal-99'})}")
        assert status == 404
        assert browser.errors == []
