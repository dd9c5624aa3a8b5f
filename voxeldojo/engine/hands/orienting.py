"""The orientation of a placed block, and the ground that it needs, by each block's
getStateForPlacement and canBlockStay."""

import math

import numpy as np

from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.grid import block_at, side_x, side_z
from voxeldojo.rules import BLOCKS

TURNED = np.zeros(256, np.int64)
STANDS = np.zeros(256, np.int64)
TORCH, WALL, FACED, STAIRS, AXIS, HALF, GATED, TRAP, BUTTON, HINGED, PUMPKIN = range(1, 12)
FARM, WART, GRASSY, SANDY, CANE, SPINED, SOLID = range(1, 8)
DIRT, GRASS, SAND, WATER, FARMLAND, SOUL_SAND, CACTUS, REEDS = 3, 2, 12, 9, 60, 88, 81, 83
BED = 26

for _block in BLOCKS:
    _name = _block.name
    if _name.endswith("torch"):
        TURNED[_block.id] = TORCH
    elif _name in ("ladder", "wall_sign"):
        TURNED[_block.id] = WALL
    elif _name in ("furnace", "chest", "trapped_chest", "ender_chest", "dispenser", "dropper"):
        TURNED[_block.id] = FACED
    elif _name.endswith("stairs"):
        TURNED[_block.id] = STAIRS
    elif _name in ("log", "log2", "hay_block", "bone_block", "purpur_pillar"):
        TURNED[_block.id] = AXIS
    elif _name.endswith(("_slab", "_slab2")) and "double" not in _name:
        TURNED[_block.id] = HALF
    elif _name.endswith("fence_gate"):
        TURNED[_block.id] = GATED
    elif _name.endswith("trapdoor"):
        TURNED[_block.id] = TRAP
    elif _name.endswith("button") or _name == "lever":
        TURNED[_block.id] = BUTTON
    elif _name.endswith("_door"):
        TURNED[_block.id] = HINGED
    elif _name in ("pumpkin", "lit_pumpkin", "bed"):
        TURNED[_block.id] = PUMPKIN
    if _name in ("wheat", "carrots", "potatoes", "beetroots", "melon_stem", "pumpkin_stem"):
        STANDS[_block.id] = FARM
    elif _name in ("sapling", "tallgrass", "double_plant", "yellow_flower", "red_flower"):
        STANDS[_block.id] = GRASSY
    elif _name == "nether_wart":
        STANDS[_block.id] = WART
    elif _name == "deadbush":
        STANDS[_block.id] = SANDY
    elif _name == "reeds":
        STANDS[_block.id] = CANE
    elif _name == "cactus":
        STANDS[_block.id] = SPINED
    elif "rail" in _name or _name.endswith(("_door", "plate", "mushroom", "repeater")):
        STANDS[_block.id] = SOLID
    if _name in ("bed", "redstone_wire", "snow_layer", "standing_sign", "cake", "carpet"):
        STANDS[_block.id] = SOLID


@kernel
def quarter(player):
    """The direction in which the player looks: 0 south (+z), 1 west, 2 north, 3 east."""
    return math.floor(player.yaw / 90.0 + 0.5) & 3


@kernel
def turned(player, block, face, height):
    """The metadata of a block that is placed at a face, ``height`` (0..1) above the cell's bottom,
    by the player in its direction of sight. -1: it cannot be placed at that face."""
    way = TURNED[block]
    if way == 0:
        return 0
    look = quarter(player)
    upper = face == 0 or (face != 1 and height > 0.5)
    if way == TORCH:
        return -1 if face == 0 else (5 if face == 1 else 6 - face)
    if way == WALL:
        return face if face >= 2 else -1
    if way == FACED:
        return 2 if look == 0 else (5 if look == 1 else (3 if look == 2 else 4))
    if way == STAIRS:
        turn = 2 if look == 0 else (1 if look == 1 else (3 if look == 2 else 0))
        return turn + (4 if upper else 0)
    if way == AXIS:
        return 0 if face < 2 else (8 if face < 4 else 4)
    if way == HALF:
        return 8 if upper else 0
    if way == GATED:
        return look
    if way == TRAP:
        if face >= 2:
            return face - 2 + (8 if height > 0.5 else 0)
        side = 0 if look == 0 else (3 if look == 1 else (1 if look == 2 else 2))
        return side + (8 if face == 0 else 0)
    if way == BUTTON:
        return 0 if face == 0 else (5 if face == 1 else 6 - face)
    if way == HINGED:
        return (look + 1) & 3
    return (look + 2) & 3 if block != BED else look


@kernel
def can_stand(state, rules, w, block, x, y, z):
    """Whether the ground can support a block at (x, y, z)."""
    need = STANDS[block]
    if need == 0:
        return True
    below = block_at(state, w, x, y - 1, z)
    if need == FARM:
        return below == FARMLAND
    if need == WART:
        return below == SOUL_SAND
    if need == GRASSY:
        return below in (GRASS, DIRT, FARMLAND)
    if need == SANDY:
        return below in (SAND, DIRT, 159, 172)
    if need == SOLID:
        return rules.block[below].height >= 1.0
    if need == SPINED:
        if below not in (SAND, CACTUS):
            return False
    elif below == REEDS:
        return True
    elif below not in (GRASS, DIRT, SAND):
        return False
    for side in range(4):
        dx = side_x(side)
        dz = side_z(side)
        if need == SPINED:
            if rules.block[block_at(state, w, x + dx, y, z + dz)].solid == 1:
                return False
        elif block_at(state, w, x + dx, y - 1, z + dz) in (WATER, WATER - 1):
            return True
    return need == SPINED
