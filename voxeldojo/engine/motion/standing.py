"""Whether a block has the support that it needs, by each block's canBlockStay."""

from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.grid import AIR, block_at, meta_at, side_x, side_z
from voxeldojo.engine.motion import table
from voxeldojo.engine.motion.table import (
    IDS,
    KINDLES,
    SOIL,
    SOLID,
    STANDS,
    TORCH_GROUND,
    WHOLE,
)

FLOOR, PLANT, CROP, WART = table.FLOOR, table.PLANT, table.CROP, table.WART
MUSHROOM, REEDS, CACTUS, TORCH = table.MUSHROOM, table.REEDS, table.CACTUS, table.TORCH
LADDER, LEVER, VINE, COCOA = table.LADDER, table.LEVER, table.VINE, table.COCOA
DOOR, BED, CHORUS, LILY = table.DOOR, table.BED, table.CHORUS, table.LILY
FIRE, CARPET, TALL_PLANT = table.FIRE, table.CARPET, table.TALL_PLANT
DRY_PLANT, PORTAL, HOOK, FIELD = table.DRY_PLANT, table.PORTAL, table.HOOK, table.FIELD
FARMLAND, SOUL_SAND, SAND, DIRT = IDS["farmland"], IDS["soul_sand"], IDS["sand"], IDS["dirt"]
CANE, SPINE, VINES, END_STONE = IDS["reeds"], IDS["cactus"], IDS["vine"], IDS["end_stone"]
CHORUS_PLANT, JUNGLE, OBSIDIAN = IDS["chorus_plant"], IDS["log"], IDS["obsidian"]
GATE, MYCELIUM, HARD, DYED = IDS["portal"], IDS["mycelium"], 172, 159  # hardened and dyed clay
FLOWING_WATER, WATER, FLOWING_LAVA, LAVA = 8, 9, 10, 11
GRASS, DOUBLE_SLAB, SLAB, SIGN, FROSTED_ICE = 2, 43, 44, 63, 212
ICE = IDS["ice"]
LEAVES_HOLD = table.LEAVES
LEAF, LEAF_2, SNOW_LAYER, BEDS = IDS["leaves"], IDS["leaves2"], IDS["snow_layer"], IDS["bed"]


@kernel
def is_water(block):
    return block in (FLOWING_WATER, WATER)


@kernel
def is_lava(block):
    return block in (FLOWING_LAVA, LAVA)


@kernel
def whole_at(state, w, x, y, z):
    return WHOLE[block_at(state, w, x, y, z)]


@kernel
def held_by_side(state, w, x, y, z, side):
    """Side 1: the block at x - 1 supports it, 2: x + 1, 3: z - 1, 4: z + 1; as torch metadata."""
    if side == 1:
        return whole_at(state, w, x - 1, y, z)
    if side == 2:
        return whole_at(state, w, x + 1, y, z)
    if side == 3:
        return whole_at(state, w, x, y, z - 1)
    if side == 4:
        return whole_at(state, w, x, y, z + 1)
    return False


@kernel
def any_side(state, w, x, y, z):
    return (
        whole_at(state, w, x - 1, y, z)
        or whole_at(state, w, x + 1, y, z)
        or whole_at(state, w, x, y, z - 1)
        or whole_at(state, w, x, y, z + 1)
    )


@kernel
def count_beside(state, w, x, y, z, block):
    """How many of the four blocks beside are ``block``."""
    count = 0
    for side in range(4):
        nx = x + side_x(side)
        nz = z + side_z(side)
        if block_at(state, w, nx, y, nz) == block:
            count += 1
    return count


@kernel
def burnable_near(state, w, x, y, z):
    return (
        KINDLES[block_at(state, w, x, y - 1, z)] > 0
        or KINDLES[block_at(state, w, x, y + 1, z)] > 0
        or KINDLES[block_at(state, w, x - 1, y, z)] > 0
        or KINDLES[block_at(state, w, x + 1, y, z)] > 0
        or KINDLES[block_at(state, w, x, y, z - 1)] > 0
        or KINDLES[block_at(state, w, x, y, z + 1)] > 0
    )


@kernel
def stays(state, w, x, y, z):
    """Whether the block can stay where it is."""
    block = block_at(state, w, x, y, z)
    need = STANDS[block]
    if need == 0:
        return True
    below = block_at(state, w, x, y - 1, z)
    meta = meta_at(state, w, x, y, z)
    if need == FLOOR:
        if block == SNOW_LAYER and below in (LEAF, LEAF_2):
            return True
        on_slab = below in (DOUBLE_SLAB, SLAB)
        return bool(WHOLE[below] or on_slab or (block == SIGN and SOLID[below]))
    if need == PLANT:
        return bool(SOIL[below])
    if need == DRY_PLANT:
        return below in (SAND, DIRT, HARD, DYED)
    if need == CROP:
        return below == FARMLAND
    if need == WART:
        return below == SOUL_SAND
    if need == CARPET:
        return below != AIR
    if need == LILY:
        return is_water(below) or below == ICE
    if need == FIELD:
        above = block_at(state, w, x, y + 1, z)
        return not (SOLID[above] and WHOLE[above])
    if need == TORCH:
        if 1 <= meta <= 4:
            return held_by_side(state, w, x, y, z, meta)
        return bool(TORCH_GROUND[below])
    return stays_by_its_neighbours(state, w, x, y, z, block, meta, need, below)


@kernel
def stays_by_its_neighbours(state, w, x, y, z, block, meta, need, below):
    if need == MUSHROOM:
        return bool(WHOLE[below])
    if need == REEDS:
        if below == CANE:
            return True
        ground = below in (GRASS, DIRT, SAND)
        wet = count_beside(state, w, x, y - 1, z, FLOWING_WATER)
        wet += count_beside(state, w, x, y - 1, z, WATER)
        return ground and wet + count_beside(state, w, x, y - 1, z, FROSTED_ICE) > 0
    if need == CACTUS:
        if below != SPINE and below != SAND:
            return False
        return not (
            SOLID[block_at(state, w, x - 1, y, z)]
            or SOLID[block_at(state, w, x + 1, y, z)]
            or SOLID[block_at(state, w, x, y, z - 1)]
            or SOLID[block_at(state, w, x, y, z + 1)]
        ) or meets_edge(state, w, x, y, z)
    if need == LADDER:
        side = 4 if meta == 2 else (3 if meta == 3 else (2 if meta == 4 else 1))
        if meta < 2 or meta > 5:
            return any_side(state, w, x, y, z)
        return held_by_side(state, w, x, y, z, side)
    if need == LEVER:
        part = meta & 7
        if 1 <= part <= 4:
            return held_by_side(state, w, x, y, z, part)
        above = whole_at(state, w, x, y + 1, z)
        return bool(WHOLE[below] or above)
    if need == VINE:
        return hangs(state, w, x, y, z, meta)
    if need == COCOA:
        part = meta & 3
        dx = -1 if part == 1 else (1 if part == 3 else 0)
        dz = 1 if part == 0 else (-1 if part == 2 else 0)
        trunk = block_at(state, w, x + dx, y, z + dz) == JUNGLE
        return trunk and meta_at(state, w, x + dx, y, z + dz) & 3 == 3
    if need == DOOR:
        if meta & 8:
            return below == block
        # A door of a single block, as some commands place it, only needs its ground.
        return bool(WHOLE[below])
    if need == BED:
        part = meta & 3
        sign = -1 if meta & 8 else 1
        dx = sign * (-1 if part == 1 else (1 if part == 3 else 0))
        dz = sign * (1 if part == 0 else (-1 if part == 2 else 0))
        return meta & 8 == 0 or block_at(state, w, x + dx, y, z + dz) == BEDS
    if need == CHORUS:
        if below in (CHORUS_PLANT, END_STONE):
            return True
        return below == AIR and count_beside(state, w, x, y, z, CHORUS_PLANT) > 0
    if need == FIRE:
        return bool(WHOLE[below]) or burnable_near(state, w, x, y, z)
    if need == TALL_PLANT:
        if meta & 8:
            return below == block
        return bool(SOIL[below])
    if need == PORTAL:
        return framed(state, w, x, y, z, meta)
    # A hook: 0 faces south, so its support is to the north, and so on.
    part = meta & 3
    side = 3 if part == 0 else (2 if part == 1 else (4 if part == 2 else 1))
    return held_by_side(state, w, x, y, z, side)


@kernel
def meets_edge(state, w, x, y, z):
    """Whether a block is at the edge of the window: what is outside is unknown, so it stays."""
    return (
        block_at(state, w, x - 1, y, z) == 166
        or block_at(state, w, x + 1, y, z) == 166
        or block_at(state, w, x, y, z - 1) == 166
        or block_at(state, w, x, y, z + 1) == 166
    )


@kernel
def hangs(state, w, x, y, z, meta):
    if whole_at(state, w, x, y + 1, z) or block_at(state, w, x, y + 1, z) == VINES:
        return True
    if meta == 0:
        return any_side(state, w, x, y, z)
    return bool(
        (meta & 1 and WHOLE[block_at(state, w, x, y, z + 1)])
        or (meta & 2 and WHOLE[block_at(state, w, x - 1, y, z)])
        or (meta & 4 and WHOLE[block_at(state, w, x, y, z - 1)])
        or (meta & 8 and WHOLE[block_at(state, w, x + 1, y, z)])
        or LEAVES_HOLD[block_at(state, w, x, y, z + 1)]
        or LEAVES_HOLD[block_at(state, w, x, y, z - 1)]
        or LEAVES_HOLD[block_at(state, w, x + 1, y, z)]
        or LEAVES_HOLD[block_at(state, w, x - 1, y, z)]
    )


@kernel
def framed(state, w, x, y, z, meta):
    """Whether a portal block has portal or obsidian on its four sides in the plane."""
    dx = 0 if meta == 2 else 1
    dz = 1 - dx
    return (
        block_at(state, w, x, y - 1, z) in (GATE, OBSIDIAN)
        and block_at(state, w, x, y + 1, z) in (GATE, OBSIDIAN)
        and block_at(state, w, x + dx, y, z + dz) in (GATE, OBSIDIAN)
        and block_at(state, w, x - dx, y, z - dz) in (GATE, OBSIDIAN)
    )
