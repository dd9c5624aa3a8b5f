"""Whose turn it is with the GPU: the language model's, or the learner's for as long as it renews.

Answers are many and go on side by side; the learner is alone. The lease is a file, so that an llm
node that was restarted while the learner trains leaves the card to it.
"""

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from messages.bus import ServiceError
from nodes.common.storage.whole_files import write_whole

NAME = "lease.json"


class Lease:
    """``free_the_card`` is called when the learner takes it, while no answer is being written, and
    returns the seconds that it took."""

    def __init__(self, folder: Path, free_the_card: Callable[[], float]) -> None:
        self._path = folder / NAME
        self._free_the_card = free_the_card
        self._turn = threading.Condition()
        self._answering = 0
        self._taking = 0  # those who wait until nothing is being answered
        self._freed_for = ""  # for whom the card was freed: only that lease can be renewed
        self._closed = False
        self._holder, self._until = self._read()

    @property
    def holder(self) -> str:
        """Who has the card, "" if it is the language model's."""
        return self._holder if time.monotonic() < self._until else ""

    def take(self, holder: str, seconds: float, patience: float = 550.0) -> float:
        """Take or renew the lease. Returns the seconds that freeing the card took.

        Raises:
            ServiceError: ``held`` by another, or ``busy`` for as long as the caller would wait.
        """
        with self._turn:
            self._refuse_others(holder)
            if self._has(holder):
                self._keep(holder, seconds)
                return 0.0
            self._freed_for = ""
            # From here on no further answer begins.
            self._keep(holder, max(seconds, patience))
            self._await_silence(holder, patience)
            self._refuse_others(holder)
            # A learner that was restarted while it waited waits twice; one of them frees the card.
            slept = 0.0 if self._has(holder) else self._free_the_card()
            self._freed_for = holder
            self._keep(holder, seconds)
            return slept

    def give_back(self, holder: str) -> None:
        """Give the lease back. Nothing happens if it is not, or no longer, the holder's."""
        with self._turn:
            if self._holder == holder:
                self._leave()

    @contextlib.contextmanager
    def answering(self) -> Iterator[None]:
        """Wait until the card is the language model's, and keep it so.

        Raises:
            ServiceError: the node stops.
        """
        with self._turn:
            while self.holder and not self._closed:
                # A lease that is not renewed ends without a message.
                self._turn.wait(min(max(self._until - time.monotonic(), 0.01), 1.0))
            if self._closed:
                raise ServiceError("The llm node stops.", code="stopping")
            self._answering += 1
        try:
            yield
        finally:
            with self._turn:
                self._answering -= 1
                self._turn.notify_all()

    def close(self) -> None:
        """End the waiting of all callers. The lease itself lasts."""
        with self._turn:
            self._closed = True
            self._turn.notify_all()

    # With the lock held

    def _has(self, holder: str) -> bool:
        """Whether the holder has the card, and does not just wait for it."""
        return self._freed_for == self.holder == holder

    def _refuse_others(self, holder: str) -> None:
        if self.holder not in ("", holder):
            left = self._until - time.monotonic()
            raise ServiceError(f"The GPU is {self.holder}'s for another {left:.0f} s.", code="held")

    def _await_silence(self, holder: str, patience: float) -> None:
        """Raises ServiceError ``busy``."""
        self._taking += 1
        try:
            silent = self._turn.wait_for(lambda: not self._answering or self._closed, patience)
        finally:
            self._taking -= 1
        if silent:
            return
        if self._holder == holder and not self._taking:
            self._leave()
        raise ServiceError(
            f"The language model was still answering after {patience:.0f} s.", code="busy"
        )

    def _leave(self) -> None:
        """The card is the language model's again."""
        self._freed_for = ""
        self._keep("", 0.0)
        self._turn.notify_all()

    def _keep(self, holder: str, seconds: float) -> None:
        before = self._holder, self._until
        self._holder, self._until = holder, time.monotonic() + seconds
        # For the next process, by the wall clock, which may be set meanwhile, but not by more.
        lease = {"holder": holder, "until": time.time() + seconds, "seconds": seconds}
        try:
            write_whole(self._path, json.dumps(lease).encode())
        except OSError:
            # Who is refused the card does not have it; who has it keeps it, or has given it back.
            if holder and before[0] != holder:
                self._holder, self._until = before
            raise

    def _read(self) -> tuple[str, float]:
        try:
            data = json.loads(self._path.read_text("utf-8"))
            left = min(float(data["until"]) - time.time(), float(data["seconds"]))
            return str(data["holder"]), time.monotonic() + left
        except (OSError, ValueError, KeyError, TypeError):
            return "", 0.0
