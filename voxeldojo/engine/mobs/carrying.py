"""Endermen carry blocks around, and drop them when they die."""

import math

import numpy as np

from voxeldojo.engine.block_changes import set_block
from voxeldojo.engine.chance import below, unit
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.grid import AIR, block_at, meta_at
from voxeldojo.engine.hands.items import lay_drop
from voxeldojo.rules import BLOCKS, item_id

CARRIED = (
    "grass", "dirt", "sand", "gravel", "yellow_flower", "red_flower", "brown_mushroom",
    "red_mushroom", "tnt", "cactus", "clay", "pumpkin", "melon_block", "mycelium", "netherrack",
)  # fmt: skip
ITEM = np.zeros(256, np.int64)  # what it drops, by block that it carries; 0: it takes no such block
for _block in BLOCKS:
    if _block.name in CARRIED:
        ITEM[_block.id] = item_id(_block.name)


@kernel
def carry_about(state, rules, w, mob):
    """Ten ticks: with empty hands it may take a block near it, else put its own down."""
    player = state.players[w]
    if mob.carried == 0:
        if below(player, 2) != 0:
            return
        x = math.floor(mob.x + 4.0 * unit(player) - 2.0)
        y = math.floor(mob.y + 3.0 * unit(player))
        z = math.floor(mob.z + 4.0 * unit(player) - 2.0)
        block = block_at(state, w, x, y, z)
        if ITEM[block] != 0:
            mob.carried = block << 4 | (meta_at(state, w, x, y, z) & 15)
            set_block(state, rules, w, x, y, z, AIR, 0)
        return
    if below(player, 200) != 0:
        return
    x = math.floor(mob.x + 2.0 * unit(player) - 1.0)
    y = math.floor(mob.y + 2.0 * unit(player))
    z = math.floor(mob.z + 2.0 * unit(player) - 1.0)
    whole = rules.block[block_at(state, w, x, y - 1, z)].height == 1.0
    if block_at(state, w, x, y, z) == AIR and whole:
        set_block(state, rules, w, x, y, z, mob.carried >> 4, mob.carried & 15)
        mob.carried = 0


@kernel
def let_fall(state, w, mob):
    """What it carried, at its death."""
    if mob.carried > 0:
        item = ITEM[mob.carried >> 4]
        meta = mob.carried & 15
        lay_drop(state, w, mob.x, mob.y + 1.0, mob.z, 0.0, 0.2, 0.0, item, 1, meta, 0, 10)
