"""What did a sub-action after other stages is tried out before anything is asked."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from messages.bus import ServiceError
from messages.chat import Answered, Ask, ProgramQuestion
from messages.plan import IMPLEMENT, Implement, Implemented, Stage, SubAction
from messages.program import Program
from messages.training import ACT, TRAIN, Acted
from tests.agents.feedback import ALL_WELL, EVALUATED, FIND, HARVEST, Outer
from tests.agents.test_learning_from_code import LOG, SPEC, TASK, Stack, program

OLD = Program(name="get-log", source=program(7))


class Again(Stack):
    """Which is given what did it after other stages."""

    def __init__(self, run: Path, **parameters: Any) -> None:
        self.programs: list[ProgramQuestion] = []
        super().__init__(run, SPEC, **parameters)

    def answer(self, request: Ask) -> Answered:
        if isinstance(request.question, ProgramQuestion):
            self.programs.append(request.question)
        return super().answer(request)

    def again(self, method: Any, earlier: Stage | None, samples: int | None = None) -> Implemented:
        request = Implement(
            task=TASK,
            sub_action=SubAction(name="get log", method=method, success=LOG),
            before=[],
            history=[],
            earlier=earlier,
            samples=samples,
        )
        return self.bus.run_goal(IMPLEMENT, "demo/1/get log", request)


def by_code() -> Stage:
    return Stage(sub_action=SubAction(name="get log", method="code", success=LOG), program=OLD)


def test_a_program_that_works_after_other_stages_too_costs_no_question(tmp_path: Path):
    stack = Again(tmp_path)
    stack.rates = {"code-0": 0.95}
    implemented = stack.again("code", by_code())
    assert implemented.stage is not None
    assert implemented.stage.program == OLD
    assert implemented.line.verdict.success
    assert stack.programs == []
    # Its tryout is counted: twenty episodes.
    assert implemented.samples.trial > 0
    assert implemented.line.attempts == 1


def test_a_program_that_no_longer_works_is_shown_to_who_writes_the_next(tmp_path: Path):
    stack = Again(tmp_path, repairs=1)
    stack.rates = {"code-0": 0.4, "code-1": 0.3, "code-2": 0.2}
    implemented = stack.again("code", by_code())
    first, second = stack.programs
    assert [each.source for each in first.attempts] == [OLD.source]
    assert (first.attempts[0].verdict, first.best, first.left) == ("Counted.", 0, 1)
    assert len(second.attempts) == 2
    # It is still the best of the three. It took none of the tries that there are.
    assert implemented.stage is not None
    assert implemented.stage.program == OLD
    assert stack.judged == [f"demo/1/get log/judge-{number}" for number in (0, 1, 2)]


def by_rl(stack: Stack) -> Stage:
    stack.rates = {"rl-0": 0.95}
    stage = stack.implement("get log", "rl", 0).stage
    assert stage is not None
    assert stage.policy is not None
    stack.specs.clear()
    stack.trained.clear()
    stack.judged.clear()
    return stage


def test_a_policy_that_works_after_other_stages_too_is_not_trained_again(tmp_path: Path):
    stack = Again(tmp_path)
    earlier = by_rl(stack)
    stack.rates = {"rl-earlier": 0.95}
    implemented = stack.again("rl", earlier)
    assert implemented.stage == earlier
    assert implemented.line.verdict.success
    assert (stack.specs, stack.trained) == ([], [])
    assert (implemented.samples.training, implemented.samples.trial > 0) == (0, True)


@pytest.mark.parametrize(("samples", "episodes"), [(8_000, 2), (3_999, 0)])
def test_an_earlier_policy_is_tried_out_with_a_quarter_of_the_samples(
    tmp_path: Path, samples: int, episodes: int
):
    """An episode may take 1,000 steps. The rest is for a training, if it works no longer."""
    stack = Again(tmp_path)
    earlier = by_rl(stack)
    stack.rates = {"rl-earlier": 0.95}
    stack.again("rl", earlier, samples)
    opened = stack.world.requests.get("demo/1/get log/trial-earlier/play-0")
    assert (0 if opened is None else opened.size) == episodes
    assert len(stack.trained) == (0 if episodes else 1)


def test_a_policy_that_no_longer_works_is_told_to_who_writes_the_next_spec(tmp_path: Path):
    stack = Again(tmp_path)
    earlier = by_rl(stack)
    stack.rates = {"rl-earlier": 0.4, "rl-0": 0.95}
    implemented = stack.again("rl", earlier)
    (question,) = stack.specs
    assert [line.verdict.success_rate for line in question.history] == [0.4]
    assert len(stack.trained) == 1
    assert implemented.stage is not None
    assert implemented.stage.policy != earlier.policy
    assert stack.judged == ["demo/1/get log/judge-earlier", "demo/1/get log/judge-0"]


def test_an_earlier_policy_is_kept_where_the_new_one_does_worse(tmp_path: Path):
    stack = Again(tmp_path)
    earlier = by_rl(stack)
    stack.rates = {"rl-earlier": 0.85, "rl-0": 0.3}
    implemented = stack.again("rl", earlier)
    assert len(stack.trained) == 1
    assert implemented.stage == earlier
    verdict = implemented.line.verdict
    assert (verdict.success, verdict.success_rate) == (False, 0.85)
    assert "This earlier policy is kept, as a new one did no better: " in verdict.reason
    assert implemented.line.attempts == 2


@pytest.mark.parametrize("code", ["invalid_spec", "session_lost"])
def test_an_earlier_policy_is_kept_where_no_new_one_can_be_trained(tmp_path: Path, code: str):
    stack = Again(tmp_path)
    earlier = by_rl(stack)

    def fails(goal: Any) -> Any:
        raise ServiceError("It went wrong.", code=code)

    stack.bus.answer_action(TRAIN, fails)
    stack.rates = {"rl-earlier": 0.85}
    implemented = stack.again("rl", earlier)
    assert implemented.stage == earlier
    reason = implemented.line.verdict.reason
    assert "This earlier policy is kept, as no new one could be made: " in reason
    assert reason.endswith("It went wrong.")


def test_an_earlier_policy_is_kept_where_no_samples_are_left_for_a_new_one(tmp_path: Path):
    """Its tryout takes them all."""
    stack = Again(tmp_path)
    earlier = by_rl(stack)
    stack.bus.answer_action(ACT, lambda goal: Acted(steps=4_000))
    stack.rates = {"rl-earlier": 0.75}
    implemented = stack.again("rl", earlier, 4_000)
    assert stack.trained == []
    assert implemented.stage == earlier


@pytest.mark.parametrize("lost", [[4, 0], [1, 3]])
def test_what_is_to_be_tried_first_is_what_succeeded_unless_it_was_lucky(
    tmp_path: Path, lost: list[int]
):
    """Most were lost in the first part, or in the second: that one is made again. After another
    first part the second one's program is tried."""
    evaluated = msgspec.structs.replace(EVALUATED, lost=lost)
    outer = Outer(tmp_path, [[FIND, HARVEST], [FIND, HARVEST]], evaluated, ALL_WELL)
    first = outer.achieve().iterations[0]
    given = [(name, request.earlier) for name, request in outer.implemented]
    assert given[:2] == [("find-a-tree", None), ("harvest-log", None)]
    if lost == [4, 0]:
        assert given[2:] == [("find-a-tree", None), ("harvest-log", first.stages[1])]
    else:
        assert given[2:] == [("harvest-log", None)]
