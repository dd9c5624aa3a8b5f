"""Explosions, as far as the living are concerned."""

import math

from nodes.env_server.worlds.embedded.body.hurt import EXPLOSION, hurt
from nodes.env_server.worlds.embedded.compiled import kernel
from nodes.env_server.worlds.embedded.mobs.senses import sees
from nodes.env_server.worlds.embedded.mobs.wounds import hurt_mob, knock, knock_player


@kernel
def harm_at(away, power):
    """Damage at a distance in metres, nothing being in between."""
    near = 1.0 - away / (2.0 * power)
    if near <= 0.0:
        return 0.0
    return math.floor((near * near + near) * 3.5 * 2.0 * power + 1.0)


@kernel
def blast(state, rules, w, x, y, z, power, fires, by):
    """An explosion hurts everybody whom nothing shields; ``by`` is the kind that made it."""
    player = state.players[w]
    if sees(state, rules, w, x, y + 0.2, z, player.x, player.y + 0.9, player.z):
        dx = player.x - x
        dy = player.y - y
        dz = player.z - z
        amount = harm_at(math.sqrt(dx * dx + dy * dy + dz * dz), power)
        if amount > 0.0 and hurt(state, rules, w, amount, EXPLOSION, by):
            knock_player(player, dx, dz, 0.5)
    for number in range(player.mobs):
        mob = state.mobs[w, number]
        if mob.kind == 0:
            continue
        dx = mob.x - x
        dy = mob.y - y
        dz = mob.z - z
        away = math.sqrt(dx * dx + dy * dy + dz * dz)
        if away >= 2.0 * power or not sees(
            state, rules, w, x, y + 0.2, z, mob.x, mob.y + 0.5, mob.z
        ):
            continue
        if hurt_mob(state, rules, w, number, harm_at(away, power), EXPLOSION, by == 0):
            knock(mob, dx, dz, 0.5)
