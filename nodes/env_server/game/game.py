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
from nodes.env_server.game.keys import STILL, Keys
from nodes.env_server.game.scope import make_embedded, world_seed
from nodes.env_server.game.statistics import Statistics
from nodes.env_server.worlds.embedded.hands.crafting import craft, nearby_tools
from nodes.env_server.worlds.embedded.hands.digging import dig
from nodes.env_server.worlds.embedded.hands.items import throw
from nodes.env_server.worlds.embedded.hands.placing import equip, place_item, use_item
from nodes.env_server.worlds.embedded.state import CHANGES, SLOTS
from nodes.env_server.worlds.embedded.stepping import stand_up, tick

BAG = 36
ARMOUR = range(36, 40)
READ = ("clock", "compass")  # nothing comes of using them, and yet the tech tree asks for it
SWORD_OR_TOOL = (1, 2)  # in the rules' column "tool"
BLOCK_NAMES = {block.id: block.name for block in BLOCKS}
DAY = 24000  # ticks


class Game:
    """``settings``: as models.tasks.world_settings gives them. ``default_biome``: where the task
    names none. ``seed``: of the world, where the settings have none.

    Raises:
        NotInThisWorld: the embedded world cannot be like that.
    """

    def __init__(
        self,
        settings: WorldSettings,
        *,
        default_biome: str = "forest",
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
        self.time = self.settings.time or 0
        self.ticks = 0
        self.died = False
        for item in self.settings.inventory:
            self.set_slot(item.slot, item.name, item.quantity, item.variant)
        if (at := self.settings.position) is not None:
            self.move_to(at["x"], at["y"], at["z"])
            self.turn_to(at["yaw"], at["pitch"])

    def close(self) -> None:
        self.world.close()

    @property
    def player(self) -> Any:
        return self.world.state.players[0]

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
        item = item_id(name)
        entry = self.world.state.slots[0, slot]
        entry["item"] = item
        entry["count"] = quantity if item else 0
        entry["variant"] = variant if item else 0
        entry["wear"] = 0

    def clear(self) -> None:
        for slot in range(SLOTS):
            self.set_slot(slot, "air", 0, 0)

    def move_to(self, x: float, y: float, z: float) -> None:
        player = self.player
        player["x"], player["y"], player["z"] = x, y, z
        player["vx"] = player["vz"] = 0.0
        player["vy"] = -0.0784  # what presses a standing player to the ground
        player["fall"] = 0.0

    def turn_to(self, yaw: float, pitch: float) -> None:
        self.player["pitch"] = min(90.0, max(-90.0, pitch))
        self.player["yaw"] = yaw - 360.0 * math.floor((yaw + 180.0) / 360.0)

    def kill(self) -> None:
        self.player["life"] = 0.0

    # One tick.

    def _rise(self) -> None:
        stand_up(self.world.state, 0)
        self.clear()
        self.died = False

    def _act(self, keys: Keys) -> None:
        player = self.player
        if keys.attack:
            self._dig()
        else:
            player["digging"], player["dig"] = 0, 0.0
            if player["rest"] > 0:
                player["rest"] -= 1
        if keys.use:
            self._use()
        if keys.drop:
            self._drop()
        for argument in keys.crafts:
            self._craft(argument)
        if keys.equip:
            self._equip(keys.equip)
        if keys.place:
            self._place(keys.place)

    def _dig(self) -> None:
        world = self.world
        tool = int(world.state.slots[0, 0]["item"])
        changes = int(self.player["changes"])
        dig(world.state, world.rules, 0, float(self.settings.break_speed))
        if not changes < self.player["changes"] or changes >= CHANGES:
            return
        block = int(world.state.changes[0, changes]["block"])
        if world.rules.harvests[tool, block]:
            self.statistics.count("mine_block", BLOCK_NAMES[block])
        if tool and world.rules.item[tool]["tool"] in SWORD_OR_TOOL:
            self.statistics.count("use_item", item_names[tool])
            if world.state.slots[0, 0]["item"] == 0:
                self.statistics.count("break_item", item_names[tool])

    def _use(self) -> None:
        world = self.world
        slot = world.state.slots[0, 0]
        item, count = int(slot["item"]), int(slot["count"])
        use_item(world.state, world.rules, 0)
        if item and (slot["count"] < count or item_names[item] in READ):
            self.statistics.count("use_item", item_names[item])

    def _drop(self) -> None:
        item = int(self.world.state.slots[0, 0]["item"])
        if item:
            throw(self.world.state, 0)
            self.statistics.count("drop", item_names[item])
            self.statistics.add("items_dropped")

    def _craft(self, argument: int) -> None:
        world = self.world
        item = int(world.rules.crafted[argument])
        before = self._held()
        tools = nearby_tools(world.state, 0)
        craft(world.state, world.rules, 0, argument, tools)
        made = int(self._held()[item] - before[item])
        if made > 0:
            self.statistics.count("craft_item", CRAFTS[argument].item, made)

    def _equip(self, name: str) -> None:
        slot = self._slot_of(name)
        if slot >= 0:
            equip(self.world.state, self.world.rules, 0, slot)
            if self.world.rules.item[item_id(name)]["slot"] in ARMOUR:
                self.statistics.count("use_item", name)

    def _place(self, name: str) -> None:
        slot = self._slot_of(name)
        if slot >= 0 and place_item(self.world.state, self.world.rules, 0, slot):
            self.statistics.count("use_item", name)

    def _slot_of(self, name: str) -> int:
        found = np.flatnonzero(self.world.state.slots[0]["item"][:BAG] == item_id(name))
        return int(found[0]) if len(found) else -1

    def _held(self) -> NDArray[np.int64]:
        slots = self.world.state.slots[0]
        return np.bincount(slots["item"], slots["count"], len(item_names)).astype(np.int64)

    def _pass(self, keys: Keys) -> None:
        """The tick itself, and what it adds to the statistics."""
        world, player = self.world, self.player
        before, life = self._held(), float(player["life"])
        x, z, jump_rest = float(player["x"]), float(player["z"]), int(player["jump_rest"])
        tick(world.state, world.rules, 0, float(keys.forward), float(keys.left), keys.gait)
        self.ticks += 1
        if self.settings.time_passes:
            self.time += 1
        statistics = self.statistics
        for name in ("play_one_minute", "time_since_death"):
            statistics.add(name)
        for item in np.flatnonzero(self._held() > before):
            statistics.count("pickup", item_names[item])
        walked = round(100.0 * math.hypot(float(player["x"]) - x, float(player["z"]) - z))
        if player["ground"] and walked:
            how = "crouch" if keys.gait == 2 else "sprint" if player["sprinting"] else "walk"
            statistics.add(f"{how}_one_cm", walked)
        if keys.gait == 2:
            statistics.add("sneak_time")
        if player["jump_rest"] == 10 and jump_rest < 10:
            statistics.add("jump")
        hurt = life - float(player["life"])
        if hurt > 0.0:
            statistics.add("damage_taken", round(10.0 * hurt))
        if player["life"] <= 0.0 and not self.died:
            self.died = True
            statistics.add("deaths")
            statistics.set("time_since_death", 0)
