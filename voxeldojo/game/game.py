"""One world, played a tick at a time. MineDojo's own Python does the rest of its interface: the
ticks of functional actions, masks, gained items, rewards."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from voxeldojo.engine.compiling.direct_calls import direct
from voxeldojo.engine.hands.hotbar import (
    HOTBAR,
    place_of,
    select_slot,
    swap_slots,
)
from voxeldojo.engine.state import CHANGES
from voxeldojo.engine.stepping import (
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
from voxeldojo.game.commands import perform
from voxeldojo.game.info import held_of, info_of
from voxeldojo.game.journal import Journal
from voxeldojo.game.picking import slot_to_fill, slot_to_pick
from voxeldojo.game.pressed_keys import STILL, Keys
from voxeldojo.game.single_world import SingleWorld
from voxeldojo.rules import BLOCKS, CRAFTS, item_id, item_names

BAG, OFFHAND = 36, 40
ARMOUR = range(36, 40)
BOW = item_id("bow")
READ = ("clock", "compass")  # using them has no effect, but the tech tree counts it
SWORD_OR_TOOL = (1, 2)  # in the rules' column "tool"
BLOCK_NAMES = {block.id: block.name for block in BLOCKS}
TICK, ATTACK, LET_GO = direct(tick), direct(attack), direct(let_go)


class Game(SingleWorld):
    """A world that is played a tick at a time; its arguments are those of `SingleWorld`."""

    def tick(self, keys: Keys = STILL, command: str = "") -> str:
        """One tick of 50 ms: the command, then the keys. Returns why the command failed, "" if it
        did not."""
        if self.player["life"] <= 0.0:
            self._respawn()
        refused = perform(self, command) if command else ""
        self.turn_to(self.player["yaw"] + keys.yaw, self.player["pitch"] + keys.pitch)
        self._act(keys)
        self._pass(keys)
        return refused

    def observation(self) -> dict[str, Any]:
        """MineDojo's observation dictionary. ``delta_inv`` has the changes since ``mark``."""
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
        """The raw state as MineDojo's Java side sends it, without voxels, rays and picture."""
        return info_of(self)

    def held(self) -> dict[str, int]:
        """Quantities in all 41 slots by name."""
        return held_of(self)

    def _respawn(self) -> None:
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
        """Move items between slots and select the one in the hand."""
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
        """The tick itself, and its entries in the statistics."""
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
            gained = _quantities(slots) - _quantities(before)
            for item in np.flatnonzero(gained > 0):
                self.statistics.count("pickup", item_names[item], int(gained[item]))
            if drawn and before[0]["item"] == BOW:  # a bow wears in the tick in which it shoots
                self._count_wear(BOW, int(before[0]["wear"]))
        kills = self.world.state.kills[0]
        if (fresh := kills - self.kills).any():
            self.statistics.kills(fresh)
            self.kills[:] = kills

    def _count_wear(self, item: int, wear: int) -> None:
        """Count the item in the hand as used if its wear changed from ``wear``, and as broken if it
        is gone."""
        held = self.world.state.slots[0, 0]
        if held["item"] != item or held["wear"] != wear:
            self.statistics.count("use_item", item_names[item])
            if held["item"] == 0:
                self.statistics.count("break_item", item_names[item])


def _quantities(slots: NDArray[np.void]) -> NDArray[np.int64]:
    """The quantity of each item in all slots."""
    return np.bincount(slots["item"], slots["count"], len(item_names)).astype(np.int64)


def _lives(mobs: NDArray[np.void]) -> NDArray[np.float64]:
    """The life of each mob, 0 for empty rows."""
    return np.where(mobs["kind"] > 0, mobs["life"], 0.0)
