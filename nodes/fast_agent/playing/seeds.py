"""Which seeds are played for what: no evaluation ever sees a seed that was trained or tried on, no
performance one that anything was decided by, and no tryout one that an earlier tryout was played
on, up to 25,000 episodes of tryouts in a run. Skills are tried again on seeds of their own: in an
earlier run of this seed, those of other tryouts may be the ones that a skill was kept by."""

import threading
import zlib
from collections.abc import Callable

import msgspec

from messages.world import SeedRange
from nodes.common.parameters.hyperparameters import MOST_DEMONSTRATIONS
from nodes.common.storage.node_memory import Memory

_PER_RUN = 1_000_000
_TRAINING = 900_000
_TRIAL = 25_000
_REUSE = 25_000
_EVALUATION = 12_500
_PERFORMANCE = 12_500
_VALIDATION = 25_000
_WHILE_TRAINING = 10_000  # before the end of training's range, to which no training comes


def training_seeds(seed: int) -> SeedRange:
    """Seeds of training episodes in a run with this seed."""
    return SeedRange(first=seed * _PER_RUN, count=_TRAINING)


def seeds_while_training(seed: int, size: int, goal: str) -> SeedRange:
    """Seeds on which a policy is tried out as it is trained for a goal: the same each time, and as
    a rule others than those of another goal. A policy that goes on from the best weights of an
    earlier training would else begin on the seeds that these were chosen by."""
    left = _WHILE_TRAINING - MOST_DEMONSTRATIONS  # the last are the learner's demonstrations
    size = min(size, left)
    slices = left // size
    first = zlib.crc32(goal.encode()) % slices * size
    return SeedRange(first=seed * _PER_RUN + _TRAINING - _WHILE_TRAINING + first, count=size)


def trial_seeds(seed: int, used: int = 0, size: int = _TRIAL) -> SeedRange:
    """Seeds of a tryout of ``size`` episodes, after ``used`` others. When too few are left it goes
    round."""
    return _next(seed * _PER_RUN + _TRAINING, _TRIAL, used, size)


def reuse_seeds(seed: int, used: int = 0, size: int = _REUSE) -> SeedRange:
    """Seeds of the tryout of a skill, in the same way."""
    return _next(seed * _PER_RUN + _TRAINING + _TRIAL, _REUSE, used, size)


def evaluation_seeds(seed: int) -> SeedRange:
    """Seeds of the outer loop's evaluations, by which iterations are stopped and, in a plan of
    several subtasks, chosen."""
    first = seed * _PER_RUN + _TRAINING + _TRIAL + _REUSE
    return SeedRange(first=first, count=_EVALUATION)


def performance_seeds(seed: int) -> SeedRange:
    """Seeds of the performance that the rate of a goal of several subtasks is of."""
    return SeedRange(first=evaluation_seeds(seed).first + _EVALUATION, count=_PERFORMANCE)


def validation_seeds(seed: int) -> SeedRange:
    """Seeds of the performances before, by which is decided what is performed in the end."""
    return SeedRange(first=performance_seeds(seed).first + _PERFORMANCE, count=_VALIDATION)


class _Tryout(msgspec.Struct, frozen=True):
    id: str
    size: int


class TryoutSeeds:
    """The tryouts of a run in their order, each with seeds of its own: one that is begun again, by
    a later process of the node, has the same.

    Args:
        memory: the node's.
        seed: the run's.
        name: under which they are remembered.
        seeds_of: the seeds of a tryout in a run with this seed, by the episodes before it and its
            own.
    """

    def __init__(
        self, memory: Memory, seed: int, name: str, seeds_of: Callable[[int, int, int], SeedRange]
    ) -> None:
        self._memory = memory
        self._seed = seed
        self._name = name
        self._seeds_of = seeds_of
        self._lock = threading.Lock()

    def seeds(self, id: str, size: int) -> SeedRange:
        with self._lock:
            known = self._memory.find(self._name, list[_Tryout]) or []
            place = next((at for at, each in enumerate(known) if each.id == id), None)
            if place is None:
                place = len(known)
                known = self._memory.keep(self._name, [*known, _Tryout(id, size)])
        return self._seeds_of(
            self._seed, sum(each.size for each in known[:place]), known[place].size
        )


def _next(start: int, count: int, used: int, size: int) -> SeedRange:
    """``size`` of the ``count`` seeds from ``start`` on, after those that are used."""
    first = used % count
    if count - first < size:
        first = 0
    return SeedRange(first=start + first, count=min(size, count))
