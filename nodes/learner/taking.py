"""A training takes parameters that were set while it goes on, and records from which sample on."""

import logging
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from nodes.kept_parameters import append_lines
from nodes.learner.parameters import TAKEN_WHILE_TRAINING, Hyperparameters

if TYPE_CHECKING:
    from nodes.learner.state import TrainingState

TAKEN = "taken.jsonl"
"""In the learner's folder."""


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """A parameter that a training took. ``samples``: that it had learned from."""

    time: float  # seconds since the epoch
    policy: str
    samples: int
    name: str
    old: float
    new: float


def take_parameters(
    given: Hyperparameters,
    used: Hyperparameters,
    state: "TrainingState",
    policy: str,
    learner: Path,
    log: logging.Logger,
) -> None:
    """Have ``state`` learn with what was ``given`` by now, in place of what it has ``used``."""
    samples = state.counters.samples
    changed = [
        Taken(time=time.time(), policy=policy, samples=samples, name=name, old=old, new=new)
        for name in TAKEN_WHILE_TRAINING
        if (old := getattr(used, name)) != (new := getattr(given, name))
    ]
    if not changed:
        return
    for each in changed:
        setattr(used, each.name, each.new)
        log.info("%s: %s is %s from %d samples on", policy, each.name, each.new, samples)
    state.ppo.take()
    try:
        append_lines(learner / TAKEN, changed)
    except OSError as error:
        log.warning("what %s took is not recorded: %s", policy, error)
