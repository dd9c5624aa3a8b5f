"""Breaking blocks: how long it takes, what it costs and what drops.

Times are those of EntityPlayer.getDigSpeed, experience that of each block's getExpDrop.
"""

import numpy as np

from voxeldojo.engine.block_changes import set_block
from voxeldojo.engine.body.experience import gain_xp
from voxeldojo.engine.chance import below, unit
from voxeldojo.engine.compiling.kernels import entry_kernel, kernel
from voxeldojo.engine.grid import AIR, WATER_BLOCK, block_at, meta_at
from voxeldojo.engine.hands.items import drop_loot, lay_drop, wear_out
from voxeldojo.engine.mobs.placing import place_mob
from voxeldojo.engine.rays import under_crosshair
from voxeldojo.engine.rulebook import SHEARED, SHEARS
from voxeldojo.engine.state import BREAK_DELAY, NETHER, REACH
from voxeldojo.engine.structures.loot import CHESTS, drop_chest
from voxeldojo.rules import item_id
from voxeldojo.rules.mobs import MOB_IDS

ICE, BED, NETHER_WART, POTATOES, DOUBLE_PLANT = 79, 26, 115, 142, 175
DOORS = (64, 71, 193, 194, 195, 196, 197)
WORK = 0.005  # exhaustion by breaking a block: Block.harvestBlock
POISONOUS = item_id("poisonous_potato")
# Experience of ores, fewest and most points by block id.
XP = np.zeros((256, 2), np.int64)
XP[16] = 0, 2  # coal
XP[21] = XP[153] = 2, 5  # lapis lazuli, quartz
XP[73] = XP[74] = 1, 5  # redstone, dark and lit
XP[56] = XP[129] = 3, 7  # diamond, emerald
XP[52] = 15, 43  # a spawner
# Crops: the age at which they are ripe, what they give and what they are sown with.
RIPE = np.zeros(256, np.int64)
FRUIT = np.zeros(256, np.int64)
SEED = np.zeros(256, np.int64)
for _id, _ripe, _fruit, _seed in (
    (59, 7, "wheat", "wheat_seeds"),
    (141, 7, "carrot", "carrot"),
    (142, 7, "potato", "potato"),
    (207, 3, "beetroot", "beetroot_seeds"),
    (115, 3, "nether_wart", "nether_wart"),
):
    RIPE[_id], FRUIT[_id], SEED[_id] = _ripe, item_id(_fruit), item_id(_seed)
MONSTER_EGG = 97
SILVERFISH = MOB_IDS["silverfish"]
ROUNDING = 1e-9  # so that sixty times a sixtieth is one block


@kernel
def dig_rate(rules, player, block, tool):
    """The share of a block that breaks in one tick; 1 and more: at once."""
    entry = rules.block[block]
    if entry.hardness < 0.0:
        return 0.0
    if entry.hardness == 0.0:
        return 2.0
    speed = rules.speeds[tool, entry.material]
    if player.fluid_eyes == WATER_BLOCK:
        speed /= 5.0
    if player.ground == 0:
        speed /= 5.0
    return speed / entry.hardness / (30.0 if rules.harvests[tool, block] else 100.0)


@entry_kernel
def break_block(state, rules, w, x, y, z):
    """Break a block: drops, wear of the tool. Blocks that it supported break in the same tick."""
    tool = state.slots[w, 0].item
    block = block_at(state, w, x, y, z)
    meta = meta_at(state, w, x, y, z)
    player = state.players[w]
    left = AIR
    if block == ICE and player.dimension != NETHER:
        under = rules.block[block_at(state, w, x, y - 1, z)]
        if under.movement == 1 or under.liquid == 1:  # BlockIce.harvestBlock
            left = WATER_BLOCK
    set_block(state, rules, w, x, y, z, left, 0)
    player.exhaustion += WORK
    if XP[block, 1] > 0 and rules.harvests[tool, block]:
        gain_xp(state, w, float(XP[block, 0] + below(player, XP[block, 1] - XP[block, 0] + 1)))
    other = break_other_half(state, rules, w, x, y, z, block, meta)
    if meta & 8 and other >= 0:
        meta = other  # of the half that drops
    if rules.item[tool].tool == SHEARS and SHEARED[block]:
        lay_drop(
            state, w, x + 0.5, y + 0.4, z + 0.5, 0.0, 0.2, 0.0, SHEARED[block], 1, meta & 3, 0, 10
        )
    elif RIPE[block] > 0:
        reap(state, w, x, y, z, block, meta)
    else:
        drop_loot(state, rules, w, x, y, z, block, meta, tool)
    if block in CHESTS:
        drop_chest(state, rules, w, x, y, z, block)
    elif block == MONSTER_EGG:
        place_mob(state, rules, w, SILVERFISH, x + 0.5, float(y), z + 0.5)
    if rules.block[block].hardness > 0.0:
        wear_out(state, rules, w, 2 if rules.item[tool].tool == 2 else 1)


@kernel
def break_other_half(state, rules, w, x, y, z, block, meta):
    """Break the other half of a door, bed or tall plant. Returns its metadata, -1 without one."""
    found = -1
    if block in DOORS or block == DOUBLE_PLANT:
        other = y - 1 if meta & 8 else y + 1
        if block_at(state, w, x, other, z) == block:
            found = meta_at(state, w, x, other, z)
            set_block(state, rules, w, x, other, z, AIR, 0)
    elif block == BED:
        step = -1 if meta & 8 else 1
        look = meta & 3
        bx = x + step * (-1 if look == 1 else (1 if look == 3 else 0))
        bz = z + step * (1 if look == 0 else (-1 if look == 2 else 0))
        if block_at(state, w, bx, y, bz) == BED:
            found = meta_at(state, w, bx, y, bz)
            set_block(state, rules, w, bx, y, bz, AIR, 0)
    return found


@kernel
def reap(state, w, x, y, z, block, age):
    """Drop what a crop gives at its age: its seed, and if ripe the fruit and more seeds."""
    player = state.players[w]
    ripe = age >= RIPE[block]
    seeds = 1
    fruits = 0
    if ripe:
        fruits = 1
        seeds = 0
        for _ in range(3):
            if unit(player) < (RIPE[block] + 1.0) / (2.0 * RIPE[block]):
                seeds += 1
        if block == NETHER_WART:
            fruits = 2 + below(player, 3)
            seeds = 0
        if block == POTATOES and unit(player) < 0.02:
            spill(state, w, x, y, z, POISONOUS, 1)
    if fruits > 0:
        spill(state, w, x, y, z, FRUIT[block], fruits)
    if seeds > 0:
        spill(state, w, x, y, z, SEED[block], seeds)


@kernel
def spill(state, w, x, y, z, item, count):
    lay_drop(state, w, x + 0.5, y + 0.25, z + 0.5, 0.0, 0.2, 0.0, item, count, 0, 0, 10)


@kernel
def stop_digging(player):
    player.digging = 0
    player.dig = 0.0


@kernel
def dig(state, rules, w, multiplier):
    """One tick with the attack key held."""
    player = state.players[w]
    block, x, y, z, _face, _distance = under_crosshair(state, rules, w, REACH)
    if block == AIR:
        stop_digging(player)
        return
    if player.digging == 0 or x != player.dig_x or y != player.dig_y or z != player.dig_z:
        player.digging = 1
        player.dig = 0.0
        player.dig_x = x
        player.dig_y = y
        player.dig_z = z
        rate = multiplier * dig_rate(rules, player, block, state.slots[w, 0].item)
        if rate >= 1.0 and player.rest == 0:
            break_block(state, rules, w, x, y, z)
            stop_digging(player)
            return
    if player.rest > 0:
        player.rest -= 1
        return
    player.dig += multiplier * dig_rate(rules, player, block, state.slots[w, 0].item)
    if player.dig >= 1.0 - ROUNDING:
        break_block(state, rules, w, x, y, z)
        stop_digging(player)
        player.rest = BREAK_DELAY
