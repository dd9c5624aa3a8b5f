"""Which seeds are played for what: no evaluation ever sees a seed that was trained or tried on."""

from messages.world import SeedRange

_PER_RUN = 1_000_000
_TRAINING = 900_000
_TRIAL = 50_000


def training_seeds(seed: int) -> SeedRange:
    """Seeds of training episodes in a run with this seed."""
    return SeedRange(first=seed * _PER_RUN, count=_TRAINING)


def trial_seeds(seed: int) -> SeedRange:
    """Seeds of the inner loop's tryouts."""
    return SeedRange(first=seed * _PER_RUN + _TRAINING, count=_TRIAL)


def evaluation_seeds(seed: int) -> SeedRange:
    """Seeds of the outer loop's evaluations."""
    return SeedRange(first=seed * _PER_RUN + _TRAINING + _TRIAL, count=_TRIAL)
