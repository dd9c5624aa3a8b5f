"""How long a request waits, and how the caller reports what it waits for.

The time that a node may take counts while the node is connected. An absent node is waited for: as
long as a launcher knows it, or else for a stated time. docs/deadlines.md has all deadlines.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from messages.bus.errors import DeadlineExceeded
from messages.system import DEBUGGED

ABSENCE = 60.0
"""Seconds that a node may be absent, at least, if no launcher knows it."""
NOTICE = 1.0
"""Seconds after which the wait for a node is reported."""
QUERY_INTERVAL = 5.0
"""Seconds between two queries of a node's status to the launcher."""
CHECK = 5.0
"""Seconds after which a client checks whether a connected node still works on a request."""
SILENCE = 15.0
"""Seconds after which it is reported that a connected node does not even answer the checks."""


@dataclass(frozen=True)
class RequestLimits:
    """How long a request may wait, in seconds."""

    reply: float  # while the node is connected, beginning again with each connection
    absence: float = math.inf  # that the node may be absent at a stretch, unknown to any launcher
    total: float = math.inf  # all in all

    @classmethod
    def by_the_clock(cls, seconds: float) -> "RequestLimits":
        """The caller waits so many seconds and no more, for any reason."""
        return cls(seconds, seconds, seconds)

    @classmethod
    def of_service(cls, seconds: float) -> "RequestLimits":
        """The node has so many seconds; an absent one is waited for."""
        return cls(seconds, max(seconds, ABSENCE))


class NodeStatus:
    """Where a client gets the status of a node that it waits for, and reports its wait.

    Args:
        query: one clause about a node that the launcher knows ("which is being restarted"); None
            if there is no launcher, or it does not know the node.
        notify: takes the node and one sentence, for the log and the diagnostics.
    """

    def __init__(
        self, query: Callable[[str], str | None], notify: Callable[[str, str], None]
    ) -> None:
        self.query = query
        self.notify = notify
        self.away = 0.0  # seconds for which requests have waited for nodes that were absent


class Wait:
    """The clocks of one request. `turn` is called in every turn of the wait."""

    def __init__(
        self, endpoint: str, node: str, limits: RequestLimits, status: NodeStatus | None
    ) -> None:
        self._endpoint = endpoint
        self._node = node
        self._limits = limits
        self._status = status
        self._began = self._since = self._confirmed = time.monotonic()
        self._connected: bool | None = None
        self._turned = self._began
        self._query_at = self._known_at = 0.0  # when the launcher is queried; when it knew the node
        self._notice = ""
        self._silent = False
        self._delay = ""  # the node's own reason to take long, as a clause
        # Twice within the time that the node may take: one that is paused reports it in time.
        self.interval = min(CHECK, limits.reply / 2)
        # A caller that waits by the clock alone gets the error that ends the wait, and no notice.
        self._patient = math.inf in (limits.absence, limits.total)

    def turn(self, connected: bool, rejected: str = "") -> float:
        """Seconds until the next turn is due. ``rejected``: why the node rejects the connection.

        Raises:
            DeadlineExceeded: there is no time left.
        """
        now = time.monotonic()
        if self._status is not None and self._connected is False:
            self._status.away += now - self._turned
        self._turned = now
        if connected is not self._connected:
            self._connected = connected
            self._since = self._confirmed = self._known_at = now
            self._query_at = now + NOTICE
            self._silent = False
            if connected:
                self._reconnected()
        left = self._began + self._limits.total - now
        left = min(left, self._present(now) if connected else self._away(now, rejected))
        return max(left, 0.001)

    def confirm(self, delay: str = "") -> None:
        """The node confirmed that it works on the request. ``delay``: why it takes long, if the
        node reports that; then the time that it may take begins again."""
        self._confirmed = time.monotonic()
        if self._patient:
            if delay:
                self._since = self._confirmed
            if delay != self._delay:
                self._delay = delay
                waits = f"waiting for {self._node}, {delay}"
                self._notify(waits if delay else f"{self._node} goes on")
        if self._silent:
            self._silent = False
            self._notify(f"{self._node} answers again")

    def _present(self, now: float) -> float:
        seconds = min(self._limits.reply, self._limits.total)
        if self._patient and now >= self._since + self._limits.reply and self._debugged():
            self._since = now = time.monotonic()
        self._expire(now, self._since + self._limits.reply, seconds)
        quiet = now - self._confirmed
        if quiet >= SILENCE and not self._silent:
            self._silent = True
            self._notify(
                f"waiting for {self._node}, which is connected and has not responded for "
                f"{SILENCE:g} seconds"
            )
        return min(self._since + self._limits.reply - now, self.interval)

    def _debugged(self) -> bool:
        """Whether a user has the node under a debugger, where it may stand for any time."""
        debugged = self._status is not None and self._status.query(self._node) == DEBUGGED
        if debugged and self._delay != DEBUGGED:
            self._delay = DEBUGGED
            self._notify(f"waiting for {self._node}, {DEBUGGED}")
        return debugged

    def _away(self, now: float, rejected: str) -> float:
        if self._patient and self._status is not None and now >= self._query_at:
            clause = self._status.query(self._node)
            now = time.monotonic()
            self._query_at = now + QUERY_INTERVAL
            if clause is not None:
                self._known_at = math.inf
            elif self._known_at == math.inf:
                self._known_at = now
            self._report(f"which rejects the connection: {rejected}" if rejected else clause)
        seconds = min(self._limits.absence, self._limits.total)
        self._expire(now, self._known_at + self._limits.absence, seconds, True, rejected)
        left = self._known_at + self._limits.absence - now
        return min(left, max(self._query_at - now, 0.0)) if self._patient else left

    def _expire(
        self, now: float, end: float, seconds: float, away: bool = False, rejected: str = ""
    ) -> None:
        if now < end and now < self._began + self._limits.total:
            return
        text = f"{self._endpoint}: no reply from {self._node} within {seconds:g} seconds"
        if rejected:
            text += f": it rejects the connection; {rejected}"
        elif away:
            text += ": it is not running, or cannot be reached"
        raise DeadlineExceeded(text, absent=away and not rejected)

    def _report(self, clause: str | None) -> None:
        if clause is None:
            clause = "which is absent, and which no launcher knows"
            if self._limits.absence <= 3600.0:
                clause += f"; start it within {self._limits.absence:g} seconds"
        if clause != self._notice:
            self._notice = clause
            self._notify(f"waiting for {self._node}, {clause}")

    def _reconnected(self) -> None:
        if self._notice:
            self._notice = ""
            self._notify(f"{self._node} is connected again")

    def _notify(self, sentence: str) -> None:
        if self._status is not None:
            self._status.notify(self._node, sentence)
