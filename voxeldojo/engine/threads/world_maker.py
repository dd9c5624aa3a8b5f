"""A thread that makes worlds: those that will probably be wanted next, which are stored packed, and
a share of those that are wanted now. Kernels run without Python's lock, so it can have a core of
its own. A world is the same in whichever thread and whenever it is made.
"""

import signal
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from voxeldojo.engine.state import State
from voxeldojo.engine.threads.packed_worlds import PackedWorlds

FAULTS = {signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT}


class Places(Protocol):
    """A batch of worlds."""

    state: State

    def begin(self, place: int, seed: int) -> None:
        """Make the world of a seed, with all that an episode begins with."""
        ...


class WorldMaker:
    """
    Args:
        worlds: the batch. While `reset` runs nothing else may use it.
        spare: a batch of one world like them, where worlds are made ahead.
        places: how many of these there may be at a time.
    """

    def __init__(self, worlds: Places, spare: Places, places: int) -> None:
        self._worlds = worlds
        self._spare = spare
        self._stored = PackedWorlds(places, spare.state.blocks.shape[1])
        self._changed = threading.Condition()
        self._tasks: deque[Callable[[], None]] = deque()
        self._shared: deque[tuple[int, int]] = deque()  # places and seeds, wanted now
        self._failed: list[tuple[int, int]] = []  # those of them that the thread could not make
        self._wanted: list[int] = []  # seeds, the soonest first
        self._made: dict[int, int] = {}  # by seed, where the world is stored
        self._never: set[int] = set()  # seeds whose worlds could not be made or stored
        self._free = list(range(places))
        self._at_work = False
        self._making: int | None = None  # the seed that is made ahead now
        self._over = False
        self.taken = 0  # worlds that were ready when they were wanted
        self._thread = threading.Thread(target=self._work, name="worlds ahead", daemon=True)
        self._thread.start()

    def run(self, task: Callable[[], None]) -> None:
        """Run ``task`` in the thread and wait for it. Raises what it raises."""
        done = threading.Event()
        errors: list[BaseException] = []

        def tried() -> None:
            try:
                task()
            except BaseException as error:  # raised again where it is waited for
                errors.append(error)
            finally:
                done.set()

        with self._changed:
            self._tasks.append(tried)
            self._changed.notify_all()
        done.wait()
        if errors:
            raise errors[0]

    def foresee(self, seeds: Sequence[int]) -> None:
        """Make the worlds of these seeds, the soonest first, while there are free places. A world
        that was made keeps its place until it is taken, or its seed is foreseen no longer."""
        with self._changed:
            self._wanted = list(seeds)
            self._changed.notify_all()

    def reset(self, pairs: Sequence[tuple[int, int]]) -> None:
        """New episodes: places of the batch and their seeds."""
        found: list[tuple[int, int]] = []
        late: list[tuple[int, int]] = []
        left: deque[tuple[int, int]] = deque()
        with self._changed:
            # The world that is being made now keeps its place until it is taken below.
            gone = {seed for _, seed in pairs if seed != self._making}
            self._wanted = [seed for seed in self._wanted if seed not in gone]
            for place, seed in pairs:
                if (at := self._made.pop(seed, None)) is not None:
                    found.append((place, at))
                else:
                    (late if seed == self._making else left).append((place, seed))
            if len(left) > 1:
                self._shared = left
                self._changed.notify_all()
        try:
            for place, at in found:
                self._take(at, place)
            while (pair := _popped(left)) is not None:
                self._worlds.begin(*pair)
        finally:
            left.clear()
            with self._changed:
                self._changed.wait_for(lambda: self._making is not None or not self._at_work)
                failed, self._failed = self._failed, []
        for place, seed in late:
            with self._changed:
                self._changed.wait_for(lambda: self._making != seed)  # noqa: B023 - at once
                at = self._made.pop(seed, None)
                self._wanted = [each for each in self._wanted if each != seed]
            if at is None:
                failed.append((place, seed))
            else:
                self._take(at, place)
        for pair in failed:
            self._worlds.begin(*pair)

    def close(self) -> None:
        """End the thread."""
        with self._changed:
            self._over = True
            self._changed.notify_all()
        self._thread.join()

    def _take(self, at: int, place: int) -> None:
        self._stored.take(at, self._worlds.state, place)
        self.taken += 1
        with self._changed:
            self._free.append(at)
            self._changed.notify_all()

    # ---- What the thread does.

    def _work(self) -> None:
        # The main thread handles signals. A memory fault here still has to end the process.
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals() - FAULTS)
        while True:
            with self._changed:
                self._at_work, self._making = False, None
                self._changed.notify_all()
                work = self._next()
                while work is None:
                    if self._over:
                        return
                    self._changed.wait()
                    work = self._next()
                self._at_work = True
            work()

    def _next(self) -> Callable[[], None] | None:
        """What to do next. The lock is held."""
        if self._tasks:
            return self._tasks.popleft()
        if (pair := _popped(self._shared, first=True)) is not None:
            return lambda: self._share(*pair)
        for seed in self._wanted:
            if seed not in self._made and seed not in self._never:
                at = self._place()
                if at is None:
                    return None
                self._making = seed
                return lambda: self._make(at, seed)
        return None

    def _place(self) -> int | None:
        """A free place, if need be that of a world that is not wanted any more."""
        if not self._free:
            for seed in self._made.keys() - set(self._wanted):
                self._free.append(self._made.pop(seed))
        return self._free.pop() if self._free else None

    def _share(self, place: int, seed: int) -> None:
        try:
            self._worlds.begin(place, seed)
        except Exception:  # out of memory: `reset` tries again, and raises the error
            self._failed.append((place, seed))

    def _make(self, at: int, seed: int) -> None:
        try:
            self._spare.state.players["fresh"] = -1  # nothing of what was there before is used
            self._spare.begin(0, seed)
            stored = self._stored.put(self._spare.state, 0, at)
        except Exception:  # `reset` makes it when it is wanted, and raises the error then
            stored = False
        with self._changed:
            if stored:
                self._made[seed] = at
            else:
                self._free.append(at)
                self._never.add(seed)


def _popped(pairs: deque[tuple[int, int]], first: bool = False) -> tuple[int, int] | None:
    """A pair from one end, or None. Two threads take from different ends without a lock."""
    try:
        return pairs.popleft() if first else pairs.pop()
    except IndexError:
        return None
