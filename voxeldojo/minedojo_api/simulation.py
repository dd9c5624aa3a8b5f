"""The world under an environment, with MineDojo's runtime commands: ``env.unwrapped``."""

import random
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn, cast

import numpy as np

from voxeldojo.game import STILL, Game, Keys, java_names_of
from voxeldojo.minedojo_api.action_forms import KeyAction, KeyboardSpace, keys_of
from voxeldojo.names import near, quoted
from voxeldojo.rules import item_names
from voxeldojo.tasks import (
    SLOTS,
    InventoryItem,
    Placed,
    WorldSettings,
    WrongArgument,
    WrongValue,
    inventory_items,
    placed,
)
from voxeldojo.tasks.argument_types import integer, text
from voxeldojo.tasks.staging import FARTHEST

Result = tuple[dict[str, Any], float, bool, dict[str, Any]]
NAMED_SLOTS = {
    0: "slot.weapon.mainhand",
    40: "slot.weapon.offhand",
    36: "slot.armor.feet",
    37: "slot.armor.legs",
    38: "slot.armor.chest",
    39: "slot.armor.head",
}
COMMANDS = (
    "summon", "kill", "time", "weather", "replaceitem", "tp", "clear", "setblock", "spreadplayers",
    "execute",  # from PKU's MCEnv
)  # fmt: skip


class NotBegun(AssertionError, RuntimeError):
    """A step before the first reset, or after close. MineDojo raises AssertionError."""


class Simulation:
    """Each command takes one tick and returns (observation, 0, done, info), as in MineDojo. The
    next step of the task pays for its changes. ``action``: keys for the same tick."""

    def __init__(
        self, settings: WorldSettings, *, biome: str | None, area: int, refuse_commands: bool
    ) -> None:
        # In MineDojo worlds without a world_seed are random. Here a seed fixes their sequence.
        self._seeds = random.Random(settings.seed)
        self._refuse = refuse_commands
        self._closed = False
        self._reseeded = False
        self.game = Game(settings, default_biome=biome, seed=self._new_seed(), area=area)
        self.action_space = KeyboardSpace()
        self.begun = False
        self.is_terminated = False  # no world of this engine ends by itself
        self.skipped = ""  # why the last command did nothing, "" if it did
        self.prev_obs: dict[str, Any] = {}
        self.prev_info: dict[str, Any] = {}

    def _new_seed(self) -> int:
        return self._seeds.randrange(2**31)

    def reset(self) -> dict[str, Any]:
        """Make the world new; a different one each time if it has no seed. Returns the first
        observation."""
        self.make_new()
        return self.look()[0]

    def make_new(self) -> None:
        """`reset`, for callers that observe the world in another way."""
        self._check_open()
        if self.begun or self._reseeded:
            self.game.reset(self._new_seed())
        self.begun, self._reseeded = True, False

    def seed(self, seed: int | None = None) -> None:
        """Start the seed's sequence of worlds; the next reset makes its first.

        Raises:
            WrongArgument, WrongValue: it is no whole number from 0 on.
        """
        if seed is not None and integer("seed", seed) < 0:
            raise WrongValue(f"seed is at least 0, not {quoted(seed)}")
        self._seeds.seed(None if seed is None else int(seed))
        self._reseeded = True

    def check_begun(self) -> None:
        """Raises NotBegun: no episode has begun, or it is closed."""
        self._check_open()
        if not self.begun:
            raise NotBegun("the environment has not begun: call reset before the first step")

    def _check_open(self) -> None:
        if self._closed:
            raise NotBegun("the environment is closed: make another one")

    def tick(self, keys: Keys = STILL, command: str = "") -> None:
        """Raises NotBegun: before the first reset."""
        self.check_begun()
        self.skipped = self.game.tick(keys, command)

    def look(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The present observation and info."""
        self.prev_obs = self.game.observation()
        self.prev_info = {**self.game.info(), **java_names_of(self.prev_obs)}
        return self.prev_obs, self.prev_info

    def step(self, action: KeyAction) -> Result:
        """One tick with MineDojo's dictionary of keys, and a command as its "chat" entry.

        Raises:
            WrongValue: an unknown key, or a value that a key cannot have.
            WrongArgument: a command that is no string.
            NotBegun: before the first reset.
        """
        self.tick(keys_of(action), text("chat", action.get("chat", "")))
        return self._result()

    def execute_cmd(self, cmd: str, action: KeyAction | None = None) -> Result:
        """Raises ValueError for an unknown command if ``raise_error_on_invalid_cmds`` was set;
        else it is skipped and takes no tick."""
        self.check_begun()
        text("cmd", cmd)
        keys = STILL if action is None else keys_of(action)
        if cmd.startswith("/") and cmd[1:].partition(" ")[0] in COMMANDS:
            self.tick(keys, cmd)
        elif self._refuse:
            raise ValueError(f"{quoted(cmd)} is no command; there are {', '.join(COMMANDS)}")
        else:
            if action is not None:
                self.tick(keys)
            self.skipped = f"{quoted(cmd)} is no command"
        return self._result()

    def spawn_mobs(
        self, mobs: str | list[str], rel_positions: Any, action: KeyAction | None = None
    ) -> Result:
        """Raises WrongValue: not as many places (x, y, z) as mobs, nor one for all."""
        names = _names("mobs", mobs)
        places = zip(names, _places(rel_positions, len(names)), strict=True)
        return self._perform(
            [f"/summon {name} ~{x} ~{y} ~{z}" for name, (x, y, z) in places], action
        )

    def set_block(
        self, blocks: str | list[str], rel_positions: Any, action: KeyAction | None = None
    ) -> Result:
        """Raises WrongValue: not as many places (x, y, z) as blocks, nor one for all."""
        names = _names("blocks", blocks)
        places = zip(names, _places(rel_positions, len(names)), strict=True)
        return self._perform(
            [f"/setblock ~{x} ~{y} ~{z} {name}" for name, (x, y, z) in places], action
        )

    def clear_inventory(self, action: KeyAction | None = None) -> Result:
        return self.execute_cmd("/clear", action)

    def set_inventory(
        self, inventory_list: Sequence[InventoryItem], action: KeyAction | None = None
    ) -> Result:
        """Raises WrongValue: there is no such item or slot."""
        try:
            items = inventory_items(inventory_list)
        except TypeError as error:
            raise WrongArgument(f"inventory_list: {error}") from None
        commands: list[str] = []
        for item in items:
            if isinstance(item.slot, str) and item.slot not in SLOTS:
                raise WrongValue(
                    f"there is no slot {quoted(item.slot)}; there are {', '.join(SLOTS)}"
                )
            if not isinstance(item.slot, str):
                integer("inventory_list: a slot", item.slot)
            commands.append(replace_item(placed(item)))
        return self._perform(commands, action)

    def teleport_agent(
        self, x: float, y: float, z: float, yaw: float, pitch: float,
        action: KeyAction | None = None,
    ) -> Result:  # fmt: skip
        return self.execute_cmd(f"/tp {x} {y} {z} {yaw} {pitch}", action)

    def random_teleport(self, max_range: int, action: KeyAction | None = None) -> Result:
        return self.execute_cmd(f"/spreadplayers ~ ~ 0 {max_range} false @p", action)

    def kill_agent(self, action: KeyAction | None = None) -> Result:
        return self.execute_cmd("/kill", action)

    def set_time(self, time: int, action: KeyAction | None = None) -> Result:
        return self.execute_cmd(f"/time set {time}", action)

    def set_weather(self, weather: str, action: KeyAction | None = None) -> Result:
        return self.execute_cmd(f"/weather {weather}", action)

    def close(self) -> None:
        self._closed = True
        self.game.close()

    def render(self, mode: str = "human") -> NoReturn:
        """Raises NotImplementedError: MineDojo opens a window, and there is none here."""
        raise NotImplementedError(
            f"render({quoted(mode)}) opens no window here: the picture is the observation's 'rgb'"
        )

    def _perform(self, commands: list[str], action: KeyAction | None) -> Result:
        """A tick for each command. `skipped` has the reasons of all that did nothing."""
        self.check_begun()
        keys = STILL if action is None else keys_of(action)
        reasons: list[str] = []
        for command in commands:
            self.tick(keys, command)
            reasons.append(self.skipped)
        self.skipped = "; ".join(filter(None, reasons))
        return self._result()

    def _result(self) -> Result:
        seen, info = self.look()
        return seen, 0, False, info


def replace_item(item: Placed) -> str:
    """The command that puts an item into its slot.

    Raises:
        WrongValue: there is no such item or slot.
    """
    slot, name, variant, quantity = item
    if not 0 <= slot <= 40:
        raise WrongValue(f"slots are numbered 0 to 40, not {slot}")
    if name not in item_names:
        raise WrongValue(f"there is no item {quoted(name)}{near(name, item_names)}")
    where = NAMED_SLOTS.get(slot) or (
        f"slot.hotbar.{slot}" if slot < 9 else f"slot.inventory.{slot - 9}"
    )
    return f"/replaceitem entity @p {where} minecraft:{name} {quantity} {variant}"


def _names(argument: str, value: Any) -> list[str]:
    several = isinstance(value, Iterable) and not isinstance(value, str)
    found: list[Any] = list(cast("Iterable[Any]", value)) if several else [value]
    if not all(isinstance(name, str) for name in found):
        raise WrongArgument(f"{argument} is a name or a list of names, not {quoted(value)}")
    return found


def _places(positions: Any, count: int) -> list[list[int]]:
    """One place for each; a single one is used for all."""
    if not count:
        return []
    try:
        rows = np.atleast_2d(np.asarray(positions, np.float64))
    except (TypeError, ValueError, OverflowError):
        rows = np.zeros((0, 0))
    if rows.shape == (1, 3):
        rows = np.repeat(rows, count, axis=0)
    if rows.shape != (count, 3) or not np.isfinite(rows).all():
        raise WrongValue(f"give {count} relative positions of x, y and z, not {quoted(positions)}")
    if not (np.abs(rows) <= FARTHEST).all():
        raise WrongValue(
            f"relative positions are at most {FARTHEST} blocks off: {quoted(positions)}"
        )
    return rows.astype(np.int64).tolist()
