"""Running away from pursuing mobs, in a direction in which the ground is free."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from voxeldojo.demonstrations.footing import HARMFUL, WATER
from voxeldojo.demonstrations.player import Cell, Player
from voxeldojo.engine.mobs.table import HOSTILE

SHUNNED = 16.0  # metres within which the player runs from a pursuer
FIRST, SECOND = 30.0, 60.0  # degrees to the side when the player is blocked on free ground
TURNS = (0, 25, -25, 50, -50, 75, -75, 100, -100)  # degrees to the side that are compared
FREE, STEP = 5.0, 0.5  # metres ahead that are examined, in steps
HALF_WIDTH = 0.3  # metres, of the player
STANDING = 0.5  # a block of this height can be stood on, and blocks the way
DROP = 3  # blocks of a fall that does no harm


def away_from(player: Player, mob: Any) -> float:
    body = player.body
    return math.dist(
        (float(mob["x"]), float(mob["y"]), float(mob["z"])),
        (float(body["x"]), float(body["y"]), float(body["z"])),
    )


def pursuers(player: Player) -> Iterable[Any]:
    """The hostile mobs whose target is the player."""
    mobs, rules = player.world.state.mobs[0], player.world.rules
    for index in np.flatnonzero((mobs["kind"] > 0) & (mobs["target"] < 0)):
        if int(rules.mob[int(mobs[index]["kind"])]["nature"]) == HOSTILE:
            yield mobs[index]


def run(player: Player) -> None:
    """One tick of sprinting away from all pursuers, most of all from the nearest, over obstacles or
    around them."""
    body = player.body
    x, z = float(body["x"]), float(body["z"])
    away = _way_off(player) + math.radians((0.0, FIRST, -SECOND)[player.stuck // 4 % 3])
    _, yaw = player.angles_to(x + 8.0 * math.cos(away), player.eyes[1], z + 8.0 * math.sin(away))
    jump = player.blocked or player.block(player.feet) in WATER
    player.act(move=1, gait=1 if jump else 3, yaw=yaw)
    moved = math.hypot(float(body["x"]) - x, float(body["z"]) - z)
    player.blocked = moved < 0.05
    player.stuck = player.stuck + 1 if player.blocked else 0


def _way_off(player: Player) -> float:
    """The heading to run, in radians from x towards z: straight away, or to the side if the free
    ground there leads farther away."""
    body = player.body
    x, z = float(body["x"]), float(body["z"])
    dx = dz = 0.0
    for mob in pursuers(player):
        far = max(1.0, away_from(player, mob))
        if far < SHUNNED:
            dx += (x - float(mob["x"])) / far**3
            dz += (z - float(mob["z"])) / far**3
    away = math.atan2(dz, dx)
    best, won = away, -math.inf
    for turn in TURNS:
        angle = math.radians(turn)
        # Metres gained; less if the heading turns to the side.
        gain = free_metres(player, away + angle) * (1.0 + math.cos(angle))
        if gain > won + 1e-9:
            best, won = away + angle, gain
        if turn == 0 and gain >= 2.0 * FREE:
            break
    return best


def free_metres(player: Player, heading: float) -> float:
    """How far a player can run along a heading, with steps of one block up and some down; at most
    ``FREE``."""
    body = player.body
    x, z = float(body["x"]), float(body["z"])
    feet = player.feet[1]
    far = 0.0
    while far < FREE:
        far += STEP
        there = x + far * math.cos(heading), z + far * math.sin(heading)
        level = _level(player, there, feet)
        if level is None:
            return far - STEP
        feet = level
    return FREE


def _level(player: Player, place: tuple[float, float], feet: int) -> int | None:
    """y of the feet at a place when running there from ``feet``; None: the way is blocked."""
    columns = {
        (math.floor(place[0] + side), math.floor(place[1] + other))
        for side in (-HALF_WIDTH, HALF_WIDTH)
        for other in (-HALF_WIDTH, HALF_WIDTH)
    }
    heights = player.world.rules.block["height"]

    def stands(cell: Cell) -> bool:
        return bool(heights[player.block(cell)] >= STANDING)

    for up in (feet, feet + 1):
        if not any(stands((x, up + part, z)) for x, z in columns for part in (0, 1)):
            break
    else:
        return None
    for level in range(up, up - DROP - 1, -1):
        below = [player.block((x, level - 1, z)) for x, z in columns]
        if any(block in HARMFUL for block in below):
            return None
        if any(heights[block] >= STANDING or block in WATER for block in below):
            return level
    return None
