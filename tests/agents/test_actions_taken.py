"""A training spec without the actions that its sub-action takes."""

import msgspec
import pytest

from messages.chat import MacroDraft, SpecAnswer, SpecQuestion
from messages.plan import Stage, SubAction
from messages.world import Condition, RewardTerm, Task
from nodes.fast_agent.learning.actions_taken import lacking, with_taken
from worlds.registry import card

WALK = ["forward", "turn_left_15", "turn_right_15"]
USE = MacroDraft(name="use_it", source="def action(obs):\n    use()\n", purpose="", max_steps=1)


HELD = {"shears": 1, "bucket": 1}


def question(
    item: str, actions: list[str] | None = None, held: dict[str, int] = HELD
) -> SpecQuestion:
    success = Condition(kind="have", name=item)
    return SpecQuestion(
        task=Task(id="test", prompt="Try it.", success=success, inventory=held),
        sub_action=SubAction(name="get it", method="rl", success=success),
        actions=list(card("minecraft").specs.actions) if actions is None else actions,
    )


def spec(*actions: str, macros: list[MacroDraft] | None = None) -> SpecAnswer:
    return SpecAnswer(
        observations=["rays"],
        actions=[*WALK, *actions],
        macros=macros or [],
        rewards=[RewardTerm(kind="success", weight=10.0)],
        horizon=100,
        budget=1000,
    )


@pytest.mark.parametrize(
    ("item", "actions", "added", "said"),
    [
        (
            "milk_bucket",
            ["attack"],
            ["equip:bucket", "use"],
            "takes `equip:bucket` and `use`, not all",
        ),
        ("milk_bucket", ["use"], ["equip:bucket"], "Getting milk_bucket takes"),
        ("wool", [], ["equip:shears", "use"], "takes `equip:shears` and `use`, not all"),
        ("wool", ["use"], ["equip:shears"], "takes `equip:shears` and `use`, not all"),
        # With the shears in its inventory it would use its bare hand, and attack.
        ("wool", ["use", "attack"], ["equip:shears"], "takes `equip:shears` and `use`, not all"),
        ("log", [], ["attack"], "takes `attack`, not all"),
    ],
)
def test_actions_that_are_lacking_are_named_and_can_be_added(
    item: str, actions: list[str], added: list[str], said: str
):
    answer, asked = spec(*actions), question(item)
    (problem,) = lacking(answer, asked)
    assert said in problem
    assert with_taken(answer, asked) == [*answer.actions, *added]


@pytest.mark.parametrize(
    ("item", "actions"),
    [
        ("milk_bucket", ["equip:bucket", "use"]),
        ("wool", ["attack"]),  # a dead sheep drops its wool
        ("log", ["forward_attack"]),
        ("stick", []),  # programs craft
        ("no_such_item", []),
    ],
)
def test_a_spec_that_can_go_one_way_is_right(item: str, actions: list[str]):
    answer, asked = spec(*actions), question(item)
    assert lacking(answer, asked) == []
    assert with_taken(answer, asked) == answer.actions


def test_without_the_item_of_one_way_each_way_is_named():
    asked = question("wool", held={})
    (problem,) = lacking(spec("use"), asked)
    assert "takes `equip:shears` and `use`, or `attack`, not all" in problem
    assert lacking(spec("use", "attack"), asked) == []


def test_macros_are_trusted_and_what_is_not_offered_is_not_asked_for():
    assert lacking(spec(macros=[USE]), question("milk_bucket")) == []
    assert lacking(spec(), question("log", actions=WALK)) == []


@pytest.mark.parametrize(
    ("kind", "name", "problems"), [("facing", "wood", 1), ("near", "wood", 1), ("have", "log", 0)]
)
def test_what_was_dug_before_may_be_picked_up_by_walking(kind: str, name: str, problems: int):
    success = Condition(kind=kind, name=name)
    before = Stage(sub_action=SubAction(name="before", method="code", success=success))
    asked = msgspec.structs.replace(question("log"), before=[before])
    assert len(lacking(spec(), asked)) == problems
