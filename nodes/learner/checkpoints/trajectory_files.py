"""The kept trajectories on disk, beside the checkpoint that names their files.

They are large (500 of 1,000 decisions are a quarter of a gigabyte) and never change, and a
checkpoint is written every second: so each is written once, when it is new. A file holds those that
were kept between two checkpoints. It is written before the checkpoint that names it, so a kill at
any moment leaves every file that a whole checkpoint needs.
"""

from pathlib import Path
from typing import Any

from nodes.learner.checkpoints import checkpoint
from nodes.learner.optimising.imitation import Trajectories, Trajectory

_PREFIX = "trajectories-"


class TrajectoryFiles:
    """The trajectory files of one policy, in its folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files: list[tuple[str, int]] = []  # name, and how many trajectories; oldest first
        self._before: set[str] = set()  # names in the previous checkpoint
        self._written = 0  # how many trajectories were ever written

    def save(self, trajectories: Trajectories) -> list[list[Any]]:
        """Write the new trajectories. Returns the list of files for the checkpoint."""
        if (new := trajectories.ever - self._written) > 0:
            fresh = list(trajectories.kept)[-new:]
            # Named by the number of its first trajectory. A file of this name can only be left
            # over from a process whose checkpoint was lost.
            name = f"{_PREFIX}{trajectories.ever - len(fresh)}.pt"
            lengths = [len(trajectory.choices) for trajectory in fresh]
            whole = Trajectory.joined(fresh)
            tensors = {"features": whole.features, "mask": whole.mask, "choices": whole.choices}
            checkpoint.write(self.folder / name, {"lengths": lengths, **tensors})
            self._files.append((name, len(fresh)))
            self._written = trajectories.ever
        spare = sum(count for _, count in self._files) - len(trajectories.kept)
        while self._files and self._files[0][1] <= spare:
            spare -= self._files.pop(0)[1]
        return [list(file) for file in self._files]

    def tidy(self) -> None:
        """Remove the files that neither this checkpoint nor the previous one needs."""
        now = {name for name, _ in self._files}
        for path in self.folder.glob(f"{_PREFIX}*"):
            if path.name not in now | self._before:
                path.unlink(missing_ok=True)
        self._before = now

    def load(self, trajectories: Trajectories, files: list[list[Any]]) -> str:
        """Fill ``trajectories``, whose ``ever`` is set, from the files that a checkpoint names.
        Returns one sentence if a file is bad, and then keeps none of them."""
        self._written = trajectories.ever
        found: list[Trajectory] = []
        try:
            for name, _ in files:
                found += _split(checkpoint.read(self.folder / name))
        except checkpoint.BadCheckpoint as error:
            return str(error)
        self._files = [(name, count) for name, count in files]
        self._before = {name for name, _ in files}
        trajectories.kept.extend(found)
        return ""


def _split(state: dict[str, Any]) -> list[Trajectory]:
    parts = [state[name].split(state["lengths"]) for name in ("features", "mask", "choices")]
    return [
        Trajectory(features.clone(), mask.clone(), choices.clone())
        for features, mask, choices in zip(*parts, strict=True)
    ]
