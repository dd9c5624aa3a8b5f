"""Rollouts of a policy of layers alone, which a session can play itself: it is sent the weights and
what the choices are drawn by, and makes many decisions in one request.

Where the session cannot, each decision is made here, in the same way: so a training is the same
with decisions that are made here, to the bit on one env server. On several it is up to rounding: a
product of fewer rows may differ in its last bits.
"""

import math

import numpy as np
import torch
from torch import nn

from messages.roll_out import RolledOut, RollOut, rolled_out
from messages.world import Actor
from models.actor import PlainActor
from models.memory import MemoryNetwork
from nodes.learner.checkpoints.exporting import exported, not_playable
from nodes.learner.checkpoints.state import TrainingState
from nodes.learner.collecting.rollout import Collector
from nodes.learner.collecting.sessions import Session
from nodes.times import spending

_MOST = 2**62  # steps, in place of infinitely many


def is_plain(state: TrainingState) -> bool:
    """Whether the policy in training is one of layers alone, without a memory or pictures."""
    actor = state.networks.actor
    memory = isinstance(actor, MemoryNetwork)
    return not memory and not_playable(actor) is None and state.spaces.seen == torch.float32


class PlainRollout:
    """One rollout of a policy that `is_plain`. What its choices are drawn by is the same however
    many requests it takes.

    Args:
        session: where it is played; by itself, if it can do that and ``by_session`` is True.
        collector: what its decisions are collected in.
        samples: primitive steps after which no further decision begins.
        in_all: those of decisions and resets together, likewise; it may be infinite.
    """

    def __init__(
        self,
        session: Session,
        state: TrainingState,
        collector: Collector,
        *,
        by_session: bool,
        samples: float,
        in_all: float,
    ) -> None:
        self._session = session
        self._state = state
        self._collector = collector
        self._by_session = by_session
        self._samples, self._in_all = samples, in_all
        self._drawn = torch.rand(
            collector.decisions, session.size, dtype=torch.float64, generator=state.choosing
        ).numpy()
        self._version: int | None = None  # of the weights that choose: `ActingWeights.version`
        self._actor: PlainActor | None = None

    def play(self, decision: int, samples: int, prefix_steps: int) -> RolledOut:
        """The decisions from this one on, by the weights that play now. ``samples`` and
        ``prefix_steps`` are those of the rollout so far.

        Raises:
            RuntimeError: the policy's weights, or its output, are not finite.
            SessionLost: see `TrainingSession.step`.
        """
        acting, session = self._state.acting, self._session
        version = 0 if acting is None else acting.version
        actor = None if version == self._version else self._exported()
        self._version = version
        if not (self._by_session and session.rolls_out):
            return self._play_one(decision, actor)
        until = len(self._drawn) if acting is None else acting.plays_until(decision)
        in_all = self._in_all - samples - prefix_steps
        request = RollOut(
            session=session.plan.name,
            drawn=self._drawn[decision:until],
            samples=int(min(self._samples - samples, _MOST)),
            in_all=None if math.isinf(in_all) else int(in_all),
            actor=actor,
        )
        return session.roll_out(request)

    def _play_one(self, decision: int, actor: Actor | None) -> RolledOut:
        if actor is not None:
            self._actor = PlainActor(actor)
        assert self._actor is not None
        features = self._collector.features[decision].numpy()
        mask = self._collector.mask[decision].numpy()
        with spending("network"):
            choices, log_probs = self._actor.draw(features, mask, self._drawn[decision])
        return rolled_out([choices], [log_probs], [self._session.step(choices)])

    def _exported(self) -> Actor:
        network = self._state.player
        assert isinstance(network, nn.Module)  # without a memory
        arrays = [each.detach().cpu().numpy() for each in network.parameters()]
        if not all(np.isfinite(each).all() for each in arrays):
            raise RuntimeError("The policy's weights are not finite: no choice can be made by it.")
        return exported(self._state.spaces, network, greedy=False)
