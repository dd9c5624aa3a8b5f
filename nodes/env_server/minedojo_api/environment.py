"""MineDojo's environment as a policy sees it: eight numbers in, an observation dictionary out."""

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import ArrayLike, NDArray

from models.rules import item_names
from models.tasks import Placed, WorldSettings
from nodes.env_server.game import STILL, Keys
from nodes.env_server.meta_tasks import MetaTask, Tally, tally_of
from nodes.env_server.minedojo_api.simulation import Simulation, replace_item
from nodes.env_server.minedojo_api.spawns import Spawns

Observation = dict[str, Any]
USE, DROP, ATTACK, CRAFT, EQUIP, PLACE, DESTROY = 1, 2, 3, 4, 5, 6, 7
LAGGING = (DROP, CRAFT, EQUIP, PLACE, DESTROY)  # two ticks more, in which nothing is done
LAG = 2


class Environment:
    """gym 0.21's interface, as MineDojo's: ``reset() -> observation`` and
    ``step(action) -> (observation, reward, done, info)``.

    Actions are eight whole numbers, MultiDiscrete [3, 3, 4, 25, 25, 8, 244, 36]. ``unwrapped`` has
    the runtime commands.
    """

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
        self.action_space = gymnasium.spaces.MultiDiscrete(
            [3, 3, 4, camera_bins, camera_bins, 8, 244, 36]
        )
        self._task = task
        self._settings = settings
        self._spawns = Spawns(settings)
        self._masks: dict[str, NDArray[np.bool_]] = {}

    @property
    def prev_obs(self) -> Observation:
        return self.unwrapped.prev_obs

    @property
    def prev_info(self) -> dict[str, Any]:
        return self.unwrapped.prev_info

    @property
    def settings(self) -> WorldSettings:
        """What the task asks of the world."""
        return self._settings

    def no_op(self) -> NDArray[np.int64]:
        middle = (int(self.action_space.nvec[3]) - 1) // 2
        return np.array([0, 0, 0, middle, middle, 0, 0, 0])

    def reset(self) -> Observation:
        """A new episode. With fast resets (all tasks) the first one makes the world; later ones
        kill the player and set him down elsewhere, in the world as he left it."""
        simulation = self.unwrapped
        fast = self._settings.fast_reset and simulation.begun
        if fast:
            for command in self._reset_commands():
                simulation.tick(command=command)
        else:
            simulation.reset()
        start = self._tally()
        if self._spawns.initial():
            for command in self._spawns.initial_commands():
                simulation.tick(command=command)
        simulation.game.player["fresh"] = 1
        now = self._tally()
        self._task.reset(now, start if fast else now)
        self.is_successful = False
        return self._observe()[0]

    def step(self, action: ArrayLike) -> tuple[Observation, float, bool, dict[str, Any]]:
        """Raises:
        AssertionError: not eight whole numbers, or one out of range.
        ValueError: equip, place or destroy on an empty slot.
        RuntimeError: before the first reset.
        """
        if not self._masks:
            raise RuntimeError("the environment has not begun: call reset before the first step")
        chosen = self._checked(action)
        function, argument = chosen[5], chosen[6]
        game = self.unwrapped.game
        for extra in self._spawns.commands_of_a_step(game):
            self.unwrapped.tick(command=extra)
        command = ""
        if function in (EQUIP, PLACE, DESTROY):
            self._refuse_empty(function, chosen[7])
        if function == DESTROY:
            command = replace_item(Placed(chosen[7], "air", 0, 1))
        keys = self._keys(chosen)
        if function == CRAFT:
            game.intend(argument, bool(self._masks["craft_smelt"][argument]))
        else:
            game.intend()
        self.unwrapped.tick(keys, command)
        outcome = self._task.step(self._tally())
        for _ in range(LAG if function in LAGGING else 0):
            self.unwrapped.tick(STILL)
            # Only the last tick's reward comes back, as in MineDojo.
            outcome = self._task.step(self._tally())
        self.is_successful = outcome.success
        seen, info = self._observe()
        return seen, outcome.reward, outcome.done, info

    def seed(self, seed: int | None = None) -> None:
        self.unwrapped.seed(seed)

    def close(self) -> None:
        self.unwrapped.close()

    def __getattr__(self, name: str) -> Any:
        """MineDojo's wrappers hand the runtime commands through."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.unwrapped, name)

    def _observe(self) -> tuple[Observation, dict[str, Any]]:
        seen, info = self.unwrapped.look()
        self._masks = seen["masks"]
        # What commands change from here on counts as a gain or loss of the next step.
        self.unwrapped.game.mark()
        return seen, info

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
        array = np.asarray(action)
        if array.shape != (8,) or array.dtype.kind not in "iu":
            raise AssertionError(f"an action is eight whole numbers, not {action!r}")
        chosen: list[int] = array.tolist()
        for column, (value, size) in enumerate(zip(chosen, self.action_space.nvec, strict=True)):
            if not 0 <= value < size:
                raise AssertionError(f"action[{column}] is 0 to {size - 1}, not {value}")
        return chosen

    def _refuse_empty(self, function: int, slot: int) -> None:
        if self.unwrapped.game.world.state.slots[0, slot]["item"] == 0:
            verb = {EQUIP: "equip", PLACE: "place", DESTROY: "destroy"}[function]
            raise ValueError(
                f"cannot {verb} slot {slot}, it is empty; the mask {verb!r} says which are not"
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
