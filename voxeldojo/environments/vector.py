"""Many environments in one compiled call, as Gymnasium's vector environments. Episode for episode
they play the same as single ones in a ``SyncVectorEnv``."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils.seeding import np_random
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space as batched
from numpy.typing import NDArray

from voxeldojo.environments.checked_arguments import (
    check_no_options,
    check_steppable,
    checked_actions,
    checked_count,
    checked_seed,
)
from voxeldojo.environments.plays import Play, Step
from voxeldojo.environments.registration import HORIZON
from voxeldojo.environments.spaces import batch_space
from voxeldojo.world_interface import OBSERVED, Bools, Ints

AHEAD = np.zeros((1, 2), np.float32)
REACH = 4.5
UNLIMITED = -1  # Gymnasium's max_episode_steps of an episode that is never cut off


class BatchVector(VectorEnv[Any, NDArray[np.int64], NDArray[Any]]):
    """``num_envs`` environments of a play. The step after an episode's last one resets it and
    ignores its action (Gymnasium's "next step" mode).

    ``max_episode_steps`` is as in ``gymnasium.make``: None for the limit of the id, -1 for none.
    """

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        play: Play,
        max_episode_steps: int | None,
        observation_space: spaces.Space[Any],
        action_space: spaces.MultiDiscrete | spaces.Discrete,
    ) -> None:
        limit = HORIZON if max_episode_steps is None else max_episode_steps
        if limit != UNLIMITED:
            checked_count("max_episode_steps", limit)
        self.num_envs = play.world.size
        self.play = play
        self.single_observation_space = observation_space
        self.single_action_space = action_space
        self.observation_space = batched(observation_space, self.num_envs)
        self.action_space = batched(action_space, self.num_envs)
        self._sizes = _sizes(action_space, self.num_envs)
        self._limit = None if limit == UNLIMITED else limit
        self._chances = [np_random()[0] for _ in range(self.num_envs)]
        self._episodes = np.zeros(self.num_envs, np.int64)  # their seeds
        self._steps = np.zeros(self.num_envs, np.int64)
        self._over = np.zeros(self.num_envs, np.bool_)
        self._begun = False

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Seed s gives environment i the episode s + i, a list gives each its own. Each environment
        draws its later episodes from a generator with the same seed.

        Raises:
            ValueError: not as many seeds as environments, a seed out of range, or options.
        """
        check_no_options(options)
        for row, given in enumerate(self._seeds_of(seed)):
            if given is not None:
                self._chances[row] = np_random(given)[0]
                self._episodes[row] = given
            else:
                self._draw(row)
        self._begin(np.arange(self.num_envs))
        self._begun = True
        return self._observe(), self._infos(np.zeros(self.num_envs, np.bool_))

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Any, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        check_steppable(self._begun, self.closed)
        chosen = checked_actions(actions, self._sizes)
        renewed = self._over
        step = self._play_on(chosen, ~renewed)
        self._steps += ~renewed
        if renewed.any():
            rows = np.flatnonzero(renewed)
            for row in rows.tolist():
                self._draw(row)
            self._begin(rows)
        terminated = step.success | step.died
        truncated = np.zeros(self.num_envs, np.bool_)
        if self._limit is not None:
            truncated = ~renewed & (self._steps >= self._limit)
        self._over = terminated | truncated
        return self._observe(), step.reward, terminated, truncated, self._infos(step.success)

    def _seeds_of(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, Mapping | str) or not isinstance(seed, Iterable):
            first = checked_seed(seed)
            seeds: list[Any] = [first + row for row in range(self.num_envs)]
        else:
            seeds = list(seed)
        if len(seeds) != self.num_envs:
            raise ValueError(f"{self.num_envs} environments need as many seeds, not {len(seeds)}")
        return [None if given is None else checked_seed(given) for given in seeds]

    def _draw(self, row: int) -> None:
        self._episodes[row] = self._chances[row].integers(1 << 31)

    def _begin(self, rows: Ints) -> None:
        self._begin_episodes(rows, self._episodes[rows])
        self._steps[rows] = 0
        self._over[rows] = False

    @abstractmethod
    def _begin_episodes(self, rows: Ints, seeds: Ints) -> None: ...

    @abstractmethod
    def _play_on(self, actions: Ints, active: Bools) -> Step: ...

    @abstractmethod
    def _observe(self) -> Any:
        """Observations in new arrays, which the caller may keep."""

    def _infos(self, success: Bools) -> dict[str, Any]:
        return {"success": success, "seed": self._episodes.copy()}

    def close_extras(self, **kwargs: Any) -> None:
        self.play.close()


def _sizes(space: spaces.MultiDiscrete | spaces.Discrete, environments: int) -> Ints:
    """How many values each number of a batch of actions has."""
    of_one = np.asarray(space.nvec if isinstance(space, spaces.MultiDiscrete) else space.n)
    return np.broadcast_to(of_one, (environments, *of_one.shape))


class DictionaryVector(BatchVector):
    """Observations of ids and numbers instead of names, and MineDojo's actions."""

    def __init__(self, play: Play, max_episode_steps: int | None) -> None:
        world = play.world
        space = batch_space(len(world.item_names), len(world.block_names))
        super().__init__(play, max_episode_steps, space, play.action_space)

    def _begin_episodes(self, rows: Ints, seeds: Ints) -> None:
        self.play.begin(rows, seeds)

    def _play_on(self, actions: Ints, active: Bools) -> Step:
        return self.play.step(actions, active)

    def _observe(self) -> dict[str, Any]:
        seen = self.play.world.observe((*OBSERVED, "rays"), rays=AHEAD, reach=REACH)
        # The world overwrites its arrays in the next step.
        copied = {name: array.copy() for name, array in seen.items() if name != "ray_distance"}
        copied["facing"] = copied.pop("ray_block")[:, 0]
        return copied
