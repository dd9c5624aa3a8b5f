"""The features of one interface, side by side in one matrix of float32; of uint8 where all of them
are pictures, which are four times as large else, on the wire and in the learner's memory.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from messages.world import Field, Interface
from worlds.common.pictures import only_pictures, picture_shape, picture_size
from worlds.play import EMBEDDING, Floats, FloatsOrPixels, Ints

MINECLIP = "mineclip"
"""The feature of every game that shows pictures, where there are MineCLIP's weights; so is called
the reward term, too."""


OF_ALL_GAMES = {"previous_choice": 0, "time": 1, "under_way": 2, MINECLIP: EMBEDDING}
"""Features that every game has, with the sizes that cards give them: 0 is that of the choices."""


class Columns(NamedTuple):
    """A feature of a game, made ready for a world. ``write`` gets the game's readings and the
    columns (B, size), float32, that it is to fill."""

    size: int
    write: Callable[[Any, Floats], None]


class FeatureMatrix:
    """``names`` in their order, computed into a buffer that is used again. ``columns``: what the
    game itself has; `time`, `previous_choice`, `under_way`, `mineclip` and pictures (`rgb`) are of
    all games.
    ``choices``: how many there are. ``size``: of the batch.

    Raises:
        ValueError: an unknown feature, one that is named twice, or none at all.
    """

    def __init__(
        self, names: list[str], columns: Mapping[str, Columns], choices: int, size: int
    ) -> None:
        self._time: Floats = np.zeros(size, np.float32)
        self._previous: Ints = np.full(size, -1)
        self._under_way: Floats | None = None
        general = {
            "previous_choice": Columns(choices, self._previous_choice),
            "time": Columns(1, self._spent_time),
            "under_way": Columns(2, self._interrupted),
        }
        known = {**columns, **general}
        if not names:
            raise ValueError(f"an interface needs observations: some of {', '.join(known)}")
        if len(set(names)) < len(names):
            raise ValueError("an observation is named twice")
        known |= {name: _picture(name) for name in names if picture_shape(name) is not None}
        for name in names:
            if name not in known and name != MINECLIP:
                raise ValueError(f"there is no observation {name!r}; there are {', '.join(known)}")
        known[MINECLIP] = Columns(EMBEDDING, _embedding)
        self.fields = [Field(name=name, size=known[name].size) for name in names]
        columns_in_all = sum(field.size for field in self.fields)
        kind = np.uint8 if only_pictures(names) else np.float32
        self.matrix: FloatsOrPixels = np.zeros((size, columns_in_all), kind)
        # Where each writes, and not the part itself: in a copy that would be an array of its own.
        self._writers: list[tuple[Callable[[Any, Any], None], slice]] = []
        column = 0
        for field in self.fields:
            self._writers.append((known[field.name].write, slice(column, column + field.size)))
            column += field.size

    def compute(
        self, readings: Any, time: Floats, previous: Ints, under_way: Floats | None = None
    ) -> FloatsOrPixels:
        """The matrix (B, F). ``time``: share of the horizon spent. ``previous``: the last choice,
        -1 for none. ``under_way`` (B, 2): of a macro that was interrupted; None: none was. It is
        overwritten by the next call."""
        self._time, self._previous, self._under_way = time, previous, under_way
        for write, columns in self._writers:
            write(readings, self.matrix[:, columns])
        return self.matrix

    def _previous_choice(self, readings: Any, out: Floats) -> None:
        out[:] = 0
        rows = np.flatnonzero(self._previous >= 0)
        out[rows, self._previous[rows]] = 1

    def _interrupted(self, readings: Any, out: Floats) -> None:
        out[:] = 0 if self._under_way is None else self._under_way

    def _spent_time(self, readings: Any, out: Floats) -> None:
        out[:, 0] = self._time


def shows_pictures(interface: Interface) -> bool:
    """Whether pictures are drawn for the policy of this interface: as what it sees, or for MineCLIP
    as a feature or a reward."""
    seen = any(picture_shape(name) or name == MINECLIP for name in interface.observations)
    return seen or any(term.kind == MINECLIP for term in interface.rewards)


def _picture(name: str) -> Columns:
    shape = picture_shape(name)
    assert shape is not None
    _, height, width = shape

    def write(readings: Any, out: FloatsOrPixels) -> None:
        drawn = readings.pictures(height, width).reshape(len(out), -1)
        if out.dtype == np.uint8:
            out[:] = drawn
        else:
            np.multiply(drawn, np.float32(1 / 255), out=out, dtype=np.float32)

    return Columns(picture_size(name), write)


def _embedding(readings: Any, out: Floats) -> None:
    out[:] = readings.embedding()
