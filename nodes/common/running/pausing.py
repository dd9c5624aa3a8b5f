"""Pausing a node: it holds its work, answers questions about itself, and remembers over a restart
that it is paused."""

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from messages.bus import Bus, ServiceError
from messages.bus.gate import Gate
from messages.empty import Empty
from messages.pausing import Pause, SetPause
from messages.undecodable import UNDECODABLE
from nodes.common.storage.whole_files import write_whole

FILE = "pause.json"
"""The name of the file in the node's folder, there as long as the node is paused."""


class _Stored(msgspec.Struct, frozen=True):
    since: float
    by: str = ""


class Pausing:
    """The pausing of one node. ``publish`` takes the state whenever it changes."""

    def __init__(self, node: str, folder: Path, bus: Bus, log: logging.Logger) -> None:
        self._node = node
        self._path = folder / FILE
        self._bus = bus
        self._log = log
        self._stored: _Stored | None = None
        self._publish: Callable[[Pause], None] = lambda state: None
        self._reporting = threading.Lock()
        self.gate = Gate(self._changed)

    def begin(self, publish: Callable[[Pause], None]) -> None:
        """The topic is advertised. A node that was paused before it was restarted still is."""
        self._publish = publish
        try:
            self._stored = msgspec.json.decode(self._path.read_bytes(), type=_Stored)
        except FileNotFoundError:
            pass
        except (OSError, *UNDECODABLE):
            self._stored = _Stored(since=time.time())  # the file is there: it was paused
        if self._stored is not None:
            self.gate.set(True)
            self._log.info("%s is still paused, as before it was restarted", self._node)
        self._report()

    @property
    def note(self) -> list[str]:
        """A sentence for `rlgpt node list`, if the node is paused."""
        if (stored := self._stored) is None:
            return []
        since = time.strftime("%H:%M:%S", time.localtime(stored.since))
        by = f" by {stored.by}" if stored.by else ""
        return [f"paused{by} at {since}; `rlgpt node continue {self._node}` lets it go on"]

    def get(self, _: Empty) -> Pause:
        stored, gate = self._stored, self.gate
        return Pause(
            node=self._node,
            paused=stored is not None,
            since=stored and stored.since,
            by=stored.by if stored else "",
            steps=gate.steps,
            taken=gate.taken,
            waiting=gate.waiting(),
        )

    def set(self, request: SetPause) -> Pause:
        """Raises ServiceError ``disk``: it cannot be remembered, and nothing has changed."""
        try:
            self._set(request)
        except OSError as error:
            raise ServiceError(
                f"nothing has changed: {self._path} cannot be written: {error.strerror}",
                code="disk",
            ) from None
        self.gate.set(request.paused, request.steps)
        self._report()
        return self.get(Empty())

    def _set(self, request: SetPause) -> None:
        by = f" by {request.by}" if request.by else ""
        if not request.paused:
            self._path.unlink(missing_ok=True)
            if self._stored is not None:
                self._log.info("goes on, as requested%s", by)
            self._stored = None
        elif self._stored is None:
            stored = _Stored(time.time(), request.by)
            write_whole(self._path, msgspec.json.encode(stored))
            self._stored = stored
            self._log.info("paused%s", by)
        if request.paused and request.steps:
            self._log.info("may take %d steps%s", request.steps, by)

    def _report(self) -> None:
        why = f"which is paused: `rlgpt node continue {self._node}` lets it go on"
        self._bus.delay("pause", why if self._stored is not None else "")
        self._changed()

    def _changed(self) -> None:
        with self._reporting:  # of two threads the one with the newer state is the later one
            self._publish(self.get(Empty()))
