"""What comes of one decision, which may take several primitive steps."""

import numpy as np

from nodes.env_server.worlds.world import Bools


class Outcome:
    """Summed over the primitive steps; the reward with ``gamma`` to the power of the step."""

    def __init__(self, size: int, gamma: float) -> None:
        self._gamma = gamma
        self._discount = np.ones(size, np.float32)
        self.reward = np.zeros(size, np.float32)
        self.steps = np.zeros(size, np.int64)
        self.terminated = np.zeros(size, bool)
        self.truncated = np.zeros(size, bool)
        self.success = np.zeros(size, bool)

    def add(
        self, reward: np.ndarray, ran: Bools, terminated: Bools, truncated: Bools, success: Bools
    ) -> None:
        self.reward += self._discount * reward
        self._discount[ran] *= self._gamma
        self.steps += ran
        self.terminated |= terminated
        self.truncated |= truncated
        self.success |= success
