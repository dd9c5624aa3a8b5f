"""Which seeds are played for what: no evaluation ever sees a seed that was trained or tried on, no
performance one that anything was decided by, and no tryout one that an earlier tryout was played
on, up to 50,000 episodes of tryouts in a run."""

import threading
import zlib

import msgspec

from messages.world import SeedRange
from nodes.common.parameters.hyperparameters import MOST_DEMONSTRATIONS
from nodes.common.storage.node_memory import Memory

_PER_RUN = 1_000_000
_TRAINING = 900_000
_TRIAL = 50_000
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
    first = used % _TRIAL
    if _TRIAL - first < size:
        first = 0
    return SeedRange(first=seed * _PER_RUN + _TRAINING + first, count=min(size, _TRIAL))


def evaluation_seeds(seed: int) -> SeedRange:
    """Seeds of the outer loop's evaluations, by which iterations are stopped and, in a plan of
    several subtasks, chosen."""
    return SeedRange(first=seed * _PER_RUN + _TRAINING + _TRIAL, count=_EVALUATION)


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
    a later process of the node, has the same."""

    def __init__(self, memory: Memory, seed: int) -> None:
        self._memory = memory
        self._seed = seed
        self._lock = threading.Lock()

    def seeds(self, id: str, size: int) -> SeedRange:
        with self._lock:
            known = self._memory.find("tryouts", list[_Tryout]) or []
            place = next((at for at, each in enumerate(known) if each.id == id), None)
            if place is None:
                place = len(known)
                known = self._memory.keep("tryouts", [*known, _Tryout(id, size)])
        return trial_seeds(self._seed, sum(each.size for each in known[:place]), known[place].size)
