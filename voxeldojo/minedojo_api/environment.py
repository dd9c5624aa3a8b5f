"""MineDojo's environment for a policy: eight numbers in, an observation dictionary out."""

import math
from functools import cached_property
from typing import Any, ClassVar, Self

import msgspec
import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike, NDArray

from voxeldojo.actions import ATTACK, CRAFT, DESTROY, DROP, EQUIP, PLACE, USE
from voxeldojo.environments.spaces import observation_space
from voxeldojo.game import STILL, Keys
from voxeldojo.meta_tasks import MetaTask, Outcome, Tally, tally_of
from voxeldojo.minedojo_api.action_forms import ActionSpace, KeyAction, keys_of, reversed_action
from voxeldojo.minedojo_api.simulation import Simulation, replace_item
from voxeldojo.minedojo_api.spawns import Spawns
from voxeldojo.names import quoted
from voxeldojo.rules import block_names, item_names
from voxeldojo.tasks import Placed, WorldSettings

Observation = dict[str, Any]
LAGGING = (DROP, CRAFT, EQUIP, PLACE, DESTROY)  # actions with two more ticks of no action
LAG = 2


class Environment:
    """gym 0.21's interface, which MineDojo has: ``reset() -> observation`` and
    ``step(action) -> (observation, reward, done, info)``.

    Actions are eight whole numbers, MultiDiscrete [3, 3, 4, 25, 25, 8, 244, 36]. ``unwrapped`` has
    the runtime commands.
    """

    metadata: ClassVar[dict[str, Any]] = {"render.modes": []}
    reward_range = (-math.inf, math.inf)
    spec = None

    def __init__(
        self,
        simulation: Simulation,
        task: MetaTask,
        settings: WorldSettings,
        prompt: str,
        guidance: str | None,
        cam_interval: float,
        camera_bins: int,
    ) -> None:
        self.unwrapped = simulation
        self.task_prompt = prompt
        self.task_guidance = guidance
        self.is_successful = False
        self.cam_interval = cam_interval
        self.action_space = ActionSpace(camera_bins)
        self._sizes: list[int] = self.action_space.nvec.tolist()
        self.info_prev_reset: dict[str, Any] | None = None  # the info after a fast reset's commands
        self._task = task
        self._settings = settings
        self._spawns = Spawns(settings)
        self._masks: dict[str, NDArray[np.bool_]] = {}  # of the last observation

    @property
    def prev_obs(self) -> Observation:
        return self.unwrapped.prev_obs

    @property
    def prev_info(self) -> dict[str, Any]:
        return self.unwrapped.prev_info

    @property
    def settings(self) -> WorldSettings:
        """The settings of the world that the task needs."""
        return self._settings

    @property
    def wanted(self) -> list[str]:
        """The task's targets: items to get or to use, or mobs to hunt."""
        return self._task.wanted

    @cached_property
    def observation_space(self) -> spaces.Dict:
        settings = self._settings
        box = settings.voxels
        shape = None
        if box is not None:
            x, y, z = (box[f"{axis}max"] - box[f"{axis}min"] + 1 for axis in "xyz")
            shape = x, y, z
        rays = None if settings.rays is None else len(settings.rays)
        return observation_space(settings.image_size, item_names, block_names, shape, rays)

    def no_op(self) -> NDArray[np.int64]:
        return self.action_space.no_op()

    def reverse_action(self, action: KeyAction) -> NDArray[np.int64]:
        """The eight numbers for a dictionary of keys; if it does several things at once, the first
        of attack, use, craft, equip, place and drop.

        Raises:
            WrongValue: an unknown key, or a value that a key cannot have.
            ValueError: equip or place an item that is not in the inventory.
        """
        return reversed_action(keys_of(action), self.action_space, self.cam_interval, self._held())

    def get_prompt(self) -> str:
        return self.task_prompt

    def specify_prompt(self, prompt: str) -> None:
        self.task_prompt = prompt

    def specify_guidance(self, guidance: str) -> None:
        self.task_guidance = guidance

    def reset(self) -> Observation:
        """Begin a new episode. With fast resets (all tasks) only the first one makes the world;
        later ones kill the player and place it elsewhere in the same world."""
        self._begin(self._settings.fast_reset and self.unwrapped.begun)
        return self.look()[0]

    def begin(self, seed: int) -> None:
        """Begin a new episode that depends on the seed alone; `look` returns its observation. It is
        never a fast reset."""
        self.unwrapped.seed(seed)
        self._spawns = Spawns(msgspec.structs.replace(self._settings, seed=seed))
        self._masks = {}
        self._begin(fast=False)

    def _begin(self, fast: bool) -> None:
        simulation = self.unwrapped
        if fast:
            for command in self._reset_commands():
                simulation.tick(command=command)
            self.info_prev_reset = simulation.game.info()
        else:
            simulation.make_new()
        start = self._tally()
        if self._spawns.initial():
            for command in self._spawns.initial_commands():
                simulation.tick(command=command)
        simulation.game.player["fresh"] = 1
        now = self._tally()
        self._task.reset(now, start if fast else now)
        self._spawns.note(simulation.game)
        self.is_successful = False

    def step(self, action: ArrayLike) -> tuple[Observation, float, bool, dict[str, Any]]:
        """Raises:
        AssertionError, ValueError, NotBegun: see `advance`.
        """
        outcome = self.advance(action)
        seen, info = self.look()
        return seen, outcome.reward, outcome.done, info

    def advance(self, action: ArrayLike) -> Outcome:
        """A step that returns only the outcome, for callers that observe the world in another way.

        Raises:
        AssertionError: not eight whole numbers, or one out of range.
        ValueError: equip, place or destroy on an empty slot.
        NotBegun: before the first reset, or after close.
        """
        self.unwrapped.check_begun()
        chosen = self._checked(action)
        function, argument, slot = chosen[5:]
        if function in (EQUIP, PLACE, DESTROY):
            self._refuse_empty(function, slot)
        keys = self._keys(chosen)
        if function == CRAFT:
            seen = self._masks.get("craft_smelt")
            allowed = seen is not None and bool(seen[argument])
            self.unwrapped.game.expect_craft(argument, allowed)
        else:
            self.unwrapped.game.expect_craft()
        if function == DESTROY:
            # MineDojo sends a command instead of a step: its tick spawns and pays nothing.
            self.unwrapped.tick(keys, replace_item(Placed(slot, "air", 0, 1)))
            outcome = self._tick()
        else:
            outcome = self._tick(keys)
        # Only the last tick's reward is returned, as in MineDojo.
        for _ in range(LAG - (function == DESTROY) if function in LAGGING else 0):
            outcome = self._tick()
        self.is_successful = outcome.success
        return outcome

    def _tick(self, keys: Keys = STILL) -> Outcome:
        """A tick of the task: its spawns, the tick itself, and its reward."""
        for command in self._spawns.commands():
            self.unwrapped.tick(command=command)
        self.unwrapped.tick(keys)
        self._spawns.note(self.unwrapped.game)
        return self._task.step(self._tally())

    def seed(self, seed: int | None = None) -> None:
        self.unwrapped.seed(seed)

    def close(self) -> None:
        self.unwrapped.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __getattr__(self, name: str) -> Any:
        """The runtime commands of ``unwrapped``, as with MineDojo's wrappers."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.unwrapped, name)

    def look(self) -> tuple[Observation, dict[str, Any]]:
        """The present observation and info."""
        seen, info = self.unwrapped.look()
        self._masks = seen["masks"]
        # Changes by commands from now on count as gains or losses of the next step.
        self.unwrapped.game.mark()
        return seen, info

    def _held(self) -> list[str]:
        """The names in the 36 slots."""
        return [item_names[item] for item in self.unwrapped.game.world.state.slots[0]["item"][:36]]

    def _tally(self) -> Tally:
        game = self.unwrapped.game
        return tally_of(game.held(), game.statistics.tree())

    def _reset_commands(self) -> list[str]:
        settings = self._settings
        commands = ["/kill"]
        if settings.teleport_range > 0:
            commands.append(f"/spreadplayers ~ ~ 0 {settings.teleport_range} false @p")
        commands += [f"/time set {settings.time or 0}", f"/weather {settings.weather or 'normal'}"]
        commands += [replace_item(item) for item in settings.inventory]
        if (at := settings.position) is not None:
            commands.append("/tp {x} {y} {z} {yaw} {pitch}".format(**at))
        return [*commands, "/kill @e[type=item]"]

    def _checked(self, action: ArrayLike) -> list[int]:
        try:
            array: NDArray[Any] = np.asarray(action)
        except ValueError:  # a ragged list
            array = np.empty(0)
        if array.shape != (8,) or array.dtype.kind not in "iu":
            raise AssertionError(f"an action is eight whole numbers, not {quoted(action)}")
        chosen: list[int] = array.tolist()
        for column, (value, size) in enumerate(zip(chosen, self._sizes, strict=True)):
            if not 0 <= value < size:
                raise AssertionError(f"action[{column}] is 0 to {size - 1}, not {quoted(value)}")
        return chosen

    def _refuse_empty(self, function: int, slot: int) -> None:
        if self.unwrapped.game.world.state.slots[0, slot]["item"] == 0:
            verb = {EQUIP: "equip", PLACE: "place", DESTROY: "destroy"}[function]
            raise ValueError(
                f"cannot {verb} slot {slot}, it is empty; the mask {verb!r} has the slots that can"
            )

    def _keys(self, chosen: list[int]) -> Keys:
        forward, left, gait, pitch, yaw, function, argument, slot = chosen
        name = item_names[self.unwrapped.game.world.state.slots[0, slot]["item"]]
        return Keys(
            pitch=pitch * self.cam_interval - 180.0,
            yaw=yaw * self.cam_interval - 180.0,
            forward=(0, 1, -1)[forward],
            left=(0, 1, -1)[left],
            gait=gait,
            use=function == USE,
            drop=function == DROP,
            attack=function == ATTACK,
            crafts=(argument,) if function == CRAFT else (),
            equip=name if function == EQUIP else "",
            place=name if function == PLACE else "",
        )
