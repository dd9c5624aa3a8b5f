"""Reading and changing blocks. Every change is remembered, so that a reset can take it back."""

import numpy as np

from nodes.env_server.worlds.embedded.compiled import kernel
from nodes.env_server.worlds.embedded.state import CHANGES, HEIGHT, PLACED

AIR = 0
BEDROCK = 7
BARRIER = 166
CRAFTING_TABLE = 58
FURNACE = 61
LIT_FURNACE = 62


@kernel
def block_at(state, w, x, y, z):
    """The block id; beyond the edge of the world there is barrier, below it bedrock."""
    area = state.blocks.shape[1]
    if y >= HEIGHT:
        return AIR
    if y < 0:
        return BEDROCK
    if x < 0 or z < 0 or x >= area or z >= area:
        return BARRIER
    return np.int64(state.blocks[w, x, z, y])


@kernel
def meta_at(state, w, x, y, z):
    area = state.blocks.shape[1]
    if y >= HEIGHT or y < 0 or x < 0 or z < 0 or x >= area or z >= area:
        return 0
    return np.int64(state.meta[w, x, z, y])


@kernel
def set_block(state, w, x, y, z, block, meta):
    """Change a block inside the world; outside nothing happens."""
    area = state.blocks.shape[1]
    if y >= HEIGHT or y < 0 or x < 0 or z < 0 or x >= area or z >= area:
        return
    player = state.players[w]
    if player.changes < CHANGES:
        change = state.changes[w, player.changes]
        change.x = x
        change.y = y
        change.z = z
        change.block = state.blocks[w, x, z, y]
        change.meta = state.meta[w, x, z, y]
    player.changes += 1
    player.ceiling = max(player.ceiling, y)
    state.blocks[w, x, z, y] = block
    state.meta[w, x, z, y] = meta


@kernel
def restore(state, w):
    """Take all changes back. False: there were too many to be remembered."""
    player = state.players[w]
    if player.changes > CHANGES:
        return False
    for number in range(player.changes - 1, -1, -1):
        change = state.changes[w, number]
        state.blocks[w, change.x, change.z, change.y] = change.block
        state.meta[w, change.x, change.z, change.y] = change.meta
    player.changes = 0
    return True


@kernel
def remember_tool(state, w, x, y, z, block):
    """A crafting table or furnace was put down by the player: it counts as a nearby tool."""
    player = state.players[w]
    tool = state.placed[w, player.placed % PLACED]
    tool.x = x
    tool.y = y
    tool.z = z
    tool.block = block
    player.placed += 1
