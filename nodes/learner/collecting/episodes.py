"""The recent training episodes: success rate and mean return, without favouring short ones.

Episodes that succeed end early, so among the first to end there are too many successes. Episodes
are therefore counted in the order in which they *began*: one that ended waits for all that began
before it.

Options differ in length, so an episode of many short decisions can go on while hundreds of others,
with long options in them, begin and end. It is then overtaken: the window moves past it. When it
ends at last, its outcome is counted by the share that overtaken episodes have among all. Until as
many of them have ended as are still running, the running ones count as failures.
"""

from collections import deque
from collections.abc import Iterable
from typing import Any

PATIENCE = 4
"""How many ended episodes for each environment, and at least as many as the window holds, wait for
one that began before them until it counts as overtaken."""

MANY = 512
"""How many episodes the share, and the success, of the overtaken are measured over."""


class RecentEpisodes:
    """The last ``size`` episodes of a session, by their beginning."""

    def __init__(self, size: int) -> None:
        self._ended: deque[tuple[bool, float, int]] = deque(maxlen=size)
        # Of each that ended, in order or later: whether it was overtaken, and succeeded then.
        self._settled: deque[tuple[bool, bool]] = deque(maxlen=MANY)
        # Per environment, the ordinal of its episode; None where the environment is not there.
        self._running: list[int | None] = []
        self._left: set[int] = (
            set()
        )  # ordinals of episodes that will not end, and count for nothing
        self._waiting: dict[int, tuple[bool, float, int]] = {}
        self._begun = 0
        self._counted = 0
        self.total = 0  # episodes counted since training began
        self.ended = 0  # since then, counted or not
        self.succeeded = 0  # of those that ended

    def begin(self, environments: int) -> None:
        """A session was opened: a first episode begins in each environment, and episodes that were
        running are dropped."""
        self._waiting.clear()
        self._left.clear()
        self._counted = self._begun
        self._running = list(range(self._begun, self._begun + environments))
        self._begun += environments

    def leave(self, environments: Iterable[int]) -> None:
        """Leave out lost environments: their episodes are as if they had not begun."""
        for environment in environments:
            ordinal, self._running[environment] = self._running[environment], None
            if ordinal is not None and ordinal >= self._counted:
                self._left.add(ordinal)
        self._count()

    def enter(self, environments: Iterable[int]) -> None:
        """Take environments in that are there again, and an episode begins in each."""
        for environment in environments:
            self._running[environment] = self._begun
            self._begun += 1

    def end(self, environment: int, success: bool, total_reward: float, length: int) -> None:
        """The episode of an environment ended, and its next one began."""
        self.ended += 1
        self.succeeded += success
        ordinal = self._running[environment]
        if ordinal is None:
            raise ValueError(f"no episode is under way in environment {environment}")
        if ordinal >= self._counted:
            self._waiting[ordinal] = (success, total_reward, length)
        else:
            self._settled.append((True, success))
        self._running[environment] = self._begun
        self._begun += 1
        self._count()

    def _count(self) -> None:
        """Count the episodes that all before them have been counted of, and those overtaken."""
        many = max(self._ended.maxlen or 1, PATIENCE * len(self._running))
        while True:
            if self._counted in self._left:
                self._left.remove(self._counted)
                self._counted += 1
                continue
            if self._counted not in self._waiting and len(self._waiting) <= many:
                return
            episode = self._waiting.pop(self._counted, None)
            if episode is not None:
                self._ended.append(episode)
                self._settled.append((False, False))
            self._counted += 1
            self.total += 1

    @property
    def full(self) -> bool:
        return len(self._ended) == self._ended.maxlen

    @property
    def success_rate(self) -> float:
        """The success rate of the last ``size`` episodes. Before there were so many, the missing
        ones count as failures, so that a few early successes do not look like skill."""
        rate = sum(success for success, _, _ in self._ended) / (self._ended.maxlen or 1)
        late = [success for overtaken, success in self._settled if overtaken]
        unknown = max(
            0, sum(each is not None and each < self._counted for each in self._running) - len(late)
        )
        in_order = len(self._settled) - len(late)
        return (rate * in_order + sum(late)) / max(1, len(self._settled) + unknown)

    @property
    def mean_return(self) -> float:
        return self._mean([total_reward for _, total_reward, _ in self._ended])

    @property
    def mean_length(self) -> float:
        """Primitive steps."""
        return self._mean([float(length) for _, _, length in self._ended])

    @staticmethod
    def _mean(values: list[float]) -> float:
        return sum(values) / len(values) if values else 0.0

    def state_dict(self) -> dict[str, Any]:
        return {
            "ended": [list(episode) for episode in self._ended],
            # A number each: there are hundreds, and a checkpoint is written every second.
            "settled": [2 * overtaken + success for overtaken, success in self._settled],
            "running": list(self._running),
            "waiting": [[ordinal, *episode] for ordinal, episode in self._waiting.items()],
            "begun": self._begun,
            "counted": self._counted,
            "total": self.total,
            "ended_in_all": self.ended,
            "succeeded": self.succeeded,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._ended.clear()
        self._ended.extend((success, reward, length) for success, reward, length in state["ended"])
        self._settled.clear()
        self._settled.extend((each >= 2, each % 2 == 1) for each in state["settled"])
        self._running = list(state["running"])
        self._waiting = {
            ordinal: (success, reward, length)
            for ordinal, success, reward, length in state["waiting"]
        }
        self._begun = state["begun"]
        self._counted = state["counted"]
        self.total = state["total"]
        self.ended = state.get("ended_in_all", self.total)
        self.succeeded = state.get("succeeded", 0)
