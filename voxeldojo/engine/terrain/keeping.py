"""A compressed copy of the first window, so that a reset need not generate it again after a walk.

A window's storage has a place for each of its chunks of 16 x 16 columns. A chunk has *strayed* if
it may differ from the start: a block of it changed, or it was generated again because the window
moved. Light reaches 15 columns, so the chunks around it may differ, too.

Neighbouring rows are similar. So a row of 16 columns is stored as those words of four blocks in
which it differs from the row before, each with its distance from the last one. A chunk's first row
depends on the chunk before, which is therefore restored first.
"""

import numpy as np

from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.state import HEIGHT, OVERWORLD

CHUNK = 16
ROW = CHUNK * HEIGHT // 4  # words of a row
GROUP = 8  # words that are compared at once
FARTHEST = 255  # words from one that is kept to the next
MOST = 1 + ROW + ROW // (FARTHEST - GROUP)  # entries of a row at most
ONE = np.uint64(1)
ABSENT = -1
REFILLED = 2  # a bit of State.strayed: generated again since the start


@kernel
def stray(state, w, x0, z0, x1, z1):
    """Mark the columns [x0, x1) x [z0, z1), whole chunks, as generated again since the start."""
    last = state.blocks.shape[1] - 1
    for x in range(x0, x1, CHUNK):
        for z in range(z0, z1, CHUNK):
            state.strayed[w, (x & last) >> 4, (z & last) >> 4] |= REFILLED


@kernel
def mark_start(state, w):
    """Nothing has strayed from now on. Call it for a window that was just generated."""
    player = state.players[w]
    player.kept = 0
    player.kept_ceiling = player.ceiling
    state.strayed[w] = 0


@kernel
def refilled(state, w):
    """Whether the window has moved since the start. Where it has moved back, the light near its
    edges may still be that of land beyond them."""
    return (state.strayed[w] & REFILLED).any()


@kernel
def keep(state, w):
    """Store the window. Call it for a window of the overworld, after `mark_start`."""
    area = state.blocks.shape[1]
    state.players[w].kept = 1
    state.kept_ground[w] = state.ground[w]
    state.kept_biomes[w] = state.biomes[w]
    at = 0
    for i in range(area // CHUNK):
        for k in range(area // CHUNK):
            end = pack(state, w, state.blocks[w], i, k, at)
            if end >= 0:
                end = pack(state, w, state.meta[w], i, k, end)
            if end >= 0:
                end = pack(state, w, state.light[w], i, k, end)
            state.kept_from[w, i, k] = at if end >= 0 else ABSENT
            at = max(at, end)


@kernel
def pack(state, w, cells, i, k, at):
    """Store a chunk of ``cells`` (area, area, HEIGHT) from entry ``at`` on. Returns the entry after
    it; -1: there is no room."""
    area = cells.shape[0]
    words = cells.reshape(area * area * HEIGHT).view(np.uint32)
    kept = state.kept_words[w, 0]
    steps = state.kept_steps[w, 0]
    before = np.zeros(ROW, np.uint32)
    if i > 0:
        last = ((CHUNK * i - 1) * area + CHUNK * k) * (HEIGHT // 4)
        before = words[last : last + ROW]
    for x in range(CHUNK * i, CHUNK * i + CHUNK):
        if at + MOST > kept.shape[0]:
            return -1
        first = (x * area + CHUNK * k) * (HEIGHT // 4)
        row = words[first : first + ROW]
        at = pack_row(row, before, kept, steps, at)
        before = row
    return at


@kernel
def pack_row(row, before, kept, steps, at):
    """Store the words in which ``row`` differs from the one ``before``. Returns the entry after
    it.

    Half of the groups are equal. In the others each word is written, and the next one over it if
    it was equal, as a branch would be mispredicted too often. Indices are unsigned, for which Numba
    adds no test for negative ones."""
    pairs, pairs_before = row.view(np.uint64), before.view(np.uint64)
    end, last = np.uint64(at + 1), np.uint64(0)
    for n in range(np.uint64(0), np.uint64(ROW), np.uint64(GROUP)):
        differs = np.uint64(0)
        for pair in range(n >> ONE, (n + np.uint64(GROUP)) >> ONE):
            differs |= pairs[pair] ^ pairs_before[pair]
        if differs == 0:
            continue
        while n + np.uint64(GROUP - 1) - last > np.uint64(FARTHEST):
            step = min(np.uint64(FARTHEST), n - ONE - last)
            last += step
            kept[end] = row[last]
            steps[end] = step
            end += ONE
        for place in range(n, n + np.uint64(GROUP)):
            kept[end] = row[place]
            steps[end] = place - last
            other = row[place] != before[place]
            last = place if other else last
            end += np.uint64(other)
    kept[at] = np.int64(end) - at - 1
    return np.int64(end)


@kernel
def unpack(state, w, cells, i, k, at):
    """Restore a chunk of ``cells``. Returns the entry after it."""
    area = cells.shape[0]
    words = cells.reshape(area * area * HEIGHT).view(np.uint32)
    kept = state.kept_words[w, 0]
    steps = state.kept_steps[w, 0]
    for x in range(CHUNK * i, CHUNK * i + CHUNK):
        first = (x * area + CHUNK * k) * (HEIGHT // 4)
        row = words[first : first + ROW]
        if x > 0:
            before = first - area * (HEIGHT // 4)
            row[:] = words[before : before + ROW]
        else:
            row[:] = 0
        begin = np.uint64(at + 1)
        end = begin + np.uint64(kept[at])
        place = np.uint64(0)
        for entry in range(begin, end):
            place += np.uint64(steps[entry])
            row[place] = kept[entry]
        at = np.int64(end)
    return at


@kernel
def bring_back(state, w):
    """Restore the first window. False: not all chunks that strayed are stored."""
    player = state.players[w]
    if player.kept == 0:
        return False
    chunks = state.strayed.shape[1]
    for i in range(chunks):
        for k in range(chunks):
            if state.kept_from[w, i, k] == ABSENT and touched(state, w, i, k):
                return False
    for i in range(chunks):
        for k in range(chunks):
            if touched(state, w, i, k):
                at = unpack(state, w, state.blocks[w], i, k, np.int64(state.kept_from[w, i, k]))
                at = unpack(state, w, state.meta[w], i, k, at)
                unpack(state, w, state.light[w], i, k, at)
                for x in range(CHUNK * i, CHUNK * i + CHUNK):
                    for z in range(CHUNK * k, CHUNK * k + CHUNK):
                        state.ground[w, x, z] = state.kept_ground[w, x, z]
                        state.biomes[w, x, z] = state.kept_biomes[w, x, z]
    state.strayed[w] = 0
    player.west = player.home_west
    player.north = player.home_north
    player.dimension = OVERWORLD
    player.ceiling = player.kept_ceiling
    player.changes = 0
    player.touched = 0
    return True


@kernel
def touched(state, w, i, k):
    """Whether a chunk has strayed or is beside one that has. The storage wraps around."""
    last = state.strayed.shape[1] - 1
    for di in range(-1, 2):
        for dk in range(-1, 2):
            if state.strayed[w, (i + di) & last, (k + dk) & last] != 0:
                return True
    return False
