"""The flat forms: numbered actions in, one array out, as any library of agents takes them."""

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from voxeldojo.environments.checked_arguments import check_no_options, check_steppable, checked_seed
from voxeldojo.environments.plays import ALONE, FIRST, check_render_mode
from voxeldojo.names import quoted
from worlds.minecraft.play.gymnasium.policy_view import PolicyView
from worlds.minecraft.play.gymnasium.sights import Features


class FlatEnvironment(gymnasium.Env[NDArray[Any], np.int64]):
    """One environment. ``action_names`` has the actions by number, ``layout`` the columns of each
    feature (empty for pixels), ``prompt`` the task in words. ``info`` has ``success``,
    ``action_mask`` (int8, 1 where an action can do something) and, after a reset, ``seed``.

    The episode ends when the task is done or the player dies."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 20}  # noqa: RUF012

    def __init__(
        self,
        view: PolicyView,
        action_names: list[str],
        picture: tuple[int, int],
        render_mode: str | None = None,
    ) -> None:
        check_render_mode(render_mode, self.metadata)
        self._view = view
        self._picture = picture
        self._begun = self._closed = False
        self.render_mode = render_mode
        self.prompt = view.play.prompt
        self.action_names = action_names
        self.layout = view.sight.layout if isinstance(view.sight, Features) else {}
        self.action_space = view.action_space
        self.observation_space = view.sight.space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """``seed`` is the episode's; without one the next is drawn from the generator that the last
        one left."""
        check_no_options(options)
        if seed is not None:
            seed = checked_seed(seed)
        super().reset(seed=seed)
        episode = seed if seed is not None else int(self.np_random.integers(1 << 31))
        self._view.begin(FIRST, np.array([episode]))
        self._begun = True
        return self._view.see()[0], {"seed": episode, **self._info(False)}

    def step(
        self, action: np.int64 | int
    ) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        check_steppable(self._begun, self._closed)
        if not self.action_space.contains(action):
            raise ValueError(
                f"an action is 0 to {len(self.action_names) - 1}, not {quoted(action)}; "
                "action_names has their names"
            )
        step = self._view.step(np.array([action], np.int64), ALONE)
        success = bool(step.success[0])
        over = success or bool(step.died[0])
        return self._view.see()[0], float(step.reward[0]), over, False, self._info(success)

    def _info(self, success: bool) -> dict[str, Any]:
        return {"success": success, "action_mask": self._view.mask()[0]}

    def render(self) -> NDArray[np.uint8] | None:  # type: ignore[override]
        """The picture, (height, width, 3)."""
        if self.render_mode is None:
            return None
        return self._view.play.world.rgb(0, *self._picture).transpose(1, 2, 0).copy()

    def close(self) -> None:
        self._closed = True
        self._view.play.close()
