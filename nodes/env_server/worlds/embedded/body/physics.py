"""How the player moves: Minecraft's own arithmetic, one tick of 50 ms at a time."""

import math

from nodes.env_server.worlds.embedded.body.hurt import FALL, hurt
from nodes.env_server.worlds.embedded.compiled import kernel
from nodes.env_server.worlds.embedded.grid import block_at
from nodes.env_server.worlds.embedded.state import BODY_HEIGHT, HALF_WIDTH

GRAVITY = 0.08
DRAG = 0.98
STEP = 0.6
EPSILON = 1e-7  # touching is not overlapping


@kernel
def clear_y(state, rules, w, x, y, z, half, tall, dy):
    """As much of the way ``dy`` as is free for a box standing at (x, y, z)."""
    x0 = math.floor(x - half + EPSILON)
    x1 = math.floor(x + half - EPSILON)
    z0 = math.floor(z - half + EPSILON)
    z1 = math.floor(z + half - EPSILON)
    if dy < 0.0:
        for by in range(math.floor(y + EPSILON), math.floor(y + dy) - 2, -1):
            for bx in range(x0, x1 + 1):
                for bz in range(z0, z1 + 1):
                    height = rules.block[block_at(state, w, bx, by, bz)].height
                    if height > 0.0 and by + height <= y + EPSILON:
                        dy = max(dy, min(0.0, by + height - y))
    else:
        head = y + tall
        for by in range(math.floor(head - EPSILON), math.floor(head + dy) + 1):
            for bx in range(x0, x1 + 1):
                for bz in range(z0, z1 + 1):
                    if (
                        rules.block[block_at(state, w, bx, by, bz)].height > 0.0
                        and by >= head - EPSILON
                    ):
                        dy = min(dy, max(0.0, by - head))
    return dy


@kernel
def clear_side(state, rules, w, along, across, y, half, tall, d, is_x):
    """As much of the sideways way ``d`` as is free; ``along`` is the coordinate it changes."""
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
    for cell in range(first, last + 1):
        for c in range(c0, c1 + 1):
            for by in range(y0, y1 + 1):
                if is_x:
                    height = rules.block[block_at(state, w, cell, by, c)].height
                else:
                    height = rules.block[block_at(state, w, c, by, cell)].height
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
    """Shortens a sneaking player's way so that he doesn't walk over an edge."""
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
    """Where a player's box ends that tries to go (dx, dy, dz): first down or up, then sideways."""
    y += clear_y(state, rules, w, x, y, z, HALF_WIDTH, BODY_HEIGHT, dy)
    x += clear_side(state, rules, w, x, z, y, HALF_WIDTH, BODY_HEIGHT, dx, True)
    z += clear_side(state, rules, w, z, x, y, HALF_WIDTH, BODY_HEIGHT, dz, False)
    return x, y, z


@kernel
def move(state, rules, w, player, sneaking):
    """Carries the player along his velocity; stops it where something is in the way."""
    dx = player.vx
    dy = player.vy
    dz = player.vz
    if sneaking and player.ground == 1:
        dx, dz = guard_edge(state, rules, w, player, dx, dz)
    x, y, z = slide(state, rules, w, player.x, player.y, player.z, dx, dy, dz)
    blocked = abs(x - player.x - dx) > EPSILON or abs(z - player.z - dz) > EPSILON
    landed = dy < 0.0 and y - player.y > dy + EPSILON
    if blocked and (player.ground == 1 or landed):
        # Up a step, over it, and down again; kept if it leads further.
        up = clear_y(state, rules, w, player.x, player.y, player.z, HALF_WIDTH, BODY_HEIGHT, STEP)
        sx, sy, sz = slide(state, rules, w, player.x, player.y + up, player.z, dx, 0.0, dz)
        sy += clear_y(state, rules, w, sx, sy, sz, HALF_WIDTH, BODY_HEIGHT, -up)
        if (sx - player.x) ** 2 + (sz - player.z) ** 2 > (
            (x - player.x) ** 2 + (z - player.z) ** 2 + EPSILON
        ):
            x = sx
            y = sy
            z = sz
    if abs(x - player.x - dx) > EPSILON:
        player.vx = 0.0
        player.sprinting = 0
    if abs(z - player.z - dz) > EPSILON:
        player.vz = 0.0
        player.sprinting = 0
    sunk = y - player.y
    player.x = x
    player.y = y
    player.z = z
    player.ground = 1 if landed else 0
    if landed:
        hurt_by_fall(state, rules, w)
    elif sunk < 0.0:
        player.fall -= sunk
    if landed or (dy > 0.0 and sunk < dy - EPSILON):
        player.vy = 0.0


@kernel
def hurt_by_fall(state, rules, w):
    player = state.players[w]
    hurt(state, rules, w, float(math.ceil(player.fall - 3.0 - EPSILON)), FALL, 0)
    player.fall = 0.0


@kernel
def push(player, forward, strafe, power):
    """Accelerates along the line of sight; strafe is + to the left."""
    length = math.sqrt(forward * forward + strafe * strafe)
    if length < 1e-2:
        return
    scale = power / max(1.0, length)
    sine = math.sin(math.radians(player.yaw))
    cosine = math.cos(math.radians(player.yaw))
    player.vx += scale * (strafe * cosine - forward * sine)
    player.vz += scale * (forward * cosine + strafe * sine)


@kernel
def move_player(state, rules, w, player, forward, strafe, gait):
    """One tick. ``forward`` and ``strafe`` in -1, 0, 1; gait 1 jumps, 2 sneaks, 3 sprints."""
    if abs(player.vx) < 0.003:
        player.vx = 0.0
    if abs(player.vy) < 0.003:
        player.vy = 0.0
    if abs(player.vz) < 0.003:
        player.vz = 0.0
    sneaking = gait == 2
    # Once begun, a sprint lasts as long as the player runs forward, jumps included.
    begun = gait == 3 or player.sprinting == 1
    sprinting = begun and forward > 0.0 and not sneaking and player.food > 6.0
    player.sprinting = 1 if sprinting else 0
    if player.jump_rest > 0:
        player.jump_rest -= 1
    if gait == 1:
        if player.ground == 1 and player.jump_rest == 0:
            player.vy = 0.42
            player.jump_rest = 10
            if sprinting:
                player.vx -= 0.2 * math.sin(math.radians(player.yaw))
                player.vz += 0.2 * math.cos(math.radians(player.yaw))
    else:
        player.jump_rest = 0
    pace = 0.98 * (0.3 if sneaking else 1.0)
    slip = 0.91
    if player.ground == 1:
        below = block_at(
            state, w, math.floor(player.x), math.floor(player.y) - 1, math.floor(player.z)
        )
        slip = rules.block[below].slipperiness * 0.91
        power = (0.13 if sprinting else 0.1) * 0.16277136 / (slip * slip * slip)
    else:
        power = 0.026 if sprinting else 0.02
    push(player, forward * pace, strafe * pace, power)
    move(state, rules, w, player, sneaking)
    player.vy = (player.vy - GRAVITY) * DRAG
    player.vx *= slip
    player.vz *= slip
