"""Ghasts stay out of reach: they are killed by their own fireballs, struck back at them."""

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

PATIENCE = 3000  # ticks after one ghast
REACH = 4.4  # metres from the eyes to the middle of a fireball that can be struck
FAR = 40.0  # metres from which one goes nearer


def play_ball(player: Player, number: int) -> None:
    """Stands in sight of a ghast and strikes its fireballs back, until it is gone. Who begins to
    strike late is hit; a blow needs no strength."""
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
    """Metres from the eyes to where the nearest fireball will be when a blow falls, infinite
    without one. Those of the player's own fly away."""
    shots = player.world.state.shots[0]
    near = math.inf
    for shot in shots[(shots["kind"] == FIREBALL) & (shots["owner"] >= 0)]:
        place = np.array([float(shot[axis]) for axis in ("x", "y", "z")])
        near = min(near, math.dist(player.eyes, place))
    return near


def _aim(player: Player, ghast: Any) -> tuple[int, int]:
    """Whole degrees to where a ball that is struck now will meet the ghast."""
    ticks = _away(player, ghast) / BALL_SPEED
    middle = 0.5 * float(player.world.rules.mob[int(ghast["kind"])]["tall"])
    x, y, z = (float(ghast[axis]) + ticks * float(ghast[f"v{axis}"]) for axis in ("x", "y", "z"))
    return player.angles_to(x, y + middle, z)
