"""A training's session plays rollouts itself, by the weights of the policy that is trained: a
message for each decision takes as long as the decision (docs/speed.md)."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from messages.roll_out import RolledOut, RollOut, rolled_out
from messages.world import Stepped
from models.actor import PlainActor
from nodes.env_server.interface.stage import InterfaceStage
from nodes.env_server.programs.part_clock import CLOCK, NETWORK
from nodes.env_server.session.own_policy import AT_A_TIME
from nodes.env_server.session.players import fitting
from worlds.play import Ints

MOST_BYTES = 16 << 20  # of features in one answer

Decide = Callable[[Ints], Stepped]
"""Carries out one decision, choices (B,)."""


class OwnRollouts:
    """Rollouts in ``stage``, which resets by itself."""

    def __init__(self, stage: InterfaceStage) -> None:
        self._stage = stage
        self._actor: PlainActor | None = None

    def begin(self, request: RollOut) -> None:
        """Take the weights of the request, if it has any. Call before `play`.

        Raises:
            ValueError: they do not fit the stage, or have a memory, or there are none yet;
                ``drawn`` does not fit the batch.
        """
        size, drawn = len(self._stage.over), request.drawn
        if drawn.shape[1:] != (size,) or not len(drawn) or drawn.dtype != np.float64:
            raise ValueError(f"a rollout is drawn by float64 (decisions, {size})")
        if request.actor is not None:
            found = fitting("the policy", self._stage, request.actor)
            if found.memory_size:
                raise ValueError("a session plays rollouts of policies without a memory only")
            self._actor = found
        if self._actor is None:
            raise ValueError(
                "the session has no policy to play rollouts of yet: send its actor first"
            )

    def play(self, request: RollOut, decide: Decide, readings: Any) -> RolledOut:
        """Make the decisions that are asked for."""
        actor, drawn = self._actor, np.asarray(request.drawn)
        assert actor is not None
        features, mask = self._stage.seen(readings), self._stage.mask(readings)
        most = min(len(drawn), max(1, MOST_BYTES // max(1, features.nbytes)))
        chosen: list[Ints] = []
        log_probs: list[np.ndarray] = []
        stepped: list[Stepped] = []
        samples = resets = 0
        until = time.perf_counter() + AT_A_TIME
        while True:
            part = CLOCK.switch(NETWORK)
            choices, likelihood = actor.draw(
                features.astype(np.float32, copy=False), mask, drawn[len(stepped)]
            )
            CLOCK.switch(part)
            now = decide(choices)
            chosen.append(choices)
            log_probs.append(likelihood)
            stepped.append(now)
            features, mask = now.features, now.mask
            samples += int(now.steps.sum())
            resets += now.prefix_steps
            if request.single or len(stepped) == most or samples >= request.samples:
                break
            if request.in_all is not None and samples + resets > request.in_all:
                break
            if time.perf_counter() >= until:
                break
        return rolled_out(chosen, log_probs, stepped)
