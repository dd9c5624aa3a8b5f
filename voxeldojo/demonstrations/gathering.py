"""Finding blocks of a kind, digging them, and picking up what they drop."""

import math

import numpy as np

from voxeldojo.demonstrations.digging import dig, drops_of, take_tool
from voxeldojo.demonstrations.footing import Costs, Ground
from voxeldojo.demonstrations.going import breathe, go, standing
from voxeldojo.demonstrations.player import (
    BLOCK_IDS,
    Cell,
    GaveUp,
    NoTool,
    OutOfSteps,
    Player,
)

ARM = 3.8  # metres from the eyes
CANDIDATES = 8
SEARCH = 120  # columns


def gather(
    player: Player, blocks: set[str], item: str, count: int, *, only_here: bool = False
) -> None:
    """Dig blocks of these kinds until there are ``count`` of an item. ``only_here``: or until no
    such block is left in the window.

    Raises:
        NoTool: the tool for them has worn out.
        GaveUp: none could be found or reached.
    """
    wanted = {BLOCK_IDS[name] for name in blocks}
    given_up: set[Cell] = set()
    while player.have(item) < count:
        player.pause()
        cell = nearest(player, wanted, given_up)
        if cell is None and only_here:
            return
        if cell is None:
            wander(player)
            continue
        try:
            take_tool(player, player.block(cell))
            approach(player, cell)
            if breathe(player):
                continue
            before = player.have(item)
            if not dig(player, cell, keep=True):
                given_up.add(cell)
                continue
            pick_up(player, item)
            if player.have(item) == before and not drops_of(player, item):
                player.wait(2)
        except (NoTool, OutOfSteps):
            raise
        except GaveUp:
            given_up.add(cell)
            if len(given_up) > 60:
                raise


def nearest(player: Player, wanted: set[int], but: set[Cell] = frozenset()) -> Cell | None:  # type: ignore[assignment]
    """The nearest cell with one of these blocks; vertical distance counts more than horizontal."""
    feet = player.feet
    cells = Ground(player, feet, SEARCH).cells_of(wanted)
    if not len(cells):
        return None
    away = np.abs(cells - np.array(feet)) @ np.array([1.0, 1.6, 1.0])
    for index in np.argsort(away, kind="stable")[: CANDIDATES + len(but)]:
        cell = (int(cells[index, 0]), int(cells[index, 1]), int(cells[index, 2]))
        if cell not in but:
            return cell
    return None


def approach(player: Player, cell: Cell) -> None:
    """Go to where a block is within reach and in sight, or beside it."""
    ground = Ground(player, standing(player), 60)
    costs = Costs(player)

    def arrived(there: Cell) -> bool:
        dx, dz = abs(there[0] - cell[0]), abs(there[2] - cell[2])
        dy = cell[1] - there[1]
        if dx + dz <= 1 and -1 <= dy <= 2 and (dx + dz or dy in (-1, 2)):
            return True
        eye = (there[0] + 0.5, there[1] + 1.62, there[2] + 0.5)
        far = math.dist(eye, (cell[0] + 0.5, cell[1] + 0.5, cell[2] + 0.5))
        return far <= ARM and _in_sight(ground, costs, eye, cell)

    go(player, arrived, cell, slack=4.0)


def _in_sight(ground: Ground, costs: Costs, eye: tuple[float, float, float], cell: Cell) -> bool:
    """Whether no block lies between the eye and a block, sampled in small steps."""
    goal = (cell[0] + 0.5, cell[1] + 0.5, cell[2] + 0.5)
    steps = 24
    for number in range(1, steps):
        t = number / steps
        x, y, z = (math.floor(a + (b - a) * t) for a, b in zip(eye, goal, strict=True))
        if (x, y, z) == cell:
            return True
        block = ground.block(x, y, z)
        if block < 0 or (costs.dig[block] is None) or costs.solid[block]:
            return False
    return True


def pick_up(player: Player, item: str) -> None:
    """Walk to the item entities of a kind nearby and pick them up."""
    for attempt in range(6):
        places = drops_of(player, item, 9.0)
        if not places:
            return
        before = player.have(item)
        x, y, z = places[0]
        cell = (math.floor(x), math.floor(y + 0.1), math.floor(z))

        def close(there: Cell, goal: Cell = cell, far: int = int(attempt == 0)) -> bool:
            return (
                abs(there[0] - goal[0]) + abs(there[2] - goal[2]) <= far
                and -2 <= goal[1] - there[1] <= 1
            )

        try:
            go(player, close, cell, slack=2.0)
        except GaveUp:
            return
        for _ in range(14):
            if player.have(item) > before:
                break
            left = drops_of(player, item, 9.0)
            if not left:
                break
            _, yaw = player.angles_to(left[0][0], player.eyes[1], left[0][2])
            flat = math.hypot(
                left[0][0] - float(player.body["x"]), left[0][2] - float(player.body["z"])
            )
            # An item in a hole can only be picked up from inside it.
            near = 0.3 if left[0][1] < float(player.body["y"]) - 0.6 else 0.9
            player.act(move=1 if flat > near else 0, yaw=yaw if flat > 0.3 else 0)


def wander(player: Player) -> None:
    """Go some forty metres, straight ahead if possible, so that other ground comes into view.

    Raises:
        GaveUp: no direction has a way.
    """
    player.pause()
    ground = Ground(player, player.feet, 60)
    x, _, z = player.feet
    heading = math.radians(float(player.body["yaw"]))
    for turn in (0.0, 0.6, -0.6, 1.2, -1.2, 1.9, -1.9, math.pi):
        for far in (44, 30, 18):
            gx = x + round(-far * math.sin(heading + turn))
            gz = z + round(far * math.cos(heading + turn))
            top = surface(ground, gx, gz)
            if top is None:
                continue
            try:
                go(
                    player,
                    lambda there, gx=gx, gz=gz: abs(there[0] - gx) + abs(there[2] - gz) <= 3,
                    (gx, top + 1, gz),
                    slack=4.0,
                )
            except OutOfSteps:
                raise
            except GaveUp:
                continue
            return
    raise GaveUp("there is no way on")


def surface(ground: Ground, x: int, z: int) -> int | None:
    """y of the highest block of a column; None outside the box."""
    if ground.block(x, 0, z) < 0:
        return None
    for y in range(ground.height - 1, 0, -1):
        if ground.block(x, y, z):
            return y
    return None
