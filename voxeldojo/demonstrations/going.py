"""Going somewhere: find a way, follow it, dig what blocks it, and find a new one when stuck."""

import math
from collections.abc import Callable

from voxeldojo.demonstrations.digging import dig
from voxeldojo.demonstrations.footing import WATER, Costs, Ground
from voxeldojo.demonstrations.paths import Paths, Step
from voxeldojo.demonstrations.player import Cell, GaveUp, Player

REACH = 60  # columns around the player in which ways are searched for
PATIENCE = 24  # ticks without progress in one step, after which a new way is searched for
TRIES = 12  # without coming nearer, before it gives up
WEDGED = 2  # tries without moving, after which the player moves at random
BUMPED = 8  # ticks without progress, after which a swimmer sinks a little
SHORT = 160  # ticks of air left, of 300, at which the player swims up
RISING = 20  # ticks without coming higher, after which it no longer swims straight up
SKY = 63  # y of the air above the sea
NEAR = 0.35  # metres from the middle of a cell, at which a step is done

Goal = Callable[[Cell], bool]


def go(player: Player, arrived: Goal, towards: Cell, slack: float = 0.0) -> None:
    """Go to a cell for which ``arrived`` is true. ``towards`` guides the search; ``slack``: such a
    cell may be this many blocks away from it.

    Raises:
        GaveUp: there is no way.
    """
    attempt, closest = 0, math.inf
    while attempt < TRIES:
        attempt += 1
        start = standing(player)
        if arrived(start):
            return
        if (left := _far(start, towards)) < closest - 2.0:
            attempt, closest = 0, left
        ground = Ground(player, start, REACH)
        paths = Paths(ground, Costs(player))
        way = paths.find(start, arrived, lambda cell: max(0.0, _far(cell, towards) - slack))
        if way is None:
            if attempt > 2 or not _shuffle(player):
                break
            continue
        before = player.feet
        if not follow(player, way) and player.feet == before and attempt > WEDGED:
            _shuffle(player)
    raise GaveUp(f"there is no way to {towards}")


def step_aside(player: Player) -> None:
    """Go a few blocks away, to dry ground.

    Raises:
        GaveUp: there is no way to any.
    """
    x, y, z = standing(player)

    def aside(cell: Cell) -> bool:
        dry = player.block(cell) not in WATER
        return dry and 4 <= abs(cell[0] - x) + abs(cell[2] - z) <= 9

    go(player, aside, (x + 6, y, z), slack=6.0)


def follow(player: Player, way: list[Step]) -> bool:
    """Walk along a way. False: a step failed, or the player had to go up for air."""
    for step in way:
        for cell in step.digs:
            if breathe(player) or not dig(player, cell):
                return False
        if breathe(player) or not _take(player, step):
            return False
    return True


def breathe(player: Player) -> bool:
    """Swim up if little air is left. False: there was no need."""
    x, y, z = standing(player)
    if int(player.body["air"]) > SHORT or player.block((x, y + 1, z)) not in WATER:
        return False

    def airy(cell: Cell) -> bool:
        return player.block((cell[0], cell[1] + 1, cell[2])) not in WATER

    highest, idle = -math.inf, 0
    while idle < RISING:
        if airy(player.feet):
            return True
        player.act(gait=1)
        now = float(player.body["y"])
        highest, idle = (now, 0) if now > highest else (highest, idle + 1)
    paths = Paths(Ground(player, (x, y, z), REACH), Costs(player))
    way = paths.find((x, y, z), airy, lambda cell: max(0.0, 0.5 * (SKY - cell[1])))
    for step in way or ():
        if not (all(dig(player, cell) for cell in step.digs) and _take(player, step)):
            break
    return True


def standing(player: Player) -> Cell:
    """The cell to start from: that of the feet, or the one beside if they are over an edge."""
    x, y, z = player.feet
    solid = Costs(player, may_dig=False).solid
    if solid[player.block((x, y - 1, z))] or player.block((x, y, z)) in WATER:
        return x, y, z
    body = player.body
    for dx in (-1, 0, 1):
        for dz in (-1, 0, 1):
            beside = x + dx, y, z + dz
            overlaps = all(
                abs(float(body[axis]) - (c + 0.5)) < 0.8
                for axis, c in (("x", beside[0]), ("z", beside[2]))
            )
            if overlaps and solid[player.block((beside[0], y - 1, beside[2]))]:
                return beside
    return x, y, z


def _far(cell: Cell, goal: Cell) -> float:
    return (abs(cell[0] - goal[0]) + abs(cell[2] - goal[2])) * 0.9 + 0.5 * abs(cell[1] - goal[1])


def _shuffle(player: Player) -> bool:
    """Take a few steps in several directions, to get free when stuck."""
    before = player.feet
    for turn in range(4):
        player.act(yaw=90 * (turn % 2) + 45)
        for _ in range(6):
            player.act(move=1, gait=1)
    return player.feet != before


def _take(player: Player, step: Step) -> bool:
    x, y, z = step.cell
    closest, idle = math.inf, 0
    while idle < PATIENCE:
        body = player.body
        dx, dz = x + 0.5 - float(body["x"]), z + 0.5 - float(body["z"])
        flat, rise = math.hypot(dx, dz), y - float(body["y"])
        if flat < NEAR and abs(rise) < 0.6:
            return True
        # The step goes on as long as it leads nearer.
        if flat + abs(rise) < closest - 0.02:
            closest, idle = flat + abs(rise), 0
        else:
            idle += 1
        _, yaw = player.angles_to(x + 0.5, player.eyes[1], z + 0.5)
        swims = player.block(player.feet) in WATER
        # At the surface a swimmer can be blocked by leaves that it could pass underneath.
        lowest = -0.3 if idle < BUMPED else 0.0
        jump = (rise > 0.4 and flat < 1.2) or (swims and rise > lowest)
        forward = flat > 0.15
        player.act(move=1 if forward else 0, gait=1 if jump else 0, yaw=yaw if forward else 0)
    return False
