"""The flat forms of many environments in one compiled call."""

from typing import Any

from numpy.typing import NDArray

from voxeldojo.environments.plays import Step
from voxeldojo.environments.vector import BatchVector
from voxeldojo.world_interface import Bools, Ints
from worlds.minecraft.play.gymnasium.policy_view import PolicyView
from worlds.minecraft.play.gymnasium.sights import Features


class FlatVector(BatchVector):
    """Numbered actions in, one array out; `FlatEnvironment` has the rest."""

    def __init__(
        self, view: PolicyView, action_names: list[str], max_episode_steps: int | None
    ) -> None:
        super().__init__(view.play, max_episode_steps, view.sight.space, view.action_space)
        self._view = view
        self.prompt = view.play.prompt
        self.action_names = action_names
        self.layout = view.sight.layout if isinstance(view.sight, Features) else {}

    def _begin_episodes(self, rows: Ints, seeds: Ints) -> None:
        self._view.begin(rows, seeds)

    def _play_on(self, actions: Ints, active: Bools) -> Step:
        return self._view.step(actions, active)

    def _observe(self) -> NDArray[Any]:
        return self._view.see()

    def _infos(self, success: Bools) -> dict[str, Any]:
        return {**super()._infos(success), "action_mask": self._view.mask()}
