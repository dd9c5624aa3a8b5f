"""What worlds cost beside their steps: resets, memory, compiling."""

import itertools
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

from benchmarks.world.rows import Pace, Row
from benchmarks.world.whole_batch import PLAINS, Played, plays
from voxeldojo.engine import EmbeddedWorld

FIRST_STEP = """
import time
start = time.perf_counter()
import numpy as np
from benchmarks.world.whole_batch import PLAINS
from voxeldojo.engine import EmbeddedWorld
world = EmbeddedWorld(1, **PLAINS)
world.reset(np.zeros(1, np.int64), np.zeros(1, np.int64))
world.step(np.array([[0, 0, 0, 12, 12, 3, 0, 0]]), np.ones(1, np.bool_))
world.observe()
if {picture}:
    world.observe(("rays",), rays=np.zeros((1, 2), np.float32))
    world.observation(0)
print(time.perf_counter() - start)
"""


def measure(pace: Pace, compiling: bool) -> list[Row]:
    rows = [*_resets(pace), *_memory()]
    return rows + _compiling() if compiling else rows


def _row(name: str, unit: str, values: list[float], target: float | None) -> Row:
    return Row(
        section="costs", name=name, unit=unit, values=values, target=target, less_is_better=True
    )


def _resets(pace: Pace) -> list[Row]:
    played = Played(1, 0)
    world, one = played.world, np.zeros(1, np.int64)
    seeds = itertools.count(100)

    def use() -> None:
        for _ in range(300):
            played.step()

    used = pace.times(lambda: world.reset(one, one), use)
    new = pace.times(lambda: world.reset(one, np.array([next(seeds)])), lambda: None)
    world.close()
    return [
        _row("reset of a used world (300 steps)", "ms", used, 1.0),
        _row("reset to a new seed: another world", "ms", new, 20.0),
    ]


def _memory() -> list[Row]:
    """The arrays themselves, and what the process grows by when it plays in 32 of them."""
    before = _resident()
    world = EmbeddedWorld(32, **PLAINS, strict=False)
    world.reset(np.arange(32), np.arange(32))
    for actions in plays(32, 50):
        world.step(actions, np.ones(32, np.bool_))
    grown = (_resident() - before) / 32
    size = sum(array.nbytes for array in world.state) / 32
    world.close()
    return [
        _row("memory of a world, its arrays", "MB", [size / 1e6], 8.0),
        _row("memory of a world, growth of the process", "MB", [grown / 1e6], 8.0),
    ]


def _resident() -> int:
    with open("/proc/self/statm") as figures:
        return int(figures.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _compiling() -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="kernels-") as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}

        def first_step(picture: bool) -> float:
            command = [sys.executable, "-c", FIRST_STEP.format(picture=picture)]
            start = time.perf_counter()
            subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
            return time.perf_counter() - start

        cold = first_step(False)
        rest = first_step(True)
        warm = [first_step(False) for _ in range(3)]
        warm_all = [first_step(True) for _ in range(3)]
    return [
        _row("compiling at the first step", "s", [cold], None),
        _row("compiling all (dictionary and picture too)", "s", [cold + rest], 60.0),
        _row("process start to the first step, from the cache", "s", warm, 2.0),
        _row("the same with dictionary and picture", "s", warm_all, None),
    ]
