"""An environment with MineDojo's own observation dictionary and its eight numbers as an action."""

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from voxeldojo.environments.checked_arguments import (
    check_no_options,
    check_steppable,
    checked_action,
    checked_seed,
)
from voxeldojo.environments.plays import ALONE, FIRST, Play, check_render_mode
from voxeldojo.environments.spaces import space_of_ids, to_ids
from voxeldojo.tasks.world_options import checked_flag

Observation = dict[str, Any]


class DictionaryEnvironment(gymnasium.Env[Observation, NDArray[np.int64]]):
    """One environment. With ``ids`` the names in the dictionary are numbers, which Gymnasium's own
    tools can handle. The episode ends when the task is done or the player dies."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 20}  # noqa: RUF012

    def __init__(
        self,
        play: Play,
        picture: tuple[int, int],
        render_mode: str | None = None,
        ids: bool = False,
    ) -> None:
        check_render_mode(render_mode, self.metadata)
        self.play = play
        self.prompt = play.prompt
        self.render_mode = render_mode
        self._picture = picture
        self._ids = checked_flag("ids", ids)
        self._begun = self._closed = False
        self._space = play.observation_space()
        self.action_space = play.action_space
        self.observation_space = space_of_ids(self._space) if ids else self._space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        check_no_options(options)
        if seed is not None:
            seed = checked_seed(seed)
        super().reset(seed=seed)
        episode = seed if seed is not None else int(self.np_random.integers(1 << 31))
        self.play.begin(FIRST, np.array([episode]))
        self._begun = True
        return self._observe(), {"seed": episode}

    def step(
        self, action: NDArray[np.int64]
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        check_steppable(self._begun, self._closed)
        step = self.play.step(checked_action(action, self.play.action_space)[None], ALONE)
        success = bool(step.success[0])
        over = success or bool(step.died[0])
        return self._observe(), float(step.reward[0]), over, False, {"success": success}

    def _observe(self) -> Observation:
        seen = self.play.observation()
        return to_ids(self._space, seen) if self._ids else seen

    def render(self) -> NDArray[np.uint8] | None:  # type: ignore[override]
        """The picture, (height, width, 3)."""
        if self.render_mode is None:
            return None
        return self.play.world.rgb(0, *self._picture).transpose(1, 2, 0).copy()

    def close(self) -> None:
        self._closed = True
        self.play.close()
