"""The world under an environment, with MineDojo's runtime commands: ``env.unwrapped``."""

import math
import random
from collections.abc import Sequence
from typing import Any

from models.tasks import InventoryItem, Placed, WorldSettings, placed
from nodes.env_server.game import STILL, Game, Keys

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
    "summon", "kill", "time", "weather", "replaceitem", "tp", "clear", "setblock", "spreadplayers"
)  # fmt: skip


class Simulation:
    """Each command takes one tick and returns (observation, 0, done, info), as MineDojo's do. What
    it changes is paid by the task's next step. Keys of the tick itself are not taken."""

    def __init__(
        self, settings: WorldSettings, *, biome: str | None, area: int, refuse_commands: bool
    ) -> None:
        # Worlds without a world_seed are MineDojo's at random; with a seed they are in order here.
        self._seeds = random.Random(settings.seed)
        self._refuse = refuse_commands
        self.game = Game(settings, default_biome=biome, seed=self._new_seed(), area=area)
        self.begun = False
        self.skipped = ""  # why the last command did nothing, "" if it did
        self.prev_obs: dict[str, Any] = {}
        self.prev_info: dict[str, Any] = {}

    def _new_seed(self) -> int:
        return self._seeds.randrange(2**31)

    def reset(self) -> None:
        """The world as it was made; another one each time where it has no seed."""
        if self.begun:
            self.game.reset(self._new_seed())
        self.begun = True

    def seed(self, seed: int | None = None) -> None:
        self._seeds.seed(seed)

    def tick(self, keys: Keys = STILL, command: str = "") -> None:
        """Raises RuntimeError before the first reset."""
        if not self.begun:
            raise RuntimeError("the world has not begun: call reset before the first step")
        self.skipped = self.game.tick(keys, command)

    def look(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The observation and the info of now."""
        self.prev_obs, self.prev_info = self.game.observation(), self.game.info()
        return self.prev_obs, self.prev_info

    def execute_cmd(self, cmd: str) -> Result:
        """Raises ValueError for an unknown command if ``raise_error_on_invalid_cmds`` was set;
        else it is skipped, at no cost of time."""
        if not cmd.startswith("/") or cmd[1:].partition(" ")[0] not in COMMANDS:
            if self._refuse:
                raise ValueError(f"{cmd!r} is no command; there are {', '.join(COMMANDS)}")
            self.skipped = f"{cmd!r} is no command"
        else:
            self.tick(command=cmd)
        return self._result()

    def spawn_mobs(self, mobs: str | list[str], rel_positions: Any) -> Result:
        names = [mobs] if isinstance(mobs, str) else list(mobs)
        for name, (x, y, z) in zip(names, _places(rel_positions, len(names)), strict=True):
            self.tick(command=f"/summon {name} ~{x} ~{y} ~{z}")
        return self._result()

    def set_block(self, blocks: str | list[str], rel_positions: Any) -> Result:
        names = [blocks] if isinstance(blocks, str) else list(blocks)
        for name, (x, y, z) in zip(names, _places(rel_positions, len(names)), strict=True):
            self.tick(command=f"/setblock ~{x} ~{y} ~{z} {name}")
        return self._result()

    def clear_inventory(self) -> Result:
        return self.execute_cmd("/clear")

    def set_inventory(self, inventory_list: Sequence[InventoryItem]) -> Result:
        for item in inventory_list:
            self.tick(command=replace_item(placed(InventoryItem(*item))))
        return self._result()

    def teleport_agent(self, x: float, y: float, z: float, yaw: float, pitch: float) -> Result:
        return self.execute_cmd(f"/tp {x} {y} {z} {yaw} {pitch}")

    def random_teleport(self, max_range: int) -> Result:
        return self.execute_cmd(f"/spreadplayers ~ ~ 0 {max_range} false @p")

    def kill_agent(self) -> Result:
        return self.execute_cmd("/kill")

    def set_time(self, time: int) -> Result:
        return self.execute_cmd(f"/time set {time}")

    def set_weather(self, weather: str) -> Result:
        return self.execute_cmd(f"/weather {weather}")

    def close(self) -> None:
        self.game.close()

    def _result(self) -> Result:
        seen, info = self.look()
        return seen, 0, False, info


def replace_item(item: Placed) -> str:
    """The command that puts an item into its slot.

    Raises:
        ValueError: there is no such slot.
    """
    slot, name, variant, quantity = item
    if not 0 <= slot <= 40:
        raise ValueError(f"slots are numbered 0 to 40, not {slot}")
    where = NAMED_SLOTS.get(slot) or (
        f"slot.hotbar.{slot}" if slot < 9 else f"slot.inventory.{slot - 9}"
    )
    return f"/replaceitem entity @p {where} minecraft:{name} {quantity} {variant}"


def _places(positions: Any, count: int) -> list[tuple[int, int, int]]:
    """One place for each; a single one goes for all."""
    rows = list(positions)
    if rows and not hasattr(rows[0], "__len__"):
        rows = [rows]
    if len(rows) == 1:
        rows = rows * count
    if len(rows) != count or any(len(row) != 3 for row in rows):
        raise ValueError(f"{count} relative positions of x, y and z are wanted, not {positions!r}")
    return [(math.trunc(x), math.trunc(y), math.trunc(z)) for x, y, z in rows]
