"""Progress counters of coded actions, in shared memory: which program runs, and that it advances.

A process that runs programs writes here before it lets one run, and at every turn of a batch. In a
jailed worker the numbers lie in memory that the env server sees too (`nodes/env_server/jail/`),
which ends a worker that stands still inside a program. Elsewhere it is not read.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

from nodes.env_server.programs.part_clock import CLOCK, PROGRAMS, SESSION

TURN = 0  # grows whenever a program is let run on
INSIDE = 1  # 1 while a program (its check, its run) has the processor, 0 while the engine has it
MARK = 2  # of the program that runs; 0: several do
STEPS = 3  # primitive steps that were taken, by all environments together
CANCEL = 4  # written from outside: the number of the request that is no longer wanted
COLLECTED = 5  # written from outside: how many of the steps were counted there
STEPPED = 6  # steps of the worlds that the program that runs has begun, each in all environments
ALLOWED = 7  # written from outside: how many it may begin, and 1; 0: any number
WATCHED = 8  # written from outside: 1 while what the player sees is wanted
SIZE = 9 * 8  # bytes; behind them lies what the process spends its time on, see `part_clock`


class Pulse:
    """``memory``: nine integers, see above."""

    def __init__(self) -> None:
        self.memory = memoryview(bytearray(SIZE)).cast("q")
        self._turn = 0

    def attach(self, memory: memoryview) -> None:
        """Write there from now on."""
        self.memory = memory
        self._turn = 0

    def turn(self) -> None:
        """A program goes on."""
        self._turn += 1
        self.memory[TURN] = self._turn

    def enter(self, mark: int = 0) -> None:
        """What follows is done by a program."""
        self.turn()
        self.memory[MARK] = mark
        self.memory[INSIDE] = 1
        CLOCK.switch(PROGRAMS)

    def leave(self) -> None:
        """What follows is done by the engine, and may take as long as it takes."""
        self.memory[INSIDE] = 0
        CLOCK.switch(SESSION)

    @contextmanager
    def inside(self, mark: int) -> Iterator[None]:
        self.enter(mark)
        try:
            yield
        finally:
            self.leave()


PULSE = Pulse()


def mark_of(source: str) -> int:
    """A number of a source, above 0."""
    digest = hashlib.sha256(source.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:7], "little") + 1
