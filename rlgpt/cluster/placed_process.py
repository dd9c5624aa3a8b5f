"""A process on some host of the cluster, as this side has it: from its placing to its end."""

import contextlib
import math
import signal
import sys
import time
from collections.abc import Callable, Collection
from pathlib import Path
from types import FrameType
from typing import Any

from nodes.common.running.commit import current_commit
from nodes.common.running.exit_codes import FAILED
from rlgpt.cluster.bringing import LARGEST, OURS, Bringing
from rlgpt.cluster.cluster_joining import address_of
from rlgpt.cluster.same_checkout import other_checkout
from rlgpt.refused import Refused

NEWS = 0.5  # seconds that one question waits for news
ANSWER = 20.0  # seconds after which a host that does not answer is given up
NO_ROOM = "waits for a host of the cluster that has room for it"
ROOM = 10.0  # seconds without room for the process after which that is reported
BRING_EVERY = 10.0  # seconds; what a lost host had not handed over is lost
PART = 4 << 20  # bytes of a file in one question


class Signals:
    """The signals that this process was sent, which are passed on."""

    def __init__(self) -> None:
        self._numbers: list[int] = []

    def catch(self) -> None:
        """Catch the signals. To be called again once Ray, which takes over signals, was joined."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._came)

    def _came(self, number: int, _: FrameType | None) -> None:
        self._numbers.append(number)

    def __bool__(self) -> bool:
        return bool(self._numbers)

    def take(self) -> int:
        return self._numbers.pop(0)


class Stopped(Exception):
    """A signal came before the process was started; it is not taken yet."""


class PlacedProcess:
    """One process. Its files ``below`` the run folder there are those in ``folder`` here, but for
    ``ours``. Every method may raise the exceptions of Ray's actors: then the host is lost."""

    def __init__(
        self,
        ray: Any,
        actor: Any,
        signals: Signals,
        folder: Path,
        below: str = "",
        ours: Collection[str] = OURS,
        largest: int = LARGEST,
        bring_every: float = BRING_EVERY,
        grace: float = math.inf,
    ) -> None:
        """``grace``: seconds between the first signal that is passed on and SIGKILL there."""
        self._ray = ray
        self._actor = actor
        self._signals = signals
        self._folder = folder
        self._below = below
        self._bring_every = bring_every
        self._grace = grace
        self._kill_at = math.inf
        self._told: set[str] = set()
        self._bringing = Bringing(folder, self._part, ours, largest)

    def ask(self, method: str, *arguments: Any) -> Any:
        """Call the actor."""
        return self._ray.get(getattr(self._actor, method).remote(*arguments), timeout=ANSWER)

    def wait_for_room(self, waits: Callable[[str], None] = lambda _: None) -> str:
        """The address of the host that has it; empty if a signal came first. ``waits`` is called
        with a sentence, once it takes long. Raises Refused."""
        answer = self._actor.commit.remote()
        reported = False
        began = time.monotonic()
        while not self._ray.wait([answer], timeout=NEWS)[0]:
            if self._signals:
                return ""
            if not reported and time.monotonic() - began > ROOM:
                reported = True
                say(NO_ROOM)
                waits(NO_ROOM)
        where = address_of(self._ray, self.ask("host_id"))
        if sentence := other_checkout(where, self._ray.get(answer), current_commit()):
            self.ask("discard")
            raise Refused(sentence, code=FAILED)
        return where

    def send(self, path: Path, name: str) -> None:
        """Copy a file into the run folder there. Raises Stopped."""
        with path.open("rb") as file:
            self.put(name, b"")
            while data := file.read(PART):
                if self._signals:
                    raise Stopped
                self.ask("put", name, file.tell() - len(data), data)

    def put(self, name: str, content: bytes) -> None:
        """Write a small file of the run folder there."""
        self.ask("put", name, 0, content)

    def start(
        self, module: str, arguments: list[str], where: str, not_sent: Collection[str] = ()
    ) -> None:
        """Start a module there, once all files are there, but for some that are ``not_sent``.
        Raises Refused."""
        self.take_over(not_sent)
        if problem := self.ask("start", module, arguments):
            raise Refused(f"it cannot be started at {where}: {problem}", code=FAILED)
        say(f"runs on the host {where}")

    def _pass_on(self) -> None:
        """Pass on the signals that have come, however long something else takes."""
        while self._signals:
            self.ask("signal", self._signals.take())
            self._kill_at = min(self._kill_at, time.monotonic() + self._grace)
        if time.monotonic() > self._kill_at:
            self._kill_at = math.inf
            say("does not stop; it is killed")
            self.ask("signal", signal.SIGKILL)

    def _part(self, path: str, offset: int, number: int) -> bytes:
        self._pass_on()
        return self.ask("part", self._below, path, offset, number)

    def take_over(self, not_sent: Collection[str] = ()) -> None:
        """What was sent there is what is here, but for files that were ``not_sent``."""
        self._bringing.have(self.ask("files", self._below), not_sent)

    def follow(self, on_ready: Callable[[], None] = lambda: None) -> int:
        """Pass on what it prints and what it is signalled until it has ended, and its files.
        Returns its exit code, negative where a signal ended it."""
        read, was_ready, bring_at = 0, False, time.monotonic() + self._bring_every
        while True:
            self._pass_on()
            text, ready, code = self.ask("wait", NEWS, read)
            read += len(text)
            _print(text)
            if code is not None and not text:
                return code
            if ready and not was_ready:
                was_ready = True
                on_ready()
            if time.monotonic() > bring_at:
                self.bring()
                bring_at = time.monotonic() + self._bring_every

    def finish(self) -> None:
        """Take the rest of the files of a process that has ended, and delete its files there."""
        self.bring(ended=True)
        self.ask("discard")

    def bring(self, ended: bool = False) -> None:
        """Take the files that have changed. What cannot be taken is told once, and at the end."""
        problems = self._bringing.bring(self.ask("files", self._below))
        for each in problems:
            if ended or each not in self._told:
                say(f"a file was not brought here: {each}")
        self._told |= set(problems)


def say(sentence: str) -> None:
    """Print a line."""
    _print(f"{sentence}\n".encode())


def _print(text: bytes) -> None:
    # Standard output is a file of the run folder: a full disk is no reason to end the process.
    with contextlib.suppress(OSError):
        sys.stdout.buffer.write(text)
        sys.stdout.buffer.flush()
