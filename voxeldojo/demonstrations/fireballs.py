"""Killing ghasts, which stay out of reach, by striking their fireballs back at them."""

import math
from typing import Any

import numpy as np

from voxeldojo.actions import ATTACK, NO_OP
from voxeldojo.demonstrations.hunting import (
    afloat,
    close_in,
    eat_if_weak,
    in_sight,
    kills,
    rested,
    strike,
    take_weapon,
    within_reach,
)
from voxeldojo.demonstrations.player import Player
from voxeldojo.engine.mobs.fighting import BALL_SPEED
from voxeldojo.engine.mobs.shots import FIREBALL
from voxeldojo.rules.mobs import mob_names

PATIENCE = 3000  # ticks for one ghast
REACH = 4.4  # metres from the eyes to the middle of a fireball that can be struck
FAR = 40.0  # metres from which the player goes nearer


def play_ball(player: Player, number: int) -> None:
    """Stand in sight of a ghast and strike its fireballs back until it is dead. A late blow misses;
    a weak one is enough."""
    ghast = player.world.state.mobs[0, number]
    kind = int(ghast["kind"])
    before = kills(player, mob_names[kind])
    take_weapon(player)
    for _ in range(PATIENCE):
        if int(ghast["kind"]) != kind or kills(player, mob_names[kind]) > before:
            return
        eat_if_weak(player)
        if within_reach(player, ghast):
            strike(player, ghast)
        elif in_sight(player, ghast) and _away(player, ghast) < FAR:
            near = _coming(player)
            pitch, yaw = _aim(player, ghast)
            function = ATTACK if near < REACH and rested(player) else NO_OP
            player.act(gait=afloat(player), pitch=pitch, yaw=yaw, function=function)
        else:
            close_in(player, ghast)


def _away(player: Player, ghast: Any) -> float:
    return math.dist(player.eyes, (float(ghast["x"]), float(ghast["y"]), float(ghast["z"])))


def _coming(player: Player) -> float:
    """Metres from the eyes to the nearest fireball, infinite without one. The player's own fly away
    and do not count."""
    shots = player.world.state.shots[0]
    near = math.inf
    for shot in shots[(shots["kind"] == FIREBALL) & (shots["owner"] >= 0)]:
        place = np.array([float(shot[axis]) for axis in ("x", "y", "z")])
        near = min(near, math.dist(player.eyes, place))
    return near


def _aim(player: Player, ghast: Any) -> tuple[int, int]:
    """Whole degrees to where a fireball that is struck now will hit the ghast."""
    ticks = _away(player, ghast) / BALL_SPEED
    middle = 0.5 * float(player.world.rules.mob[int(ghast["kind"])]["tall"])
    x, y, z = (float(ghast[axis]) + ticks * float(ghast[f"v{axis}"]) for axis in ("x", "y", "z"))
    return player.angles_to(x, y + middle, z)
