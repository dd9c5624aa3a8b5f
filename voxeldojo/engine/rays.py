"""Rays through the blocks: the block under the crosshair, and MineDojo's lidar."""

import math

import numpy as np

from voxeldojo.engine.compiling.kernels import entry_kernel, kernel
from voxeldojo.engine.grid import BEDROCK, block_at
from voxeldojo.engine.state import EYES, HEIGHT

FAR = 1e30
# Faces: 0 bottom, 1 top, 2 north (-z), 3 south (+z), 4 west (-x), 5 east (+x); -1 none.


@entry_kernel
def direction(yaw, pitch):
    """The unit vector of a line of sight, degrees."""
    flat = math.cos(math.radians(pitch))
    return (
        -math.sin(math.radians(yaw)) * flat,
        -math.sin(math.radians(pitch)),
        math.cos(math.radians(yaw)) * flat,
    )


@kernel
def enter_slab(o, d, low, high):
    """The distances at which a line enters and leaves the space between two planes."""
    if d == 0.0:
        if o < low or o > high:
            return FAR, -FAR
        return -FAR, FAR
    a = (low - o) / d
    b = (high - o) / d
    return min(a, b), max(a, b)


@kernel
def enter_box(ox, oy, oz, dx, dy, dz, x, y, z, half, top):
    """Distance to and face of a smaller box in a cell; distance -1 if it is missed."""
    ax, bx = enter_slab(ox, dx, x + 0.5 - half, x + 0.5 + half)
    ay, by = enter_slab(oy, dy, float(y), y + top)
    az, bz = enter_slab(oz, dz, z + 0.5 - half, z + 0.5 + half)
    near = max(ax, ay, az)
    if near > min(bx, by, bz) or near < 0.0:
        return -1.0, -1
    if near == ay:
        return near, 0 if dy > 0.0 else 1
    if near == az:
        return near, 2 if dz > 0.0 else 3
    return near, 4 if dx > 0.0 else 5


@entry_kernel
def cast(state, rules, w, ox, oy, oz, dx, dy, dz, reach):
    """The first block that a ray hits: (block, x, y, z, face, distance); block 0 for none."""
    x = math.floor(ox)
    y = math.floor(oy)
    z = math.floor(oz)
    step_x = 1 if dx > 0.0 else -1
    step_y = 1 if dy > 0.0 else -1
    step_z = 1 if dz > 0.0 else -1
    gap_x = abs(1.0 / dx) if dx != 0.0 else FAR
    gap_y = abs(1.0 / dy) if dy != 0.0 else FAR
    gap_z = abs(1.0 / dz) if dz != 0.0 else FAR
    next_x = gap_x * (x + 1 - ox if dx > 0.0 else ox - x) if dx != 0.0 else FAR
    next_y = gap_y * (y + 1 - oy if dy > 0.0 else oy - y) if dy != 0.0 else FAR
    next_z = gap_z * (z + 1 - oz if dz > 0.0 else oz - z) if dz != 0.0 else FAR
    distance = 0.0
    face = -1
    ceiling = state.players[w].ceiling
    while distance <= reach:
        block = block_at(state, w, x, y, z)
        if y > ceiling and step_y > 0:
            break
        if block != 0:
            entry = rules.block[block]
            if entry.selectable == 1:
                if entry.half == 0.5 and entry.top == 1.0:
                    if face >= 0:
                        return block, x, y, z, face, distance
                else:
                    near, side = enter_box(ox, oy, oz, dx, dy, dz, x, y, z, entry.half, entry.top)
                    if 0.0 <= near <= reach:
                        return block, x, y, z, side, near
        if next_x < next_y and next_x < next_z:
            distance = next_x
            next_x += gap_x
            x += step_x
            face = 4 if step_x > 0 else 5
        elif next_y < next_z:
            distance = next_y
            next_y += gap_y
            y += step_y
            face = 0 if step_y > 0 else 1
        else:
            distance = next_z
            next_z += gap_z
            z += step_z
            face = 2 if step_z > 0 else 3
    return 0, 0, 0, 0, -1, reach


@entry_kernel
def under_crosshair(state, rules, w, reach):
    player = state.players[w]
    dx, dy, dz = direction(player.yaw, player.pitch)
    return cast(state, rules, w, player.x, player.y + EYES, player.z, dx, dy, dz, reach)


@kernel
def march(state, rules, w, ox, oy, oz, dx, dy, dz, reach):
    """What ``cast`` finds, but only name and distance: for the many rays of an observation. The
    world's edge only stops the player and is not seen."""
    player = state.players[w]
    area = state.blocks.shape[1]
    x = math.floor(ox) - player.west  # from here on columns count from the window's corner
    y = math.floor(oy)
    z = math.floor(oz) - player.north
    west = player.west & (area - 1)
    north = player.north & (area - 1)
    step_x = 1 if dx > 0.0 else -1
    step_y = 1 if dy > 0.0 else -1
    step_z = 1 if dz > 0.0 else -1
    gap_x = abs(1.0 / dx) if dx != 0.0 else FAR
    gap_y = abs(1.0 / dy) if dy != 0.0 else FAR
    gap_z = abs(1.0 / dz) if dz != 0.0 else FAR
    cell_x = math.floor(ox)
    cell_z = math.floor(oz)
    next_x = gap_x * (cell_x + 1 - ox if dx > 0.0 else ox - cell_x) if dx != 0.0 else FAR
    next_y = gap_y * (y + 1 - oy if dy > 0.0 else oy - y) if dy != 0.0 else FAR
    next_z = gap_z * (cell_z + 1 - oz if dz > 0.0 else oz - cell_z) if dz != 0.0 else FAR
    distance = 0.0
    inside = False
    top = min(player.ceiling, HEIGHT - 1)
    while distance <= reach:
        if y > top:
            if step_y > 0:
                break
        elif x < 0 or z < 0 or x >= area or z >= area:
            break
        elif y < 0:
            return rules.block_name[BEDROCK], distance
        else:
            block = np.int64(state.blocks[w, (x + west) & (area - 1), (z + north) & (area - 1), y])
            if block != 0:
                entry = rules.block[block]
                if entry.selectable == 1:
                    if entry.half == 0.5 and entry.top == 1.0:
                        if inside:
                            return entry.name, distance
                    else:
                        near, _side = enter_box(
                            ox, oy, oz, dx, dy, dz,
                            x + player.west, y, z + player.north, entry.half, entry.top,
                        )  # fmt: skip
                        if 0.0 <= near <= reach:
                            return entry.name, near
        inside = True
        if next_x < next_y and next_x < next_z:
            distance = next_x
            next_x += gap_x
            x += step_x
        elif next_y < next_z:
            distance = next_y
            next_y += gap_y
            y += step_y
        else:
            distance = next_z
            next_z += gap_z
            z += step_z
    return 0, reach


@entry_kernel
def cast_all(state, rules, environments, pitch_yaw, reach, names, distances):
    """Every ray (radians relative to the line of sight) in the named worlds, a row of names and
    distances each."""
    count = names.shape[1]
    # Rays mostly form a grid: rows of one pitch, with the same yaws in each. So sines of the same
    # angles are needed again and again, and take longer than following a short ray.
    across = 1
    while across < count and pitch_yaw[across, 0] == pitch_yaw[0, 0]:
        across += 1
    aside = np.empty(count)
    ahead = np.empty(count)
    for row in range(environments.shape[0]):
        w = environments[row]
        player = state.players[w]
        flat = 0.0
        rise = 0.0
        for number in range(count):
            if number == 0 or pitch_yaw[number, 0] != pitch_yaw[number - 1, 0]:
                pitch = math.radians(player.pitch + math.degrees(np.float64(pitch_yaw[number, 0])))
                flat = math.cos(pitch)
                rise = -math.sin(pitch)
            above = number - across
            if above >= 0 and pitch_yaw[number, 1] == pitch_yaw[above, 1]:
                aside[number] = aside[above]
                ahead[number] = ahead[above]
            else:
                yaw = math.radians(player.yaw + math.degrees(np.float64(pitch_yaw[number, 1])))
                aside[number] = -math.sin(yaw)
                ahead[number] = math.cos(yaw)
            names[row, number], distances[row, number] = march(
                state,
                rules,
                w,
                player.x,
                player.y + EYES,
                player.z,
                aside[number] * flat,
                rise,
                ahead[number] * flat,
                reach,
            )
