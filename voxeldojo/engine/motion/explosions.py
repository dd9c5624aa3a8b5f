"""Explosions, as in Minecraft 1.11.2 (Explosion.doExplosionA): 1352 rays that blocks weaken, then
damage and a push."""

import math

from numba import boolean, float64, int64

from voxeldojo.engine.block_changes import set_block
from voxeldojo.engine.body.hurt import EXPLOSION, hurt, hurt_from
from voxeldojo.engine.chance import below as draw
from voxeldojo.engine.chance import unit
from voxeldojo.engine.compiling.compiled_apart import apart
from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.grid import AIR, block_at, held, meta_at
from voxeldojo.engine.hands.items import drop_loot
from voxeldojo.engine.mobs.kinds import CREEPER
from voxeldojo.engine.mobs.wounds import hurt_mob
from voxeldojo.engine.motion.burning import FIRE, TNT, prime
from voxeldojo.engine.motion.table import RESISTANCE, WHOLE
from voxeldojo.engine.state import HEIGHT
from voxeldojo.engine.structures.loot import CHESTS, drop_chest
from voxeldojo.rules import item_id

CUBE = 25  # blocks along the side of the cube that an explosion can reach
REACH = CUBE // 2
BY_PLAYER = -1
TNT_POWER = 4.0
PICKAXE = item_id("diamond_pickaxe")  # blocks drop as if they were broken with it


@kernel
def blow(state, rules, w, x, y, z):
    """Lit TNT explodes, at the place to which it has fallen."""
    if block_at(state, w, x, y, z) != TNT:
        return
    set_block(state, rules, w, x, y, z, AIR, 0)
    while y > 1 and rules.block[block_at(state, w, x, y - 1, z)].height <= 0.0:
        y -= 1
    explode(state, rules, w, x + 0.5, y + 0.06, z + 0.5, TNT_POWER, False, BY_PLAYER)


@apart(int64, float64, float64, float64, float64, boolean, int64)
def explode(state, rules, w, x, y, z, power, fires, by):
    """An explosion of ``power`` (TNT 4, a creeper 3, a ghast's ball 1) at a place in metres.
    ``fires``: it leaves fire. ``by``: kind of the mob that did it, -1 the player, 0 none."""
    cx = math.floor(x)
    cy = math.floor(y)
    cz = math.floor(z)
    mark(state, w, x, y, z, cx, cy, cz, power)
    push_all(state, rules, w, x, y, z, power, by)
    clear_marked(state, rules, w, cx, cy, cz, power, fires)


@kernel
def mark(state, w, x, y, z, cx, cy, cz, power):
    """Mark the blocks that break, in a cube around the middle (ring 1 of light is its scratch)."""
    player = state.players[w]
    marked = state.queues[w, 1]
    for number in range(CUBE * CUBE * CUBE):
        marked[number] = 0
    for i in range(16):
        for j in range(16):
            for k in range(16):
                if 0 < i < 15 and 0 < j < 15 and 0 < k < 15:
                    continue
                dx = i / 7.5 - 1.0
                dy = j / 7.5 - 1.0
                dz = k / 7.5 - 1.0
                scale = 0.3 / math.sqrt(dx * dx + dy * dy + dz * dz)
                left = power * (0.7 + 0.6 * unit(player))
                px = x
                py = y
                pz = z
                while left > 0.0:
                    bx = math.floor(px)
                    by = math.floor(py)
                    bz = math.floor(pz)
                    if max(abs(bx - cx), abs(by - cy), abs(bz - cz)) > REACH:
                        break
                    block = block_at(state, w, bx, by, bz)
                    if block != AIR:
                        left -= (RESISTANCE[block] + 0.3) * 0.3
                    if left > 0.0 and 0 <= by < HEIGHT:
                        here = (bx - cx + REACH) * CUBE + bz - cz + REACH
                        marked[here * CUBE + by - cy + REACH] = 1
                    px += dx * scale
                    py += dy * scale
                    pz += dz * scale
                    left -= 0.225


@kernel
def clear_marked(state, rules, w, cx, cy, cz, power, fires):
    """Break the marked blocks; one in ``power`` of them drops its loot."""
    player = state.players[w]
    marked = state.queues[w, 1]
    count = 0
    places = state.queues[w, 0]
    for number in range(CUBE * CUBE * CUBE):
        if marked[number] == 1:
            places[count] = number
            count += 1
    for number in range(count):
        place = int(places[number])
        x = cx + place // (CUBE * CUBE) - REACH
        z = cz + place // CUBE % CUBE - REACH
        y = cy + place % CUBE - REACH
        block = block_at(state, w, x, y, z)
        if block == AIR or not held(state, w, x, z):
            continue
        meta = meta_at(state, w, x, y, z)
        if block == TNT:
            prime(state, rules, w, x, y, z, 10 + draw(player, 20))
            continue
        set_block(state, rules, w, x, y, z, AIR, 0)
        if unit(player) * power < 1.0:
            drop_loot(state, rules, w, x, y, z, block, meta, PICKAXE)
        if block in CHESTS:  # whether or not it drops itself: BlockChest.breakBlock
            drop_chest(state, rules, w, x, y, z, block)
    if fires:
        for number in range(count):
            place = int(places[number])
            x = cx + place // (CUBE * CUBE) - REACH
            z = cz + place // CUBE % CUBE - REACH
            y = cy + place % CUBE - REACH
            free = block_at(state, w, x, y, z) == AIR
            if free and WHOLE[block_at(state, w, x, y - 1, z)] and draw(player, 3) == 0:
                set_block(state, rules, w, x, y, z, FIRE, 0)


@kernel
def push_all(state, rules, w, x, y, z, power, by):
    player = state.players[w]
    harm, dx, dy, dz = blast(
        state, rules, w, x, y, z, power, player.x, player.y, player.z, 0.6, 1.8
    )
    if harm > 0.0:
        # A shield is raised against a body. A fireball, a skull and TNT are none, so that their
        # damage comes from nowhere: DamageSource.causeExplosionDamage.
        if by == CREEPER:
            hurt_from(state, rules, w, harm, EXPLOSION, by, x, z)
        else:
            hurt(state, rules, w, harm, EXPLOSION, max(0, by))
        player.vx += dx
        player.vy += dy
        player.vz += dz
    for number in range(player.mobs):
        mob = state.mobs[w, number]
        if mob.kind == 0:
            continue
        kind = rules.mob[mob.kind]
        harm, dx, dy, dz = blast(
            state, rules, w, x, y, z, power, mob.x, mob.y, mob.z, 2.0 * kind.half, kind.tall
        )
        if harm > 0.0:
            mob.vx += dx
            mob.vy += dy
            mob.vz += dz
            hurt_mob(state, rules, w, number, harm, EXPLOSION, by == BY_PLAYER)


@kernel
def blast(state, rules, w, x, y, z, power, px, py, pz, width, height):
    """The damage to a body with its feet at (px, py, pz), and the change of its velocity."""
    reach = 2.0 * power
    dx = px - x
    dy = py + 0.85 * height - y
    dz = pz - z
    away = math.sqrt(dx * dx + (py - y) * (py - y) + dz * dz) / reach
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    if away > 1.0 or length == 0.0:
        return 0.0, 0.0, 0.0, 0.0
    force = (1.0 - away) * exposure(state, rules, w, x, y, z, px, py, pz, width, height)
    harm = float(math.floor((force * force + force) / 2.0 * 7.0 * reach + 1.0))
    return harm, force * dx / length, force * dy / length, force * dz / length


@kernel
def exposure(state, rules, w, x, y, z, px, py, pz, width, height):
    """The share of points of a body that the explosion reaches: World.getBlockDensity."""
    across = int(2.0 * width + 1.0) + 1
    up = int(2.0 * height + 1.0) + 1
    seen = 0
    for i in range(across):
        for j in range(up):
            for k in range(across):
                tx = px + width * ((i + 0.5) / across - 0.5)
                ty = py + height * (j + 0.5) / up
                tz = pz + width * ((k + 0.5) / across - 0.5)
                if in_sight(state, rules, w, x, y, z, tx, ty, tz):
                    seen += 1
    return seen / (across * across * up)


@kernel
def in_sight(state, rules, w, x, y, z, tx, ty, tz):
    steps = 1 + int(4.0 * math.sqrt((tx - x) ** 2 + (ty - y) ** 2 + (tz - z) ** 2))
    for step in range(steps):
        share = (step + 0.5) / steps
        block = block_at(
            state,
            w,
            math.floor(x + share * (tx - x)),
            math.floor(y + share * (ty - y)),
            math.floor(z + share * (tz - z)),
        )
        if rules.block[block].height > 0.0:
            return False
    return True
