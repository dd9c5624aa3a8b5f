"""Which weights choose while an update runs beside the collection of the next rollout."""

import copy
import threading

import torch
from torch import Tensor

from models.policy import ActorCritic

CHANGES = 4
"""How often the weights change in a rollout, at most: where the session decides, each change is a
message."""


class ActingWeights:
    """A copy of a policy's networks that plays while they are updated in another thread.

    The decisions of a rollout come in `CHANGES` spans, or as many as there are decisions if those
    are fewer. A span whose first decision is t is chosen by the weights after epoch ``(t + 1) E //
    T`` of the update beside it, of E epochs, or after its last one if it ends before that. T is the
    length of the rollout that the update learns from, as that of the present one is not known yet.
    A span waits for its epoch, and takes no later one, so that the same is played whichever of the
    two threads is faster, and whatever happens between two rollouts.

    Args:
        learning: the networks that are updated.
    """

    def __init__(self, learning: ActorCritic) -> None:
        self.networks = copy.deepcopy(learning)
        # Not by state dicts: to load one takes a millisecond, and it is done for each epoch.
        self._playing = list(self.networks.parameters())
        self._learning = list(learning.parameters())
        self._decisions = 1  # T; in the first rollout all decisions are by the same weights
        self._changed = threading.Condition()
        self._epochs = 0
        self._weights: list[list[Tensor]] = []  # before the update and after each epoch
        self._taken = 0  # which of these play now
        self._ended = True

    @property
    def version(self) -> int:
        """Which of the weights of this rollout play now."""
        return self._taken

    def plays_until(self, decision: int) -> int | None:
        """The next decision that is chosen by other weights than this one; None: there is none."""
        if self._epoch_of(decision) == self._epochs:
            return None
        return decision - decision % self._span + self._span

    def take_newest(self) -> None:
        """Play with the weights that the networks have; call where no update runs."""
        self._epochs = self._taken = 0
        self._weights = []
        self._play(self._copied())

    def begin_update(self, epochs: int, decisions: int) -> None:
        """Call before an update begins in its thread. ``decisions``: of the rollout that it learns
        from, in each environment."""
        self._epochs, self._decisions, self._ended = epochs, decisions, False
        self._weights, self._taken = [self._copied()], -1

    def after_epoch(self) -> None:
        """Call in the update's thread after each epoch."""
        weights = self._copied()
        with self._changed:
            self._weights.append(weights)
            self._changed.notify()

    def end_update(self) -> None:
        """Call in the update's thread when it has ended, or failed."""
        with self._changed:
            self._ended = True
            self._changed.notify()

    def take_for(self, decision: int) -> None:
        """Take the weights that this decision is chosen by, and wait until they are there."""
        wanted = self._epoch_of(decision)
        with self._changed:
            self._changed.wait_for(lambda: self._ended or len(self._weights) > wanted)
            epoch = max(0, min(wanted, len(self._weights) - 1))
        if epoch != self._taken:
            self._play(self._weights[epoch])
            self._taken = epoch

    def _epoch_of(self, decision: int) -> int:
        first = decision - decision % self._span
        return min(self._epochs, (first + 1) * self._epochs // self._decisions)

    @property
    def _span(self) -> int:
        return max(1, self._decisions // CHANGES)

    def _copied(self) -> list[Tensor]:
        return [each.detach().clone() for each in self._learning]

    def _play(self, weights: list[Tensor]) -> None:
        with torch.no_grad():
            for parameter, tensor in zip(self._playing, weights, strict=True):
                parameter.copy_(tensor)
