"""The session that a training plays in: on one env server, or spread over several."""

import logging
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

from messages.interface import Call
from messages.roll_out import RolledOut, RollOut
from messages.world import Opened, Stepped
from nodes.learner.collecting.session import Arrival, TrainingSession
from nodes.learner.collecting.session_plan import SessionPlan
from nodes.learner.collecting.spread import SpreadSession


class Session(Protocol):
    """A `TrainingSession`, or a `SpreadSession` that is used like one."""

    plan: SessionPlan
    size: int  # environments

    @property
    def room(self) -> float:
        """Primitive steps that it may take by itself, while a guard's turn is waited for."""
        ...

    @room.setter
    def room(self, room: float) -> None: ...

    @property
    def present(self) -> np.ndarray[Any, Any]:
        """Bool (size,): which environments are there."""
        ...

    @property
    def seeds_used(self) -> int: ...

    @property
    def gave_up(self) -> str:
        """Why the training is to end, or empty."""
        ...

    def open(self, seeds_used: int, check: Callable[[], None] = ...) -> Opened: ...

    def take_in(self) -> list[Arrival]:
        """The environments that have come in since the last call."""
        ...

    def step(self, choices: np.ndarray[Any, Any]) -> Stepped: ...

    @property
    def rolls_out(self) -> bool:
        """Whether it can play rollouts itself: see `RollOut`."""
        ...

    def roll_out(self, request: RollOut) -> RolledOut: ...

    def close(self) -> None: ...


def session_on(servers: Mapping[str, Call], plan: SessionPlan, log: logging.Logger) -> Session:
    """A session of the plan, spread over the servers where there are several."""
    if len(servers) == 1:
        (call,) = servers.values()
        return TrainingSession(call, plan)
    return SpreadSession(servers, plan, log)


def absent(session: Session) -> list[int]:
    """The environments that are not there."""
    return np.flatnonzero(~session.present).tolist()
