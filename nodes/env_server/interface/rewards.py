"""The reward of a training spec: a sum of terms, given at each primitive step."""

from typing import Any

import numpy as np

from messages.world import RewardTerm
from nodes.env_server.game_fault import Refusal
from nodes.env_server.programs import ProgramRefused
from nodes.env_server.programs.reward import CodeReward
from nodes.env_server.video_model import Clips, VideoModel
from worlds.common.feature_matrix import MINECLIP
from worlds.play import Bools, Floats, Play, Term, World

GENERAL = ("success", "step", "code", MINECLIP)
"""Kinds of every game; the game itself has the others."""


class Rewards:
    """Computes the reward terms of one interface.

    Raises:
        ValueError: a term names what the game does not have, or does not compile.
    """

    def __init__(
        self,
        terms: list[RewardTerm],
        play: Play,
        world: World,
        model: VideoModel | None = None,
    ) -> None:
        self._terms = terms
        self._model = model
        self._clips: Clips | None = None
        self._own: dict[int, Term] = {
            place: play.reward(term, world)
            for place, term in enumerate(terms)
            if term.kind not in GENERAL
        }
        self._code: dict[int, CodeReward] = {}
        for place, term in enumerate(terms):
            if term.kind == "code":
                try:
                    self._code[place] = CodeReward(term.source, play.programs, world.size)
                except ProgramRefused as refused:
                    raise ValueError(f"a reward does not compile: {refused}") from None
            elif term.kind == MINECLIP and model is not None:
                self._clips = self._clips or Clips(model, world.size)
                model.reward(self._clips.embeddings[:0], term.name, term.negatives)

    def mistakes(self) -> dict[str, int]:
        """What went wrong in rewards that are code, in words, and how often."""
        found: dict[str, int] = {}
        for code in self._code.values():
            for mistake, times in code.mistakes.items():
                found[mistake] = found.get(mistake, 0) + times
        return found

    def begin(self, readings: Any, rows: Bools) -> None:
        """Episodes or stages begin in ``rows`` (B,)."""
        for term in self._own.values():
            term.begin(readings, rows)
        for code in self._code.values():
            code.begin(readings, rows)
        if self._clips is not None:
            self._clips.begin(readings, rows)

    def pay(self, readings: Any, active: Bools, success: Bools) -> Floats:
        """Reward (B,) of the last step, 0 where not ``active``.

        Raises:
            Refusal: it is not finite.
        """
        reward = np.zeros(len(active), np.float32)
        paid: list[Any] = []  # by term
        if self._clips is not None:
            self._clips.add(readings, active)
        for place, term in enumerate(self._terms):
            if term.kind == "success":
                now: Any = term.weight * success
            elif term.kind == "code":
                now = term.weight * self._code[place].pay(readings, active)
            elif term.kind == MINECLIP:
                now = np.zeros_like(reward)
                now[active] = term.weight * self._alike(term, active)
            elif term.kind == "step":
                now = term.weight
            else:
                now = term.weight * self._own[place].pay(readings, active)
            reward += now
            paid.append(now)
        reward[~active] = 0
        if not np.isfinite(reward).all():
            raise Refusal(self._not_finite(paid, active))
        return reward

    def _not_finite(self, paid: list[Any], active: Bools) -> str:
        for term, now in zip(self._terms, paid, strict=True):
            if not np.isfinite((np.zeros(len(active), np.float32) + now)[active]).all():
                named = f"{term.kind} {term.name}".strip()
                return f"the reward term {named!r} is not finite, and no policy can learn from it"
        return "the sum of the reward's terms is not finite: give them smaller weights"

    def _alike(self, term: RewardTerm, active: Bools) -> Floats:
        """MineCLIP's reward of the ``active`` environments, (n,)."""
        assert self._model is not None
        assert self._clips is not None
        return self._model.reward(self._clips.embeddings[active], term.name, term.negatives)
