"""A session plays the policy of its stage itself (`env_server/play_on`), as if each of its
decisions had been sent."""

from typing import Any

import msgspec
import numpy as np
import pytest

from messages.world import Actor, Field, Gru, Interface, PlayedOn, PlayOn
from models.actor import layer_of
from nodes.env_server.session import Session, own_policy
from tests.env_server.line_sessions import FORWARD, NOOP, choose, interface, session

HIDDEN = 4
STAGE = interface(horizon=30)


def made(playing: Session, memory: int = 0, **changes: Any) -> Actor:
    """An actor with weights by chance, for the session's stage."""
    opened = playing.opened()
    chance = np.random.default_rng(3)
    width = opened.features.shape[1]
    choices = len(opened.choices)

    def layer(outputs: int, inputs: int) -> Any:
        return layer_of(chance.normal(0, 1, (outputs, inputs)), chance.normal(0, 1, outputs))

    fields: dict[str, Any] = {"layers": [layer(HIDDEN, width), layer(choices, HIDDEN)]}
    if memory:
        fields = {
            "layers": [layer(HIDDEN, width)],
            "memory": Gru(seen=layer(3 * memory, HIDDEN), kept=layer(3 * memory, memory)),
            "after": [layer(choices, HIDDEN + memory)],
        }
    return Actor(**{"fields": opened.fields, "choices": opened.choices, **fields, **changes})


def play(playing: Session, actor: Actor, **changes: Any) -> list[PlayedOn]:
    """To the end of the stage."""
    request = PlayOn(session="test", actor=actor, seed=7, **changes)
    found = [playing.play_on(request)]
    while not found[-1].over.all():
        found.append(playing.play_on(msgspec.structs.replace(request, actor=None)))
    return found


def decisions(played: list[PlayedOn]) -> np.ndarray[Any, Any]:
    return np.concatenate([each.choices for each in played])


@pytest.mark.parametrize("memory", [0, 3])
@pytest.mark.parametrize("single", [False, True])
def test_its_decisions_do_what_the_same_ones_do_when_each_is_sent(memory: int, single: bool):
    own, _ = session(interface=STAGE)
    played = play(own, made(own, memory), single=single)
    chosen = decisions(played)
    assert len(set(chosen.ravel().tolist())) > 3  # programs among them
    if single:
        assert {len(each.choices) for each in played} == {1}
    sent, _ = session(interface=STAGE)
    stepped = [choose(sent, *row.tolist()) for row in chosen]
    assert own.episodes() == sent.episodes()
    assert own.endings() == sent.endings()
    assert own.choices() == sent.choices()
    assert sum(each.steps for each in played) == sum(int(s.steps.sum()) for s in stepped)
    late = np.any([s.truncated & ~s.terminated for s in stepped], axis=0)
    assert np.any([each.late for each in played], axis=0).tolist() == late.tolist()
    assert late.any()


def test_the_answer_does_not_depend_on_how_often_it_is_asked(monkeypatch: pytest.MonkeyPatch):
    whole, _ = session(interface=STAGE)
    once = play(whole, made(whole, 3))
    monkeypatch.setattr(own_policy, "AT_A_TIME", 0.0)
    parts, _ = session(interface=STAGE)
    often = play(parts, made(parts, 3))
    assert len(often) > len(once)
    assert decisions(often).tolist() == decisions(once).tolist()


def test_what_it_draws_in_an_environment_does_not_depend_on_the_others():
    together, _ = session(interface=None)
    alone, _ = session(interface=None)
    together.take(STAGE)
    alone.take(STAGE, environments=[2])
    of_all = decisions(play(together, made(together)))[:, 2]
    waiting = play(alone, made(alone))
    of_one = decisions(waiting)
    assert of_one[:, 2].tolist() == of_all[: len(of_one)].tolist()
    assert [episode.steps > 0 for episode in alone.episodes()] == [False, False, True, False]
    assert waiting[-1].over.all()


def test_a_greedy_policy_takes_the_most_probable_choice():
    playing, _ = session(2, interface=STAGE)
    width, names = playing.opened().features.shape[1], playing.opened().choices
    likes = np.arange(len(names)) == FORWARD
    layers = [layer_of(np.zeros((len(names), width)), 0.1 * likes)]
    (played,) = play(playing, made(playing, layers=layers, greedy=True))
    assert set(played.choices[0].tolist()) == {FORWARD}
    assert set(played.choices.ravel().tolist()) <= {FORWARD, NOOP}  # 0 where its stage is over


def test_each_stage_has_a_policy_of_its_own():
    playing, _ = session(interface=STAGE)
    play(playing, made(playing))
    other = interface(actions=["noop", "forward"], macros=[])
    playing.take(other)
    with pytest.raises(ValueError, match="no policy of its own yet: send its actor first"):
        playing.play_on(PlayOn(session="test"))


def test_an_actor_of_another_policy_is_refused():
    playing, _ = session(interface=STAGE)
    width = playing.opened().features.shape[1]
    others: dict[str, dict[str, Any]] = {
        "the policy was trained on other observations": {"fields": [Field(name="life", size=2)]},
        "the policy was trained on other choices": {"choices": ["noop"]},
        "2 outputs for 7 choices": {"layers": [layer_of(np.zeros((2, width)), np.zeros(2))]},
    }
    for said, changes in others.items():
        with pytest.raises(ValueError, match=said):
            playing.play_on(PlayOn(session="test", actor=made(playing, **changes)))


@pytest.mark.parametrize(
    "changes", [{"interface": None}, {"autoreset": True}], ids=["no interface", "autoreset"]
)
def test_a_session_that_has_no_stage_to_play_refuses(changes: dict[str, Interface | bool | None]):
    playing, _ = session(**changes)
    with pytest.raises(ValueError, match="plays the policy of an interface, without autoreset"):
        playing.play_on(PlayOn(session="test"))
