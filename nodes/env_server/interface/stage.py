"""An interface bound to a world: features, choices, rewards and the end of a stage."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from messages.world import Guard, Interface, Task
from nodes.common.checks.longest_decision import longest_decision
from nodes.env_server.game_fault import Refusal
from nodes.env_server.interface.choices import Choices
from nodes.env_server.interface.rewards import Rewards
from nodes.env_server.programs import Run
from nodes.env_server.programs.part_clock import CLOCK, FEATURES
from nodes.env_server.programs.pulse import PULSE
from nodes.env_server.video_model import VideoModel, check
from worlds.play import Bools, Floats, FloatsOrPixels, Play, World
from worlds.runtime import Code


class Interrupted(NamedTuple):
    """A macro that was interrupted: the choice that it is, and where it stands."""

    choice: int
    run: Run
    code: Code

    def drop(self) -> None:
        """Discard the interrupted macro."""
        with PULSE.inside(self.run.program.mark):
            self.run.stop("step_limit")


class InterfaceStage:
    """One interface under way. ``steps`` counts the primitive steps spent in it, ``over`` is
    where it is over, ``previous`` is the last choice (-1: none yet); all (B,). ``interrupted`` has
    the macros, by environment, that go on where they are chosen again. ``guards`` take over from
    the policy in its decisions.

    Raises:
        ValueError: the interface names what there is not; the sentence lists what there is.
    """

    def __init__(
        self,
        interface: Interface,
        task: Task,
        play: Play,
        world: World,
        model: VideoModel | None = None,
        guards: Sequence[Guard] = (),
    ) -> None:
        if interface.horizon < 1:
            raise ValueError(f"a stage's horizon is at least 1 step, not {interface.horizon}")
        if not 0 < interface.gamma <= 1:
            raise ValueError(f"gamma is above 0 and at most 1, not {interface.gamma}")
        for term in interface.rewards:
            if not math.isfinite(term.weight):
                raise ValueError(f"the weight of a reward is a finite number, not {term.weight}")
        self.assistant = play.assistant(interface.success, world) if interface.autocraft else None
        assisted = self.assistant.steps if self.assistant else 0
        check(interface, model, world.size, longest_decision(interface, guards, assisted))
        self.interface = interface
        self.choices = Choices(interface, play, world)
        self.rewards = Rewards(interface.rewards, play, world, model)
        self.judge = play.judge(interface.success, world)
        self.features = play.features(interface, task, len(self.choices.names), world)
        self.steps = np.zeros(world.size, np.int64)
        self.over = np.zeros(world.size, bool)
        self.previous = np.full(world.size, -1, np.int64)
        self.interrupted: dict[int, Interrupted] = {}

    def begin(self, rows: Bools) -> None:
        """Reset the stage in ``rows`` (B,). The baselines of its rewards are reset separately: a
        leading policy gets no reward."""
        self.steps[rows] = 0
        self.over[rows] = False
        self.previous[rows] = -1
        for row in np.flatnonzero(rows).tolist():
            if (interrupted := self.interrupted.pop(row, None)) is not None:
                interrupted.drop()

    def seen(self, readings: Any) -> FloatsOrPixels:
        """What the policy is shown (B, F), overwritten by the next call.

        Raises:
            Refusal: a feature is not finite.
        """
        part = CLOCK.switch(FEATURES)
        features = self.features.compute(readings, self._time(), self.previous, self._under_way())
        if features.dtype != np.uint8 and not (finite := np.isfinite(features)).all():
            raise Refusal(self._not_finite(finite))
        CLOCK.switch(part)
        return features

    def mask(self, readings: Any) -> Bools:
        """Which choices may be taken (B, N)."""
        part = CLOCK.switch(FEATURES)
        mask = self.choices.mask(readings)
        CLOCK.switch(part)
        return mask

    def _not_finite(self, finite: Bools) -> str:
        """``finite`` (B, F): which numbers are."""
        ends = np.cumsum([field.size for field in self.features.fields])
        first = np.searchsorted(ends, np.flatnonzero(~finite.all(0))[0], side="right")
        return (
            f"the feature {self.features.fields[first].name!r} is not finite, and "
            "no policy can choose by such numbers: correct it in the game's play"
        )

    def _time(self) -> Floats:
        """Share of the horizon that is spent, (B,)."""
        return (self.steps / self.interface.horizon).astype(np.float32)

    def _under_way(self) -> Floats:
        """The interrupted macro of each environment, (B, 2): whether there is one, which goes on
        when it is chosen again, and the share of its steps that it has used."""
        carried_on = np.zeros((len(self.steps), 2), np.float32)
        for row, interrupted in self.interrupted.items():
            carried_on[row] = 1, interrupted.run.steps / interrupted.run.max_steps
        return carried_on
