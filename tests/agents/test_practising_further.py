"""A plan whose validation fell short: what is practised further, with which samples, and what then
stands. The slow agent and the performances are as the test tells."""

from pathlib import Path

import msgspec

from messages.chat import Answered, Ask, PlanAnswer
from messages.plan import Subtask
from messages.world import Condition
from tests.agents.feedback import STICK
from tests.agents.test_feedback_performances import SHORT, WELL, Goals, performed, sources


def test_the_samples_of_a_validation_are_reserved_while_a_plan_is_practised(tmp_path: Path):
    goals = Goals(tmp_path, WELL, WELL)
    goals.pursue()
    assert [request.reserve for _, request in goals.achieved] == [30 * STICK.horizon] * 3


def test_subtasks_that_are_practised_further_share_the_samples(tmp_path: Path):
    short = performed(20, ("log", "death", 6), ("planks", "death", 4))
    goals = Goals(tmp_path, short, WELL, WELL, log=[0.9, 0.97], planks=[0.9, 0.97])
    goals.pursue(goal_rate=0.9)
    first, second = (request for _, request in goals.achieved[3:])
    assert [each.subtask.name for each in (first, second)] == ["get log", "get planks"]
    # The second has all that the first has left: it has spent 10 of its half.
    assert abs(2 * first.limits.samples - 10 - second.limits.samples) <= 1


class Replanned(Goals):
    """Its second plan has another subtask in the place of the first one."""

    def _answer(self, request: Ask) -> Answered:
        answered = super()._answer(request)
        first = "dirt" if len(self.asked) == 1 else "sand"
        plan = msgspec.json.decode(answered.answer, type=PlanAnswer)
        new = Subtask(name=f"get {first}", success=Condition(kind="have", name=first))
        text = msgspec.json.encode(PlanAnswer(subtasks=[new, *plan.subtasks])).decode()
        return msgspec.structs.replace(answered, answer=text)


class AskedForMore(Goals):
    """Each plan after the first has a subtask of one name, which is to bring one more each time."""

    def _answer(self, request: Ask) -> Answered:
        success = Condition(kind="have", name="dirt", quantity=max(1, len(self.asked)))
        self.new = [Subtask(name="get dirt", success=success)]
        return super()._answer(request)


def test_a_subtask_by_the_name_of_one_that_failed_is_practised_for_itself(tmp_path: Path):
    better = performed(26, ("log", "death", 4))
    goals = AskedForMore(tmp_path, SHORT, better, WELL, WELL, log=[0.9, 0.93, 0.97], dirt=[0.0])
    report = goals.pursue(goal_rate=0.9, iterations=3)
    dirt = [(id, each) for id, each in goals.achieved if each.subtask.success.name == "dirt"]
    assert [each.subtask.success.quantity for _, each in dirt] == [1, 2]
    assert len({id for id, _ in dirt}) == 2
    made = [(each.subtask, each.number) for each in report.iterations]
    assert len(set(made)) == len(made) == len(goals.achieved)


def test_what_is_not_in_the_new_plan_is_performed_before_it(tmp_path: Path):
    goals = Replanned(tmp_path, SHORT, WELL, WELL, log=[0.9, 0.97])
    goals.pursue(goal_rate=0.9)
    items = [[each.subtask.success.name for each in one.subtasks] for one in goals.performed]
    assert items[0] == ["dirt", "log", "planks", "stick"]
    assert items[1] == ["dirt", "sand", "log", "planks", "stick"]


def test_the_plan_before_is_performed_where_a_validation_went_worse_with_the_new_one(
    tmp_path: Path,
):
    worse = performed(12, ("log", "death", 18))
    goals = Replanned(tmp_path, SHORT, worse, WELL, log=[0.9, 0.5], sand=[0.9])
    report = goals.pursue(goal_rate=0.9, iterations=2)
    items = [[each.subtask.success.name for each in one.subtasks] for one in goals.performed]
    before = ["dirt", "log", "planks", "stick"]
    assert items == [before, ["dirt", "sand", "log", "planks", "stick"], before]
    assert [each.success.name for each in report.subtasks] == before
    # What was spent on the new subtask is reported.
    assert "get sand" in {each.subtask for each in report.iterations}


def test_what_a_validation_did_as_well_with_stands(tmp_path: Path):
    goals = Goals(tmp_path, SHORT, SHORT, WELL, log=[0.9, 0.97])
    report = goals.pursue(goal_rate=0.9, iterations=2)
    assert [sources(each)[0] for each in goals.performed] == ["# 0", "# 1", "# 1"]
    assert report.chosen["get log"] == 1


def test_a_goal_is_reached_at_the_very_rate_that_is_wanted(tmp_path: Path):
    goals = Goals(tmp_path, SHORT, SHORT)  # 24 of 30
    report = goals.pursue(goal_rate=0.8)
    assert report.success
    assert len(report.validations) == 1
