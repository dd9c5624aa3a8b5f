"""Getting items that sink in water: catching one that falls, and diving for it to the ground."""

import math

from voxeldojo.demonstrations.digging import drops_of
from voxeldojo.demonstrations.footing import WATER
from voxeldojo.demonstrations.going import SKY, go
from voxeldojo.demonstrations.player import GaveUp, OutOfSteps, Player

SINKING = 24  # ticks in which a falling item can be caught
NEAR, FAR = 6.0, 40.0  # metres to an item that is caught, that is dived for
SPEED = 0.1  # metres per tick, of a player that sinks or rises in water
BREATH, HURTS, HARM = 300, 20, 2.0  # ticks of air, then points of life in each of so many ticks
AFFORDED = 6.0  # points of life that a dive may cost for want of air
LEAST = 9.0  # points of life at which it is broken off
OVER = 0.4  # metres beside an item at which the player is over it
LOWER = 1.0  # metres over the feet from which on a falling item is awaited further up


def catch(player: Player, item: str) -> None:
    """Swim to where an item of a kind has just dropped, and let it fall into the arms."""
    before = player.have(item)
    for _ in range(SINKING):
        places = drops_of(player, item, NEAR)
        if not places or player.have(item) > before:
            return
        x, y, z = places[0]
        _swim(player, x, z, up=y > float(player.body["y"]) + LOWER)


def dive(player: Player, item: str) -> None:
    """Dive for the items of a kind that lie in the open, as deep as breath and life allow."""
    for x, y, z in drops_of(player, item, FAR):
        if not open_above(player, x, y, z) or not _is_in_reach(y):
            continue
        try:
            go(
                player,
                lambda there, x=x, z=z: (
                    abs(there[0] + 0.5 - x) + abs(there[2] + 0.5 - z) < 2.0 and there[1] >= SKY - 2
                ),
                (math.floor(x), SKY - 1, math.floor(z)),
                slack=2.0,
            )
        except OutOfSteps:
            raise
        except GaveUp:
            continue
        _rise(player)
        before = player.have(item)
        for _ in range(BREATH):
            gone = player.have(item) > before or not drops_of(player, item, FAR)
            if gone or float(player.body["life"]) < LEAST or float(player.body["y"]) < y - LOWER:
                break
            _swim(player, x, z, up=False)
        _rise(player)


def open_above(player: Player, x: float, y: float, z: float) -> bool:
    """Whether there is only air and water above a place."""
    heights = player.world.rules.block["height"]
    top = player.world.state.blocks.shape[3]
    column = math.floor(x), math.floor(z)
    return not any(
        heights[player.block((column[0], up, column[1]))] > 0.0
        for up in range(math.floor(y) + 1, top)
    )


def _is_in_reach(y: float) -> bool:
    under = 2.0 * (SKY - y) / SPEED
    return max(0.0, under - BREATH) / HURTS * HARM <= AFFORDED


def _rise(player: Player) -> None:
    """Swim up until the head is in the air."""
    for _ in range(BREATH):
        x, y, z = player.feet
        if player.block((x, y + 1, z)) not in WATER:
            return
        player.act(gait=1)


def _swim(player: Player, x: float, z: float, up: bool) -> None:
    """One tick of swimming to a column and rising or sinking in it."""
    flat = math.hypot(x - float(player.body["x"]), z - float(player.body["z"]))
    _, yaw = player.angles_to(x, player.eyes[1], z)
    player.act(move=int(flat > OVER), gait=int(up), yaw=yaw if flat > OVER else 0)
