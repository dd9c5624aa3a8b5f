"""Threads that do parts of a task at once. Kernels run without Python's lock, so each thread can
have a core of its own.
"""

import signal
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial

from voxeldojo.engine.threads.world_maker import FAULTS
from voxeldojo.world_interface import Run

_SHARES = 4  # slices for each thread: the worlds of one may make new ground, which takes long


class Crew:
    """``threads``: how many there are, the caller's own among them. The others are started here:
    in the jail none can be started later.

    Raises:
        ValueError: fewer than one.
    """

    def __init__(self, threads: int = 1) -> None:
        if threads < 1:
            raise ValueError(f"worlds are stepped and drawn by 1 thread or more, not {threads}")
        # Executors of one thread each: the jail has to reach every single thread.
        self._others = [
            ThreadPoolExecutor(1, "crew", initializer=_block_signals) for _ in range(threads - 1)
        ]
        self.runs: list[Run] = [partial(_run, other) for other in self._others]
        """What runs a function in each of the other threads and waits for it."""
        for run in self.runs:
            run(_start)

    @property
    def threads(self) -> int:
        return 1 + len(self._others)

    def share(self, parts: Sequence[Callable[[], None]]) -> None:
        """Run all parts at once, no more than there are threads. Returns when all of them are over,
        and raises what one of them raised."""
        own, *rest = parts
        begun = [
            other.submit(part) for other, part in zip(self._others[: len(rest)], rest, strict=True)
        ]
        try:
            own()
        finally:
            wait(begun)  # they may not go on while the caller steps the world
        for part in begun:
            part.result()

    def share_out(self, count: int, some: Callable[[slice], None], pays: bool = True) -> None:
        """Call ``some`` with slices that together are the first ``count`` of a row of environments:
        with one slice unless sharing ``pays``. Each thread takes the next one when it is done with
        the last. Raises what it raised in one of the threads.
        """
        if not pays or self.threads == 1:
            some(slice(0, count))
            return
        size = max(1, -(-count // (_SHARES * self.threads)))
        # One iterator for all threads: Python's lock gives each entry to one of them.
        left = iter([slice(at, at + size) for at in range(0, count, size)])

        def part() -> None:
            for each in left:
                some(each)

        self.share([part] * self.threads)

    def close(self) -> None:
        """End the threads."""
        for other in self._others:
            other.shutdown()


def _run(executor: ThreadPoolExecutor, task: Callable[[], None]) -> None:
    executor.submit(task).result()


def _start() -> None:
    """An executor starts its thread for its first task."""


def _block_signals() -> None:
    # The main thread handles signals. A memory fault here still has to end the process.
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals() - FAULTS)
