"""Mobs that the player builds of blocks (BlockSkull, BlockPumpkin): wither, iron golem, snowman."""

from voxeldojo.engine.block_changes import set_block
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.grid import AIR, block_at
from voxeldojo.engine.mobs.kinds import SNOWMAN, VILLAGER_GOLEM, WITHER
from voxeldojo.engine.mobs.placing import place_mob

IRON, SNOW, PUMPKIN, SOUL_SAND, LIT_PUMPKIN, SKULL = 42, 80, 86, 88, 91, 144
WITHERS = 1  # variant of skull


@kernel
def come_alive(state, rules, w, x, y, z, block, variant):
    """If the block that was placed completes a figure, turn the figure into its mob."""
    if block == SKULL and variant == WITHERS:
        for middle in range(-1, 2):
            if wither_at(state, rules, w, x + middle, y, z, 1, 0):
                return
            if wither_at(state, rules, w, x, y, z + middle, 0, 1):
                return
    elif block in (PUMPKIN, LIT_PUMPKIN):
        below = block_at(state, w, x, y - 1, z)
        if below != block_at(state, w, x, y - 2, z):
            return
        if below == SNOW:
            clear_cross(state, rules, w, x, y - 1, z, 0, 0)
            appear(state, rules, w, SNOWMAN, x, y - 2, z)
        elif below == IRON:
            if arms(state, w, x, y - 1, z, 1, 0, IRON):
                clear_cross(state, rules, w, x, y - 1, z, 1, 0)
                appear(state, rules, w, VILLAGER_GOLEM, x, y - 2, z)
            elif arms(state, w, x, y - 1, z, 0, 1, IRON):
                clear_cross(state, rules, w, x, y - 1, z, 0, 1)
                appear(state, rules, w, VILLAGER_GOLEM, x, y - 2, z)


@kernel
def arms(state, w, x, y, z, dx, dz, block):
    """Whether there is such a block on both sides of a place."""
    return (
        block_at(state, w, x + dx, y, z + dz) == block
        and block_at(state, w, x - dx, y, z - dz) == block
    )


@kernel
def wither_at(state, rules, w, x, y, z, dx, dz):
    """Whether a wither's figure is complete around its middle skull; then it appears."""
    whole = (
        block_at(state, w, x, y, z) == SKULL
        and block_at(state, w, x, y - 1, z) == SOUL_SAND
        and block_at(state, w, x, y - 2, z) == SOUL_SAND
        and arms(state, w, x, y, z, dx, dz, SKULL)
        and arms(state, w, x, y - 1, z, dx, dz, SOUL_SAND)
    )
    if whole:
        for side in range(-1, 2, 2):
            set_block(state, rules, w, x + side * dx, y, z + side * dz, AIR, 0)
        clear_cross(state, rules, w, x, y - 1, z, dx, dz)
        appear(state, rules, w, WITHER, x, y - 2, z)
    return whole


@kernel
def clear_cross(state, rules, w, x, y, z, dx, dz):
    """Remove a block, those above and below it, and those on both sides."""
    for side in range(-1, 2):
        set_block(state, rules, w, x, y + side, z, AIR, 0)
        if side != 0 and dx + dz != 0:
            set_block(state, rules, w, x + side * dx, y, z + side * dz, AIR, 0)


@kernel
def appear(state, rules, w, kind, x, y, z):
    number = place_mob(state, rules, w, kind, x + 0.5, float(y), z + 0.5)
    if number >= 0:
        state.mobs[w, number].stays = 1
