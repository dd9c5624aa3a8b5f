"""Digging a stair to a creeper in a hole: down there the player could not run away from it."""

from collections.abc import Iterator

from voxeldojo.demonstrations.digging import dig
from voxeldojo.demonstrations.footing import Costs, Ground
from voxeldojo.demonstrations.going import go, standing
from voxeldojo.demonstrations.paths import Paths
from voxeldojo.demonstrations.player import SIDES, Cell, GaveUp, OutOfSteps, Player

LOW, FAR = 2, 24  # metres to the mob between which a stair makes sense
AROUND = 60  # columns in which a way to it is searched for
TOP = 16  # steps of a stair at most
HEAD = 3  # free blocks over each step
LAST = 3  # the step from which the last ones are dug: from there it does not light its fuse


def dig_out(player: Player, number: int) -> None:
    """If a mob cannot be reached without digging, dig a stair down to it from the open and go up
    again, to where the player can run. Does nothing where no stair can be dug."""
    mob = player.world.state.mobs[0, number]
    x, y, z = (int(part // 1) for part in (mob["x"], mob["y"] + 0.2, mob["z"]))
    if max(abs(x - player.feet[0]), abs(z - player.feet[2])) > FAR or _open(player, (x, y, z)):
        return
    for stair in _stairs(player, (x, y, z)):
        try:
            _dig_stair(player, stair)
        except OutOfSteps:
            raise
        except GaveUp:
            continue
        return


def _open(player: Player, cell: Cell) -> bool:
    """Whether there is a way there without digging."""
    start = standing(player)
    ground = Ground(player, start, AROUND)

    def near(there: Cell) -> bool:
        return sum(abs(a - b) for a, b in zip(there, cell, strict=True)) <= LOW

    way = Paths(ground, Costs(player, may_dig=False)).find(
        start, near, lambda there: sum(abs(a - b) for a, b in zip(there, cell, strict=True))
    )
    return bool(way) and near(way[-1].cell)


def _stairs(player: Player, cell: Cell) -> Iterator[list[Cell]]:
    """Possible stairs, as cells to stand in, from beside a cell up to the open: at most one for
    each side; the one with the nearest top first."""
    costs = Costs(player)
    found = []
    for dx, dz in SIDES:
        stair = []
        for step in range(1, TOP):
            there = (cell[0] + dx * step, cell[1] + max(0, step - 1), cell[2] + dz * step)
            stair.append(there)
            cells = [(there[0], there[1] + up, there[2]) for up in range(HEAD)]
            blocks = [player.block(part) for part in cells]
            floor = player.block((there[0], there[1] - 1, there[2]))
            if any(costs.dig[block] is None or costs.water[block] for block in (*blocks, floor)):
                break
            if not costs.solid[floor]:
                break
            if step > LAST and not any(costs.solid[block] for block in blocks):
                found.append(stair)
                break
    feet = player.feet
    yield from sorted(
        found, key=lambda way: sum(abs(a - b) for a, b in zip(way[-1], feet, strict=True))
    )


def _dig_stair(player: Player, stair: list[Cell]) -> None:
    top = stair[-1]
    go(player, lambda there: there == top, top)
    for number in range(len(stair) - 2, -1, -1):
        step = stair[number]
        for up in reversed(range(HEAD)):
            dig(player, (step[0], step[1] + up, step[2]))
        if number + 1 >= LAST:
            go(player, lambda there, step=step: there == step, step)
    go(player, lambda there: there == top, top)
