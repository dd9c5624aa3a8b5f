"""A session plays the policy of its stage itself, as a message for each decision takes longer than
the decision."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from messages.world import Actor, PlayedOn
from nodes.env_server.interface.stage import InterfaceStage
from nodes.env_server.programs.part_clock import CLOCK, NETWORK
from nodes.env_server.session.players import fitting
from nodes.env_server.session.steps import DecisionOutcome
from worlds.play import Bools, Ints

AT_A_TIME = 0.2
"""Seconds after which it answers, so that its user can stop it or be paused."""

Decide = Callable[[InterfaceStage, Ints, DecisionOutcome], Any]
"""Carries out choices (B,) and adds them to the outcome."""


class OwnPolicy:
    """The policy of ``stage`` in ``size`` environments. What it draws in one does not depend on
    which others are over.

    Raises:
        ValueError: the actor does not fit the stage.
    """

    def __init__(self, stage: InterfaceStage, actor: Actor, seed: int, size: int) -> None:
        self._stage = stage
        self._size = size
        self._actor = fitting("the policy", stage, actor)
        self._chance = None if actor.greedy else np.random.default_rng(seed)
        self._memory = np.zeros((size, self._actor.memory_size), np.float32)

    def play(self, decide: Decide, over: Bools, readings: Any, single: bool = False) -> PlayedOn:
        """Play for `AT_A_TIME` seconds, or until the stage is over in every environment;
        ``single``: one decision. ``over`` (B,): where the episode is over, kept up to date by
        ``decide``."""
        stage = self._stage
        steps, late, choices = 0, np.zeros(self._size, bool), []
        until = time.perf_counter() + AT_A_TIME
        while not (ended := stage.over | over).all():
            chosen = self._choose(readings, np.flatnonzero(~ended))
            outcome = DecisionOutcome(self._size, stage.interface.gamma)
            decide(stage, chosen, outcome)
            steps += int(outcome.steps.sum())
            late |= outcome.truncated & ~outcome.terminated
            choices.append(chosen.astype(np.uint16))
            if single or time.perf_counter() >= until:
                break
        return PlayedOn(
            steps=steps,
            over=stage.over | over,
            late=late,
            choices=np.array(choices, np.uint16).reshape(-1, self._size),
        )

    def _choose(self, readings: Any, rows: Ints) -> Ints:
        """Choices (B,), 0 in environments other than ``rows``."""
        features = self._stage.seen(readings)[rows].astype(np.float32, copy=False)
        mask = self._stage.mask(readings)[rows]
        drawn = None if self._chance is None else self._chance.random(self._size)[rows]
        memory = self._memory[rows]
        choices = np.zeros(self._size, np.int64)
        part = CLOCK.switch(NETWORK)
        choices[rows] = self._actor.choose(features, mask, drawn, memory)
        CLOCK.switch(part)
        self._memory[rows] = memory
        return choices
