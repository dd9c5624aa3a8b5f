"""How long a question waits, and who is told whom it waits for.

The time that a node may take counts while the node is connected. A node that is away is waited for:
as long as a launcher knows of it, or else for a stated time. docs/deadlines.md has all deadlines.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from messages.bus.errors import DeadlineExceeded

ABSENCE = 60.0
"""Seconds that a node may be away, at least, where no launcher says that it is coming."""
NOTICE = 1.0
"""Seconds after which it is said who is waited for."""
OUTLOOK = 5.0
"""Seconds between two questions to the launcher, what has become of a node."""
CHECK = 5.0
"""Seconds after which a connected node is asked whether it still works on a question."""
SILENCE = 15.0
"""Seconds after which it is said that a connected node does not even answer that."""


@dataclass(frozen=True)
class Limits:
    """How long a question may wait, in seconds."""

    answer: float  # while the node is connected, beginning anew with each connection
    absence: float = math.inf  # that the node may be away at a stretch, unknown to any launcher
    total: float = math.inf  # all in all

    @classmethod
    def by_the_clock(cls, seconds: float) -> "Limits":
        """The caller has so many seconds and no more, whatever the reason."""
        return cls(seconds, seconds, seconds)

    @classmethod
    def of_service(cls, seconds: float) -> "Limits":
        """The node has so many seconds; one that is away is waited for."""
        return cls(seconds, max(seconds, ABSENCE))


class Outlook:
    """What a process knows of the nodes that it waits for.

    Args:
        ask: one clause about a node that the launcher knows ("which is being restarted"); None
            where there is no launcher, or it does not know the node.
        tell: takes the node and one sentence, for the log and the diagnostics.
    """

    def __init__(self, ask: Callable[[str], str | None], tell: Callable[[str, str], None]) -> None:
        self.ask = ask
        self.tell = tell


class Wait:
    """The clocks of one question. `turn` is called in every turn of the wait."""

    def __init__(self, door: str, node: str, limits: Limits, outlook: Outlook | None) -> None:
        self._door = door
        self._node = node
        self._limits = limits
        self._outlook = outlook
        self._began = self._since = self._heard = time.monotonic()
        self._connected: bool | None = None
        self._look_at = self._vouched = 0.0  # when the launcher is asked; when it knew the node
        self._said = ""
        self._silent = False
        # Who waits by the clock alone is told by the error that ends it.
        self._patient = math.inf in (limits.absence, limits.total)

    def turn(self, connected: bool) -> float:
        """Seconds until the next turn is due.

        Raises:
            DeadlineExceeded: there is no time left.
        """
        now = time.monotonic()
        if connected is not self._connected:
            self._connected = connected
            self._since = self._heard = self._vouched = now
            self._look_at = now + NOTICE
            self._silent = False
            if connected:
                self._welcome()
        left = self._began + self._limits.total - now
        left = min(left, self._present(now) if connected else self._away(now))
        return max(left, 0.001)

    def heard(self) -> None:
        """The node said that it works on the question."""
        self._heard = time.monotonic()
        if self._silent:
            self._silent = False
            self._tell(f"{self._node} answers again")

    def _present(self, now: float) -> float:
        seconds = min(self._limits.answer, self._limits.total)
        self._expire(now, self._since + self._limits.answer, seconds, "")
        quiet = now - self._heard
        if quiet >= SILENCE and not self._silent:
            self._silent = True
            self._tell(
                f"waiting for {self._node}, which is connected and has said nothing for "
                f"{SILENCE:g} seconds"
            )
        return min(self._since + self._limits.answer - now, CHECK)

    def _away(self, now: float) -> float:
        if self._patient and self._outlook is not None and now >= self._look_at:
            clause = self._outlook.ask(self._node)
            now = time.monotonic()
            self._look_at = now + OUTLOOK
            if clause is not None:
                self._vouched = math.inf
            elif self._vouched == math.inf:
                self._vouched = now
            self._say(clause)
        seconds = min(self._limits.absence, self._limits.total)
        why = ": it is not running, or cannot be reached"
        self._expire(now, self._vouched + self._limits.absence, seconds, why)
        left = self._vouched + self._limits.absence - now
        return min(left, max(self._look_at - now, 0.0)) if self._patient else left

    def _expire(self, now: float, end: float, seconds: float, why: str) -> None:
        if now >= end or now >= self._began + self._limits.total:
            raise DeadlineExceeded(
                f"{self._door}: no answer from {self._node} within {seconds:g} seconds{why}"
            )

    def _say(self, clause: str | None) -> None:
        if clause is None:
            clause = "which is away, and no launcher says that it is coming"
            if self._limits.absence <= 3600.0:
                clause += f"; start it within {self._limits.absence:g} seconds"
        if clause != self._said:
            self._said = clause
            self._tell(f"waiting for {self._node}, {clause}")

    def _welcome(self) -> None:
        if self._said:
            self._said = ""
            self._tell(f"{self._node} is there again")

    def _tell(self, sentence: str) -> None:
        if self._outlook is not None:
            self._outlook.tell(self._node, sentence)
