"""One world, played a tick at a time. MineDojo's own Python does the rest of its interface: what a
functional action costs, masks, gained items, rewards."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.rules import BLOCKS, CRAFTS, item_id, item_names
from models.tasks import WorldSettings
from nodes.env_server.game.commands import perform
from nodes.env_server.game.info import held_of, info_of
from nodes.env_server.game.journal import Journal
from nodes.env_server.game.keys import STILL, Keys
from nodes.env_server.game.picking import slot_to_fill, slot_to_pick
from nodes.env_server.game.scope import make_embedded, world_seed
from nodes.env_server.game.statistics import Statistics
from nodes.env_server.game.village import OUTSIDE_THE_WELL, nearest_village
from nodes.env_server.worlds.embedded.direct import direct
from nodes.env_server.worlds.embedded.grid import held
from nodes.env_server.worlds.embedded.hands.hotbar import (
    HOTBAR,
    place_of,
    select_slot,
    swap_slots,
)
from nodes.env_server.worlds.embedded.hands.items import add_items
from nodes.env_server.worlds.embedded.mobs.placing import place_mob, remove_mob
from nodes.env_server.worlds.embedded.scene.staging import put_player
from nodes.env_server.worlds.embedded.state import CHANGES, HEIGHT, KINDS
from nodes.env_server.worlds.embedded.stepping import (
    CRAFT,
    DROP,
    EQUIP,
    PLACE,
    USE,
    attack,
    let_go,
    rise,
    tick,
    use_hands,
)
from nodes.env_server.worlds.embedded.surroundings import surroundings
from nodes.env_server.worlds.embedded.updates import set_block

BAG, OFFHAND = 36, 40
ARMOUR = range(36, 40)
BOW = item_id("bow")
READ = ("clock", "compass")  # nothing comes of using them, and yet the tech tree asks for it
SWORD_OR_TOOL = (1, 2)  # in the rules' column "tool"
BLOCK_NAMES = {block.id: block.name for block in BLOCKS}
FIRE = next(block.id for block in BLOCKS if block.name == "fire")
TICK, ATTACK, LET_GO = direct(tick), direct(attack), direct(let_go)


class Game:
    """``settings``: as models.tasks.world_settings gives them. ``default_biome``: where the task
    names none; None: a world of all biomes. ``seed``: of the world, where the settings have none.

    Raises:
        NotInThisWorld: the embedded world cannot be like that.
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
        self.reset(seed)

    def reset(self, seed: int = 0) -> None:
        """The world of the settings' seed (or else this one) as it was made, the player in it."""
        self.seed = world_seed(self.settings.world_seed, seed)
        self.world.reset(np.zeros(1, np.int64), np.array([self.seed]))
        self.statistics = Statistics()
        self.chance = np.random.default_rng(self.seed)  # of commands
        self._kills = np.zeros(KINDS, np.int64)
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
        """Of the day in ticks, growing over 24000."""
        return int(self.player["time"])

    @property
    def player(self) -> Any:
        """The player's record, as kernels take it."""
        return self.world.state.players[0]

    @property
    def selected(self) -> int:
        """The slot of the hot bar that is in the hand, 0..8."""
        return int(self.player["selected"])

    def tick(self, keys: Keys = STILL, command: str = "") -> str:
        """One tick of 50 ms: the command, then the keys. Returns why the command was not done, ""
        if it was."""
        if self.player["life"] <= 0.0:
            self._rise()
        refused = perform(self, command) if command else ""
        self.turn_to(self.player["yaw"] + keys.yaw, self.player["pitch"] + keys.pitch)
        self._act(keys)
        self._pass(keys)
        return refused

    def observation(self) -> dict[str, Any]:
        """MineDojo's observation dictionary. ``delta_inv`` is what changed since ``mark``."""
        seen = self.world.observation(0)
        box = self.settings.voxels
        if box is not None:
            radius = self.world.voxel_radius
            cut = tuple(
                slice(box[f"{axis}min"] + radius, box[f"{axis}max"] + radius + 1) for axis in "xyz"
            )
            seen["voxels"] = {name: values[cut] for name, values in seen["voxels"].items()}
        return seen

    def info(self) -> dict[str, Any]:
        """The raw state as the Java side tells it, without voxels, rays and picture."""
        return info_of(self)

    def held(self) -> dict[str, int]:
        """Quantities in all 41 slots by name."""
        return held_of(self)

    def mark(self) -> None:
        """From here on gains and losses count for the next observation."""
        state = self.world.state
        state.before[0] = state.slots[0]
        self.player["fresh"] = 0

    def intend(self, craft_argument: int = -1, allowed: bool = False) -> None:
        """What the next action crafts (-1: nothing), and whether the last mask said that it can:
        gains are put down to crafting by that."""
        self.player["crafting"] = craft_argument
        self.player["allowed"] = allowed

    # What commands and settings do to the world.

    def set_slot(self, slot: int, name: str, quantity: int, variant: int) -> None:
        """``slot``: the player's, 0 the first of the hot bar."""
        item = item_id(name)
        entry = self.world.state.slots[0, place_of(self.selected, slot)]
        entry["item"] = item
        entry["count"] = quantity if item else 0
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
        """0..15 where the player is, as the observation tells it."""
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
        """A mob or an item that lies about is gone."""
        if kind == "item":
            self.world.state.drops[0, number]["count"] = 0
        else:
            remove_mob(self.world.state, 0, number)

    def move_entity(self, kind: str, number: int, x: float, y: float, z: float) -> None:
        """A mob or an item that lies about is elsewhere in the window."""
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
        """Where one stands on a column of the window: on its highest block, as long as that is
        neither liquid nor fire."""
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
        top = int(np.flatnonzero(heights[column] > 0.0)[-1])
        return top + float(heights[column[top]])

    def stand_on_top(self, x: int, z: int) -> bool:
        """The player stands on the highest block of a column, if one can. The window goes there
        in any case."""
        self.move_to(x + 0.5, HEIGHT - 1.0, z + 0.5)
        top = self.top_of(x, z)
        if top is not None:
            self.move_to(x + 0.5, top, z + 0.5)
        return top is not None

    # One tick.

    def _rise(self) -> None:
        rise(self.world.state, self.world.rules, 0)
        self.died = False

    def _act(self, keys: Keys) -> None:
        state, rules = self.world.state, self.world.rules
        self._arrange(keys)
        if keys.attack:
            self._attack()
        else:
            LET_GO(state, 0)
        if keys.use:
            self._use()
        if keys.drop:
            self._drop()
        for argument in keys.crafts:
            self._craft(argument)
        if keys.at_table and self.world.status()["table"][0]:
            for argument in keys.at_table:
                self._craft(argument)
        for function, name in ((EQUIP, keys.equip), (PLACE, keys.place)):
            slot = self._slot_of(name) if name else -1
            if slot >= 0:
                before = self._quantities()
                use_hands(state, rules, 0, function, 0, slot)
                worn = rules.item[item_id(name)]["slot"] in ARMOUR
                if (self._quantities() < before).any() if function == PLACE else worn:
                    self.statistics.count("use_item", name)

    def _arrange(self, keys: Keys) -> None:
        """What lies where, and what is in the hand."""
        state = self.world.state
        for one, other in keys.swaps:
            swap_slots(state, 0, place_of(self.selected, one), place_of(self.selected, other))
        if keys.hotbar >= 0:
            select_slot(state, 0, keys.hotbar)
        if keys.swap_hands:
            swap_slots(state, 0, 0, OFFHAND)
        slot = slot_to_pick(self) if keys.pick else -1
        if slot >= HOTBAR:  # out of the bag
            select_slot(state, 0, slot_to_fill(self))
            swap_slots(state, 0, 0, slot)
        elif slot >= 0:
            select_slot(state, 0, slot)

    def _attack(self) -> None:
        world, statistics = self.world, self.statistics
        tool = int(world.state.slots[0, 0]["item"])
        changes = int(self.player["changes"])
        wear = int(world.state.slots[0, 0]["wear"])
        mobs = world.state.mobs[0]
        before = mobs.tobytes()
        ATTACK(world.state, world.rules, 0)
        dealt = 0.0
        if mobs.tobytes() != before:
            lost = _lives(np.frombuffer(before, mobs.dtype)) - _lives(mobs)
            dealt = float(np.clip(lost, 0.0, None).sum())
        if dealt > 0.0:
            statistics.add("damage_dealt", round(10.0 * dealt))
        if world.rules.item[tool]["tool"] in SWORD_OR_TOOL:
            self._count_wear(tool, wear)
        if changes < self.player["changes"] and changes < CHANGES and dealt == 0.0:
            block = int(world.state.changes[0, changes]["block"])
            if world.rules.harvests[tool, block]:
                statistics.count("mine_block", BLOCK_NAMES[block])

    def _use(self) -> None:
        world = self.world
        slots = world.state.slots[0]
        item = int(slots[0]["item"])
        before = slots[0].tolist()
        use_hands(world.state, world.rules, 0, USE, 0, 0)
        if item and (slots[0].tolist() != before or item_names[item] in READ):
            self.statistics.count("use_item", item_names[item])

    def _drop(self) -> None:
        item = int(self.world.state.slots[0, 0]["item"])
        if item:
            use_hands(self.world.state, self.world.rules, 0, DROP, 0, 0)
            self.statistics.count("drop", item_names[item])
            self.statistics.add("items_dropped")

    def _craft(self, argument: int) -> None:
        world = self.world
        item = int(world.rules.crafted[argument])
        before = self._quantities()
        use_hands(world.state, world.rules, 0, CRAFT, argument, 0)
        made = int(self._quantities()[item] - before[item])
        if made > 0:
            self.statistics.count("craft_item", CRAFTS[argument].item, made)

    def _slot_of(self, name: str) -> int:
        found = np.flatnonzero(self.world.state.slots[0]["item"][:BAG] == item_id(name))
        return int(found[0]) if len(found) else -1

    def _quantities(self) -> NDArray[np.int64]:
        return _quantities(self.world.state.slots[0])

    def _pass(self, keys: Keys) -> None:
        """The tick itself, and what it adds to the statistics."""
        slots = self.world.state.slots[0]
        had = slots.tobytes()
        drawn = self.player["drawn"] > 0
        journal = Journal(self)
        TICK(
            self.world.state, self.world.rules, 0, float(keys.forward), float(keys.left), keys.gait
        )
        self.ticks += 1
        journal.write(keys)
        if slots.tobytes() != had:
            before: NDArray[np.void] = np.frombuffer(had, slots.dtype)
            for item in np.flatnonzero(_quantities(slots) > _quantities(before)):
                self.statistics.count("pickup", item_names[item])
            if drawn and before[0]["item"] == BOW:  # it wears in the tick in which it is let go
                self._count_wear(BOW, int(before[0]["wear"]))
        kills = self.world.state.kills[0]
        if (fresh := kills - self._kills).any():
            self.statistics.kills(fresh)
            self._kills[:] = kills

    def _count_wear(self, item: int, wear: int) -> None:
        """What was in hand, so worn, was used if it is worn more now; that may have broken it."""
        held = self.world.state.slots[0, 0]
        if held["item"] != item or held["wear"] != wear:
            self.statistics.count("use_item", item_names[item])
            if held["item"] == 0:
                self.statistics.count("break_item", item_names[item])


def _quantities(slots: NDArray[np.void]) -> NDArray[np.int64]:
    """By item, in all slots."""
    return np.bincount(slots["item"], slots["count"], len(item_names)).astype(np.int64)


def _lives(mobs: NDArray[np.void]) -> NDArray[np.float64]:
    """By place in the list of mobs."""
    return np.where(mobs["kind"] > 0, mobs["life"], 0.0)
