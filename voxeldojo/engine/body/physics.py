"""How the player moves: Minecraft's own arithmetic, one tick of 50 ms at a time.

The figures are those of Entity.move and EntityLivingBase.moveEntityWithHeading (1.11.2).
"""

import math

import numpy as np

from voxeldojo.engine.body.hurt import FALL, hurt
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.grid import (
    AIR,
    LAVA_BLOCK,
    WATER_BLOCK,
    block_at,
    held,
    meta_at,
    side_x,
    side_z,
)
from voxeldojo.engine.motion.trampling import trample
from voxeldojo.engine.rulebook import DOOR, GATE, SLAB, TRAPDOOR
from voxeldojo.engine.state import BODY_HEIGHT, EYES, HALF_WIDTH, HEIGHT

GRAVITY = 0.08  # metres per tick and tick
DRAG = 0.98  # share of the vertical speed that is left after a tick in the air
STEP = 0.6  # metres that a body on the ground steps up
DRY = 8  # of `depth_at`: no water
WEB, LADDER, SOUL_SAND, VINE, SLIME, HAY = 30, 65, 88, 106, 165, 170
EPSILON = 1e-7  # touching is not overlapping


@kernel
def height_of(state, rules, w, block, x, y, z):
    """Height of the collision box of ``block`` in a cell, 0 for none."""
    entry = rules.block[block]
    if entry.shape == 0:
        return float(entry.height)
    return shaped(state, w, x, y, z, entry.shape, float(entry.height))


@kernel
def shaped(state, w, x, y, z, shape, height):
    """The height of a block that depends on its metadata."""
    meta = meta_at(state, w, x, y, z)
    if shape == DOOR:
        if meta & 8:
            meta = meta_at(state, w, x, y - 1, z)
        return 0.0 if meta & 4 else height
    if shape == GATE:
        return 0.0 if meta & 4 else height
    if shape == TRAPDOOR:
        return 0.0 if meta & 4 else (1.0 if meta & 8 else height)
    if shape == SLAB:
        return 1.0 if meta & 8 else height
    return 0.125 * (meta & 7)  # layers of snow; a single one has no collision box


@kernel
def clear_y(state, rules, w, x, y, z, half, tall, dy):
    """The part of the vertical move ``dy`` that is free for a box at (x, y, z)."""
    x0 = math.floor(x - half + EPSILON)
    x1 = math.floor(x + half - EPSILON)
    z0 = math.floor(z - half + EPSILON)
    z1 = math.floor(z + half - EPSILON)
    if dy < 0.0:
        for by in range(math.floor(y + EPSILON), math.floor(y + dy) - 2, -1):
            for bx in range(x0, x1 + 1):
                for bz in range(z0, z1 + 1):
                    block = block_at(state, w, bx, by, bz)
                    if block == AIR:
                        continue
                    height = height_of(state, rules, w, block, bx, by, bz)
                    if height > 0.0 and by + height <= y + EPSILON:
                        dy = max(dy, min(0.0, by + height - y))
            if dy >= 0.0:
                return dy
    else:
        head = y + tall
        for by in range(math.floor(head - EPSILON), math.floor(head + dy) + 1):
            for bx in range(x0, x1 + 1):
                for bz in range(z0, z1 + 1):
                    if by < head - EPSILON:
                        continue
                    block = block_at(state, w, bx, by, bz)
                    if block != AIR and height_of(state, rules, w, block, bx, by, bz) > 0.0:
                        dy = min(dy, max(0.0, by - head))
    return dy


@kernel
def clear_side(state, rules, w, along, across, y, half, tall, d, is_x):
    """The part of the sideways move ``d`` that is free; ``along`` is the coordinate it changes."""
    if d == 0.0:
        return d
    c0 = math.floor(across - half + EPSILON)
    c1 = math.floor(across + half - EPSILON)
    y0 = math.floor(y + EPSILON) - 1  # a fence reaches half a block over its cell
    y1 = math.floor(y + tall - EPSILON)
    if d > 0.0:
        first = math.floor(along + half - EPSILON)
        last = math.floor(along + half + d)
    else:
        first = math.floor(along - half + d)
        last = math.floor(along - half + EPSILON)
    inside = state.blocks.shape[1] - 1
    for cell in range(first, last + 1):
        for c in range(c0, c1 + 1):
            bx = cell if is_x else c
            bz = c if is_x else cell
            known = y0 >= 0 and y1 < HEIGHT and held(state, w, bx, bz)
            for by in range(y0, y1 + 1):
                if known:
                    block = np.int64(state.blocks[w, bx & inside, bz & inside, by])
                else:
                    block = block_at(state, w, bx, by, bz)
                if block == AIR:
                    continue
                height = height_of(state, rules, w, block, bx, by, bz)
                if height <= 0.0 or by + height <= y + EPSILON or by >= y + tall - EPSILON:
                    continue
                if d > 0.0:
                    if cell >= along + half - EPSILON:
                        d = min(d, max(0.0, cell - (along + half)))
                elif cell + 1.0 <= along - half + EPSILON:
                    d = max(d, min(0.0, cell + 1.0 - (along - half)))
    return d


@kernel
def supported(state, rules, w, x, y, z, half):
    """Whether there is ground within a step below the box."""
    return clear_y(state, rules, w, x, y, z, half, BODY_HEIGHT, -STEP) > -STEP


@kernel
def guard_edge(state, rules, w, player, dx, dz):
    """Shorten a sneaking player's move so that it does not fall from an edge."""
    while dx != 0.0 and not supported(
        state, rules, w, player.x + dx, player.y, player.z, HALF_WIDTH
    ):
        dx = 0.0 if abs(dx) < 0.05 else dx - math.copysign(0.05, dx)
    while dz != 0.0 and not supported(
        state, rules, w, player.x, player.y, player.z + dz, HALF_WIDTH
    ):
        dz = 0.0 if abs(dz) < 0.05 else dz - math.copysign(0.05, dz)
    while (
        dx != 0.0
        and dz != 0.0
        and not supported(state, rules, w, player.x + dx, player.y, player.z + dz, HALF_WIDTH)
    ):
        dx = 0.0 if abs(dx) < 0.05 else dx - math.copysign(0.05, dx)
        dz = 0.0 if abs(dz) < 0.05 else dz - math.copysign(0.05, dz)
    return dx, dz


@kernel
def slide(state, rules, w, x, y, z, dx, dy, dz):
    """The end of a player's box that tries to move by (dx, dy, dz): first vertically, then
    sideways."""
    y += clear_y(state, rules, w, x, y, z, HALF_WIDTH, BODY_HEIGHT, dy)
    x += clear_side(state, rules, w, x, z, y, HALF_WIDTH, BODY_HEIGHT, dx, True)
    z += clear_side(state, rules, w, z, x, y, HALF_WIDTH, BODY_HEIGHT, dz, False)
    return x, y, z


@kernel
def move(state, rules, w, player, sneaking):
    """Move the player by its velocity, as far as no block stops it."""
    dx = player.vx
    dy = player.vy
    dz = player.vz
    if sneaking and player.ground == 1:
        dx, dz = guard_edge(state, rules, w, player, dx, dz)
    if player.webbed == 1:
        player.webbed = 0
        player.vx = 0.0
        player.vy = 0.0
        player.vz = 0.0
        dx *= 0.25
        dy *= 0.05
        dz *= 0.25
    x, y, z = slide(state, rules, w, player.x, player.y, player.z, dx, dy, dz)
    blocked = abs(x - player.x - dx) > EPSILON or abs(z - player.z - dz) > EPSILON
    landed = dy < 0.0 and y - player.y > dy + EPSILON
    if blocked and (player.ground == 1 or landed):
        # Try again a step higher, and keep that if it leads further.
        up = clear_y(state, rules, w, player.x, player.y, player.z, HALF_WIDTH, BODY_HEIGHT, STEP)
        sx, sy, sz = slide(state, rules, w, player.x, player.y + up, player.z, dx, 0.0, dz)
        sy += clear_y(state, rules, w, sx, sy, sz, HALF_WIDTH, BODY_HEIGHT, -up)
        if (sx - player.x) ** 2 + (sz - player.z) ** 2 > (
            (x - player.x) ** 2 + (z - player.z) ** 2 + EPSILON
        ):
            x = sx
            y = sy
            z = sz
    player.bumped = 0
    if abs(x - player.x - dx) > EPSILON:
        player.vx = 0.0
        player.bumped = 1
    if abs(z - player.z - dz) > EPSILON:
        player.vz = 0.0
        player.bumped = 1
    if player.bumped == 1:
        player.sprinting = 0
    sunk = y - player.y
    away = math.sqrt((x - player.x) ** 2 + (z - player.z) ** 2)
    if player.fluid == WATER_BLOCK:
        player.exhaustion += 0.01 * away
    elif player.sprinting == 1 and player.ground == 1:
        player.exhaustion += 0.1 * away
    player.x = x
    player.y = y
    player.z = z
    player.ground = 1 if landed else 0
    if landed:
        land(state, rules, w, player, sneaking)
    else:
        if sunk < 0.0 and player.fluid != WATER_BLOCK:
            player.fall -= sunk
        if dy > 0.0 and sunk < dy - EPSILON:
            player.vy = 0.0


@kernel
def land(state, rules, w, player, sneaking):
    """The feet touch the ground: the fall ends, with less harm on slime and hay."""
    x = math.floor(player.x)
    y = math.floor(player.y - 0.2)
    z = math.floor(player.z)
    below = block_at(state, w, x, y, z)
    trample(state, rules, w, x, y, z, player.fall)
    if below == SLIME and not sneaking:
        if player.vy < -0.1:
            player.vy = -player.vy
        else:
            player.vx *= 0.4 - 0.2 * player.vy
            player.vz *= 0.4 - 0.2 * player.vy
            player.vy = 0.0
        player.fall = 0.0
        return
    player.vy = 0.0
    if player.fall > 3.0:
        harm = math.ceil(player.fall - 3.0 - EPSILON) * (0.2 if below == HAY else 1.0)
        hurt(state, rules, w, float(harm), FALL, 0)
    player.fall = 0.0


@kernel
def fluid_of(block):
    """WATER_BLOCK or LAVA_BLOCK, whether it flows or not; 0 for all else."""
    if block in (WATER_BLOCK - 1, WATER_BLOCK):
        return WATER_BLOCK
    return LAVA_BLOCK if block in (LAVA_BLOCK - 1, LAVA_BLOCK) else 0


@kernel
def surface(meta):
    """The height of a fluid with this metadata in its cell."""
    return 1.0 if meta >= 8 else 1.0 - (meta + 1) / 9.0


@kernel
def feel(state, w, player):
    """Find out what the body is in: fluids, webs, something to climb. Looks at two of its cells."""
    x = math.floor(player.x)
    z = math.floor(player.z)
    low = math.floor(player.y + 0.4)
    eyes = math.floor(player.y + EYES)
    at_feet = block_at(state, w, x, low, z)
    at_eyes = block_at(state, w, x, eyes, z)
    # The cell of the soles decides, even if the rest is above it, so that one gets off at the top.
    player.climbing = 1 if block_at(state, w, x, math.floor(player.y), z) in (LADDER, VINE) else 0
    if at_feet == 0 and at_eyes == 0 and player.fluid == 0 and player.fluid_eyes == 0:
        return
    player.fluid = fluid_of(at_feet)
    if player.fluid == 0 and at_feet != 0:
        player.fluid = fluid_of(block_at(state, w, x, low + 1, z)) if at_eyes != 0 else 0
    player.fluid_eyes = 0
    if at_eyes != 0 and fluid_of(at_eyes) != 0:
        top = eyes + surface(meta_at(state, w, x, eyes, z))
        if player.y + EYES < top or fluid_of(block_at(state, w, x, eyes + 1, z)) != 0:
            player.fluid_eyes = fluid_of(at_eyes)
    if at_feet == WEB or at_eyes == WEB:
        player.webbed = 1
        player.fall = 0.0  # Entity.setInWeb
    if player.fluid == WATER_BLOCK:
        player.fall = 0.0
        drift(state, w, player, x, low, z)
    elif player.fluid == LAVA_BLOCK:
        player.fall *= 0.5


@kernel
def depth_at(state, w, x, y, z):
    """Steps from a source: 0 a source or falling water, DRY no water."""
    if fluid_of(block_at(state, w, x, y, z)) != WATER_BLOCK:
        return DRY
    meta = meta_at(state, w, x, y, z)
    return 0 if meta >= 8 else meta


@kernel
def drift(state, w, player, x, y, z):
    """The current moves the player."""
    own = depth_at(state, w, x, y, z)
    fx = 0.0
    fz = 0.0
    for side in range(4):
        dx = side_x(side)
        dz = side_z(side)
        there = depth_at(state, w, x + dx, y, z + dz)
        if there == DRY:
            if block_at(state, w, x + dx, y, z + dz) != 0:
                continue
            there = depth_at(state, w, x + dx, y - 1, z + dz)
            if there == DRY:
                continue
            there += DRY
        fx += dx * (there - own)
        fz += dz * (there - own)
    length = math.sqrt(fx * fx + fz * fz)
    if length > 0.0:
        player.vx += 0.014 * fx / length
        player.vz += 0.014 * fz / length


@kernel
def push(player, forward, strafe, power):
    """Accelerate relative to the line of sight; strafe is + to the left."""
    length = math.sqrt(forward * forward + strafe * strafe)
    if length < 1e-2:
        return
    scale = power / max(1.0, length)
    sine = math.sin(math.radians(player.yaw))
    cosine = math.cos(math.radians(player.yaw))
    player.vx += scale * (strafe * cosine - forward * sine)
    player.vz += scale * (forward * cosine + strafe * sine)


@kernel
def swim(state, rules, w, player, forward, strafe, sneaking):
    """One tick in water or lava, and out of it at a bank."""
    before = player.y
    push(player, forward, strafe, 0.02)
    move(state, rules, w, player, sneaking)
    drag = 0.8 if player.fluid == WATER_BLOCK else 0.5
    player.vx *= drag
    player.vy = player.vy * drag - 0.02
    player.vz *= drag
    if player.bumped == 1:
        up = player.vy + 0.6 - player.y + before
        x, y, z = slide(
            state, rules, w, player.x, player.y + up, player.z, player.vx, 0.0, player.vz
        )
        clear = x == player.x + player.vx and z == player.z + player.vz
        cell = block_at(state, w, math.floor(x), math.floor(y), math.floor(z))
        if clear and fluid_of(cell) == 0:
            player.vy = 0.3


@kernel
def walk(state, rules, w, player, forward, strafe, sprinting, sneaking):
    """One tick on the ground, in the air or on a ladder."""
    slip = 0.91
    if player.ground == 1:
        below = block_at(
            state, w, math.floor(player.x), math.floor(player.y) - 1, math.floor(player.z)
        )
        slip = rules.block[below].slipperiness * 0.91
        power = (0.13 if sprinting else 0.1) * 0.16277136 / (slip * slip * slip)
    else:
        power = 0.026 if sprinting else 0.02
    push(player, forward, strafe, power)
    if player.climbing == 1:
        player.vx = min(0.15, max(-0.15, player.vx))
        player.vz = min(0.15, max(-0.15, player.vz))
        player.vy = max(-0.15, player.vy)
        player.fall = 0.0
        if sneaking:
            player.vy = max(0.0, player.vy)
    move(state, rules, w, player, sneaking)
    if player.climbing == 1 and player.bumped == 1:
        player.vy = 0.2
    if player.y % 1.0 != 0.0 and player.ground == 1:
        x = math.floor(player.x)
        if block_at(state, w, x, math.floor(player.y), math.floor(player.z)) == SOUL_SAND:
            player.vx *= 0.4
            player.vz *= 0.4
    player.vy = (player.vy - GRAVITY) * DRAG
    player.vx *= slip
    player.vz *= slip


@kernel
def move_player(state, rules, w, player, forward, strafe, gait):
    """One tick. ``forward`` and ``strafe`` in -1, 0, 1; gait 1 jumps, 2 sneaks, 3 sprints."""
    if abs(player.vx) < 0.003:
        player.vx = 0.0
    if abs(player.vy) < 0.003:
        player.vy = 0.0
    if abs(player.vz) < 0.003:
        player.vz = 0.0
    feel(state, w, player)
    sneaking = gait == 2
    # A sprint lasts as long as the player runs forward, also through jumps.
    begun = gait == 3 or player.sprinting == 1
    sprinting = begun and forward > 0.0 and not sneaking and player.food > 6.0
    player.sprinting = 1 if sprinting else 0
    if player.jump_rest > 0:
        player.jump_rest -= 1
    if gait == 1:
        if player.fluid != 0:
            player.vy += 0.04
        elif player.ground == 1 and player.jump_rest == 0:
            player.vy = 0.42
            player.jump_rest = 10
            player.exhaustion += 0.2 if sprinting else 0.05
            if sprinting:
                player.vx -= 0.2 * math.sin(math.radians(player.yaw))
                player.vz += 0.2 * math.cos(math.radians(player.yaw))
    else:
        player.jump_rest = 0
    pace = 0.98 * (0.3 if sneaking else 1.0)
    if player.fluid != 0:
        swim(state, rules, w, player, forward * pace, strafe * pace, sneaking)
    else:
        walk(state, rules, w, player, forward * pace, strafe * pace, sprinting, sneaking)
