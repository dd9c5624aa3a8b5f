"""Swimming: to a place, up in time for air, and down for an item that has sunk."""

import math

from voxeldojo.demonstrations.digging import drops_of
from voxeldojo.demonstrations.footing import WATER
from voxeldojo.demonstrations.going import SKY
from voxeldojo.demonstrations.player import Player

SPEED = 0.1  # metres per tick, of a player that swims, sinks or rises
BREATH, SPARE = 300, 20  # ticks of air, and those that are left at the surface
HURTS, HARM = 20, 2.0  # ticks without air, and the points of life that they cost
LEAST = 9.0  # points of life that a dive must leave
FAR, ABOVE = 40.0, 1.0  # metres to an item that is dived for; beside it, to go down to it
OVER = 0.4  # metres beside a place at which the player is over it
LOWER = 1.0  # metres below an item at which it was missed
STUCK = 20  # ticks of rising without coming higher


def swim(player: Player, x: float, z: float, up: bool) -> None:
    """One tick of swimming to a column, and of rising or sinking in it."""
    flat = math.hypot(x - float(player.body["x"]), z - float(player.body["z"]))
    _, yaw = player.angles_to(x, player.eyes[1], z)
    player.act(move=int(flat > OVER), gait=int(up), yaw=yaw if flat > OVER else 0)


def is_short_of_air(player: Player) -> bool:
    """Whether it is time to come up."""
    up = max(0.0, SKY - float(player.body["y"])) / SPEED
    return int(player.body["air"]) < up + SPARE and not _breathes(player)


def come_up(player: Player) -> None:
    """Swim straight up until the head is in the air, or something bars the way."""
    highest, idle = -math.inf, 0
    while not _breathes(player) and idle < STUCK:
        player.act(gait=1)
        y = float(player.body["y"])
        highest, idle = (y, 0) if y > highest else (highest, idle + 1)


def dive(player: Player, item: str, risk: float) -> None:
    """Swim over the nearest item of a kind that lies in the open, and dive for it, if breath and
    life allow. ``risk``: points of life that each tick may cost. Does nothing if there is none."""
    for x, y, z in drops_of(player, item, FAR):
        way = math.hypot(x - float(player.body["x"]), z - float(player.body["z"]))
        harm = risk * (way + 2.0 * (SKY - y)) / SPEED + _cost_of_air(y)
        if not open_above(player, x, y, z) or float(player.body["life"]) - harm < LEAST:
            continue
        for _ in range(round(2.0 * way / SPEED)):
            if math.hypot(x - float(player.body["x"]), z - float(player.body["z"])) < ABOVE:
                break
            swim(player, x, z, up=True)
        before = player.have(item)
        for _ in range(BREATH):
            gone = player.have(item) > before or not drops_of(player, item, FAR)
            if gone or float(player.body["life"]) < LEAST or float(player.body["y"]) < y - LOWER:
                break
            swim(player, x, z, up=False)
        come_up(player)
        return


def open_above(player: Player, x: float, y: float, z: float) -> bool:
    """Whether there is only air and water above a place."""
    heights = player.world.rules.block["height"]
    top = player.world.state.blocks.shape[3]
    column, row = math.floor(x), math.floor(z)
    levels = range(math.floor(y) + 1, top)
    return not any(heights[player.block((column, up, row))] > 0.0 for up in levels)


def _cost_of_air(y: float) -> float:
    """The points of life that a dive to a height costs for want of air."""
    under = 2.0 * (SKY - y) / SPEED
    return max(0.0, under - BREATH) / HURTS * HARM


def _breathes(player: Player) -> bool:
    x, y, z = player.feet
    return player.block((x, y + 1, z)) not in WATER
