"""One world with its player, and the changes that commands and settings make to it."""

import math
from typing import Any

import numpy as np

from voxeldojo.engine.block_changes import set_block
from voxeldojo.engine.grid import held
from voxeldojo.engine.hands.hotbar import place_of
from voxeldojo.engine.hands.items import add_items
from voxeldojo.engine.mobs.placing import place_mob, remove_mob
from voxeldojo.engine.observation.surroundings import surroundings
from voxeldojo.engine.scene.staging import put_player
from voxeldojo.engine.state import HEIGHT, KINDS
from voxeldojo.game.scope import make_embedded, world_seed
from voxeldojo.game.statistics import Statistics
from voxeldojo.game.village_start import OUTSIDE_THE_WELL, nearest_village
from voxeldojo.rules import BLOCKS, item_id
from voxeldojo.tasks import WorldSettings

FIRE = next(block.id for block in BLOCKS if block.name == "fire")


class SingleWorld:
    """``settings``: from voxeldojo.tasks.world_settings. ``default_biome``: the biome if the task
    names none; None: a world of all biomes. ``seed``: of the world, if the settings have none.

    Raises:
        NotInThisWorld: the embedded world does not support the settings.
    """

    def __init__(
        self,
        settings: WorldSettings,
        *,
        default_biome: str | None = None,
        seed: int = 0,
        area: int = 128,
    ) -> None:
        self.world = make_embedded(settings, default_biome, area)
        self.settings = settings
        self._rules_of_start = self.world.state.settings.copy()  # commands change the rules
        self.reset(seed)

    def reset(self, seed: int = 0) -> None:
        """Make the world of the settings' seed, or else of this one, with the player in it."""
        self.seed = world_seed(self.settings.world_seed, seed)
        self.world.state.settings[:] = self._rules_of_start
        self.world.reset(np.zeros(1, np.int64), np.array([self.seed]))
        self.statistics = Statistics()
        self.chance = np.random.default_rng(self.seed)  # of commands
        self.kills = np.zeros(KINDS, np.int64)
        self.ticks = 0
        self.died = False
        if self.settings.village:
            x, z = nearest_village(self.world)
            any(self.stand_on_top(x + dx, z + dz) for dx, dz in OUTSIDE_THE_WELL)
        for item in self.settings.inventory:
            self.set_slot(item.slot, item.name, item.quantity, item.variant)

    def close(self) -> None:
        self.world.close()

    @property
    def time(self) -> int:
        """The time in ticks; it goes on beyond the 24000 of a day."""
        return int(self.player["time"])

    @property
    def player(self) -> Any:
        """The player's record, as kernels take it."""
        return self.world.state.players[0]

    @property
    def selected(self) -> int:
        """The slot of the hot bar that is in the hand, 0..8."""
        return int(self.player["selected"])

    def mark(self) -> None:
        """Gains and losses from now on are part of the next observation."""
        state = self.world.state
        state.before[0] = state.slots[0]
        self.player["fresh"] = 0

    def expect_craft(self, craft_argument: int = -1, allowed: bool = False) -> None:
        """Set what the next action crafts (-1: nothing), and whether the last mask allowed it: this
        decides which gains are reported as crafted."""
        self.player["crafting"] = craft_argument
        self.player["allowed"] = allowed

    # Changes by commands and settings.

    def set_slot(self, slot: int, name: str, quantity: int, variant: int) -> None:
        """``slot``: in the order of the player's inventory; 0 is the first of the hot bar. A slot
        holds a stack at most; with a quantity below 1 it is emptied."""
        item = item_id(name) if quantity > 0 else 0
        stack = max(1, int(self.world.rules.item["stack"][item]))
        entry = self.world.state.slots[0, place_of(self.selected, slot)]
        entry["item"] = item
        entry["count"] = min(quantity, stack) if item else 0
        entry["variant"] = variant if item else 0
        entry["wear"] = 0

    def move_to(self, x: float, y: float, z: float) -> None:
        put_player(self.world.state, self.world.rules, 0, float(x), float(y), float(z))

    def turn_to(self, yaw: float, pitch: float) -> None:
        self.player["pitch"] = min(90.0, max(-90.0, pitch))
        self.player["yaw"] = yaw - 360.0 * math.floor((yaw + 180.0) / 360.0)

    def kill(self) -> None:
        self.player["life"] = 0.0

    def light(self) -> float:
        """The light level (0..15) at the player, as in the observation."""
        return surroundings(self.world.state, 0).light

    def holds(self, x: int, z: int) -> bool:
        """Whether a column is in the window around the player."""
        return bool(held(self.world.state, 0, x, z))

    def put(self, x: int, y: int, z: int, block: int, meta: int) -> None:
        set_block(self.world.state, self.world.rules, 0, x, y, z, block, meta)

    def give(self, name: str, count: int, variant: int) -> None:
        add_items(self.world.state, self.world.rules, 0, item_id(name), count, variant, 0)

    def place_mob(self, kind: int, x: float, y: float, z: float) -> int:
        return int(place_mob(self.world.state, self.world.rules, 0, kind, x, y, z))

    def remove_entity(self, kind: str, number: int) -> None:
        """Remove a mob or an item entity."""
        if kind == "item":
            self.world.state.drops[0, number]["count"] = 0
        else:
            remove_mob(self.world.state, 0, number)

    def move_entity(self, kind: str, number: int, x: float, y: float, z: float) -> None:
        """Move a mob or an item entity inside the window."""
        state = self.world.state
        row = (state.drops if kind == "item" else state.mobs)[0, number]
        row["x"], row["y"], row["z"] = x, y, z

    def block_at(self, x: int, y: int, z: int) -> tuple[int, int] | None:
        """A block's number and metadata; None outside the window."""
        if not self.holds(x, z) or not 0 <= y < HEIGHT:
            return None
        state = self.world.state
        last = state.blocks.shape[1] - 1
        cell = 0, x & last, z & last, y
        return int(state.blocks[cell]), int(state.meta[cell])

    def top_of(self, x: int, z: int) -> float | None:
        """The height to stand at on a column of the window, on its highest block; None if that is
        liquid or fire, or too high, or if there are only plants and the like."""
        world = self.world
        last = world.state.blocks.shape[1] - 1
        column = world.state.blocks[0, x & last, z & last]
        heights = world.rules.block["height"]
        there = np.flatnonzero(column)
        if not len(there) or there[-1] >= HEIGHT - 2:
            return None
        highest = int(column[there[-1]])
        if world.rules.block["liquid"][highest] or highest == FIRE:
            return None
        solid = np.flatnonzero(heights[column] > 0.0)
        if not len(solid):
            return None
        top = int(solid[-1])
        return top + float(heights[column[top]])

    def stand_on_top(self, x: int, z: int) -> bool:
        """Move the player onto the highest block of a column. False if it cannot stand there; the
        window moves in any case."""
        self.move_to(x + 0.5, HEIGHT - 1.0, z + 0.5)
        top = self.top_of(x, z)
        if top is not None:
            self.move_to(x + 0.5, top, z + 0.5)
        return top is not None
