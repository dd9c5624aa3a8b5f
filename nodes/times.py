"""Where the time of a node goes: seconds by part, kept in ``times.jsonl`` in the node's folder.

A thread that answers a request or works on a goal has a `Watch`, which runs from the beginning of
the handler to its end and is always on one part: the node's own, one that the node has switched to
(`spending`), or the wait for another node. So the parts of a handler add up to the time that it
took, and what others do for it meanwhile is in their own files. Every two seconds what has passed
is added to the file, work that is not over included; a node that is killed loses that much.

`rlgpt/profiling` makes an account of a run of these files.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from messages.undecodable import UNDECODABLE
from nodes.common.storage.whole_files import cut_unfinished_line

FILE = "times.jsonl"
EVERY = 2.0  # seconds from one line to the next
WAITS = "waits for "
"""Begins the part of a handler that waits for another node; the node's name follows."""


def steady_clock() -> Callable[[], float]:
    """A clock that no one sets: seconds since the epoch by the time of day that it is made at, and
    from then on by the monotonic clock."""
    ahead = time.time() - time.monotonic()
    return lambda: ahead + time.monotonic()


class TimesLine(msgspec.Struct, frozen=True, kw_only=True):
    """What has passed in ``seconds`` before ``at`` (seconds since the epoch, by a `steady_clock` of
    the process).

    Attributes:
        spent: seconds by whom they were for (a session, a goal, an agent that asked) and part.
        called: by service or action of another node: (how many calls have ended, seconds).
        served: by the node's own: (how many were answered, seconds).
        away: seconds for which calls waited for a node that was not connected.
    """

    at: float
    seconds: float
    spent: dict[str, dict[str, float]] = {}
    called: dict[str, tuple[int, float]] = {}
    served: dict[str, tuple[int, float]] = {}
    away: float = 0.0


def lines_in(path: Path) -> Iterator[TimesLine]:
    """The lines of a node's file that a node can have written."""
    try:
        data = path.read_bytes()
    except OSError:
        return
    decoder = msgspec.json.Decoder(TimesLine)
    for line in data.split(b"\n"):
        try:
            found = decoder.decode(line)
        except UNDECODABLE:
            continue  # the last line of a node that was killed while it wrote
        if _possible(found):
            yield found


def _possible(line: TimesLine) -> bool:
    """Whether a node can have written it: time passed, and who waited has called."""
    passed = line.seconds == 0 or line.at - line.seconds < line.at
    return passed and all(calls > 0 for calls, _ in line.called.values())


class Watch:
    """The watch of one thread, which alone may switch it. ``whose``: for whom it works."""

    __slots__ = ("_part", "_since", "_taken", "began", "spent", "whose")

    def __init__(self, whose: str, part: str) -> None:
        self.whose = whose
        self.spent: dict[str, int] = {}  # nanoseconds by part
        self._taken: dict[str, int] = {}  # of these, what `take` has given
        self._part = part
        self.began = self._since = time.perf_counter_ns()

    def switch(self, part: str) -> str:
        """What follows is of this part; the part before."""
        now = time.perf_counter_ns()
        before = self._part
        self.spent[before] = self.spent.get(before, 0) + now - self._since
        self._since = now
        self._part = part
        return before

    def move(self, moved: list[tuple[str, int]]) -> None:
        """What another process reports of the time that is being spent now: nanoseconds by part,
        which are taken from the present part. Where that is less, as this process was at work as
        well or the other one is wrong, each gets its share of it."""
        part = self.switch(self._part)
        total = sum(nanoseconds for _, nanoseconds in moved)
        there = min(self.spent[part], total)
        self.spent[part] -= there
        for name, nanoseconds in moved:
            self.spent[name] = self.spent.get(name, 0) + nanoseconds * there // max(total, 1)

    def so_far(self) -> dict[str, int]:
        """Nanoseconds by part, with what has passed of the present one. From any thread."""
        spent = self.spent.copy()
        spent[self._part] = spent.get(self._part, 0) + time.perf_counter_ns() - self._since
        return spent

    def take(self) -> dict[str, int]:
        """The time that has passed since the previous read, nanoseconds by part. A watch that is
        being switched may be read in between, and a part may have become less by `move`: what was
        given too much is missing the next time."""
        taken = self._taken
        passed = {
            part: nanoseconds - taken.get(part, 0)
            for part, nanoseconds in self.so_far().items()
            if nanoseconds > taken.get(part, 0)
        }
        for part, nanoseconds in passed.items():
            taken[part] = taken.get(part, 0) + nanoseconds
        return passed


_own = threading.local()


def watch() -> Watch | None:
    """The calling thread's watch; None where it works for no request."""
    return getattr(_own, "watch", None)


class spending:
    """``with spending("update"):`` - what is done inside is of this part."""

    __slots__ = ("_before", "_part", "_watch")

    def __init__(self, part: str) -> None:
        self._part = part
        self._watch = watch()

    def __enter__(self) -> None:
        if self._watch is not None:
            self._before = self._watch.switch(self._part)

    def __exit__(self, *error: object) -> None:
        if self._watch is not None:
            self._watch.switch(self._before)


class Times:
    """The times of one node. ``part``: of what it does itself. ``away``: the bus's count of seconds
    in which calls waited for absent nodes."""

    def __init__(self, path: Path, part: str, away: Callable[[], float]) -> None:
        self._path = path
        self._part = part
        self._away = away
        with suppress(OSError):
            cut_unfinished_line(path)  # of a process that was killed while it wrote
        self._lock = threading.Lock()
        self._watches: set[Watch] = set()
        # What has passed since the last line, of handlers and calls that have ended:
        self._spent: dict[tuple[str, str], int] = {}
        self._called: dict[str, tuple[int, int]] = {}
        self._served: dict[str, tuple[int, int]] = {}
        self._away_before = 0.0
        self._clock = steady_clock()
        self._kept_at = self._clock()

    def timed(
        self, endpoint: str, handler: Callable[[Any], Any], whose: Callable[[Any], str]
    ) -> Callable[[Any], Any]:
        """``handler`` with a watch. ``whose``: for whom a request is."""

        def handle(request: Any) -> Any:
            own = Watch(whose(request), self._part)
            with self._lock:
                self._watches.add(own)
            outer = watch()  # in a test without processes, where a call is a function's
            _own.watch = own
            try:
                return handler(request)
            finally:
                _own.watch = outer
                self._end(endpoint, own)

        return handle

    def calling(self, endpoint: str, node: str) -> "_Calling":
        """Count the time of a call, as a context manager."""
        return _Calling(self, endpoint, node)

    def waits(self, endpoint: str, whose: str) -> Callable[[], None]:
        """Count a request to ``endpoint`` as waiting, without a thread (as for a person), until the
        returned function is called."""
        own = Watch(whose, "waiting")
        with self._lock:
            self._watches.add(own)

        def over() -> None:
            with self._lock:
                self._watches.discard(own)
                self._collect(own)
                count, before = self._served.get(endpoint, (0, 0))
                self._served[endpoint] = count, before + time.perf_counter_ns() - own.began

        return over

    def ended_call(self, endpoint: str, nanoseconds: int) -> None:
        with self._lock:
            count, before = self._called.get(endpoint, (0, 0))
            self._called[endpoint] = count + 1, before + nanoseconds

    def _end(self, endpoint: str, own: Watch) -> None:
        with self._lock:
            self._watches.discard(own)
            self._collect(own)
            count, before = self._served.get(endpoint, (0, 0))
            taken = time.perf_counter_ns() - own.began
            self._served[endpoint] = count + 1, before + taken

    def _collect(self, own: Watch) -> None:
        """The lock is held."""
        for part, nanoseconds in own.take().items():
            key = own.whose, part
            self._spent[key] = self._spent.get(key, 0) + nanoseconds

    def write(self) -> None:
        """Add what has passed since the last time to the file. A full disk ends no node."""
        line = self._line()
        if line is None:
            return
        with suppress(OSError), self._path.open("ab", buffering=0) as file:
            file.write(msgspec.json.encode(line) + b"\n")

    def _line(self) -> TimesLine | None:
        """None: nothing has passed."""
        now = self._clock()
        seconds, self._kept_at = now - self._kept_at, now
        with self._lock:
            for each in self._watches:
                self._collect(each)
            spent, self._spent = self._spent, {}
            called, self._called = self._called, {}
            served, self._served = self._served, {}
        found: dict[str, dict[str, float]] = {}
        for (whose, part), nanoseconds in spent.items():
            found.setdefault(whose, {})[part] = round(nanoseconds / 1e9, 6)
        away = self._away()
        waited, self._away_before = away - self._away_before, away
        if not (found or called or served or waited):
            return None
        return TimesLine(
            at=round(now, 3),
            seconds=round(seconds, 3),
            spent=found,
            called=_in_seconds(called),
            served=_in_seconds(served),
            away=round(waited, 3),
        )


class _Calling:
    __slots__ = ("_before", "_began", "_endpoint", "_node", "_times", "_watch")

    def __init__(self, times: Times, endpoint: str, node: str) -> None:
        self._times = times
        self._endpoint = endpoint
        self._node = node
        self._watch = watch()

    def __enter__(self) -> None:
        if self._watch is not None:
            self._before = self._watch.switch(WAITS + self._node)
        self._began = time.perf_counter_ns()

    def __exit__(self, *error: object) -> None:
        self._times.ended_call(self._endpoint, time.perf_counter_ns() - self._began)
        if self._watch is not None:
            self._watch.switch(self._before)


def _in_seconds(counted: dict[str, tuple[int, int]]) -> dict[str, tuple[int, float]]:
    return {name: (count, round(passed / 1e9, 6)) for name, (count, passed) in counted.items()}


def purpose_of(request: Any) -> str:
    """The purpose of a request: the session or the goal that it names, or the agent that asks."""
    inner = getattr(request, "request", None)  # of a goal's handle
    if inner is None:
        return getattr(request, "session", "") or getattr(request, "agent", "")
    return getattr(inner, "session", "") or request.id
