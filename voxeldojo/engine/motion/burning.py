"""Fire: how it spreads, consumes blocks and goes out (BlockFire.updateTick); and fire by lava."""

from voxeldojo.engine.block_changes import set_block
from voxeldojo.engine.chance import below as draw
from voxeldojo.engine.compiling.kernels import entry_kernel, kernel
from voxeldojo.engine.grid import AIR, block_at, log_change, meta_at, write_block
from voxeldojo.engine.motion.raining import rains_at
from voxeldojo.engine.motion.scheduled import BURN, EXPLODE, schedule
from voxeldojo.engine.motion.standing import burnable_near, stays
from voxeldojo.engine.motion.table import DAM, EATEN, KINDLES, WHOLE

FIRE, TNT, NETHERRACK, MAGMA = 51, 46, 87, 213
FUSE = 80  # ticks: EntityTNTPrimed
PRIMED = 2  # metadata of TNT whose fuse burns
DIFFICULTY = 2  # normal


@entry_kernel
def prime(state, rules, w, x, y, z, fuse):
    """Light TNT, which explodes in ``fuse`` ticks. False: there is none, or it is lit already."""
    if block_at(state, w, x, y, z) != TNT or meta_at(state, w, x, y, z) & PRIMED:
        return False
    set_block(state, rules, w, x, y, z, TNT, PRIMED)
    schedule(state, w, x, y, z, fuse, EXPLODE)
    return True


@kernel
def kindle(state, rules, w, x, y, z, age):
    set_block(state, rules, w, x, y, z, FIRE, age)


@kernel
def eat(state, rules, w, x, y, z, chance, age):
    """Fire may consume a block beside it."""
    player = state.players[w]
    block = block_at(state, w, x, y, z)
    if draw(player, chance) >= EATEN[block]:
        return
    if block == TNT:
        prime(state, rules, w, x, y, z, FUSE)
    elif draw(player, age + 10) < 5 and not rains_at(state, rules, w, x, y, z):
        kindle(state, rules, w, x, y, z, min(15, age + draw(player, 5) // 4))
    else:
        set_block(state, rules, w, x, y, z, AIR, 0)


@kernel
def catches(state, w, x, y, z):
    """The chance that fire spreads to a free place, by its most flammable neighbour."""
    if block_at(state, w, x, y, z) != AIR:
        return 0
    best = KINDLES[block_at(state, w, x, y - 1, z)]
    best = max(best, KINDLES[block_at(state, w, x, y + 1, z)])
    best = max(best, KINDLES[block_at(state, w, x - 1, y, z)])
    best = max(best, KINDLES[block_at(state, w, x + 1, y, z)])
    best = max(best, KINDLES[block_at(state, w, x, y, z - 1)])
    return max(best, KINDLES[block_at(state, w, x, y, z + 1)])


@kernel
def burn(state, rules, w, x, y, z):
    """A fire's own tick, every 30 to 39."""
    player = state.players[w]
    if block_at(state, w, x, y, z) != FIRE:
        return
    below = block_at(state, w, x, y - 1, z)
    eternal = below in (NETHERRACK, MAGMA)
    age = meta_at(state, w, x, y, z)
    drowned = rains_at(state, rules, w, x, y, z) and draw(player, 100) < 20 + 3 * age
    if not stays(state, w, x, y, z) or (drowned and not eternal):
        set_block(state, rules, w, x, y, z, AIR, 0)
        return
    if age < 15:
        age = min(15, age + draw(player, 3) // 2)
        if age != meta_at(state, w, x, y, z):
            log_change(state, w, x, y, z, FIRE, age)
            write_block(state, w, x, y, z, FIRE, age)
    schedule(state, w, x, y, z, 30 + draw(player, 10), BURN)
    if not eternal:
        if not burnable_near(state, w, x, y, z):
            if not WHOLE[below] or age > 3:
                set_block(state, rules, w, x, y, z, AIR, 0)
            return
        if KINDLES[below] == 0 and age == 15 and draw(player, 4) == 0:
            set_block(state, rules, w, x, y, z, AIR, 0)
            return
    eat(state, rules, w, x + 1, y, z, 300, age)
    eat(state, rules, w, x - 1, y, z, 300, age)
    eat(state, rules, w, x, y - 1, z, 250, age)
    eat(state, rules, w, x, y + 1, z, 250, age)
    eat(state, rules, w, x, y, z - 1, 300, age)
    eat(state, rules, w, x, y, z + 1, 300, age)
    leap(state, rules, w, x, y, z, age)


@kernel
def leap(state, rules, w, x, y, z, age):
    """Fire spreads to free places around it and up to four above."""
    player = state.players[w]
    for dx in range(-1, 2):
        for dz in range(-1, 2):
            for dy in range(-1, 5):
                if dx == 0 and dy == 0 and dz == 0:
                    continue
                readily = catches(state, w, x + dx, y + dy, z + dz)
                if readily == 0:
                    continue
                bound = 100 + (100 * (dy - 1) if dy > 1 else 0)
                chance = (readily + 40 + 7 * DIFFICULTY) // (age + 30)
                if (
                    chance > 0
                    and draw(player, bound) <= chance
                    and not rains_at(state, rules, w, x + dx, y + dy, z + dz)
                ):
                    kindle(
                        state, rules, w, x + dx, y + dy, z + dz,
                        min(15, age + draw(player, 5) // 4),
                    )  # fmt: skip


@kernel
def kindle_by_lava(state, rules, w, x, y, z):
    """A random tick of lava: it sets fire to flammable blocks above and beside it."""
    player = state.players[w]
    steps = draw(player, 3)
    if steps > 0:
        for _ in range(steps):
            x += draw(player, 3) - 1
            y += 1
            z += draw(player, 3) - 1
            block = block_at(state, w, x, y, z)
            if block == AIR:
                if burnable_near(state, w, x, y, z):
                    kindle(state, rules, w, x, y, z, 0)
                    return
            elif DAM[block]:
                return
        return
    for _ in range(3):
        nx = x + draw(player, 3) - 1
        nz = z + draw(player, 3) - 1
        if block_at(state, w, nx, y + 1, nz) == AIR and KINDLES[block_at(state, w, nx, y, nz)] > 0:
            kindle(state, rules, w, nx, y + 1, nz, 0)
