"""Which weights choose while an update runs beside the collection of the next rollout."""

import copy
import threading

from torch import Tensor

from models.policy import ActorCritic


class ActingWeights:
    """A copy of a policy's networks that plays while they are updated in another thread.

    Decision t of a rollout of T is chosen by the weights after epoch ``(t + 1) * E // T`` of the
    update of E epochs, or after its last one where it ends before that. It waits for that epoch,
    and does not take a later one that is already there, so that the same is played whichever of
    the two threads is faster. Where no update runs the newest weights play.

    Args:
        learning: the networks that are updated.
        decisions: T.
    """

    def __init__(self, learning: ActorCritic, decisions: int) -> None:
        self.networks = copy.deepcopy(learning)
        self._learning = learning
        self._decisions = decisions
        self._changed = threading.Condition()
        self._epochs = 0  # of the update; 0: none runs
        self._after: list[dict[str, Tensor]] = []  # the weights after each of its epochs
        self._ended = True
        self._loaded = 0

    def begin_update(self, epochs: int) -> None:
        """Call before an update begins in its thread."""
        self._epochs, self._loaded = epochs, 0
        self._after, self._ended = [], False

    def after_epoch(self) -> None:
        """Call in the update's thread after each epoch."""
        weights = {name: each.clone() for name, each in self._learning.state_dict().items()}
        with self._changed:
            self._after.append(weights)
            self._changed.notify()

    def end_update(self) -> None:
        """Call in the update's thread when it has ended, or failed."""
        with self._changed:
            self._ended = True
            self._changed.notify()

    def take_newest(self) -> None:
        """Call when an update has been waited for: the networks are played as they are now."""
        self._epochs = 0
        self._after.clear()
        self.networks.load_state_dict(self._learning.state_dict())

    def take_for(self, decision: int) -> None:
        """Take the weights that this decision is chosen by, and wait until they are there."""
        wanted = (decision + 1) * self._epochs // self._decisions
        if wanted <= self._loaded:
            return
        with self._changed:
            self._changed.wait_for(lambda: self._ended or len(self._after) >= wanted)
            epoch = min(wanted, len(self._after))
        if epoch > self._loaded:
            self.networks.load_state_dict(self._after[epoch - 1])
            self._loaded = epoch
