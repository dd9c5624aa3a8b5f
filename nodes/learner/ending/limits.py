"""When a training ends, and how many primitive steps it may still take.

A spec bounds a training twice: ``budget`` is for the samples that PPO learns from, ``most`` for all
primitive steps, those of resets, demonstrations and tryouts included. The last decision may overrun
the budget, as most decisions take far fewer steps than they may; ``most`` is never overrun.
"""

import logging
import math

from messages.bus import ServiceError
from messages.training import TrainingSpec
from nodes.learner.checkpoints.state import TrainingState
from nodes.learner.ending.decline import fallen_below
from nodes.learner.ending.still_rising import still_rises
from nodes.learner.spec_measures import decision_steps, longest_episode


class TrainingLimits:
    """The limits of one training.

    Args:
        environments: how many are wanted.
        window: training episodes that the success rate is of.
        reset: primitive steps that the reset of one environment may take.
        log: for a budget that grows.

    Attributes:
        size: how many environments the spec's samples are enough for.
        decisions: primitive steps that one decision of every environment may take.
        resets: those that the reset of every environment may take.

    Raises:
        ServiceError: the samples are not enough for one environment.
    """

    def __init__(
        self,
        spec: TrainingSpec,
        environments: int,
        window: int,
        reset: int,
        log: logging.Logger,
    ) -> None:
        self._spec, self._window = spec, window
        self._log = log
        longest = decision_steps(spec)
        self.size = _affordable(spec, environments, longest, reset)
        self.decisions = self.size * longest
        self.resets = self.size * reset
        self._tryout = 0
        if spec.tryouts is not None:
            self._tryout = spec.tryouts.seeds.count * longest_episode(spec, reset)

    @property
    def next_step(self) -> int:
        """Primitive steps that one more decision of every environment may take, resets included, as
        it may end the episode."""
        return self.decisions + self.resets

    def budget(self, state: TrainingState) -> int:
        """Samples that PPO is to learn from by now: those of the spec, or more where that grew."""
        budget, most = self._spec.budget, self._spec.grows_to
        return budget if most is None else max(budget, min(most, budget << state.counters.doubled))

    def room(self, state: TrainingState) -> float:
        """Primitive steps that the training may still take, prefixes included."""
        most, counters = self._spec.most, state.counters
        return math.inf if most is None else most - counters.samples - counters.prefix_samples

    def room_to_learn(self, state: TrainingState) -> float:
        """The room without what the last tryout may take. A training without a last tryout ends
        with the weights of an earlier one, and loses what it has learned since."""
        return self.room(state) - self._kept(state)

    def stop_when_good(self, state: TrainingState) -> None:
        episodes = state.episodes
        if episodes.full and episodes.success_rate >= self._spec.stop_at:
            state.stopped = (
                f"the success rate of the last {self._window} training episodes "
                f"reached {episodes.success_rate:.2f}"
            )

    def stop_when_hopeless(self, state: TrainingState) -> None:
        samples, limit = state.counters.samples, self._spec.give_up_at
        if limit is not None and samples >= limit and not state.episodes.succeeded:
            state.stopped = f"no episode succeeded in {samples} samples"

    def stop_when_fallen(self, state: TrainingState) -> None:
        tryouts = self._spec.tryouts
        if tryouts is None:
            return
        rates = [rate for _, rate in state.tryouts]
        if below := fallen_below(rates, tryouts.seeds.count):
            state.stopped = f"its tryouts fell to {rates[-1]:.2f}, below {below}"

    def stop_when_budget_is_spent(self, state: TrainingState) -> None:
        """Stop where the budget is spent, unless it grows."""
        budget = self.budget(state)
        if state.counters.samples < budget or self._grow(state):
            return
        state.stopped = "the budget is spent"
        if state.counters.doubled:
            state.stopped += f", which grew from {self._spec.budget} samples to {budget}"

    def stop_when_spent(self, state: TrainingState, wanted: int) -> bool:
        """Stop, unless so many primitive steps still fit. Returns whether they do not."""
        spent = self.room_to_learn(state) < wanted
        if spent and not state.stopped:
            most, kept = self._spec.most or 0, self._kept(state)
            state.stopped = (
                f"with its prefixes it has spent {most - int(self.room(state))} of {most} samples, "
                f"and one more step in {self.size} environments may take {wanted}"
                + (f", its last tryout {kept}" if kept else "")
            )
        return spent

    def _grow(self, state: TrainingState) -> bool:
        """Double the budget if more can be learned then and the success rate still rises. Returns
        whether it was done."""
        before, most = self.budget(state), self._spec.grows_to
        if most is None or min(most, 2 * before) <= state.counters.samples:
            return False
        rises = still_rises(state.ended)
        if rises is None:
            return False
        state.counters.doubled += 1
        self._log.info(
            "the success rate rose from %.2f to %.2f in the last half of %s samples: the budget is "
            "now %s",
            *rises,
            f"{before:,}",
            f"{self.budget(state):,}",
        )
        return True

    def _kept(self, state: TrainingState) -> int:
        """Primitive steps that are kept for the last tryout: none before the first one, as there
        is nothing yet that the last weights must be compared with."""
        return self._tryout if state.tryouts else 0


def _affordable(spec: TrainingSpec, wanted: int, longest: int, reset: int) -> int:
    """How many environments the spec's samples are enough for."""
    size = min(wanted, spec.seeds.count, spec.budget // longest)
    if size < 1:
        raise ServiceError(
            f"The budget of {spec.budget} samples is less than one decision may take "
            f"({longest} primitive steps): raise the budget or shorten the macros.",
            code="budget",
        )
    if spec.most is not None:
        # A reset, one decision, and a reset after the end of its episode.
        one = longest + 2 * reset
        fit = spec.most // one
        if spec.clone and spec.start is None:  # demonstrations may take half, before it learns
            fit = max(fit // 2, min(fit, 1))
        size = min(size, fit)
        if size < 1:
            raise ServiceError(
                f"The {spec.most} samples that are left are less than one decision and what "
                f"runs before it may take ({one} primitive steps): raise limits.samples.",
                code="budget",
            )
    return size
