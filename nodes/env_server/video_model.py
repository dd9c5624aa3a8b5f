"""What a session needs of MineCLIP, wherever that is: in this process, or beyond the jail."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from messages.world import Interface
from worlds.common.feature_matrix import MINECLIP
from worlds.play import Bools, Floats, Readings

FRAMES = 16
"""The last ones of them are compared with a prompt."""
_LONGEST = 60.0  # seconds of one decision, of the 110 that a step may take
_OFF = (
    "needs MineCLIP's weights, and this run has none: launch with mineclip.weights=PATH "
    "(docs/mineclip.md), or leave it out"
)


class VideoModel(Protocol):
    """See `models.mineclip.MineClip`. ``seconds``: that a frame takes, about."""

    height: int
    width: int
    seconds: float

    def embed(self, frames: NDArray[np.uint8]) -> Floats: ...
    def reward(self, clips: Floats, prompt: str, negatives: Sequence[str] = ()) -> Floats: ...


def check(interface: Interface, model: VideoModel | None, size: int, longest: int) -> None:
    """Check that the video model, if the interface needs it, is fast enough for ``size``
    environments. ``longest``: the steps that a decision takes at most.

    Raises:
        ValueError: there is none, or it cannot.
    """
    paid = any(term.kind == MINECLIP for term in interface.rewards)
    seen = MINECLIP in interface.observations
    if not paid and not seen:
        return
    if model is None:
        what = "reward term" if paid else "observation"
        raise ValueError(f"the {what} {MINECLIP!r} {_OFF}")
    # What a decision may show at most: of every primitive step, or before and after a reset.
    frames = 1 + longest if paid else 2
    seconds = size * frames * model.seconds
    if seconds > _LONGEST:
        raise ValueError(
            f"MineCLIP takes {model.seconds:.2g} s a frame here, so that a decision of {size} "
            f"environments with {frames} frames each could take {seconds:.0f} s, and {_LONGEST:g} "
            "is the most: train fewer environments (learner.environments=1), shorten "
            "macros and guards, or give it a GPU (mineclip.device=cuda)"
        )


class Clips:
    """The last frames of each environment, as ``embeddings`` (B, FRAMES, EMBEDDING). Before an
    episode all was black."""

    def __init__(self, model: VideoModel, size: int) -> None:
        self._black = model.embed(np.zeros((1, 3, model.height, model.width), np.uint8))[0]
        self.embeddings = np.tile(self._black, (size, FRAMES, 1))

    def begin(self, readings: Readings, rows: Bools) -> None:
        """Episodes or stages begin in ``rows`` (B,)."""
        self.embeddings[rows] = self._black
        self.add(readings, rows)

    def add(self, readings: Readings, rows: Bools) -> None:
        """A frame more in ``rows`` (B,)."""
        self.embeddings[rows, :-1] = self.embeddings[rows, 1:]
        self.embeddings[rows, -1] = readings.embedding()[rows]
