"""Episodes that are played beside a training, one in each environment: tryouts, demonstrations."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from messages.world import Opened, Stepped
from nodes.learner.collecting.sessions import Session

Choose = Callable[[np.ndarray[Any, Any], np.ndarray[Any, Any]], np.ndarray[Any, Any]]
"""Choices int64 (B,) from features (B, F) and a mask (B, N)."""


class Observer(Protocol):
    """Gets every decision and its outcome."""

    def begin(self, opened: Opened) -> None: ...
    def see(self, choices: np.ndarray[Any, Any], stepped: Stepped) -> None: ...


@dataclass
class SingleEpisodes:
    """How one episode in each of B environments went.

    Attributes:
        success: bool (B,), of the stage.
        steps: primitive steps, with those of prefixes and of leading stages.
    """

    success: np.ndarray[Any, Any]
    steps: int

    @property
    def rate(self) -> float:
        return float(self.success.mean())


def play_once(
    session: Session,
    choose: Choose,
    check: Callable[[], None],
    observer: Observer | None = None,
) -> SingleEpisodes:
    """Play a session that was made with ``once`` to its end; the caller closes it.

    ``check`` is called before each decision and may raise.

    Raises:
        SessionLost: its episodes have to be played again.
    """
    opened = session.open(0, check)
    features, mask = opened.features, opened.mask
    steps = opened.prefix_steps
    over = np.zeros(session.size, bool)
    success = np.zeros(session.size, bool)
    if observer is not None:
        observer.begin(opened)
    while not over.all():
        check()
        choices = choose(features, mask)
        stepped = session.step(choices)
        steps += int(stepped.steps.sum()) + stepped.prefix_steps
        success |= stepped.success & ~over
        over |= stepped.terminated | stepped.truncated
        if observer is not None:
            observer.see(choices, stepped)
        features, mask = stepped.features, stepped.mask
    return SingleEpisodes(success=success, steps=steps)
