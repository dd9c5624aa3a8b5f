"""Macros that are interrupted after some steps: a policy lets them go on or does something else."""

from typing import Any

import numpy as np
import pytest

from messages.program import Program
from messages.world import RewardTerm
from nodes.env_server.session import Session
from tests.env_server.line_sessions import choose, interface, session, task
from tests.fake_world import FakeWorld

# Seven steps of which no two neighbours are alike, and then it looks at its own count of steps.
DANCE = (
    "def action(obs):\n"
    "    for _ in range(3):\n"
    "        left()\n"
    "        right()\n"
    "    obs = forward()\n"
    "    if obs.steps == 7:\n"
    "        attack()\n"
)
NOOP, OTHER, DANCES = 0, 1, 2


def dancing(
    interrupt: int | None, size: int = 1, max_steps: int = 20, **changes: Any
) -> tuple[Session, FakeWorld]:
    macro = Program(name="dance", source=DANCE, max_steps=max_steps, interrupt=interrupt)
    given = {"actions": ["noop", "forward"], "macros": [macro], "observations": ["under_way"]}
    opened = changes.pop("session", {})
    return session(size, interface=interface(**given | changes), **opened)


def played(world: FakeWorld) -> list[list[int]]:
    """The action vectors of environment 0, step by step."""
    return [actions[0].tolist() for actions in world.actions[1:]]  # the first one warms up


@pytest.mark.parametrize("interrupt", [1, 2, 3, 7, 8, 100])
def test_an_interrupted_macro_chosen_again_each_time_plays_as_the_whole_macro(
    interrupt: int,
) -> None:
    rewards = [RewardTerm(kind="approach", weight=4.0, name="wood")]
    rewards.append(RewardTerm(kind="step", weight=-1.0))
    whole, world = dancing(None, rewards=rewards, gamma=0.9)
    expected = choose(whole, DANCES)
    assert expected.steps.tolist() == [8]
    parts, again = dancing(interrupt, rewards=rewards, gamma=0.9)
    steps, paid = 0, 0.0
    while steps < 8:
        stepped = choose(parts, DANCES)
        paid += 0.9**steps * float(stepped.reward[0])
        assert stepped.steps[0] == min(interrupt, 8 - steps)
        steps += int(stepped.steps[0])
    assert played(again) == played(world)
    assert paid == pytest.approx(float(expected.reward[0]))


def test_an_interrupted_macro_starts_over_after_a_primitive() -> None:
    playing, world = dancing(3)
    choose(playing, DANCES)
    choose(playing, NOOP)
    choose(playing, DANCES)
    whole, plain = dancing(None)
    choose(whole, DANCES)
    dance = played(plain)
    assert played(world)[:3] == played(world)[4:] == dance[:3]
    assert played(world)[3] not in dance


def test_an_interrupted_macro_starts_over_after_another_macro() -> None:
    macros = [
        Program(name=name, source=DANCE, max_steps=20, interrupt=3) for name in ("dance", "other")
    ]
    playing, world = session(
        1, interface=interface(actions=["noop"], macros=macros, observations=["under_way"])
    )
    for choice in (1, 2, 1):
        choose(playing, choice)
    first = played(world)[:3]
    assert played(world) == first * 3


def test_a_policy_sees_what_is_under_way() -> None:
    playing, _ = dancing(2, size=3, max_steps=4)
    opened = playing.opened()
    assert opened.features.tolist() == [[0, 0]] * 3
    assert choose(playing, DANCES, NOOP, DANCES).features.tolist() == [[1, 0.5], [0, 0], [1, 0.5]]
    # The second two steps are its last ones; the third row does something else.
    assert choose(playing, DANCES, DANCES, OTHER).features.tolist() == [[0, 0], [1, 0.5], [0, 0]]


def test_the_step_limit_of_a_macro_counts_over_all_its_parts() -> None:
    playing, world = dancing(2, max_steps=5)
    steps = [int(choose(playing, DANCES).steps[0]) for _ in range(5)]
    assert steps == [2, 2, 1, 2, 2]  # then it starts over
    actions = played(world)
    assert actions[5:9] == actions[:4]


def test_macros_are_interrupted_in_each_environment_by_itself() -> None:
    """Beside one that is never interrupted, and one that started later."""
    macros = [
        Program(name="short", source=DANCE, max_steps=20, interrupt=3),
        Program(name="whole", source=DANCE, max_steps=20),
    ]
    playing, _ = session(
        3, interface=interface(actions=["noop"], macros=macros, observations=["under_way"])
    )
    assert choose(playing, 1, 2, 0).steps.tolist() == [3, 8, 1]
    assert choose(playing, 1, 1, 1).steps.tolist() == [3, 3, 3]
    assert choose(playing, 1, 1, 1).steps.tolist() == [2, 3, 3]
    assert choose(playing, 1, 1, 1).steps.tolist() == [3, 2, 2]


def test_the_end_of_an_episode_ends_an_interrupted_macro() -> None:
    playing, world = dancing(2, horizon=3, session={"autoreset": True})
    first = choose(playing, DANCES)
    assert not first.truncated[0]
    second = choose(playing, DANCES)
    assert (second.steps[0], second.truncated[0], second.terminated[0]) == (1, True, False)
    assert second.features.tolist() == [[0, 0]]  # of the next episode
    assert second.final_lengths.tolist() == [3]
    choose(playing, DANCES)  # starts over
    assert played(world)[3:5] == played(world)[:2]


def test_success_in_a_later_part_terminates() -> None:
    chop = Program(
        name="chop",
        source="def action(obs):\n    for _ in range(9):\n        attack()\n",
        max_steps=20,
        interrupt=3,
    )
    pay = [RewardTerm(kind="success", weight=8.0), RewardTerm(kind="step", weight=-1.0)]
    playing, _ = session(
        1,
        interface=interface(macros=[chop], actions=["noop"], rewards=pay, gamma=0.5),
        task=task(),
    )
    first, second = choose(playing, 1), choose(playing, 1)
    assert (first.steps[0], bool(first.terminated[0])) == (3, False)
    assert (second.steps[0], bool(second.terminated[0]), bool(second.success[0])) == (2, True, True)
    # -1 - 0.5 - 0.25, and then -1 + 0.5 * (8 - 1).
    assert [float(each.reward[0]) for each in (first, second)] == pytest.approx([-1.75, 2.5])


def test_a_part_that_cannot_be_carried_out_fails_in_the_program() -> None:
    """What it was about to do when it was interrupted is no longer possible when it goes on."""
    source = "def action(obs):\n    left()\n    destroy('log')\n    attack()\n"
    drop = Program(name="drop", source=source, max_steps=20, interrupt=1)
    playing, world = session(1, interface=interface(macros=[drop], actions=["noop"]))
    choose(playing, 1)
    assert playing.stage is not None
    assert playing.stage.interrupted
    # It goes on with an error, for there is no log: a step in which nothing is done.
    assert choose(playing, 1).steps.tolist() == [1]
    assert not playing.stage.interrupted
    assert played(world)[1] == [0, 0, 0, 12, 12, 0, 0, 0]


def test_a_session_reports_which_primitive_choice_does_what_a_macro_did() -> None:
    playing, _ = dancing(1, actions=["noop", "right", "left"], session={"matched": True})
    # Left, right, three times; forward and attack are no choices of this policy.
    matched = [choose(playing, 3).matched for _ in range(8)]
    assert [each.tolist() for each in matched if each is not None] == [
        [2], [1], [2], [1], [2], [1], [-1], [-1],
    ]  # fmt: skip
    assert dancing(1)[0].step(np.array([0])).matched is None


def test_with_once_each_environment_plays_one_episode() -> None:
    playing, world = dancing(None, size=2, horizon=8, session={"autoreset": True, "once": True})
    stepped = choose(playing, DANCES, NOOP)
    assert stepped.truncated.tolist() == [True, False]
    assert stepped.final_rows.tolist() == [0]
    assert choose(playing, DANCES, DANCES).steps.tolist() == [0, 7]
    assert choose(playing, DANCES, DANCES).steps.tolist() == [0, 0]
    assert world.stepped == 2 + 8 + 8 - 2  # the first step of all warms up


def test_once_without_autoreset_is_refused() -> None:
    with pytest.raises(ValueError, match="one episode for each environment"):
        dancing(None, session={"once": True})


@pytest.mark.parametrize("interrupt", [0, -1])
def test_an_interruption_after_fewer_than_one_step_is_refused(interrupt: int) -> None:
    with pytest.raises(ValueError, match="macro dance: it is interrupted after at least 1 step"):
        dancing(interrupt)


def test_a_stage_that_begins_forgets_what_was_under_way() -> None:
    playing, world = dancing(3)
    choose(playing, DANCES)
    assert playing.stage is not None
    playing.take(playing.stage.interface)
    choose(playing, DANCES)
    assert played(world)[3:] == played(world)[:3]
    assert np.array(world.actions).shape[0] == 7
