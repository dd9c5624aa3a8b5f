"""Damage to the player: the one door through which life is lost."""

from nodes.env_server.worlds.embedded.compiled import kernel

# Causes, in ``player.cause``.
FALL, MOB, SHOT, EXPLOSION, FIRE, LAVA = 1, 2, 3, 4, 5, 6
DROWNING, STARVATION, SUFFOCATION, CACTUS, VOID, MAGIC = 7, 8, 9, 10, 11, 12


@kernel
def hurt(state, rules, w, amount, cause, attacker):
    """Takes ``amount`` points of life for ``cause``; ``attacker`` is the kind of the mob that did
    it, 0 if none did. Returns whether it did harm."""
    player = state.players[w]
    if amount <= 0.0 or player.life <= 0.0:
        return False
    player.life = max(0.0, player.life - amount)
    player.cause = cause
    player.attacker = attacker
    return True
