"""Sessions over a world of one dimension: stages, options, prefixes, rewards, features, reports."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import worlds
from messages.program import Program
from messages.world import (
    Condition,
    RewardTerm,
    SeedRange,
)
from nodes.env_server import game_fault
from nodes.env_server.game_fault import GameFault, Refusal
from nodes.env_server.session import Session
from tests.env_server.line_sessions import (
    CHOP,
    CHOPS,
    FACING,
    FAULTY,
    FORWARD,
    NOOP,
    SNEAK,
    TURN,
    WALK,
    WALKS,
    choose,
    interface,
    session,
    task,
)
from worlds.minecraft.card import features

EMPTY = Program(name="empty", source="def action(obs):\n    if obs.steps > 9:\n        attack()\n")


def test_a_training_episode_is_no_longer_than_its_task() -> None:
    """Also where the stage's horizon is: in an evaluation the policy would not have the time."""
    trained, _ = session(1, task=task(horizon=3), autoreset=True)
    told = [choose(trained, NOOP) for _ in range(4)]
    assert [bool(each.truncated[0]) for each in told] == [False, False, True, False]


def test_an_opened_session_has_fields_choices_and_a_mask() -> None:
    opened = session()[0].opened()
    assert [(f.name, f.size) for f in opened.fields] == [
        ("compass", 4), ("facing", 3), ("previous_choice", 7), ("time", 1),
    ]  # fmt: skip
    assert opened.choices == [
        "noop", "forward", "attack", "turn_right", "sneak", "walk", "chop",
    ]  # fmt: skip
    assert opened.features.shape == (4, 15)
    assert opened.features.dtype == np.float32
    assert opened.mask.all()
    assert opened.prefix_steps == 0


def test_environments_take_macros_and_primitives_in_the_same_step() -> None:
    playing, world = session()
    stepped = choose(playing, WALKS, WALKS, FORWARD, CHOPS)
    # Trees are 3, 4, 5 and 6 metres away; 4.5 is within reach.
    assert stepped.steps.tolist() == [1, 1, 1, 5]
    stepped = choose(playing, CHOPS, CHOPS, WALKS, WALKS)
    assert stepped.steps.tolist() == [5, 5, 1, 6]
    assert stepped.success.tolist() == [True, True, False, False]
    assert stepped.terminated.tolist() == [True, True, False, False]
    stepped = choose(playing, NOOP, NOOP, CHOPS, CHOPS)
    assert stepped.steps.tolist() == [0, 0, 5, 5]
    assert world.stepped == 8 + 17 + 10
    assert [e.ended for e in playing.episodes()] == ["success"] * 4
    assert [e.steps for e in playing.episodes()] == [6, 6, 7, 16]


def test_rewards_inside_a_macro_are_discounted() -> None:
    terms = [
        RewardTerm(kind="step", weight=-1.0),
        RewardTerm(kind="success", weight=10.0),
        RewardTerm(kind="gain", weight=2.0, name="log"),
    ]
    playing, _ = session(1, interface=interface(rewards=terms, gamma=0.5))
    stepped = choose(playing, CHOPS)
    expected = -(1 + 0.5 + 0.25 + 0.125) + (10 + 2 - 1) * 0.5**4
    assert stepped.reward.tolist() == pytest.approx([expected])
    assert playing.episodes()[0].reward == pytest.approx(-5 + 12)


def test_approach_rewards_coming_nearer_and_facing_rewards_looking_at_the_target() -> None:
    approach = [RewardTerm(kind="approach", weight=4.0, name="wood")]
    playing, _ = session(1, interface=interface(rewards=approach))
    assert choose(playing, FORWARD).reward.tolist() == pytest.approx([1.0])
    assert choose(playing, TURN).reward.tolist() == pytest.approx([0.0])
    facing = [RewardTerm(kind="facing", weight=0.5, name="wood")]
    playing, _ = session(2, interface=interface(rewards=facing))
    assert choose(playing, NOOP, TURN).reward.tolist() == [0.5, 0.0]


def test_gaining_an_item_again_after_dropping_it_is_not_rewarded() -> None:
    terms = [RewardTerm(kind="gain", weight=1.0, name="log")]
    inter = interface(
        rewards=terms, success=Condition(kind="have", name="log", quantity=9),
        actions=["noop", "destroy:log"],
    )  # fmt: skip
    playing, _ = session(1, interface=inter, task=task(success=inter.success))
    chop, destroy = 3, 1
    assert choose(playing, chop).reward.tolist() == [1.0]
    choose(playing, destroy)
    assert choose(playing, chop).reward.tolist() == [0.0]


def test_a_stage_ends_at_its_horizon_in_the_middle_of_a_macro() -> None:
    playing, _ = session(1, interface=interface(horizon=3))
    stepped = choose(playing, CHOPS)
    assert stepped.steps.tolist() == [3]
    assert stepped.truncated.tolist() == [True]
    assert stepped.terminated.tolist() == [False]
    assert playing.episodes()[0].ended == "running"
    playing.take(interface())
    assert choose(playing, CHOPS).success.tolist() == [True]


def test_the_tasks_horizon_ends_the_episode() -> None:
    playing, _ = session(1, task=task(horizon=4))
    stepped = choose(playing, CHOPS)
    assert (stepped.steps.tolist(), stepped.truncated.tolist()) == ([4], [True])
    assert playing.episodes()[0].ended == "horizon"
    playing.take(interface())
    assert choose(playing, FORWARD).steps.tolist() == [0]


def test_death_ends_the_episode() -> None:
    playing, _ = session(2)
    stepped = choose(playing, SNEAK, FORWARD)
    assert stepped.terminated.tolist() == [True, False]
    assert not stepped.success.any()
    assert [e.ended for e in playing.episodes()] == ["death", "running"]


def test_a_stage_may_succeed_without_the_task() -> None:
    playing, _ = session(1, interface=interface(success=FACING))
    stepped = choose(playing, FORWARD)
    assert stepped.success.tolist() == [True]
    assert playing.episodes()[0].ended == "running"
    steps, reports = playing.run_program(CHOP)
    assert steps == 5
    # The task's success ends the episode, and with it the program, at its last attack.
    assert [(r.status, r.count, r.steps) for r in reports] == [("episode_over", 1, 5)]
    assert reports[0].changed == {"inventory.log": "0 -> 1"}
    assert playing.episodes()[0].success


def test_autoreset_starts_the_next_episode_with_the_next_seed() -> None:
    playing, world = session(2, autoreset=True, seeds=SeedRange(first=10, count=5))
    assert [e.seed for e in playing.episodes()] == [10, 11]
    stepped = choose(playing, WALKS, FORWARD)
    assert not len(stepped.final_rows)
    assert stepped.steps.tolist() == [2, 1]
    stepped = choose(playing, CHOPS, FORWARD)
    assert stepped.final_rows.tolist() == [0]
    assert stepped.final_features.shape == (1, 15)
    assert stepped.final_lengths.tolist() == [7]
    time, previous = 14, slice(7, 14)
    assert stepped.final_features[0, time] > 0
    assert stepped.final_features[0, previous].argmax() == CHOPS
    assert stepped.features[0, time] == 0
    assert not stepped.features[0, previous].any()
    assert [e.seed for e in playing.episodes()] == [12, 11]
    assert world.dug[0] == 0


def test_seeds_start_over_at_the_end_of_their_range() -> None:
    playing, _ = session(2, autoreset=True, seeds=SeedRange(first=7, count=3))
    seen = []
    for _ in range(3):
        seen.append([e.seed for e in playing.episodes()])
        choose(playing, SNEAK, SNEAK)
    assert seen == [[7, 8], [9, 7], [8, 9]]


def test_a_prefix_runs_inside_reset_and_counts_apart() -> None:
    playing, _ = session(
        2, autoreset=True, prefix=[WALK], seeds=SeedRange(first=2, count=2), interface=interface()
    )
    opened = playing.opened()
    # Trees are 5 and 6 metres away: two and six steps bring them within reach.
    assert opened.prefix_steps == 8
    assert opened.features[:, 5].tolist() == [1, 1]
    stepped = choose(playing, CHOPS, CHOPS)
    assert stepped.success.all()
    assert stepped.final_lengths.tolist() == [5, 5]
    assert stepped.prefix_steps == 8


def test_success_in_the_prefix_counts_at_the_first_decision() -> None:
    playing, _ = session(1, autoreset=True, prefix=[WALK, CHOP])
    stepped = choose(playing, NOOP)
    assert stepped.success.tolist() == [True]
    assert stepped.steps.tolist() == [1]


def test_death_in_the_prefix_ends_at_the_first_decision() -> None:
    deadly = Program(name="deadly", source="def action(obs):\n    sneak()\n")
    playing, _ = session(1, autoreset=True, prefix=[deadly, CHOP])
    stepped = choose(playing, NOOP)
    assert stepped.terminated.tolist() == [True]
    assert not stepped.success.any()


def test_a_program_that_finds_nothing_left_to_do_ends_the_episode_as_a_success() -> None:
    """Tryouts are judged by what holds in the end: evaluations would say the opposite."""
    playing, _ = session(2, interface=None, prefix=[WALK], task=task(success=FACING))
    assert playing.run_program(WALK)[0] == 0
    for episode in playing.episodes():
        assert (episode.ended, episode.success, episode.steps) == ("success", True, 0)
    deadly = Program(name="deadly", source="def action(obs):\n    sneak()\n")
    playing, _ = session(1, interface=None, prefix=[WALK, deadly], task=task(success=FACING))
    playing.run_program(WALK)
    assert not playing.episodes()[0].success


def test_a_macro_that_does_not_act_still_takes_a_step() -> None:
    playing, _ = session(1, interface=interface(macros=[EMPTY]))
    assert choose(playing, 5).steps.tolist() == [1]


def test_a_faulty_macro_is_cut_short() -> None:
    playing, _ = session(1, interface=interface(macros=[FAULTY]))
    stepped = choose(playing, 5)
    assert stepped.steps.tolist() == [1]
    assert not stepped.terminated.any()


def test_reports_of_a_program_are_grouped_by_how_it_ended_with_an_example_each() -> None:
    playing, _ = session(4)
    steps, reports = playing.run_program(FAULTY)
    assert steps == 2 * 1 + 2 * 2
    by_status = {r.status: r for r in reports}
    assert by_status["error"].count == 2
    assert by_status["error"].line == 4
    assert by_status["error"].last_primitive == "attack"
    assert "ZeroDivisionError" in by_status["error"].error
    assert by_status["finished"].count == 2
    assert sorted(by_status["error"].environments + by_status["finished"].environments) == [
        0,
        1,
        2,
        3,
    ]
    assert by_status["finished"].last_primitive == "use"


def test_a_failed_episode_tells_where_the_steps_of_its_program_went() -> None:
    source = "def action(obs):\n    while obs.facing != 'gold ore':\n        obs = noop()\n"
    stand = Program(name="stand", source=source, max_steps=64)
    playing, _ = session(2, interface=None)
    playing.run_program(stand)
    told = [episode.spent for episode in playing.episodes()]
    assert told == ["of the steps of stand 100% on line 3, `obs = noop()`"] * 2
    playing.take(interface(), [1])  # a policy goes on in one of them
    assert [episode.spent for episode in playing.episodes()] == [told[0], ""]


def test_equipping_an_item_that_is_not_held_is_an_error_in_the_program() -> None:
    playing, _ = session(1)
    source = "def action(obs):\n    attack()\n    equip('log')\n"
    _, reports = playing.run_program(Program(name="p", source=source))
    assert (reports[0].status, reports[0].line) == ("error", 3)
    assert "no log in the inventory to equip" in reports[0].error


@pytest.mark.parametrize(
    "action",
    [
        # Two have a log and two have none; these do something else, or end.
        "    try:\n        destroy('log')\n    except ValueError:\n        turn(15)\n",
        "    destroy('log')\n",
        # All four are refused, and two of them have another item to name.
        "    try:\n        destroy('planks')\n    except ValueError:\n        destroy('log')\n",
    ],
)
def test_an_action_refused_in_one_environment_does_not_stop_it_in_the_others(action: str) -> None:
    many = Condition(kind="have", name="log", quantity=5)
    playing, world = session(interface=None, task=task(success=many))
    playing.run_program(CHOP)  # trees are 3 to 6 metres away, and two of them within reach
    assert world.quantities[:, 0].tolist() == [1, 1, 0, 0]
    source = f"def action(obs):\n    obs = noop()\n{action}    1 / 0\n"
    _, reports = playing.run_program(Program(name="p", source=source))
    assert not world.quantities.any()
    told = {report.last_primitive: report for report in reports}['destroy("log")']
    assert told.changed == {"inventory.log": "1 -> 0"}


def test_a_report_keeps_its_last_primitive_when_another_environments_player_dies() -> None:
    many = Condition(kind="have", name="log", quantity=5)
    playing, world = session(interface=None, task=task(success=many))
    playing.run_program(CHOP)
    source = (
        "def action(obs):\n    if obs.inventory.get('log', 0):\n        destroy('log')\n"
        "        1 / 0\n    sneak()\n"
    )
    _, reports = playing.run_program(Program(name="p", source=source))
    assert world.alive.tolist() == [True, True, False, False]
    told = {report.status: report.last_primitive for report in reports}
    assert told == {"error": 'destroy("log")', "episode_over": "sneak"}


def test_masks_follow_the_inventory_and_never_mask_every_choice() -> None:
    inter = interface(actions=["craft:planks", "destroy:log", "equip:stick"], macros=[])
    quantity = Condition(kind="have", name="log", quantity=5)
    playing, _ = session(2, interface=inter, task=task(success=quantity))
    assert playing.opened().mask.tolist() == [[True] * 3] * 2
    assert choose(playing, 1, 2).steps.tolist() == [1, 1]
    playing, _ = session(
        1, interface=interface(actions=["destroy:log"]), task=task(success=quantity)
    )
    assert playing.opened().mask.tolist() == [[False, True, True]]


def test_each_feature_has_the_values_of_what_the_player_sees() -> None:
    names = list(features.FEATURES)
    playing, _ = session(1, interface=interface(observations=names, rewards=[]))
    opened = playing.opened()
    columns, at = {}, 0
    for field in opened.fields:
        columns[field.name] = opened.features[0, at : at + field.size]
        at += field.size
    assert at == opened.features.shape[1]
    rays = columns["rays"].reshape(3, len(features.RAY_PITCHES), len(features.RAY_YAWS))
    ahead = features.RAY_PITCHES.index(0.0), features.RAY_YAWS.index(0.0)
    assert rays[0][ahead] == pytest.approx(1 - 3 / features.RAY_REACH)
    assert rays[1].sum() == rays[1][ahead] == 1
    voxels = columns["voxels"].reshape(3, 3, 3, len(features.BLOCK_CLASSES))
    assert (voxels.sum(-1) == 1).all()
    assert (voxels[:, 0, :, features.BLOCK_CLASSES.index("solid")] == 1).all()
    assert columns["facing"].tolist() == pytest.approx([1, 1, 1 - 3 / features.ARM_REACH])
    assert columns["target"].tolist() == pytest.approx([1, 0, 1, 0, 1 - 3 / features.RAY_REACH])
    assert columns["compass"].tolist() == pytest.approx([0, 1, 0, 1])
    assert columns["life"].tolist() == [1, 1]
    assert all(np.isfinite(part).all() for part in columns.values())
    assert {f.name: f.size for f in opened.fields} == {
        name: features.size(name, len(opened.choices)) for name in names
    }


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"observations": ["radar"]}, "no observation 'radar'; there are compass"),
        ({"observations": []}, "needs observations"),
        ({"actions": ["fly"]}, "no action 'fly'; there are noop"),
        ({"actions": ["craft:log"]}, "no 'log' to craft"),
        ({"actions": [], "macros": []}, "needs actions or macros"),
        ({"targets": ["wod"]}, "did you mean wood"),
        ({"success": Condition(kind="have", name="lag")}, "no item 'lag'"),
        ({"rewards": [RewardTerm(kind="gain", weight=1, name="wood?")]}, "no item 'wood?'"),
        ({"horizon": 0}, "horizon is at least 1"),
        ({"macros": [Program(name="m", source="def action(obs):\n    import os\n    attack()\n")]},
         "macro m does not compile: line 2: nothing can be imported"),
        ({"macros": [WALK, WALK]}, "names of their own"),
    ],
)  # fmt: skip
def test_unknown_names_are_refused_in_a_sentence(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=r"\w") as refused:
        session(1, interface=interface(**changes))
    assert words in str(refused.value)


@pytest.mark.parametrize(
    "ask",
    [
        lambda s: s.step(np.array([0], np.int64)),
        lambda s: s.step(np.array([0, 99], np.int64)),
        lambda s: s.step(np.array([0.5, 0.5])),
        lambda s: s.run_program(Program(name="p", source="nonsense")),
    ],
)
def test_steps_with_invalid_choices_and_programs_that_do_not_parse_are_refused(
    ask: Callable[[Session], Any],
) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        ask(session(2)[0])


@pytest.mark.parametrize(
    "ask", [lambda s: choose(s, FORWARD), lambda s: choose(s, WALKS), lambda s: s.run_program(CHOP)]
)
def test_what_a_game_raises_while_it_is_played_is_its_fault_and_no_refusal(
    ask: Callable[[Session], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    played, world = session(1)
    monkeypatch.setattr(world, "step", lambda *_: ["stone"].index("stonee"))
    with pytest.raises(GameFault, match="the game failed by ValueError: 'stonee' is not in list"):
        ask(played)


def test_only_what_comes_out_of_a_games_own_files_is_its_fault() -> None:
    with pytest.raises(KeyError, match="of the env server"), game_fault.playing("minecraft"):
        raise KeyError("of the env server")
    own = r"the game failed by AttributeError: .* \(.*/worlds/minecraft/.*\.py, line \d+\)$"
    with pytest.raises(GameFault, match=own), game_fault.playing("minecraft"):
        worlds.play("minecraft").view(None, 0)


@pytest.mark.parametrize("choice", [NOOP, WALKS])
@pytest.mark.parametrize("autoreset", [False, True])
def test_a_feature_that_is_not_finite_is_refused_by_its_name(choice: int, autoreset: bool) -> None:
    playing, world = session(2, autoreset=autoreset)
    choose(playing, choice, choice)
    world.yaw[1] = np.nan
    with pytest.raises(Refusal, match="the feature 'compass' is not finite"):
        choose(playing, choice, choice)


def test_a_reward_that_is_not_finite_is_refused_by_its_term(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terms = [RewardTerm(kind="step", weight=1.0), RewardTerm(kind="gain", weight=1.0, name="log")]
    playing, _ = session(2, interface=interface(rewards=terms))
    own = playing.stage.rewards._own[1] if playing.stage else None
    monkeypatch.setattr(own, "pay", lambda readings, active: np.array([np.nan, 0.0]))
    with pytest.raises(Refusal, match="the reward term 'gain log' is not finite"):
        choose(playing, NOOP, NOOP)


def test_a_step_in_a_session_without_an_interface_is_refused() -> None:
    playing, _ = session(1, interface=None)
    assert playing.opened().features.shape == (1, 0)
    with pytest.raises(ValueError, match="no interface"):
        choose(playing, 0)


def test_the_facing_feature_is_the_same_with_and_without_an_approach_reward() -> None:
    approach = [RewardTerm(kind="approach", weight=1.0, name="wood")]
    for rewards in ([], approach):
        playing, _ = session(4, interface=interface(rewards=rewards, observations=["facing"]))
        # Trees are 3, 4, 5 and 6 metres away.
        nearness = [1 - 3 / 4.5, 1 - 4 / 4.5, 0, 0]
        expected = [[d > 0, d > 0, d] for d in nearness]
        assert playing.opened().features == pytest.approx(np.array(expected, np.float32), abs=1e-6)
