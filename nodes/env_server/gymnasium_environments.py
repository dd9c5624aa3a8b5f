"""Harvesting a number of some item as a Gymnasium environment, single and batched.

The reward is MineDojo's: how many more of the target item the player has than before the step. An
episode terminates when ``quantity`` more are there than at its start, or when the player dies.
"""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space as batched
from numpy.typing import NDArray

from messages.world import Condition, Task
from models.rules import item_id
from nodes.env_server import gymnasium_spaces
from nodes.env_server.gymnasium_registration import HORIZON
from nodes.env_server.worlds import World, make_world
from nodes.env_server.worlds.embedded import EmbeddedWorld
from nodes.env_server.worlds.world import OBSERVED

Observation = dict[str, Any]
AHEAD = np.zeros((1, 2), np.float32)
REACH = 4.5


def harvest_task(target: str, quantity: int, biome: str, inventory: dict[str, int] | None) -> Task:
    """Raises ValueError where there is no such item."""
    item_id(target)
    if quantity < 1:
        raise ValueError(f"quantity is at least 1, not {quantity}")
    return Task(
        id=f"harvest_{target}",
        prompt=f"harvest {quantity} {target.replace('_', ' ')}",
        success=Condition(kind="have", name=target, quantity=quantity),
        biome=biome,
        inventory=inventory or {},
        horizon=HORIZON,
    )


def count_of(world: World, item: int) -> NDArray[np.int64]:
    items, quantities = world.inventory()
    return np.where(items == item, quantities, 0).sum(axis=1)


class HarvestEnvironment(gymnasium.Env[Observation, NDArray[np.int64]]):
    """One environment with MineDojo's own observation dictionary; with ``ids`` its names are
    numbers, which is what Gymnasium's own tools can handle. ``options`` are EmbeddedWorld's;
    ``strict`` is off here, so that any sampled action can be taken."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 20}  # noqa: RUF012

    def __init__(
        self,
        target: str = "log",
        quantity: int = 1,
        biome: str = "forest",
        inventory: dict[str, int] | None = None,
        render_mode: str | None = None,
        ids: bool = False,
        **options: Any,
    ) -> None:
        self.task = harvest_task(target, quantity, biome, inventory)
        self.render_mode = render_mode
        world = make_world("embedded", 1, self.task, **{"strict": False, **options})
        assert isinstance(world, EmbeddedWorld)
        self.world = world
        self.action_space = gymnasium_spaces.action_space()
        n = 2 * world.voxel_radius + 1
        self._space = gymnasium_spaces.observation_space(
            world.image_size,
            world.item_names,
            world.block_names,
            (n, n, n) if world.use_voxel else None,
            len(world.lidar_rays) if world.lidar_rays is not None else None,
        )
        self._ids = ids
        self.observation_space = gymnasium_spaces.space_of_ids(self._space) if ids else self._space
        self._target = item_id(target)
        self._at_start = self._before = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        super().reset(seed=seed)
        episode = seed if seed is not None else int(self.np_random.integers(1 << 31))
        self.world.reset(np.zeros(1, np.int64), np.array([episode]))
        self._at_start = self._before = int(count_of(self.world, self._target)[0])
        return self._observe(), {"seed": episode}

    def step(
        self, action: NDArray[np.int64]
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        self.world.step(np.asarray(action, np.int64)[None], np.ones(1, np.bool_))
        count = int(count_of(self.world, self._target)[0])
        reward = float(count - self._before)
        self._before = count
        success = count - self._at_start >= self.task.success.quantity
        dead = bool(self.world.life()[0][0] <= 0.0)
        return self._observe(), reward, success or dead, False, {"success": success}

    def _observe(self) -> Observation:
        seen = self.world.observation(0)
        return gymnasium_spaces.to_ids(self._space, seen) if self._ids else seen

    def render(self) -> NDArray[np.uint8]:  # type: ignore[override]
        """The picture, (height, width, 3)."""
        return self.world.rgb(0, *self.world.image_size).transpose(1, 2, 0).copy()

    def close(self) -> None:
        self.world.close()


class HarvestVector(VectorEnv[Observation, NDArray[np.int64], NDArray[Any]]):
    """``num_envs`` environments in one compiled call, seen as ids and numbers. A finished one is
    reset by the step after its last (Gymnasium's "next step" mode)."""

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        num_envs: int = 1,
        target: str = "log",
        quantity: int = 1,
        biome: str = "forest",
        inventory: dict[str, int] | None = None,
        max_episode_steps: int = HORIZON,
        **options: Any,
    ) -> None:
        self.num_envs = num_envs
        self.task = harvest_task(target, quantity, biome, inventory)
        self.world = make_world("embedded", num_envs, self.task, **{"strict": False, **options})
        self.single_action_space = gymnasium_spaces.action_space()
        self.action_space = batched(self.single_action_space, num_envs)
        self.single_observation_space = gymnasium_spaces.batch_space(
            len(self.world.item_names), len(self.world.block_names)
        )
        self.observation_space = batched(self.single_observation_space, num_envs)
        self._limit = max_episode_steps
        self._target = item_id(target)
        self._at_start = np.zeros(num_envs, np.int64)
        self._before = np.zeros(num_envs, np.int64)
        self._steps = np.zeros(num_envs, np.int64)
        self._over = np.zeros(num_envs, np.bool_)
        self._seed = 0
        self._episodes = np.zeros(num_envs, np.int64)

    def reset(
        self, *, seed: int | list[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """``seed`` s gives environment i the episodes s + i, s + i + num_envs and so on."""
        if isinstance(seed, list):
            raise ValueError("give one seed; environment i plays the episodes seed + i, and on")
        super().reset(seed=seed)
        self._seed = seed if seed is not None else int(self.np_random.integers(1 << 31))
        self._episodes[:] = 0
        self._begin(np.arange(self.num_envs))
        return self._observe(), {}

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Observation, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        renewed = self._over.copy()
        self.world.step(np.asarray(actions, np.int64), ~renewed)
        self._steps += ~renewed
        if renewed.any():
            self._begin(np.flatnonzero(renewed))
        seen = self._observe()
        count = self._count(seen)
        reward = (count - self._before).astype(np.float64)
        self._before = count
        success = count - self._at_start >= self.task.success.quantity
        terminated = success | (seen["life"] <= 0.0)
        truncated = ~terminated & (self._steps >= self._limit)
        self._over = terminated | truncated
        return seen, reward, terminated, truncated, {"success": success}

    def _begin(self, environments: NDArray[np.int64]) -> None:
        seeds = self._seed + environments + self.num_envs * self._episodes[environments]
        self.world.reset(environments, seeds)
        self._episodes[environments] += 1
        count = count_of(self.world, self._target)[environments]
        self._at_start[environments] = self._before[environments] = count
        self._steps[environments] = 0
        self._over[environments] = False

    def _observe(self) -> Observation:
        seen = self.world.observe((*OBSERVED, "rays"), rays=AHEAD, reach=REACH)
        # The world's arrays are its own and change with the next step.
        copied = {name: array.copy() for name, array in seen.items() if name != "ray_distance"}
        copied["facing"] = copied.pop("ray_block")[:, 0]
        return copied

    def _count(self, seen: Observation) -> NDArray[np.int64]:
        return np.where(seen["item"] == self._target, seen["quantity"], 0).sum(axis=1)

    def close_extras(self, **kwargs: Any) -> None:
        self.world.close()
