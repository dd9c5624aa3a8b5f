"""Where the time of a process that plays goes: nanoseconds by part, written as it passes.

A jailed worker writes them into memory that the env server sees too, behind its pulse, so that the
time of a long run is known while it passes, and that of a killed worker is not lost. In the env
server's own process (``jail=false``) all sessions write into one clock: they never add up to more
time than there was, but sessions that play at once may get some of each other's.
"""

import time

IDLE = 0  # no request
WORLD = 1  # the world is made, reset, or takes a step
FEATURES = 2  # features and masks are made for a policy
PROGRAMS = 3  # code written by an agent: programs, conditions, rewards; checking it
SESSION = 4  # what a session does beside these: rewards, successes, records
FILM = 5  # a frame of a film is drawn and handed on
NETWORK = 6  # a policy that the session plays itself decides
PARTS = {
    WORLD: "world",
    FEATURES: "features",
    PROGRAMS: "programs",
    SESSION: "session",
    FILM: "film",
    NETWORK: "network",
}
"""The reported parts, by index."""
PART = 7  # what it is spent on now
SINCE = 8  # when that began, by the clock that all processes of a machine share
PLACES = 9


class Clock:
    """``memory``: `PLACES` integers. One thread at a time."""

    __slots__ = ("_part", "_since", "memory")

    def __init__(self) -> None:
        self._part = IDLE
        self.attach(memoryview(bytearray(8 * PLACES)).cast("q"))

    def attach(self, memory: memoryview) -> None:
        """Write there from now on."""
        self.memory = memory
        self._since = memory[SINCE] = time.perf_counter_ns()
        memory[PART] = self._part

    def switch(self, part: int) -> int:
        """Count the time from now on for this part. Returns the part before."""
        now = time.perf_counter_ns()
        before, memory = self._part, self.memory
        memory[before] += now - self._since
        self._since = memory[SINCE] = now
        self._part = memory[PART] = part
        return before


CLOCK = Clock()


class SpentTime:
    """The time that has passed on a clock since the previous read."""

    def __init__(self, memory: memoryview) -> None:
        self._memory = memory
        self._before = self._now()

    def take(self) -> list[tuple[str, int]]:
        """Nanoseconds by part, for parts in which time has passed. The numbers may be another
        process's, and anything: one that has not grown counts as none."""
        now, before = self._now(), self._before
        self._before = {place: max(now[place], before[place]) for place in PARTS}
        return [
            (name, now[place] - before[place])
            for place, name in PARTS.items()
            if now[place] > before[place]
        ]

    def _now(self) -> dict[int, int]:
        """With what has passed of the present part."""
        memory = self._memory
        now = {place: memory[place] for place in PARTS}
        part = memory[PART]
        if part in now:
            now[part] += max(time.perf_counter_ns() - memory[SINCE], 0)
        return now
