"""The recent training episodes: success rate and mean return, without favouring short ones.

Episodes that succeed end early, so among the first to end there are too many successes. Episodes
therefore count in the order in which they *began*: one that ended waits for all that began before.

Options last differently long, so an episode of many short decisions can go on while hundreds of
others come and go. Once half a window of them waits for it, it counts: as a failure, for it has not
succeeded in all that time.
"""

from collections import deque
from typing import Any

# Success, return and length; None where an episode counts that is not over.
Counted = tuple[bool, float | None, int | None]


class RecentEpisodes:
    """The last ``size`` episodes of a session, by their beginning."""

    def __init__(self, size: int) -> None:
        self._ended: deque[Counted] = deque(maxlen=size)
        self._running: list[int] = []  # per environment, the ordinal of its episode
        self._waiting: dict[int, tuple[bool, float, int]] = {}
        self._begun = 0
        self._counted = 0
        self.total = 0  # episodes counted since training began

    def begin(self, environments: int) -> None:
        """A session was opened: a first episode begins in each environment, and whatever was
        running is forgotten."""
        self._waiting.clear()
        self._counted = self._begun
        self._running = list(range(self._begun, self._begun + environments))
        self._begun += environments

    def end(self, environment: int, success: bool, total_reward: float, length: int) -> None:
        """The episode of an environment ended, and its next one began."""
        ordinal = self._running[environment]
        if ordinal >= self._counted:  # else it counts already
            self._waiting[ordinal] = (success, total_reward, length)
        self._running[environment] = self._begun
        self._begun += 1
        many = (self._ended.maxlen or 1) // 2
        while self._counted in self._waiting or len(self._waiting) > many:
            self._ended.append(self._waiting.pop(self._counted, (False, None, None)))
            self._counted += 1
            self.total += 1

    @property
    def full(self) -> bool:
        return len(self._ended) == self._ended.maxlen

    @property
    def success_rate(self) -> float:
        """Of the last ``size`` episodes; those that there have not been yet count as failures, so
        that a few early successes are not taken for skill."""
        return sum(success for success, _, _ in self._ended) / (self._ended.maxlen or 1)

    @property
    def mean_return(self) -> float:
        return self._mean([reward for _, reward, _ in self._ended if reward is not None])

    @property
    def mean_length(self) -> float:
        """Primitive steps."""
        return self._mean([float(length) for _, _, length in self._ended if length is not None])

    @staticmethod
    def _mean(values: list[float]) -> float:
        return sum(values) / len(values) if values else 0.0

    def state_dict(self) -> dict[str, Any]:
        return {
            "ended": [list(episode) for episode in self._ended],
            "running": list(self._running),
            "waiting": [[ordinal, *episode] for ordinal, episode in self._waiting.items()],
            "begun": self._begun,
            "counted": self._counted,
            "total": self.total,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._ended.clear()
        self._ended.extend((success, reward, length) for success, reward, length in state["ended"])
        self._running = list(state["running"])
        self._waiting = {
            ordinal: (success, reward, length)
            for ordinal, success, reward, length in state["waiting"]
        }
        self._begun = state["begun"]
        self._counted = state["counted"]
        self.total = state["total"]
