"""What players see, for those who watch: published only while there are subscribers.

Of all sessions that are played at a time, one is shown, and another one only after it has not been
stepped for a while: so a picture does not jump from one to the other.
"""

import threading
import time
from collections.abc import Callable

import numpy as np

from messages.world import OpenSession, Sight, View

EVERY = 0.1  # seconds between two pictures of a session
LARGEST_MAP = 3 * 129 * 129
"""Bytes of a picture from above."""
_STAYS = 1.0  # seconds for which a session that is not stepped keeps others from being shown


class PicturePace:
    """Between two pictures."""

    def __init__(self) -> None:
        self._shown_at = -EVERY

    def over(self) -> bool:
        """Whether it is time for the next one, which begins the next pause."""
        now = time.monotonic()
        if now - self._shown_at < EVERY:
            return False
        self._shown_at = now
        return True


class Sights:
    """The sights of the env server. ``wanted``: whether there are subscribers."""

    def __init__(self, publish: Callable[[Sight], None]) -> None:
        self.wanted = False
        self._publish = publish
        self._lock = threading.Lock()
        self._session = ""
        self._shown_at = -_STAYS

    def of(self, request: OpenSession) -> "SessionSights":
        return SessionSights(self, request.session, request.task.id)

    def publish(self, sight: Sight) -> None:
        now = time.monotonic()
        with self._lock:
            if sight.session != self._session and now - self._shown_at < _STAYS:
                return
            self._session, self._shown_at = sight.session, now
        if self.wanted:
            self._publish(sight)


class SessionSights:
    """The sights of one session: a session's `Watcher` where it is played in the env server
    itself."""

    def __init__(self, sights: Sights, session: str, task: str) -> None:
        self._sights = sights
        self._session = session
        self._task = task
        self._pause = PicturePace()

    @property
    def wanted(self) -> bool:
        return self._sights.wanted

    def wants_sight(self) -> bool:
        return self.wanted and self._pause.over()

    def show(self, steps: int, view: View, picture: np.ndarray, above: np.ndarray) -> None:
        self._sights.publish(
            Sight(
                session=self._session,
                task=self._task,
                steps=steps,
                view=view,
                picture=picture,
                above=above,
            )
        )
