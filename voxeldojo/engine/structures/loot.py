"""The contents of chests, by the game's loot tables (rules/chests.json). MineDojo has no actions
for a chest's window, so chests are broken and drop their contents."""

import numpy as np

from voxeldojo.engine.chance import GOLDEN, mixed
from voxeldojo.engine.compiling.kernels import entry_kernel, kernel
from voxeldojo.engine.hands.items import lay_drop
from voxeldojo.engine.state import CHANGES
from voxeldojo.engine.structures.places import landscape, pieces_at
from voxeldojo.engine.terrain.underground.carve import chunk_bits, fraction

CHESTS = (54, 146)  # block ids: a chest and a trapped chest
SOME = 16  # pieces of structures that may lie over one column
WAIT = 10  # ticks until dropped contents can be picked up


@kernel
def chest_table(state, rules, w, x, y, z, block):
    """The row of Rules.chest for a chest at a place; 0 for an empty one, which is part of no
    structure or was placed by the player."""
    player = state.players[w]
    for number in range(min(player.changes, CHANGES)):
        change = state.changes[w, number]
        if (
            change.x == x
            and change.y == y
            and change.z == z
            and change.dimension == player.dimension
            and change.new_block == block
        ):
            return 0
    found = np.empty((SOME, 4), np.int64)
    setting = state.settings[w]
    count = pieces_at(
        rules, setting.biome, setting.generator, landscape(state, w), player.seed,
        x, z, x + 1, z + 1, found,
    )  # fmt: skip
    for number in range(count - 1, -1, -1):
        piece = rules.piece[found[number, 0]]
        if piece.table > 0 and found[number, 2] <= y < found[number, 2] + piece.tall:
            return piece.table
    return 0


@entry_kernel
def drop_chest(state, rules, w, x, y, z, block):
    """Drop the contents of a chest: rolls of its table's pools, which depend only on the seed and
    the place. Call it when it breaks, before or after the block is removed."""
    table = rules.chest[chest_table(state, rules, w, x, y, z, block)]
    bits = mixed(chunk_bits(state.players[w].seed, 701, x, z) + np.uint64(y))
    for row in range(table.pool, table.pool + table.pools):
        pool = rules.pool[row]
        bits = mixed(bits + GOLDEN)
        rolls = pool.fewest + np.int64(bits % np.uint64(pool.most - pool.fewest + 1))
        for _ in range(rolls):
            bits = mixed(bits + GOLDEN)
            spill(state, rules, w, x, y, z, pool, bits)


@kernel
def spill(state, rules, w, x, y, z, pool, bits):
    """One roll: draw an entry by its weight and drop it."""
    left = np.int64(bits % np.uint64(pool.weight))
    row = pool.entry
    while left >= rules.entry[row].weight:
        left -= rules.entry[row].weight
        row += 1
    entry = rules.entry[row]
    if entry.item == 0:
        return
    bits = mixed(bits)
    count = entry.fewest + np.int64(bits % np.uint64(entry.most - entry.fewest + 1))
    side = 0.1 * (fraction(bits) - 0.5)
    along = 0.1 * (fraction(mixed(bits)) - 0.5)
    stack = rules.item[entry.item].stack
    while count > 0:
        part = min(count, stack)
        lay_drop(
            state, w, x + 0.5, y + 0.3, z + 0.5, side, 0.15, along, entry.item, part,
            entry.variant, 0, WAIT,
        )  # fmt: skip
        count -= part
