"""Random ticks: crops, saplings, reeds and cactus grow, farmland dries, grass spreads.

Only blocks that were planted, placed or changed in this episode are in the list of growing blocks,
each with the tick of its next random tick. A block has one every 4096 / 3 ticks on average: the
game's randomTickSpeed is 3 for a section of 16 x 16 x 16. Chances are those of BlockCrops,
BlockStem, BlockSapling, BlockReed, BlockFarmland and BlockGrass.
"""

from voxeldojo.engine.block_changes import set_block
from voxeldojo.engine.body.clock import darkness
from voxeldojo.engine.chance import below as draw
from voxeldojo.engine.chance import unit
from voxeldojo.engine.compiling.kernels import entry_kernel, kernel
from voxeldojo.engine.grid import AIR, block_at, meta_at, side_x, side_z
from voxeldojo.engine.motion.burning import kindle_by_lava
from voxeldojo.engine.motion.light import block_light, sky_light
from voxeldojo.engine.motion.raining import rains_at
from voxeldojo.engine.motion.scheduled import RANDOM, schedule
from voxeldojo.engine.motion.standing import is_lava, is_water, stays
from voxeldojo.engine.motion.table import GROWS, SOIL, SOLID
from voxeldojo.engine.motion.trees import grow_tree
from voxeldojo.engine.motion.waking import random_delay

GRASS, DIRT, SAPLING, TALLGRASS, DANDELION, POPPY = 2, 3, 6, 31, 37, 38
WHEAT, FARMLAND, CACTUS, REEDS, PUMPKIN, MELON = 59, 60, 81, 83, 86, 103
PUMPKIN_STEM, MELON_STEM, WART, COCOA = 104, 105, 115, 127
CARROTS, POTATOES, BEETROOTS, TALL_PLANT = 141, 142, 207, 175
TALLEST_CANE = 3
LEAST_LIGHT = 9  # of a crop and a sapling


@kernel
def light_of(state, w, x, y, z):
    """The light of a place by day."""
    return max(sky_light(state, w, x, y, z), block_light(state, w, x, y, z))


@kernel
def lit_to_grow(state, w, x, y, z):
    """Whether there is light enough for a crop or a sapling, which at night grow by torches only:
    World.getLightFromNeighbors."""
    sky = sky_light(state, w, x, y, z) - darkness(state, w)
    return max(sky, block_light(state, w, x, y, z)) >= LEAST_LIGHT


@kernel
def is_crop(block):
    return block in (WHEAT, CARROTS, POTATOES, BEETROOTS, PUMPKIN_STEM, MELON_STEM)


@kernel
def ripe_at(block):
    return 3 if block in (BEETROOTS, WART) else 7


@kernel
def crop_speed(state, w, x, y, z, block):
    """BlockCrops.getGrowthChance: wet farmland around raises it, the same crop nearby lowers it."""
    speed = 1.0
    for dx in range(-1, 2):
        for dz in range(-1, 2):
            if block_at(state, w, x + dx, y - 1, z + dz) != FARMLAND:
                continue
            gain = 3.0 if meta_at(state, w, x + dx, y - 1, z + dz) > 0 else 1.0
            speed += gain if dx == 0 and dz == 0 else gain / 4.0
    along_x = block_at(state, w, x - 1, y, z) == block or block_at(state, w, x + 1, y, z) == block
    along_z = block_at(state, w, x, y, z - 1) == block or block_at(state, w, x, y, z + 1) == block
    corner = (
        block_at(state, w, x - 1, y, z - 1) == block
        or block_at(state, w, x + 1, y, z - 1) == block
        or block_at(state, w, x - 1, y, z + 1) == block
        or block_at(state, w, x + 1, y, z + 1) == block
    )
    return speed / 2.0 if (along_x and along_z) or corner else speed


@kernel
def grow_crop(state, rules, w, x, y, z, block):
    player = state.players[w]
    if not lit_to_grow(state, w, x, y + 1, z):
        return
    if block == BEETROOTS and draw(player, 3) == 0:
        return
    if draw(player, int(25.0 / crop_speed(state, w, x, y, z, block)) + 1) != 0:
        return
    age = meta_at(state, w, x, y, z)
    if age < ripe_at(block):
        set_block(state, rules, w, x, y, z, block, age + 1)
    elif block in (PUMPKIN_STEM, MELON_STEM):
        bear_fruit(state, rules, w, x, y, z, PUMPKIN if block == PUMPKIN_STEM else MELON)


@kernel
def bear_fruit(state, rules, w, x, y, z, fruit):
    for side in range(4):
        dx = side_x(side)
        dz = side_z(side)
        if block_at(state, w, x + dx, y, z + dz) == fruit:
            return
    side = draw(state.players[w], 4)
    x += side_x(side)
    z += side_z(side)
    if block_at(state, w, x, y, z) == AIR and SOIL[block_at(state, w, x, y - 1, z)]:
        set_block(state, rules, w, x, y, z, fruit, 0)


@kernel
def grow_cane(state, rules, w, x, y, z, block):
    """Reeds and cactus grow after 16 random ticks; here at one random tick in 16."""
    if block_at(state, w, x, y + 1, z) != AIR or draw(state.players[w], 16) != 0:
        return
    tall = 1
    while block_at(state, w, x, y - tall, z) == block:
        tall += 1
    if tall < TALLEST_CANE:
        set_block(state, rules, w, x, y + 1, z, block, 0)


@kernel
def tend_farmland(state, rules, w, x, y, z):
    """Farmland is wet within 4 blocks of water; dry farmland without a crop becomes dirt."""
    meta = meta_at(state, w, x, y, z)
    if rains_at(state, rules, w, x, y + 1, z) or water_near(state, w, x, y, z):
        if meta < 7:
            set_block(state, rules, w, x, y, z, FARMLAND, 7)
    elif meta > 0:
        set_block(state, rules, w, x, y, z, FARMLAND, meta - 1)
    elif not is_crop(block_at(state, w, x, y + 1, z)):
        set_block(state, rules, w, x, y, z, DIRT, 0)


@kernel
def water_near(state, w, x, y, z):
    for dx in range(-4, 5):
        for dz in range(-4, 5):
            for dy in range(2):
                if is_water(block_at(state, w, x + dx, y + dy, z + dz)):
                    return True
    return False


@kernel
def green(state, rules, w, x, y, z):
    """Grass around bare dirt spreads to it, with the chance of that grass's own random ticks."""
    above = block_at(state, w, x, y + 1, z)
    if rules.opacity[above] > 2 or light_of(state, w, x, y + 1, z) < 4:
        return
    around = 0
    for dx in range(-1, 2):
        for dz in range(-1, 2):
            for dy in range(-1, 4):
                if block_at(state, w, x + dx, y + dy, z + dz) == GRASS:
                    around += 1
    if unit(state.players[w]) < around * 4.0 / 45.0:
        set_block(state, rules, w, x, y, z, GRASS, 0)


@kernel
def grow_sapling(state, rules, w, x, y, z):
    """A sapling needs two successful random ticks to become a tree."""
    meta = meta_at(state, w, x, y, z)
    if meta & 8 == 0:
        set_block(state, rules, w, x, y, z, SAPLING, meta | 8)
        return
    set_block(state, rules, w, x, y, z, AIR, 0)
    if not grow_tree(state, rules, w, x, y, z, meta & 7):
        set_block(state, rules, w, x, y, z, SAPLING, meta)


@kernel
def grow(state, rules, w, x, y, z):
    """A block's random tick."""
    player = state.players[w]
    block = block_at(state, w, x, y, z)
    if block == GRASS:
        above = block_at(state, w, x, y + 1, z)
        if rules.opacity[above] > 2 and light_of(state, w, x, y + 1, z) < 4:
            set_block(state, rules, w, x, y, z, DIRT, 0)
        return
    if not GROWS[block]:
        return
    if is_crop(block):
        grow_crop(state, rules, w, x, y, z, block)
    elif block == SAPLING:
        if lit_to_grow(state, w, x, y + 1, z) and draw(player, 7) == 0:
            grow_sapling(state, rules, w, x, y, z)
    elif block in (REEDS, CACTUS):
        grow_cane(state, rules, w, x, y, z, block)
    elif block == WART:
        age = meta_at(state, w, x, y, z)
        if age < 3 and draw(player, 10) == 0:
            set_block(state, rules, w, x, y, z, block, age + 1)
    elif block == COCOA:
        meta = meta_at(state, w, x, y, z)
        if meta < 8 and draw(player, 5) == 0:
            set_block(state, rules, w, x, y, z, block, meta + 4)
    elif block == FARMLAND:
        tend_farmland(state, rules, w, x, y, z)
    elif block == DIRT:
        green(state, rules, w, x, y, z)
    elif is_lava(block):
        kindle_by_lava(state, rules, w, x, y, z)
    if GROWS[block_at(state, w, x, y, z)]:
        schedule(state, w, x, y, z, random_delay(player), RANDOM)


@entry_kernel
def fertilise(state, rules, w, x, y, z):
    """Use bone meal on a block. False: it has no effect there, and none is used up."""
    player = state.players[w]
    block = block_at(state, w, x, y, z)
    meta = meta_at(state, w, x, y, z)
    if is_crop(block):
        if meta >= ripe_at(block):
            return False
        more = 1 if block == BEETROOTS else 2 + draw(player, 4)
        if block != BEETROOTS or draw(player, 4) != 0:
            set_block(state, rules, w, x, y, z, block, min(ripe_at(block), meta + more))
        return True
    if block == SAPLING:
        if unit(player) < 0.45:
            grow_sapling(state, rules, w, x, y, z)
        return True
    if block == COCOA and meta < 8:
        set_block(state, rules, w, x, y, z, block, meta + 4)
        return True
    if block == TALLGRASS and meta > 0 and block_at(state, w, x, y + 1, z) == AIR:
        set_block(state, rules, w, x, y, z, TALL_PLANT, 2 if meta == 1 else 3)
        set_block(state, rules, w, x, y + 1, z, TALL_PLANT, 8)
        return True
    if block == GRASS and not SOLID[block_at(state, w, x, y + 1, z)]:
        sprout(state, rules, w, x, y, z)
        return True
    return False


@kernel
def sprout(state, rules, w, x, y, z):
    """Grow grass and flowers around, on a walk of up to eight steps for each of 128 tries:
    BlockGrass.grow."""
    player = state.players[w]
    for attempt in range(128):
        nx = x
        ny = y + 1
        nz = z
        lost = False
        for _ in range(attempt // 16):
            nx += draw(player, 3) - 1
            up = (draw(player, 3) - 1) * draw(player, 3)
            ny += int(up / 2)  # towards 0: Java's division
            nz += draw(player, 3) - 1
            if block_at(state, w, nx, ny - 1, nz) != GRASS or SOLID[block_at(state, w, nx, ny, nz)]:
                lost = True
                break
        if lost or block_at(state, w, nx, ny, nz) != AIR:
            continue
        if draw(player, 8) == 0:
            set_block(state, rules, w, nx, ny, nz, DANDELION if draw(player, 3) else POPPY, 0)
        else:
            set_block(state, rules, w, nx, ny, nz, TALLGRASS, 1)
        if not stays(state, w, nx, ny, nz):
            set_block(state, rules, w, nx, ny, nz, AIR, 0)
