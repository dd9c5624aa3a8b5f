"""A sapling grows into a tree, as changed blocks that a reset undoes."""

from voxeldojo.engine.block_changes import set_block
from voxeldojo.engine.chance import below as draw
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.grid import AIR, block_at
from voxeldojo.engine.motion.table import LEAVES
from voxeldojo.engine.state import HEIGHT

LOG, LOG2, LEAF, LEAF2, SAPLING, DIRT = 17, 162, 18, 161, 6, 3
SPRUCE, ACACIA = 1, 4


@kernel
def soft(block):
    """Whether a tree grows through a block."""
    return block in (AIR, SAPLING, 31, 106, 17, 162) or LEAVES[block]


@kernel
def has_room(state, w, x, y, z, height):
    if y + height + 1 >= HEIGHT:
        return False
    for up in range(1, height + 2):
        reach = 0 if up < height - 2 else 2
        for dx in range(-reach, reach + 1):
            for dz in range(-reach, reach + 1):
                if not soft(block_at(state, w, x + dx, y + up, z + dz)):
                    return False
    return True


@kernel
def grow_tree(state, rules, w, x, y, z, kind):
    """Grow the tree of a sapling's metadata. False: there is no room for it."""
    player = state.players[w]
    spruce = kind == SPRUCE
    height = (6 if spruce else (5 if kind == 2 else 4)) + draw(player, 4 if spruce else 3)
    if not has_room(state, w, x, y, z, height):
        return False
    set_block(state, rules, w, x, y - 1, z, DIRT, 0)
    log = LOG2 if kind >= ACACIA else LOG
    leaf = LEAF2 if kind >= ACACIA else LEAF
    part = kind - ACACIA if kind >= ACACIA else kind
    for up in range(height):
        set_block(state, rules, w, x, y + up, z, log, part)
    bare = 1 + draw(player, 2)
    for up in range(bare if spruce else height - 3, height + 1):
        below_top = height - up
        if spruce:
            reach = 0 if below_top == 0 else 1 + (below_top // 2 + below_top) % 2
        else:
            reach = 1 if below_top < 2 else 2
        for dx in range(-reach, reach + 1):
            for dz in range(-reach, reach + 1):
                corner = reach > 0 and abs(dx) == reach and abs(dz) == reach
                if corner and (spruce or below_top == 0 or draw(player, 2) == 0):
                    continue
                if block_at(state, w, x + dx, y + up, z + dz) in (AIR, 31, 106):
                    set_block(state, rules, w, x + dx, y + up, z + dz, leaf, part)
    return True
