"""The batch interface: arrays of ids and numbers, many worlds a call."""

import itertools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.world.rows import Pace, Row
from voxeldojo.engine import EmbeddedWorld
from voxeldojo.engine.threads.shared_stepping import FEWEST

RAYS = np.radians(
    np.array([(p, y) for p in np.linspace(-40, 40, 8) for y in np.linspace(-63, 63, 15)])
).astype(np.float32)
PICTURES = ((64, 64, 1500.0), (160, 256, 200.0))
PLAINS: dict[str, Any] = {"biome": "plains", "inventory": {"log": 8, "wooden_pickaxe": 1}}


def plays(worlds: int, steps: int = 509) -> NDArray[np.int64]:
    """Actions as a beginner takes them: walking, turning a little, digging and using; rarely an
    item is crafted, equipped, placed or dropped. (steps, worlds, 8)"""
    chance = np.random.default_rng(worlds)
    shape = (steps, worlds)
    function = chance.choice(
        [0, 3, 1, 2, 4, 5, 6], shape, p=[0.45, 0.45, 0.05, 0.01, 0.02, 0.01, 0.01]
    )
    columns = [
        chance.choice([0, 1, 2], shape, p=[0.3, 0.6, 0.1]),
        chance.choice([0, 1, 2], shape, p=[0.8, 0.1, 0.1]),
        chance.choice([0, 1, 2, 3], shape, p=[0.6, 0.2, 0.05, 0.15]),
        chance.choice([11, 12, 13], shape, p=[0.1, 0.8, 0.1]),
        chance.choice([11, 12, 13], shape, p=[0.2, 0.6, 0.2]),
        function,
        chance.integers(0, 244, shape),
        chance.integers(0, 3, shape),
    ]
    return np.stack(columns, -1)


class Played:
    """Worlds in which some time has passed."""

    def __init__(self, worlds: int, steps: int = 200) -> None:
        self.world = EmbeddedWorld(worlds, **PLAINS, strict=False)
        self._seeds = np.arange(worlds)
        self._every_row = np.ones(worlds, np.bool_)
        self._plays = plays(worlds)
        self._steps = steps
        self.begin()

    def begin(self) -> None:
        """Reset all worlds and play their first steps. Rows are of the same minutes so: later in
        the day there are other mobs, and what players have dug and lost."""
        self.world.reset(self._seeds, self._seeds)
        self._actions = itertools.cycle(self._plays)
        for _ in range(self._steps):
            self.step()

    def step(self) -> None:
        self.world.step(next(self._actions), self._every_row)


def measure(pace: Pace, sizes: list[int], cores: set[int]) -> list[Row]:
    """``cores``: those that there are, for the rows that use them all."""
    rows = []
    for worlds in sizes:
        played = Played(worlds)
        world = played.world
        rates = partial(pace.rates, each=worlds, before=played.begin)

        def step() -> None:
            played.step()  # noqa: B023
            world.observe()  # noqa: B023

        def features() -> None:
            played.step()  # noqa: B023
            world.observe(  # noqa: B023
                ("inventory", "voxels", "location", "life", "masks", "rays"),
                radius=4,
                rays=RAYS,
                reach=20.0,
            )

        count = f"{worlds} worlds" if worlds > 1 else "one world"

        def shared(name: str, unit: str, call: Callable[[], Any]) -> None:
            """A row of the same on all cores, if there are several."""
            if len(cores) > 1:
                with on_cores(world, cores):  # noqa: B023
                    found = rates(call)  # noqa: B023
                name = f"{name}, {count} on {len(cores)} cores"  # noqa: B023
                rows.append(_row(name, unit, found, None))

        name = f"default observation (3x3x3 voxels, inventory, stats, masks), {count}"
        target = 400_000.0 if worlds == 64 else None
        rows.append(_row(name, "steps/s", rates(step), target))
        if worlds >= FEWEST:
            shared("the same", "steps/s", step)
        if worlds == 64:
            name = "the same without observations, 64 worlds"
            rows.append(_row(name, "steps/s", rates(played.step), None))
            name = f"9x9x9 voxels and {len(RAYS)} rays beside them, 64 worlds"
            rows.append(_row(name, "steps/s", rates(features), 40_000.0))
            shared("the same", "steps/s", features)
            for height, width, wanted in PICTURES:
                which = itertools.cycle(range(worlds))
                one = rates(lambda: world.rgb(next(which), height, width), each=1)  # noqa: B023
                rows.append(_row(f"RGB {height}x{width}", "frames/s", one, wanted))
                drawn = partial(world.rgb_all, height, width)
                shared(f"RGB {height}x{width}", "frames/s", drawn)
        world.close()
    return rows


@contextmanager
def on_cores(world: EmbeddedWorld, cores: set[int]) -> Iterator[None]:
    """A world whose environments are shared among a thread on each of these cores. A new thread has
    the cores of the one that starts it."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        world.share_among(len(cores))
        yield
    finally:
        world.share_among(1)
        os.sched_setaffinity(0, before)


def _row(name: str, unit: str, values: list[float], target: float | None) -> Row:
    return Row(section="batch interface", name=name, unit=unit, values=values, target=target)
