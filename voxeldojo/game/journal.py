"""The entries of one tick in the statistics of the body: distances, damage, deaths."""

import math
from operator import itemgetter
from typing import NamedTuple

from voxeldojo.engine.compiling.direct_calls import direct
from voxeldojo.engine.grid import block_at
from voxeldojo.engine.state import PLAYER
from voxeldojo.game.pressed_keys import Keys
from voxeldojo.game.single_world import SingleWorld
from voxeldojo.rules.mobs import MOB_IDS

WATER = (8, 9)
CLIMBED = (65, 106)  # ladders and vines
MOUNTS = {"horse": "horse", "donkey": "horse", "mule": "horse", "pig": "pig"}
MOUNT_KINDS = {MOB_IDS[name]: counter for name, counter in MOUNTS.items()}
BLOCK_AT = direct(block_at)


class Body(NamedTuple):
    """The fields of a player's record that statistics need, as Python numbers."""

    x: float
    y: float
    z: float
    life: float
    fall: float
    jump_rest: int
    sleeping: int
    ground: int
    sprinting: int
    riding: int
    attacker: int


# Reading all numbers of a record at once is faster than one by one.
_CHOSEN = itemgetter(*((PLAYER.names or ()).index(name) for name in Body._fields))


def _body(game: SingleWorld) -> Body:
    return Body._make(_CHOSEN(game.player.item()))


class Journal:
    """Records the state before a tick; ``write`` compares it with the state after."""

    def __init__(self, game: SingleWorld) -> None:
        self._game = game
        self._before = _body(game)

    def write(self, keys: Keys) -> None:
        game, before, now = self._game, self._before, _body(self._game)
        statistics = game.statistics
        for name in ("play_one_minute", "time_since_death"):
            statistics.add(name)
        self._write_way(keys, now)
        if keys.gait == 2:
            statistics.add("sneak_time")
        if now.jump_rest == 10 and before.jump_rest < 10:
            statistics.add("jump")
        if now.sleeping > 0 and before.sleeping == 0:
            statistics.add("sleep_in_bed")
        if now.ground and before.fall >= 2.0:
            statistics.add("fall_one_cm", round(100.0 * before.fall))
        hurt = before.life - now.life
        if hurt > 0.0:
            statistics.add("damage_taken", round(10.0 * hurt))
        if now.life <= 0.0 and not game.died:
            game.died = True
            statistics.add("deaths")
            statistics.set("time_since_death", 0)
            if now.attacker > 0:
                statistics.killed_by(now.attacker)

    def _write_way(self, keys: Keys, now: Body) -> None:
        """Add the distance of the tick to the one counter that the game uses for it."""
        game, before = self._game, self._before
        state = game.world.state
        dx, dy, dz = now.x - before.x, now.y - before.y, now.z - before.z
        flat, whole = math.hypot(dx, dz), math.sqrt(dx * dx + dy * dy + dz * dz)
        x, z = math.floor(now.x), math.floor(now.z)
        feet = BLOCK_AT(state, 0, x, math.floor(now.y), z)
        eyes = BLOCK_AT(state, 0, x, math.floor(now.y + 1.62), z)
        if now.riding > 0:
            kind = int(state.mobs[0, now.riding - 1]["kind"])
            way, name = whole, MOUNT_KINDS.get(kind, "boat")
        elif eyes in WATER:
            way, name = whole, "dive"
        elif feet in WATER:
            way, name = flat, "swim"
        elif feet in CLIMBED:
            way, name = max(0.0, dy), "climb"
        elif now.ground:
            name = "crouch" if keys.gait == 2 else "sprint" if now.sprinting else "walk"
            way = flat
        else:
            way, name = (flat, "fly") if flat > 0.25 else (0.0, "fly")
        if (centimetres := round(100.0 * way)) > 0:
            game.statistics.add(f"{name}_one_cm", centimetres)
