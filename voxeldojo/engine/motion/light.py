"""Light from the sky and from glowing blocks, for every cell of the window.

A cell has the greatest level of its neighbours, less its own opacity (at least 1). Cells that are
open to the sky have 15, glowing blocks their own level. There is only one such assignment, so light
does not depend on the order of the computation. Outside the window there is none.

Cells wait in ring buffers of fixed size (``state.queues``); the lower bits of an entry are the
cell's place in the window's storage. If a ring overflows, the whole window is lit again.
"""

import numpy as np

from voxeldojo.engine.chance import GOLDEN
from voxeldojo.engine.compiling.kernels import entry_kernel, kernel
from voxeldojo.engine.grid import held, side_x, side_z
from voxeldojo.engine.state import HEIGHT, OVERWORLD, QUEUE
from voxeldojo.engine.terrain.eight_blocks import EIGHT

SKY, BLOCKS = 4, 0  # how far a channel is shifted in a cell
PLACE_BITS = 23  # of an entry of a queue: 8 for x, 8 for z, 7 for y
MASK = QUEUE - 1
KNOWN = 10  # bits of the hash by which groups of dark blocks are remembered


@kernel
def light_at(state, w, x, y, z, channel):
    """Light in 0..15 of one channel, SKY or BLOCKS."""
    if y >= HEIGHT:
        return 15 if channel == SKY and state.players[w].dimension == OVERWORLD else 0
    if y < 0 or not held(state, w, x, z):
        return 0
    last = state.blocks.shape[1] - 1
    return (np.int64(state.light[w, x & last, z & last, y]) >> channel) & 15


@kernel
def sky_light(state, w, x, y, z):
    """Light of the sky in 0..15 as by day; the clock subtracts from it. 0 outside the window."""
    return light_at(state, w, x, y, z, SKY)


@kernel
def block_light(state, w, x, y, z):
    """Light of torches, lava and the like in 0..15."""
    return light_at(state, w, x, y, z, BLOCKS)


@kernel
def put_light(state, w, x, y, z, channel, level):
    """``x`` and ``z`` are places in the storage."""
    if channel == SKY:
        state.light[w, x, z, y] = (level << 4) | (state.light[w, x, z, y] & 15)
    else:
        state.light[w, x, z, y] = level | (state.light[w, x, z, y] & 0xF0)


@kernel
def source(state, rules, w, x, y, z, channel):
    """A cell's own light, without its neighbours', except the sky's below open cells."""
    block = state.blocks[w, x, z, y]
    if channel == BLOCKS:
        return np.int64(rules.glow[block])
    if y == HEIGHT - 1 and state.players[w].dimension == OVERWORLD:
        return max(0, 15 - np.int64(rules.opacity[block]))
    return 0


@kernel
def beside(x, y, z, side, last, west, north):
    """The cell at a side of another one, 0 below, 1 above, as a place in the storage; x is -1 where
    the world or the window ends."""
    if side == 0:
        y -= 1
        if y < 0:
            return -1, y, z
    elif side == 1:
        y += 1
        if y >= HEIGHT:
            return -1, y, z
    elif side == 2:
        if x == west:
            return -1, y, z
        x = (x - 1) & last
    elif side == 3:
        x = (x + 1) & last
        if x == west:
            return -1, y, z
    elif side == 4:
        if z == north:
            return -1, y, z
        z = (z - 1) & last
    else:
        z = (z + 1) & last
        if z == north:
            return -1, y, z
    return x, y, z


@kernel
def spread(state, rules, w, channel, first, end):
    """Spread the light of the cells in ring 1 until no cell gets brighter. ``first`` and ``end``
    count what left and entered the ring. False: it overflowed."""
    last = state.blocks.shape[1] - 1
    west = state.players[w].west & last
    north = state.players[w].north & last
    ring = state.queues[w, 1]
    whole = True
    while first < end:
        place = np.int64(ring[first & MASK])
        first += 1
        x = (place >> 15) & 255
        z = (place >> 7) & 255
        y = place & 127
        level = (np.int64(state.light[w, x, z, y]) >> channel) & 15
        if level < 2 and not (channel == SKY and level == 15):
            continue
        for side in range(6):
            nx, ny, nz = beside(x, y, z, side, last, west, north)
            if nx < 0:
                continue
            there = (np.int64(state.light[w, nx, nz, ny]) >> channel) & 15
            if there >= level - 1 and not (side == 0 and level == 15 and there < 15):
                continue
            loss = np.int64(rules.opacity[state.blocks[w, nx, nz, ny]])
            # The open sky comes down through clear cells without loss.
            if loss == 0 and not (side == 0 and level == 15 and channel == SKY):
                loss = 1
            if level - loss > there:
                put_light(state, w, nx, ny, nz, channel, level - loss)
                if end - first < QUEUE:
                    ring[end & MASK] = (nx << 15) | (nz << 7) | ny
                    end += 1
                else:
                    whole = False
    return whole


@kernel
def darken(state, rules, w, channel, x, y, z):
    """Remove the light that came through a cell, by ring 0. Cells at the edge that are lit from
    elsewhere go into ring 1. Returns how many did, -1 if a ring overflowed."""
    last = state.blocks.shape[1] - 1
    west = state.players[w].west & last
    north = state.players[w].north & last
    gone = state.queues[w, 0]
    rim = state.queues[w, 1]
    level = (np.int64(state.light[w, x, z, y]) >> channel) & 15
    own = source(state, rules, w, x, y, z, channel)
    put_light(state, w, x, y, z, channel, own)
    gone[0] = (level << PLACE_BITS) | (x << 15) | (z << 7) | y
    rim[0] = (x << 15) | (z << 7) | y
    first = 0
    end = 1
    count = 1
    while first < end:
        entry = np.int64(gone[first & MASK])
        first += 1
        level = entry >> PLACE_BITS
        x = (entry >> 15) & 255
        z = (entry >> 7) & 255
        y = entry & 127
        for side in range(6):
            nx, ny, nz = beside(x, y, z, side, last, west, north)
            if nx < 0:
                continue
            there = (np.int64(state.light[w, nx, nz, ny]) >> channel) & 15
            if there == 0:
                continue
            place = (nx << 15) | (nz << 7) | ny
            if there < level or (channel == SKY and side == 0 and level == 15 and there == 15):
                own = source(state, rules, w, nx, ny, nz, channel)
                put_light(state, w, nx, ny, nz, channel, own)
                if end - first >= QUEUE:
                    return -1
                gone[end & MASK] = (there << PLACE_BITS) | place
                end += 1
                if own == 0:
                    continue
            if count >= QUEUE:
                return -1
            rim[count] = place
            count += 1
    return count


@kernel
def relight(state, rules, w, x, y, z):
    """Update the light after the block at a place of the window changed."""
    last = state.blocks.shape[1] - 1
    for channel in (BLOCKS, SKY):
        if channel == SKY and state.players[w].dimension != OVERWORLD:
            continue
        count = darken(state, rules, w, channel, x & last, y, z & last)
        # The neighbours may shine into the changed cell now. Darken has put those into the ring
        # that are brighter than it was; the others cannot brighten it.
        if count < 0 or not brighten(state, rules, w, channel, x & last, y, z & last, count):
            area = state.blocks.shape[1]
            west = state.players[w].west
            north = state.players[w].north
            light_area(state, rules, w, west, north, west + area, north + area)
            return


@kernel
def brighten(state, rules, w, channel, x, y, z, count):
    """Add light after a change at (x, z, y) of the storage, with ``count`` cells already in ring 1.
    False: a ring overflowed."""
    if count + 6 > QUEUE:
        return False
    last = state.blocks.shape[1] - 1
    west = state.players[w].west & last
    north = state.players[w].north & last
    rim = state.queues[w, 1]
    if y > 0:
        rim[count] = (x << 15) | (z << 7) | (y - 1)
        count += 1
    if y < HEIGHT - 1:
        rim[count] = (x << 15) | (z << 7) | (y + 1)
        count += 1
    if x != west:
        rim[count] = (((x - 1) & last) << 15) | (z << 7) | y
        count += 1
    if (x + 1) & last != west:
        rim[count] = (((x + 1) & last) << 15) | (z << 7) | y
        count += 1
    if z != north:
        rim[count] = (x << 15) | (((z - 1) & last) << 7) | y
        count += 1
    if (z + 1) & last != north:
        rim[count] = (x << 15) | (((z + 1) & last) << 7) | y
        count += 1
    return spread(state, rules, w, channel, 0, count)


@entry_kernel
def light_area(state, rules, w, x0, z0, x1, z1):
    """Light the columns [x0, x1) x [z0, z1) of the window, whose blocks are new, from the sky, from
    their glowing blocks and from their neighbours, and light the neighbours from them."""
    last = state.blocks.shape[1] - 1
    sky = state.players[w].dimension == OVERWORLD
    above = roof(state, w)
    for x in range(x0, x1):
        for z in range(z0, z1):
            top = lowest_open(state, rules, w, x & last, z & last, above)
            state.tops[w, x & last, z & last] = top
            column = state.light[w, x & last, z & last]
            column[:top] = 0
            column[top:] = 0xF0 if sky else 0
    whole = shine(state, rules, w, x0, z0, x1, z1)
    if sky:
        whole = open_up(state, rules, w, x0, z0, x1, z1) and whole
    whole = let_in(state, rules, w, x0, z0, x1, z1) and whole
    while not whole:
        area = state.blocks.shape[1]
        west = state.players[w].west
        north = state.players[w].north
        whole = even_out(state, rules, w, west, north, west + area, north + area)


@kernel
def roof(state, w):
    """The lowest y above which the whole window is air."""
    return min(HEIGHT, np.int64(state.players[w].ceiling) + 1)


@kernel
def lowest_open(state, rules, w, x, z, y):
    """The lowest y above which a column of the storage is clear, given that it is above ``y``.
    HEIGHT: its highest block is not clear."""
    column = state.blocks[w, x, z]
    while y > 0 and rules.opacity[column[y - 1]] == 0:
        y -= 1
    return y


@kernel
def shine(state, rules, w, x0, z0, x1, z1):
    """Spread light from the glowing blocks of an area."""
    last = state.blocks.shape[1] - 1
    ring = state.queues[w, 1]
    count = 0
    whole = True
    words = (roof(state, w) + EIGHT - 1) // EIGHT
    # Remembers groups of eight blocks that do not glow, one for each hash: most groups recur.
    dark = np.zeros(1 << KNOWN, np.uint64)
    for x in range(x0, x1):
        for z in range(z0, z1):
            column = state.blocks[w, x & last, z & last]
            eights = column.view(np.uint64)
            for word in range(words):
                eight = eights[word]
                place = np.int64((eight * GOLDEN) >> np.uint64(64 - KNOWN))
                if eight == dark[place]:
                    continue
                before = count
                for y in range(EIGHT * word, EIGHT * word + EIGHT):
                    glow = np.int64(rules.glow[column[y]])
                    if glow > 0:
                        put_light(state, w, x & last, y, z & last, BLOCKS, glow)
                        ring[count] = ((x & last) << 15) | ((z & last) << 7) | y
                        count += 1
                if count == before:
                    dark[place] = eight
                elif count >= QUEUE // 2:
                    whole = spread(state, rules, w, BLOCKS, 0, count) and whole
                    count = 0
    return spread(state, rules, w, BLOCKS, 0, count) and whole


@kernel
def open_up(state, rules, w, x0, z0, x1, z1):
    """Spread sky light sideways from open columns, and down into blocks that let some through."""
    last = state.blocks.shape[1] - 1
    ring = state.queues[w, 1]
    count = 0
    whole = True
    for x in range(x0, x1):
        for z in range(z0, z1):
            top = np.int64(state.tops[w, x & last, z & last])
            # The highest block may absorb only part of the sky's light.
            if top == HEIGHT:
                level = source(state, rules, w, x & last, top - 1, z & last, SKY)
                put_light(state, w, x & last, top - 1, z & last, SKY, level)
                top -= 1  # if any light is left, it spreads from this block
            under = state.blocks[w, x & last, z & last, max(0, top - 1)]
            high = top + 1 if rules.opacity[under] < 15 else top
            for side in range(4):
                nx = x + side_x(side)
                nz = z + side_z(side)
                if held(state, w, nx, nz):
                    # ``tops`` may be out of date outside the area; too high is harmless.
                    inside = x0 <= nx < x1 and z0 <= nz < z1
                    near = np.int64(state.tops[w, nx & last, nz & last]) if inside else HEIGHT
                    high = max(high, near)
            for y in range(top, min(high, HEIGHT)):
                ring[count] = ((x & last) << 15) | ((z & last) << 7) | y
                count += 1
            if count >= QUEUE // 2:
                whole = spread(state, rules, w, SKY, 0, count) and whole
                count = 0
    return spread(state, rules, w, SKY, 0, count) and whole


@kernel
def let_in(state, rules, w, x0, z0, x1, z1):
    """Spread light from the columns around an area into it."""
    last = state.blocks.shape[1] - 1
    ring = state.queues[w, 1]
    whole = True
    high = min(HEIGHT, roof(state, w) + 15)  # as far as a torch on the highest block shines
    for channel in (BLOCKS, SKY):
        count = 0
        for x in range(x0 - 1, x1 + 1):
            for z in range(z0 - 1, z1 + 1):
                if (x0 <= x < x1 and z0 <= z < z1) or not held(state, w, x, z):
                    continue
                for y in range(high):
                    level = (np.int64(state.light[w, x & last, z & last, y]) >> channel) & 15
                    if level > 1:
                        ring[count] = ((x & last) << 15) | ((z & last) << 7) | y
                        count += 1
                if count >= QUEUE // 2:
                    whole = spread(state, rules, w, channel, 0, count) and whole
                    count = 0
        whole = spread(state, rules, w, channel, 0, count) and whole
    return whole


@kernel
def even_out(state, rules, w, x0, z0, x1, z1):
    """After an overflow: spread the light of every lit cell again. False: another overflow."""
    last = state.blocks.shape[1] - 1
    ring = state.queues[w, 1]
    whole = True
    for channel in (BLOCKS, SKY):
        count = 0
        for x in range(x0, x1):
            for z in range(z0, z1):
                for y in range(HEIGHT):
                    level = (np.int64(state.light[w, x & last, z & last, y]) >> channel) & 15
                    if level > 1:
                        ring[count] = ((x & last) << 15) | ((z & last) << 7) | y
                        count += 1
                        if count == QUEUE // 4:
                            whole = spread(state, rules, w, channel, 0, count) and whole
                            count = 0
        whole = spread(state, rules, w, channel, 0, count) and whole
    return whole
