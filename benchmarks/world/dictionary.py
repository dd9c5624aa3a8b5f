"""One world through ``make()``: MineDojo's observation dictionary with its names."""

import itertools

import numpy as np

from benchmarks.world.rows import Pace, Row
from benchmarks.world.whole_batch import plays
from voxeldojo.minedojo_api import make

SIZES = (((16, 16), 5000.0), ((64, 64), None), ((160, 256), None))


def measure(pace: Pace) -> list[Row]:
    rows = []
    actions = plays(1)[:, 0]
    # Nothing here may be refused: an empty slot cannot be equipped.
    actions[np.isin(actions[:, 5], (5, 6, 7)), 5] = 0
    for size, target in SIZES:
        environment = make("harvest_1_diamond", image_size=size, world_seed="7")
        environment.reset()
        chosen = itertools.cycle(actions)
        rates = pace.rates(
            lambda: environment.step(next(chosen)),  # noqa: B023
            before=environment.reset,
        )
        environment.close()
        height, width = size
        rows.append(
            Row(
                section="make(), one world",
                name=f"full dictionary, picture {height}x{width}",
                unit="steps/s",
                values=rates,
                target=target,
            )
        )
    return rows
