"""The scripted player: it reads the arrays of the world and acts by MineDojo actions."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from voxeldojo.actions import CRAFT, EQUIP, NO_OP
from voxeldojo.engine.rays import under_crosshair
from voxeldojo.engine.state import EYES, REACH
from voxeldojo.engine.structures.places import landscape
from voxeldojo.minedojo_api import Environment
from voxeldojo.rules import BLOCKS, ITEMS, craft_index, item_id, item_names

Cell = tuple[int, int, int]
SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1))
BLOCK_IDS = {block.name: block.id for block in BLOCKS}
BLOCK_NAMES = {block.id: block.name for block in BLOCKS}
ITEM_BLOCKS = {item.name: item.block for item in ITEMS}
BAG = 36


class Succeeded(Exception):
    """The task's success flag was raised."""


class GaveUp(Exception):
    """The player cannot do a part of its script; the reason is a clause."""


class OutOfSteps(GaveUp):
    """The script's limit of steps is reached: no other attempt makes sense."""


class NoWay(GaveUp):
    """The rules have no way to get something, or there is no script for it: trying again elsewhere
    would not help."""


class NoTool(GaveUp):
    """No tool in the inventory makes a block drop its item, for example because it wore out."""


class Died(Exception):
    """The player died: it loses its items and goes back to its start."""


class Disturbed(Exception):
    """``Player.watch`` was true."""


class Player:
    """``env``: made with ``cam_interval=1``, so that the camera turns by single degrees.

    Every action goes through ``act``, which raises Succeeded as soon as the environment reports
    success, OutOfSteps after ``limit`` steps, and Died when the player died. ``watch`` is called
    after each action and raises Disturbed if it is true; ``between`` is called by ``pause``.
    """

    def __init__(self, env: Environment, limit: int) -> None:
        self.env = env
        self.limit = limit
        self.steps = 0
        self.deaths = 0
        self.blocked = False  # the last walk
        self.stuck = 0  # blocked walks in a row
        self.watch: Callable[[], bool] | None = None
        self.between: Callable[[], None] | None = None
        self.ashore: Cell | None = None  # where it last stood on dry ground
        self._middle = int(env.no_op()[3])

    # Reading. The arrays are the world's own and change with each action.

    @property
    def world(self) -> Any:
        return self.env.unwrapped.game.world

    @property
    def body(self) -> Any:
        return self.world.state.players[0]

    @property
    def feet(self) -> Cell:
        body = self.body
        # A little up: on farmland or soul sand the feet are below the top of the full block.
        return math.floor(body["x"]), math.floor(body["y"] + 0.2), math.floor(body["z"])

    @property
    def land(self) -> int:
        """OVERWORLD, NETHER or END by the terrain, also in a world of one biome."""
        return int(landscape(self.world.state, 0))

    @property
    def eyes(self) -> tuple[float, float, float]:
        body = self.body
        return float(body["x"]), float(body["y"]) + EYES, float(body["z"])

    def block(self, cell: Cell) -> int:
        """The block id of a cell; barrier (166) outside the window, air above the world."""
        state, (x, y, z) = self.world.state, cell
        area = state.blocks.shape[1]
        body = self.body
        if not 0 <= y < state.blocks.shape[3]:
            return 0 if y > 0 else 7
        if not (0 <= x - body["west"] < area and 0 <= z - body["north"] < area):
            return 166
        return int(state.blocks[0, x & (area - 1), z & (area - 1), y])

    def meta(self, cell: Cell) -> int:
        """The metadata of a cell inside the window."""
        last = self.world.state.blocks.shape[1] - 1
        x, y, z = cell
        return int(self.world.state.meta[0, x & last, z & last, y])

    def have(self, name: str) -> int:
        slots = self.world.state.slots[0][:BAG]
        return int(slots["count"][slots["item"] == item_id(name)].sum())

    def slot_of(self, name: str) -> int:
        """The first slot with such an item, -1 if there is none."""
        found = np.flatnonzero(self.world.state.slots[0]["item"][:BAG] == item_id(name))
        return int(found[0]) if len(found) else -1

    def item_in_hand(self) -> int:
        return int(self.world.state.slots[0, 0]["item"])

    def held(self) -> str:
        return item_names[self.item_in_hand()]

    def wears(self, name: str) -> bool:
        return bool((self.world.state.slots[0]["item"][BAG:] == item_id(name)).any())

    def target(self) -> tuple[int, Cell]:
        """The block under the crosshair within reach, 0 for none, and where it is."""
        hit = under_crosshair(self.world.state, self.world.rules, 0, REACH)
        return int(hit[0]), (int(hit[1]), int(hit[2]), int(hit[3]))

    # Acting.

    def act(
        self,
        move: int = 0,
        strafe: int = 0,
        gait: int = 0,
        pitch: int = 0,
        yaw: int = 0,
        function: int = NO_OP,
        argument: int = 0,
        slot: int = 0,
    ) -> None:
        """One MineDojo action; ``pitch`` and ``yaw`` are whole degrees, + down and right."""
        if self.steps >= self.limit:
            raise OutOfSteps(f"{self.limit} steps were not enough")
        self.steps += 1
        middle = self._middle
        pitch, yaw = max(-middle, min(middle, pitch)), max(-middle, min(middle, yaw))
        life, had = float(self.body["life"]), self._items()
        self.env.step([move, strafe, gait, middle + pitch, middle + yaw, function, argument, slot])
        if self.env.is_successful:
            raise Succeeded
        if self.body["ground"] and not self.body["fluid"]:
            self.ashore = self.feet
        # A player that dies in the first tick of an action of three is alive again at its end.
        gone = had > 1 and self._items() == 0
        if life > 0.0 and (float(self.body["life"]) <= 0.0 or gone):
            self.deaths += 1
            self.watch = None
            raise Died
        if self.watch is not None and self.watch():
            self.watch = None
            raise Disturbed

    def pause(self) -> None:
        """Call ``between``. Scripts pause where they can be interrupted, between two blocks or
        mobs."""
        between = self.between
        if between is None:
            return
        self.between = None
        try:
            between()
        finally:
            self.between = between

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """A context in which ``pause`` does nothing, for work that must not be interrupted."""
        between, self.between = self.between, None
        try:
            yield
        finally:
            self.between = between

    def _items(self) -> int:
        return int(self.world.state.slots[0]["count"][:BAG].sum())

    def wait(self, ticks: int) -> None:
        for _ in range(ticks):
            self.act()

    def idle(self, ticks: int) -> None:
        """Wait with a third of the actions: a crafting action takes three ticks, and this one has
        no effect without a table."""
        vain = craft_index("diamond_pickaxe")
        for _ in range(ticks // 3):
            self.act(function=CRAFT, argument=vain)

    def angles_to(self, x: float, y: float, z: float) -> tuple[int, int]:
        """Whole degrees of pitch and yaw from the line of sight to a point."""
        ex, ey, ez = self.eyes
        flat = math.hypot(x - ex, z - ez)
        pitch = -math.degrees(math.atan2(y - ey, flat)) - float(self.body["pitch"])
        yaw = 0.0
        if flat > 1e-6:
            yaw = math.degrees(math.atan2(-(x - ex), z - ez)) - float(self.body["yaw"])
        return round(pitch), round((yaw + 180.0) % 360.0 - 180.0)

    def look_at(self, x: float, y: float, z: float) -> None:
        pitch, yaw = self.angles_to(x, y, z)
        if pitch or yaw:
            self.act(pitch=pitch, yaw=yaw)

    def equip(self, name: str) -> None:
        """Take an item into the main hand. Raises GaveUp if there is none."""
        if self.held() == name:
            return
        slot = self.slot_of(name)
        if slot < 0:
            raise GaveUp(f"there is no {name} to take into the hand")
        self.act(function=EQUIP, slot=slot)

    def craft(self, name: str) -> bool:
        """Craft or smelt once. False: it had no effect."""
        before = self.have(name)
        self.act(function=CRAFT, argument=craft_index(name))
        return self.have(name) > before
