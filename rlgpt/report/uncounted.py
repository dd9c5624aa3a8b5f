"""What trainings have spent that no iteration counts: those that were cut off, or are under way."""

from pathlib import Path

from messages.training import TRAIN, Trained
from nodes.common.goals.goal_ids import file_name
from rlgpt.curves.joining import event_files
from rlgpt.curves.skimming import skim
from rlgpt.report import stores


def uncounted(run: Path, trainings: list[str]) -> int:
    """Primitive steps of these trainings, by the ids of their goals. Of one that has no result they
    are read off its curve, which has none of what resets have spent."""
    return sum(_spent(run, each) for each in trainings)


def _spent(run: Path, training: str) -> int:
    record = stores.goal(run, TRAIN, training)
    trained = None if record is None else stores.result(record, Trained)
    if trained is not None:
        return trained.samples + trained.prefix_samples
    # The newest file counts: a learner that was killed goes on from a checkpoint before its end.
    for path in reversed(event_files(run / "learner" / "tensorboard" / file_name(training))):
        ends = [int(steps[-1]) for steps, _, _ in skim(path).values() if len(steps)]
        if ends:
            return max(ends)
    return 0
