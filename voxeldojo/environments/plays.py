"""The episodes of a task in a batch of worlds: how they begin, what a step pays, how they end.
Observations and the names of actions are in other modules."""

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from voxeldojo.actions import NO_OP
from voxeldojo.engine import EmbeddedWorld
from voxeldojo.environments.checked_arguments import checked_count, checked_target
from voxeldojo.environments.spaces import action_space, observation_space
from voxeldojo.minedojo_api import make
from voxeldojo.names import quoted
from voxeldojo.tasks import WrongArgument
from voxeldojo.tasks.world_options import checked_flag, checked_inventory
from voxeldojo.world_interface import Bools, Ints

ALONE = np.ones(1, np.bool_)
FIRST = np.zeros(1, np.int64)
FUNCTION = 5  # its column of an action


class Step(NamedTuple):
    """The outcome of one step, all (B,); zeros in environments that did not step."""

    reward: NDArray[np.float64]
    success: Bools
    died: Bools


class Play(Protocol):
    """``prompt``, ``wanted`` (items, or mobs to hunt) and ``inventory`` describe the task."""

    world: EmbeddedWorld
    prompt: str
    wanted: list[str]
    inventory: Mapping[str, int]
    action_space: spaces.MultiDiscrete

    def begin(self, rows: Ints, seeds: Ints) -> None:
        """Begin episodes. A seed always gives the same episode, independent of earlier ones."""
        ...

    def step(self, moves: Ints, active: Bools) -> Step:
        """One MineDojo action (B, 8) in each active environment."""
        ...

    def observation(self) -> dict[str, Any]:
        """MineDojo's dictionary of the first environment."""
        ...

    def observation_space(self) -> spaces.Dict: ...

    def close(self) -> None: ...


def check_render_mode(mode: str | None, metadata: dict[str, Any]) -> None:
    """Raises ValueError: the environment does not have such a mode."""
    if mode is not None and mode not in metadata["render_modes"]:
        known = ", ".join(metadata["render_modes"])
        raise ValueError(f"there is no render_mode {quoted(mode)}; there is {known}, or None")


def check_no_render_mode(mode: Any) -> None:
    """Raises ValueError: one is given to environments of one call, which draw no pictures."""
    if mode is not None:
        raise ValueError(
            f"environments of one call draw no pictures: leave render_mode={quoted(mode)} out, or "
            "add vectorization_mode='sync'"
        )


class HarvestPlay(Play):
    """Harvest ``quantity`` of ``target``, not counting those of the start, in one biome. The reward
    is MineDojo's: how many were gained in the step. The worlds are shared among
    ``threads``. ``options`` are EmbeddedWorld's; ``strict`` is off here, so that any sampled action
    can be taken.

    Raises:
        ValueError: there is no such item, biome or option, or no thread.
    """

    def __init__(
        self,
        size: int = 1,
        /,
        target: str = "log",
        quantity: int = 1,
        biome: str = "forest",
        inventory: dict[str, int] | None = None,
        threads: int = 1,
        **options: Any,
    ) -> None:
        self._target = checked_target(target)
        checked_count("quantity", quantity)
        checked_count("threads", threads)
        self.prompt = f"harvest {quantity} {target.replace('_', ' ')}"
        self.wanted = [target]
        self.inventory = checked_inventory(inventory)
        self.action_space = action_space()
        unknown = sorted(set(options) - set(EmbeddedWorld.OPTIONS))
        if unknown:
            known = ", ".join(sorted(EmbeddedWorld.OPTIONS))
            raise ValueError(f"there is no option {', '.join(unknown)} (there are: {known})")
        self.world = EmbeddedWorld(
            size, biome=biome, inventory=self.inventory, **{"strict": False, **options}
        )
        self.world.share_among(min(threads, size))
        self._quantity = quantity
        self._at_start = np.zeros(size, np.int64)
        self._before = np.zeros(size, np.int64)

    def begin(self, rows: Ints, seeds: Ints) -> None:
        self.world.reset(rows, seeds)
        self._at_start[rows] = self._before[rows] = self._count()[rows]

    def step(self, moves: Ints, active: Bools) -> Step:
        self.world.step(moves, active)
        count = self._count()
        reward = np.where(active, count - self._before, 0).astype(np.float64)
        self._before = count
        success = active & (count - self._at_start >= self._quantity)
        return Step(reward, success, active & (self.world.life()[0] <= 0.0))

    def _count(self) -> Ints:
        # All 41 slots count, as in MineDojo: what is put on is not lost.
        items, quantities = (
            np.concatenate(both, axis=1)
            for both in zip(self.world.inventory(), self.world.worn(), strict=True)
        )
        return np.where(items == self._target, quantities, 0).sum(axis=1)

    def observation(self) -> dict[str, Any]:
        return self.world.observation(0)

    def observation_space(self) -> spaces.Dict:
        world = self.world
        n = 2 * world.voxel_radius + 1
        return observation_space(
            world.image_size,
            world.item_names,
            world.block_names,
            (n, n, n) if world.use_voxel else None,
            len(world.lidar_rays) if world.lidar_rays is not None else None,
        )

    def close(self) -> None:
        self.world.close()


class MineDojoPlay(Play):
    """One world with a task of MineDojo, its initial mobs, its rewards and its success.
    ``arguments`` are those of ``minedojo_api.make``; ``strict`` as in `HarvestPlay`. An episode
    also ends when the player dies.

    Raises:
        UnknownTask, WrongArgument, WrongValue, NotInThisWorld: as ``make`` does.
    """

    def __init__(self, task_id: str, **arguments: Any) -> None:
        if arguments.get("fast_reset"):
            raise WrongArgument(
                "fast_reset keeps the world of the episode before, so that a seed does not fix the "
                "episode; leave it out"
            )
        arguments = {"image_size": (160, 256), **arguments, "fast_reset": False}
        self._strict = checked_flag("strict", arguments.pop("strict", False))
        self.environment = environment = make(task_id, **arguments)
        self.prompt = environment.task_prompt
        self.wanted = environment.wanted
        self.inventory = {item.name: item.quantity for item in environment.settings.inventory}
        self.world = environment.unwrapped.game.world
        self.action_space = environment.action_space

    def begin(self, rows: Ints, seeds: Ints) -> None:
        if len(rows):
            self.environment.begin(int(seeds[0]))

    def step(self, moves: Ints, active: Bools) -> Step:
        if not active[0]:
            return Step(np.zeros(1), np.zeros(1, bool), np.zeros(1, bool))
        deaths = self._deaths()
        try:
            outcome = self.environment.advance(moves[0])
        except ValueError:  # that slot is empty; no tick has passed yet
            if self._strict:
                raise
            outcome = self.environment.advance([*moves[0][:FUNCTION], NO_OP, 0, 0])
        died = self._deaths() > deaths
        return Step(np.array([outcome.reward]), np.array([outcome.success]), np.array([died]))

    def _deaths(self) -> int:
        # Counted, as within a step of three ticks the player may die and be alive again.
        return self.environment.unwrapped.game.statistics.tree()["deaths"]

    def observation(self) -> dict[str, Any]:
        return self.environment.look()[0]

    def observation_space(self) -> spaces.Dict:
        return self.environment.observation_space

    def close(self) -> None:
        self.environment.close()
