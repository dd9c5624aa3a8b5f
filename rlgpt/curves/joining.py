"""The curves of a run's event files, each policy's joined over the restarts of its learner."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rlgpt.curves.event_files import Columns, EventFile

Key = tuple[str, str]
"""The policy, as its folder is named, and the tag: what is measured."""


def event_files(root: Path) -> list[Path]:
    """Below a TensorBoard folder, those of one policy in the order they were written in."""
    return sorted(root.rglob("events.out.tfevents.*"))


def policy_of(path: Path, root: Path) -> str:
    return path.parent.relative_to(root).as_posix()


def read_curves(
    root: Path, wanted: Callable[[str], bool] = lambda policy: True
) -> dict[Key, Columns]:
    """The curves below a TensorBoard folder, by policy and tag; none if there is no such folder.
    ``wanted``: of which policies; of others nothing is read."""
    parts: dict[Key, list[Columns]] = {}
    for path in event_files(root):
        if not wanted(policy_of(path, root)):
            continue
        for tag, columns in EventFile(path).read().items():
            parts.setdefault((policy_of(path, root), tag), []).append(columns)
    return joined_curves(parts)


def joined_curves(parts: Mapping[Key, Sequence[Columns]]) -> dict[Key, Columns]:
    """The joined curves that have a point."""
    each = {key: joined(columns) for key, columns in sorted(parts.items())}
    return {key: columns for key, columns in each.items() if len(columns[0])}


def joined(parts: Sequence[Columns]) -> Columns:
    """One curve, by samples, of parts in the order they were written in.

    A learner that was killed goes on from its checkpoint, before its last points, and takes other
    steps from there: what was measured after that checkpoint is of a training that is lost, and is
    left out, as are values that are not finite."""
    steps, values, times = (np.concatenate(each) for each in zip(*parts, strict=True))
    if len(steps) > 1 and not (np.diff(steps) > 0).all():
        kept = steps < _least_after(steps)
        steps, values, times = steps[kept], values[kept], times[kept]
    finite: NDArray[np.bool_] = np.isfinite(values)
    return steps[finite], values[finite], times[finite]


def _least_after(steps: NDArray[np.int64]) -> NDArray[np.int64]:
    """Of each point the least step of all that were written after it."""
    least = np.minimum.accumulate(steps[::-1])[::-1]
    return np.append(least[1:], np.iinfo(np.int64).max)
