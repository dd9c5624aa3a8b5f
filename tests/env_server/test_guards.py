"""Guards in a session: who plays when, and what it counts for, by hand-computed trajectories.

The player of the fake world walks a quarter of a metre north with each step.
"""

from typing import Any

import numpy as np
import pytest

from messages.program import Program
from messages.world import Guard, GuardReport, RewardTerm, SeedRange
from nodes.env_server.session import Session
from tests.env_server.line_sessions import (
    ATTACK,
    FORWARD,
    NOOP,
    WALK,
    WALKS,
    choose,
    interface,
    session,
    task,
)

STAND = Program(name="stand", source="def action(obs):\n    while True:\n        obs = noop()\n")
HERE = "def when(obs):\n    return obs.position[2] == 0.5 and obs.steps < 3\n"


LONG = "it turned its loops too often, or did as much work"


def guard(name: str = "stand still", **changes: Any) -> Guard:
    """Where half a metre is walked, it stands still for three steps."""
    return Guard(**{"name": name, "when": HERE, "program": STAND, "max_steps": 10, **changes})


def program(source: str, **changes: Any) -> Program:
    return Program(name="program", source=source, **changes)


def report(playing: Session, number: int = 0) -> GuardReport:
    return playing.guards()[number]


def played(world: Any, row: int = 0) -> list[str]:
    """What the player of ``row`` did, by its first letters."""
    names = {(0, 0): "noop", (1, 0): "forward", (0, 3): "attack", (2, 0): "back"}
    return [names[int(action[row][0]), int(action[row][5])] for action in world.actions]


FOUR = program("def action(obs):\n    for _ in range(4):\n        obs = forward()\n")


def test_a_program_is_held_while_a_condition_holds_and_then_goes_on() -> None:
    playing, world = session(1, interface=None)
    world.actions.clear()
    steps, reports = playing.run_program(FOUR, guards=[guard()])
    assert played(world) == ["forward"] * 2 + ["noop"] * 3 + ["forward"] * 2
    assert steps == 7
    assert reports[0].status == "finished"
    assert reports[0].steps == 7
    assert report(playing) == GuardReport(
        name="stand still", turns=1, steps=3, episodes=1, ended={"over": 1}
    )
    assert playing.episodes()[0].steps == 7


def test_a_held_program_continues_with_the_observation_after_the_guards_turn() -> None:
    """It asks for the steps that passed, and is told of those that it did not make."""
    source = (
        "def action(obs):\n    before = 0\n    for _ in range(4):\n        obs = forward()\n"
        "        if obs.steps - before > 1:\n            1 / (obs.steps - 5)\n"
        "        before = obs.steps\n"
    )
    playing, _ = session(1, interface=None)
    _, reports = playing.run_program(program(source), guards=[guard()])
    assert (reports[0].status, reports[0].line, reports[0].steps) == ("error", 6, 5)


def test_a_guard_holds_only_the_environments_in_which_its_condition_holds() -> None:
    """The trees are 3, 4, 5 and 6 metres away: the last is not near enough to stop at."""
    near = "def when(obs):\n    return obs.facing == 'wood' and obs.steps < 2\n"
    playing, world = session(4, interface=None)
    world.actions.clear()
    playing.run_program(FOUR, guards=[guard(when=near)])
    assert played(world, 0) == (["forward"] + ["noop"] * 2) * 3 + ["forward"] + ["noop"] * 2
    assert [episode.steps for episode in playing.episodes()] == [12, 12, 10, 4]
    found = report(playing)
    assert (found.turns, found.steps, found.episodes) == (4 + 4 + 3, 8 + 8 + 6, 3)


def test_the_first_guard_whose_condition_holds_plays() -> None:
    """The second one turns to the right, up to four steps; wherever that comes to 30 degrees the
    first one takes over, turns back by 15 and has done what it is for."""
    turns = [
        program(f"def action(obs):\n    while True:\n        obs = turn({by})\n")
        for by in (-15, 15)
    ]
    first = guard("first", when="def when(obs):\n    return obs.yaw > 20\n", program=turns[0])
    second = guard(
        "second",
        when="def when(obs):\n    return obs.position[2] == 0.5\n",
        program=turns[1],
        max_steps=4,
    )
    playing, world = session(1, interface=None)
    world.actions.clear()
    playing.run_program(program(FOUR.source, max_steps=9), guards=[first, second])
    turned = [int(action[0][4]) - 12 for action in world.actions]
    assert turned == [0, 0, 1, 1, -1, 1, -1, 1, -1]
    # Its last step is its fourth: then the stage would have its turn, whose steps are spent.
    ended = [report(playing, number).ended for number in range(2)]
    assert ended == [{"over": 3}, {"taken_over": 3}]


@pytest.mark.parametrize(
    ("body", "ended"),
    [("if obs.life < 0:\n        noop()", "idle"), ("1 / 0\n    noop()", "failed")],
)
def test_a_guard_without_a_step_does_not_end_the_turn_of_a_later_one(body: str, ended: str) -> None:
    """The second one turns and strikes twice; the first one's condition holds once it has
    turned."""
    first = guard(
        "first",
        when="def when(obs):\n    return obs.yaw > 10\n",
        program=program(f"def action(obs):\n    {body}\n"),
    )
    strikes = "def action(obs):\n    turn(15)\n    attack()\n    attack()\n    turn(-15)\n"
    second = guard(
        "second",
        when="def when(obs):\n    return obs.position[2] == 0.5 and obs.steps < 4\n",
        program=program(strikes),
    )
    playing, world = session(1, interface=None)
    world.actions.clear()
    playing.run_program(FOUR, guards=[first, second])
    turned = [int(action[0][4]) - 12 for action in world.actions]
    assert turned[2:6] == [1, 0, 0, -1]
    assert played(world)[2:6] == ["noop", "attack", "attack", "noop"]
    found = [report(playing, number) for number in range(2)]
    assert [each.turns for each in found] == [1, 1]
    assert [each.ended for each in found] == [{ended: 1}, {"over": 1}]


def test_a_guard_that_goes_on_for_ever_leaves_the_stage_a_step_after_each_turn() -> None:
    always = guard(when="def when(obs):\n    return True\n", max_steps=3)
    playing, world = session(1, interface=None)
    world.actions.clear()
    steps, reports = playing.run_program(FOUR, guards=[always])
    assert played(world) == (["forward"] + ["noop"] * 3) * 4
    assert (steps, reports[0].status) == (16, "finished")
    assert report(playing).ended == {"step_limit": 4}


def test_a_guards_steps_are_among_those_that_the_program_may_take() -> None:
    always = guard(when="def when(obs):\n    return True\n", max_steps=100)
    short = program(FOUR.source, max_steps=6)
    playing, world = session(1, interface=None)
    world.actions.clear()
    steps, reports = playing.run_program(short, guards=[always])
    assert (steps, reports[0].status, reports[0].steps) == (6, "step_limit", 6)
    assert played(world) == ["forward"] + ["noop"] * 5
    assert report(playing) == GuardReport(
        name="stand still", turns=1, steps=5, episodes=1, ended={"episode_over": 1}
    )


@pytest.mark.parametrize(
    ("body", "ended", "error"),
    [
        ("1 / 0\n    noop()", {"failed": 4}, {"line 2: ZeroDivisionError: division by zero": 4}),
        ("noop()\n    1 / 0", {"failed": 4}, {"line 3: ZeroDivisionError: division by zero": 4}),
        ("if obs.life < 0:\n        noop()", {"idle": 4}, {}),
    ],
)  # fmt: skip
def test_a_guard_that_fails_or_does_nothing_is_counted_and_ends_nothing(
    body: str, ended: dict[str, int], error: dict[str, int]
) -> None:
    wrong = guard(
        when="def when(obs):\n    return True\n",
        program=program(f"def action(obs):\n    {body}\n"),
    )
    playing, _ = session(1, interface=None)
    _, reports = playing.run_program(FOUR, guards=[wrong])
    assert reports[0].status == "finished"
    assert report(playing).ended == ended
    assert report(playing).errors == error


def test_a_program_that_ends_while_its_condition_holds_begins_again() -> None:
    once = guard(program=program("def action(obs):\n    noop()\n"))
    playing, world = session(1, interface=None)
    world.actions.clear()
    playing.run_program(FOUR, guards=[once])
    assert played(world) == ["forward"] * 2 + ["noop"] * 3 + ["forward"] * 2
    assert report(playing).turns == 1


@pytest.mark.parametrize(
    ("when", "said"),
    [
        ("return 1 / 0", "condition: line 2: ZeroDivisionError: division by zero"),
        ("return 'yes'", "condition: it returned str, not True or False"),
        ("for _ in range(10 ** 9):\n        len('')", f"condition: line 2: {LONG}"),
    ],
)  # fmt: skip
def test_a_condition_that_fails_does_not_hold(when: str, said: str) -> None:
    playing, _ = session(1, interface=None)
    steps, _ = playing.run_program(FOUR, guards=[guard(when=f"def when(obs):\n    {when}\n")])
    assert steps == 4
    assert report(playing) == GuardReport(name="stand still", errors={said: 4})


def test_a_guard_that_kills_the_player_is_reported_and_ends_the_episode() -> None:
    deadly = guard(program=program("def action(obs):\n    noop()\n    sneak()\n"))
    playing, _ = session(2, interface=None)
    _, reports = playing.run_program(FOUR, guards=[deadly])
    assert [episode.ended for episode in playing.episodes()] == ["death", "death"]
    assert reports[0].status == "episode_over"
    assert report(playing) == GuardReport(
        name="stand still", turns=2, steps=4, episodes=2, ended={"death": 2}
    )


def test_an_action_without_its_item_is_an_error_of_the_guard_and_not_of_the_program() -> None:
    eager = guard(program=program("def action(obs):\n    place('log')\n"))
    playing, _ = session(1, interface=None)
    steps, reports = playing.run_program(FOUR, guards=[eager])
    assert (steps, reports[0].status) == (4, "finished")
    (said,) = report(playing).errors
    assert "there is no log in the inventory" in said


def test_guards_that_may_not_run_are_refused() -> None:
    playing, _ = session(1, interface=None)
    with pytest.raises(ValueError, match="guard stand still does not compile: line 1: a guard's "):
        playing.run_program(FOUR, guards=[guard(when="def when(obs):\n    noop()\n")])
    with pytest.raises(ValueError, match="guards need names of their own"):
        playing.run_program(FOUR, guards=[guard(), guard()])
    with pytest.raises(ValueError, match="guard stand still: max_steps is at least 1"):
        playing.run_program(FOUR, guards=[guard(max_steps=0)])


# ---- decisions of a policy

NORTH = RewardTerm(
    kind="code",
    weight=1.0,
    source="def reward(before, after):\n    return 1 + 4 * after.position[2]\n",
)


def test_a_guards_steps_count_as_those_of_the_decision_that_it_cut_into() -> None:
    """Two decisions forward, gamma 0.5. The reward of the first is 1 + 4 * 0.25 = 2 for one step.
    With the second half a metre is walked, 3, and the guard stands there for three steps of 3 each:
    R = 3 + 3/2 + 3/4 + 3/8 = 5.625 and k = 4, so that the next state counts with gamma^4."""
    playing, _ = session(1, interface=interface(rewards=[NORTH], gamma=0.5), guards=[guard()])
    first, second = choose(playing, FORWARD), choose(playing, FORWARD)
    assert (first.reward.tolist(), first.steps.tolist()) == ([2.0], [1])
    assert (second.reward.tolist(), second.steps.tolist()) == ([5.625], [4])
    third = choose(playing, FORWARD)  # three quarters of a metre: no guard takes over
    assert (third.reward.tolist(), third.steps.tolist()) == ([4.0], [1])
    assert playing.episodes()[0].steps == 6
    assert playing.episodes()[0].reward == 2 + 3 * 4 + 4


def test_a_macro_is_held_and_goes_on_within_one_decision() -> None:
    """The first tree is within reach (4.5 m) at once; from the fourth one, 6 m away, six steps
    north. The guard takes over after two of them: 6 + 3 steps in one decision."""
    playing, world = session(4, interface=interface(rewards=[NORTH], gamma=0.5), guards=[guard()])
    world.actions.clear()
    stepped = choose(playing, NOOP, NOOP, NOOP, WALKS)
    assert stepped.steps.tolist() == [1, 1, 1, 9]
    pays = [2, 3, 3, 3, 3, 4, 5, 6, 7]
    expected = sum(pay * 0.5**i for i, pay in enumerate(pays))
    assert stepped.reward.tolist() == pytest.approx([1, 1, 1, expected])
    assert played(world, 3) == ["forward"] * 2 + ["noop"] * 3 + ["forward"] * 4


def test_a_decision_is_no_longer_than_its_macro_and_one_turn_of_each_guard() -> None:
    always = [
        guard(f"guard {number}", when="def when(obs):\n    return True\n", max_steps=3)
        for number in range(2)
    ]
    playing, _ = session(1, interface=interface(), guards=always)
    assert choose(playing, ATTACK).steps.tolist() == [1 + 3 + 3]
    walk = Program(name="walk", source=WALK.source, max_steps=10)
    playing, _ = session(1, interface=interface(macros=[walk], success=task().success),
                         guards=always, seeds=SeedRange(first=3, count=1))  # fmt: skip
    assert choose(playing, 5).steps.tolist() == [10]


def test_a_guard_has_its_turn_after_the_last_step_of_a_macro_as_after_an_action() -> None:
    """Half a metre is walked with the second step, which is the macro's last: the guard stands
    there for its three steps, in the same decision, as after two actions. R = 2 + 3/2 + 3/4 + 3/8 +
    3/16."""
    walk = Program(name="walk", source=FOUR.source, max_steps=2)
    told = interface(macros=[walk], rewards=[NORTH], gamma=0.5)
    playing, world = session(1, interface=told, guards=[guard()])
    world.actions.clear()
    stepped = choose(playing, 5)
    assert played(world) == ["forward"] * 2 + ["noop"] * 3
    assert (stepped.steps.tolist(), stepped.reward.tolist()) == ([5], [4.8125])
    assert report(playing) == GuardReport(
        name="stand still", turns=1, steps=3, episodes=1, ended={"over": 1}
    )
    # The macro is over: chosen again it starts over.
    assert choose(playing, 5).steps.tolist() == [2]
    assert played(world)[-2:] == ["forward"] * 2
    assert playing.episodes()[0].steps == 7


def test_a_turn_after_a_macros_last_step_ends_with_the_stage_too() -> None:
    walk = Program(name="walk", source=FOUR.source, max_steps=2)
    told = interface(macros=[walk], horizon=4)
    playing, world = session(2, interface=told, guards=[guard()])
    world.actions.clear()
    stepped = choose(playing, 5, NOOP)
    assert stepped.steps.tolist() == [4, 1]
    assert stepped.truncated.tolist() == [True, False]
    assert report(playing).ended == {"episode_over": 1}


def test_the_horizon_of_a_stage_ends_a_guards_turn() -> None:
    always = guard(when="def when(obs):\n    return True\n")
    playing, _ = session(1, interface=interface(horizon=5), guards=[always])
    stepped = choose(playing, FORWARD)
    assert stepped.steps.tolist() == [5]
    assert (stepped.truncated.tolist(), stepped.terminated.tolist()) == ([True], [False])
    assert report(playing).ended == {"episode_over": 1}


def test_taking_a_stage_without_guards_ends_those_of_the_stage_before() -> None:
    playing, _ = session(1, interface=interface(), guards=[guard()])
    playing.take(interface(), guards=[])
    choose(playing, FORWARD)
    assert choose(playing, FORWARD).steps.tolist() == [1]
    assert report(playing).turns == 0


def test_a_training_goes_on_after_episodes_that_ended_in_a_guards_turn() -> None:
    deadly = guard(program=program("def action(obs):\n    sneak()\n"))
    playing, _ = session(2, autoreset=True, interface=interface(), guards=[deadly])
    choose(playing, FORWARD, NOOP)
    stepped = choose(playing, FORWARD, NOOP)
    assert stepped.steps.tolist() == [2, 1]
    assert stepped.terminated.tolist() == [True, False]
    assert stepped.final_rows.tolist() == [0]
    assert stepped.final_lengths.tolist() == [3]
    assert [choose(playing, FORWARD, FORWARD).steps.tolist() for _ in range(2)] == [[1, 1], [2, 2]]
    assert report(playing) == GuardReport(
        name="stand still", turns=3, steps=3, episodes=3, ended={"death": 3}
    )


def test_guards_take_over_from_the_prefix_too() -> None:
    playing, _ = session(1, interface=None, prefix=[FOUR], guards=[guard()])
    assert playing.opened().prefix_steps == 7
    assert report(playing).turns == 1


def test_a_guarded_program_plays_the_same_steps_in_any_batch() -> None:
    """Each environment's steps, in a batch of four and alone."""
    cut = guard(when="def when(obs):\n    return obs.facing == 'wood' and obs.steps < 2\n")
    together, _ = session(4, interface=None)
    together.run_program(WALK, guards=[cut])
    alone: list[int] = []
    for seed in range(4):
        one, _ = session(1, interface=None, seeds=SeedRange(first=seed, count=1))
        one.run_program(WALK, guards=[cut])
        alone += [episode.steps for episode in one.episodes()]
    assert [episode.steps for episode in together.episodes()] == alone
    assert np.array(alone).sum() > 0


def test_no_decision_takes_longer_than_its_macro_and_a_turn_of_each_guard() -> None:
    """Also where a guard takes over again after every step: the learner's budgets rest on it."""
    walk = Program(name="walk", source=FOUR.source, max_steps=60, interrupt=2)
    always = guard(when="def when(obs):\n    return True\n", max_steps=3)
    macros = interface(macros=[walk], actions=["noop"], observations=["under_way"])
    playing, world = session(1, interface=macros, guards=[always])
    world.actions.clear()
    told = [int(choose(playing, 1).steps[0]) for _ in range(4)]
    assert told == [4] * 4
    assert played(world) == (["forward"] + ["noop"] * 3) * 4


def test_a_macro_that_is_interrupted_is_held_and_goes_on_with_its_own_steps() -> None:
    """Walked to 0.25 and interrupted; the next step leads to 0.5, where the guard stands still: the
    second part ends with the guard's turn, as the macro's steps are spent by then."""
    walk = Program(name="walk", source=FOUR.source, max_steps=20, interrupt=1)
    macros = interface(macros=[walk], actions=["noop"], observations=["under_way"])
    playing, world = session(1, interface=macros, guards=[guard()])
    world.actions.clear()
    told = [choose(playing, 1) for _ in range(4)]
    assert played(world) == ["forward"] * 2 + ["noop"] * 3 + ["forward"] * 2
    assert [int(each.steps[0]) for each in told] == [1, 4, 1, 1]
    # The steps that the guard took inside it count as the macro's own.
    assert [each.features.tolist() for each in told] == [
        [[1, pytest.approx(1 / 20)]], [[1, pytest.approx(5 / 20)]],
        [[1, pytest.approx(6 / 20)]], [[0, 0]],
    ]  # fmt: skip
