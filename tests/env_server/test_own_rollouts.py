"""A training's session makes the decisions of a rollout itself (`env_server/roll_out`), as if each
of them had been sent."""

from typing import Any

import msgspec
import numpy as np
import pytest

from messages.program import Program
from messages.roll_out import RolledOut, RollOut
from messages.world import Actor, Field, Gru, Lead, Stepped
from models.actor import PlainActor, layer_of
from nodes.env_server.session import Session, own_rollouts
from tests.env_server.line_sessions import interface, session

SIZE, DECISIONS = 4, 30
STAGE = interface(horizon=12)
PREFIX = [Program(name="ahead", source="def action(obs):\n    forward()\n", max_steps=3)]


@pytest.fixture(autouse=True)
def whole_rollouts(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine is."""
    monkeypatch.setattr(own_rollouts, "AT_A_TIME", 1e9)


def training(**changes: Any) -> Session:
    return session(SIZE, interface=STAGE, autoreset=True, prefix=PREFIX, **changes)[0]


def actor(of: Session, **changes: Any) -> Actor:
    """With weights by chance."""
    opened, chance = of.opened(), np.random.default_rng(3)
    width, choices = opened.features.shape[1], len(opened.choices)
    layers = [
        layer_of(chance.normal(0, 1, (outputs, inputs)), chance.normal(0, 1, outputs))
        for outputs, inputs in ((8, width), (choices, 8))
    ]
    fields: dict[str, Any] = {"fields": opened.fields, "choices": opened.choices, "layers": layers}
    return Actor(**{**fields, **changes})


def asked(of: Session, decisions: int = DECISIONS, **changes: Any) -> RollOut:
    drawn = np.random.default_rng(5).random((decisions, SIZE))
    fields: dict[str, Any] = {"drawn": drawn, "samples": 10**6, "actor": actor(of)}
    return RollOut(session="test", **{**fields, **changes})


def sent(playing: Session, rolled: RolledOut) -> list[Stepped]:
    """The same decisions, each sent by itself."""
    return [playing.step(choices) for choices in rolled.choices]


def test_its_decisions_do_what_the_same_ones_do_when_each_is_sent():
    own = training()
    request = asked(own)
    first = own.opened()
    rolled = own.roll_out(request)
    assert len(set(rolled.choices.ravel().tolist())) > 4  # programs among them
    stepped = sent(training(), rolled)
    for name in ("features", "mask", "reward", "steps", "terminated", "truncated", "success"):
        assert np.array_equal(getattr(rolled, name), [getattr(each, name) for each in stepped])
    ends = [(t, row) for t, each in enumerate(stepped) for row in each.final_rows.tolist()]
    assert rolled.final_at.tolist() == [list(end) for end in ends]
    assert len(ends) > SIZE
    for name in ("final_features", "final_returns", "final_lengths"):
        whole = np.concatenate([getattr(each, name) for each in stepped])
        assert np.array_equal(getattr(rolled, name), whole)
    assert rolled.prefix_steps == sum(each.prefix_steps for each in stepped) > 0

    assert request.actor is not None
    plain = PlainActor(request.actor)
    features = np.concatenate([first.features[None], rolled.features[:-1]])
    mask = np.concatenate([first.mask[None], rolled.mask[:-1]])
    choices, log_probs = plain.draw(features, mask, np.asarray(request.drawn))
    assert np.array_equal(rolled.choices, choices)
    assert rolled.log_probs == pytest.approx(log_probs)
    shares = np.exp(np.where(mask, plain.logits(features).astype(np.float64), -np.inf))
    shares /= shares.sum(-1, keepdims=True)
    of_chosen = np.take_along_axis(shares, choices[..., None], -1)[..., 0]
    assert np.exp(rolled.log_probs) == pytest.approx(of_chosen, rel=1e-5)


@pytest.mark.parametrize("how", ["time", "bytes", "pause"])
def test_what_is_drawn_does_not_depend_on_how_often_it_is_asked(
    monkeypatch: pytest.MonkeyPatch, how: str
):
    whole = training()
    once = whole.roll_out(asked(whole))
    if how == "time":
        monkeypatch.setattr(own_rollouts, "AT_A_TIME", 0.0)
    elif how == "bytes":
        monkeypatch.setattr(own_rollouts, "MOST_BYTES", 2 * once.features[0].nbytes)
    parts = training()
    request = asked(parts, single=how == "pause")
    found: list[RolledOut] = []
    while (done := sum(len(each.choices) for each in found)) < DECISIONS:
        rest = msgspec.structs.replace(
            request, drawn=request.drawn[done:], actor=None if found else request.actor
        )
        found.append(parts.roll_out(rest))
    assert {len(each.choices) for each in found} == {2 if how == "bytes" else 1}
    assert np.array_equal(np.concatenate([each.choices for each in found]), once.choices)
    assert np.array_equal(np.concatenate([each.features for each in found]), once.features)


def test_no_decision_begins_once_the_samples_are_spent():
    whole = training()
    steps = whole.roll_out(asked(whole)).steps.sum(1).cumsum().tolist()
    for samples in (1, steps[4], steps[4] + 1):
        playing = training()
        rolled = playing.roll_out(asked(playing, samples=samples))
        spent = rolled.steps.sum(1).cumsum().tolist()
        assert spent == steps[: len(spent)]
        assert spent[-1] >= samples
        assert all(before < samples for before in spent[:-1])


def test_what_resets_take_counts_for_the_limit_of_both_together():
    whole = training()
    stepped = sent(training(), whole.roll_out(asked(whole)))
    in_all = np.cumsum([each.steps.sum() + each.prefix_steps for each in stepped])
    playing = training()
    rolled = playing.roll_out(asked(playing, in_all=int(in_all[9])))
    assert len(rolled.choices) == 11  # the tenth is still within it


def test_the_weights_of_the_request_before_choose_where_none_are_sent():
    playing = training()
    with pytest.raises(ValueError, match="no policy to play rollouts of yet: send its actor first"):
        playing.roll_out(asked(playing, actor=None))
    playing.roll_out(asked(playing, 1))
    assert len(playing.roll_out(asked(playing, 5, actor=None)).choices) == 5


def test_what_does_not_fit_is_refused():
    playing = training()
    width, names = playing.opened().features.shape[1], playing.opened().choices
    flat = layer_of(np.zeros((8, width)), np.zeros(8))
    memory = Gru(seen=layer_of(np.zeros((6, 8)), np.zeros(6)),
                 kept=layer_of(np.zeros((6, 2)), np.zeros(6)))  # fmt: skip
    after = [layer_of(np.zeros((len(names), 10)), np.zeros(len(names)))]
    others: dict[str, dict[str, Any]] = {
        "trained on other observations": {"fields": [Field(name="life", size=2)]},
        "trained on other choices": {"choices": ["noop"]},
        "policies without a memory only": {"layers": [flat], "memory": memory, "after": after},
    }
    for said, changes in others.items():
        with pytest.raises(ValueError, match=said):
            playing.roll_out(asked(playing, actor=actor(playing, **changes)))
    for drawn in (np.zeros((2, 3)), np.zeros((0, SIZE)), np.zeros((2, SIZE), np.int64)):
        with pytest.raises(ValueError, match=r"drawn by float64 \(decisions, 4\)"):
            playing.roll_out(asked(playing, drawn=drawn))
    infinite = [layer_of(np.full((len(names), width), 3e38), np.zeros(len(names)))]
    with pytest.raises(RuntimeError, match="output is not finite"):
        playing.roll_out(asked(playing, actor=actor(playing, layers=infinite)))


@pytest.mark.parametrize(
    "changes",
    [
        {"autoreset": False},
        {"once": True},
        {"interface": None},
        {"lead": [Lead(interface=interface(actions=["noop", "forward"], macros=[]))]},
    ],
    ids=["evaluation", "one episode each", "no interface", "a policy leads"],
)
def test_a_session_that_trains_no_policy_refuses(changes: dict[str, Any]):
    fields: dict[str, Any] = {"interface": STAGE, "autoreset": True, **changes}
    playing, _ = session(SIZE, **fields)
    with pytest.raises(ValueError, match="only where it trains a policy, with autoreset"):
        playing.roll_out(RollOut(session="test", drawn=np.zeros((1, SIZE)), samples=1))
