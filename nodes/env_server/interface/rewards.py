"""The reward of a training spec: a sum of terms, paid at each primitive step."""

import numpy as np
from numpy.typing import NDArray

from messages.world import RewardTerm
from nodes.env_server.interface.conditions import item_id, target_id
from nodes.env_server.programs import ProgramRefused
from nodes.env_server.programs.reward import CodeReward
from nodes.env_server.readings import Readings
from nodes.env_server.video_model import Clips, VideoModel
from nodes.env_server.worlds.world import Bools, Floats, World


class Rewards:
    """Pays the terms of one interface.

    ``gain`` pays for more of an item than was ever held in the episode, so that dropping and taking
    up again earns nothing. ``approach`` pays for coming nearer than ever in the episode, so that
    neither looking away and back nor going from one block to the next earns anything twice.

    Raises:
        ValueError: a term names what the world does not have.
    """

    def __init__(
        self, terms: list[RewardTerm], world: World, model: VideoModel | None = None
    ) -> None:
        self._terms = terms
        self._model = model
        self._clips: Clips | None = None
        # Of the item, block or mob, and whether it is a mob.
        self._ids = [
            (item_id(world, term.name), False)
            if term.kind == "gain"
            else target_id(world, term.name)
            if term.kind in ("approach", "facing")
            else (0, False)
            for term in terms
        ]
        # What a term compares with: most items held, least distance seen (inf: never).
        self._before = [np.zeros(world.size) for _ in terms]
        self._code: dict[int, CodeReward] = {}
        for place, term in enumerate(terms):
            if term.kind == "code":
                try:
                    self._code[place] = CodeReward(term.source, world.size)
                except ProgramRefused as refused:
                    raise ValueError(f"a reward does not compile: {refused}") from None
            elif term.kind == "mineclip" and model is not None:
                self._clips = self._clips or Clips(model, world.size)
                model.reward(self._clips.embeddings[:0], term.name, term.negatives)

    def mistakes(self) -> dict[str, int]:
        """What went wrong in rewards that are code, in words, and how often."""
        found: dict[str, int] = {}
        for code in self._code.values():
            for said, times in code.mistakes.items():
                found[said] = found.get(said, 0) + times
        return found

    def begin(self, readings: Readings, rows: Bools) -> None:
        """Episodes or stages begin in ``rows`` (B,)."""
        for term, (number, mob), before in zip(self._terms, self._ids, self._before, strict=True):
            if term.kind == "gain":
                before[rows] = readings.count(number)[rows]
            elif term.kind == "approach":
                before[rows] = _distance(readings, number, mob)[rows]
        for code in self._code.values():
            code.begin(readings, rows)
        if self._clips is not None:
            self._clips.begin(readings, rows)

    def pay(self, readings: Readings, active: Bools, success: Bools) -> Floats:
        """Reward (B,) of the last step, 0 where not ``active``."""
        reward = np.zeros(len(active), np.float32)
        if self._clips is not None:
            self._clips.add(readings, active)
        for place, (term, (number, mob), before) in enumerate(
            zip(self._terms, self._ids, self._before, strict=True)
        ):
            if term.kind == "success":
                reward += term.weight * success
            elif term.kind == "code":
                reward += term.weight * self._code[place].pay(readings, active)
            elif term.kind == "mineclip":
                reward[active] += term.weight * self._alike(term, active)
            elif term.kind == "step":
                reward += term.weight
            elif term.kind == "facing":
                faced = readings.met() if mob else readings.facing()
                reward += term.weight * (faced[0] == number)
            elif term.kind == "gain":
                now = readings.count(number)
                reward += term.weight * np.maximum(now - before, 0)
                np.maximum(before, now, out=before, where=active)
            else:
                now = _distance(readings, number, mob)
                known = active & np.isfinite(before) & np.isfinite(now)
                closer = np.zeros(len(active))
                np.subtract(before, now, out=closer, where=known)
                reward += term.weight * np.maximum(closer, 0)
                np.minimum(before, now, out=before, where=active)
        reward[~active] = 0
        return reward

    def _alike(self, term: RewardTerm, active: Bools) -> Floats:
        """What MineCLIP pays those that are ``active``, (n,)."""
        assert self._model is not None
        assert self._clips is not None
        return self._model.reward(self._clips.embeddings[active], term.name, term.negatives)


def _distance(readings: Readings, number: int, mob: bool) -> NDArray[np.floating]:
    """Metres to the nearest block or mob of that id that the fan of rays or the crosshair sees."""
    ids, distances = readings.mob_fan() if mob else readings.fan()
    return np.where(ids == number, distances, np.inf).min(1)
