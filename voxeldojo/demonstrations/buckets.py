"""Water and lava: filling buckets and bottles, emptying them, and casting obsidian."""

import math
from collections.abc import Iterator

import numpy as np

from voxeldojo.actions import USE
from voxeldojo.demonstrations.digging import dig
from voxeldojo.demonstrations.footing import LAVA, WATER, Costs, Ground
from voxeldojo.demonstrations.gathering import wander
from voxeldojo.demonstrations.going import go
from voxeldojo.demonstrations.obtaining import Obtaining
from voxeldojo.demonstrations.player import BLOCK_IDS, Cell, GaveUp, OutOfSteps, Player
from voxeldojo.engine.rays import direction, under_crosshair
from voxeldojo.engine.state import REACH
from voxeldojo.obtainable.derivations import Rule

SEARCH = 120  # columns around the player in which a fluid is searched for
WALKS = 12  # to other ground, before it gives up
SPOTS = 8  # cells of a fluid that are tried
MOST = 4000  # blocks of a fluid that are examined, the nearest first
STEP = 0.05  # metres between two samples along the line of sight
AIMS = ((0.5, 0.5), (0.2, 0.5), (0.8, 0.5), (0.5, 0.2), (0.5, 0.8), (0.2, 0.2), (0.8, 0.8))
OBSIDIAN = BLOCK_IDS["obsidian"]


def still(player: Player, fluid: frozenset[int], but: set[Cell], *, shallow: bool = False) -> Cell:
    """The nearest source of a fluid with air above it, and not in ``but``. ``shallow``: with ground
    under it, and more of the fluid beside it.

    Raises:
        GaveUp: there is none anywhere near.
    """
    for _ in range(WALKS):
        ground = Ground(player, player.feet, SEARCH)
        solid = Costs(player, may_dig=False).solid
        cells = ground.cells_of(fluid)
        away = np.abs(cells - np.array(player.feet)) @ np.array([1.0, 1.6, 1.0])
        for index in np.argsort(away, kind="stable")[:MOST]:
            x, y, z = (int(c) for c in cells[index])
            if player.meta((x, y, z)) or ground.block(x, y + 1, z) or (x, y, z) in but:
                continue
            if shallow:
                beside = ((x + 1, z), (x - 1, z), (x, z + 1), (x, z - 1))
                more = any(
                    ground.block(i, y, k) in fluid and player.meta((i, y, k)) == 0
                    for i, k in beside
                )
                if not (more and solid[ground.block(x, y - 1, z)]):
                    continue
            return x, y, z
        wander(player)
    raise GaveUp("there is no open water or lava anywhere near")


def beside(player: Player, cell: Cell) -> None:
    """Go to dry ground level with a cell or a little above it, with the cell within reach."""

    def arrived(there: Cell) -> bool:
        dx, dy, dz = there[0] - cell[0], there[1] - cell[1], there[2] - cell[2]
        dry = player.block(there) not in WATER | LAVA
        return dry and 1 <= max(abs(dx), abs(dz)) <= 2 and 0 <= dy <= 2

    go(player, arrived, cell, slack=3.0)


def fluid_in_sight(player: Player) -> int:
    """The block id of the first source on the line of sight, before any block; 0 without one."""
    hit = under_crosshair(player.world.state, player.world.rules, 0, REACH)
    dx, dy, dz = direction(float(player.body["yaw"]), float(player.body["pitch"]))
    x, y, z = player.eyes
    for number in range(int(float(hit[5]) / STEP) + 1):
        way = number * STEP
        cell = math.floor(x + way * dx), math.floor(y + way * dy), math.floor(z + way * dz)
        block = player.block(cell)
        if block in WATER | LAVA and player.meta(cell) == 0:
            return block
    return 0


def fill(obtaining: Obtaining, rule: Rule, count: int) -> None:
    """Fill buckets or bottles at the nearest open water or lava."""
    player = obtaining.player
    fluid = LAVA if rule.gives == "lava_bucket" else WATER
    vessel = "glass_bottle" if rule.gives == "potion" else "bucket"
    tried: set[Cell] = set()
    for _ in range(SPOTS + count):
        if player.have(rule.gives) >= count or not player.have(vessel):
            return
        cell = still(player, fluid, tried)
        try:
            beside(player, cell)
        except OutOfSteps:
            raise
        except GaveUp:
            tried.add(cell)
            continue
        if not _dip(player, cell, fluid, vessel):
            tried.add(cell)


def _dip(player: Player, cell: Cell, fluid: frozenset[int], vessel: str) -> bool:
    before = player.have(vessel)
    for dx, dz in AIMS:
        player.equip(vessel)
        player.look_at(cell[0] + dx, cell[1] + 0.8, cell[2] + dz)
        if fluid_in_sight(player) not in fluid:
            hit, at = player.target()
            if not hit or at[1] <= cell[1] or not dig(player, at):  # grass on the bank
                continue
            player.equip(vessel)
            player.look_at(cell[0] + dx, cell[1] + 0.8, cell[2] + dz)
        if fluid_in_sight(player) in fluid:
            player.act(function=USE)
        if player.have(vessel) < before:
            return True
    return False


def empty(obtaining: Obtaining, rule: Rule, count: int) -> None:
    """Pour a bucket out on the ground beside the player."""
    player = obtaining.player
    player.equip(rule.needs[0])
    x, y, z = player.feet
    for dx, dz in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        player.look_at(x + 0.5 + dx, float(y), z + 0.5 + dz)
        if player.target()[0]:
            player.act(function=USE)
        if player.have("bucket") >= count:
            return


def waters(player: Player, *, shallow: bool = False) -> Iterator[Cell]:
    """Cells of still water, one after the other; the player stands beside each."""
    tried: set[Cell] = set()
    for _ in range(SPOTS):
        cell = still(player, WATER, tried, shallow=shallow)
        tried.add(cell)
        try:
            beside(player, cell)
        except OutOfSteps:
            raise
        except GaveUp:
            continue
        yield cell


def cast_obsidian(obtaining: Obtaining, rule: Rule, count: int) -> None:
    """Make obsidian by pouring lava into shallow water, where it hardens at once. (Water over a
    lake of lava makes more of it, but what is dug there falls into the lava below.)

    Raises:
        GaveUp: no lava hardened.
    """
    player = obtaining.player
    obtaining.obtain("lava_bucket")
    for cell in waters(player, shallow=True):
        for dx, dz in AIMS:
            player.equip("lava_bucket")
            player.look_at(cell[0] + dx, float(cell[1]), cell[2] + dz)
            hit, at = player.target()
            if hit and at == (cell[0], cell[1] - 1, cell[2]) and _top_in_sight(player):
                player.act(function=USE)
                player.wait(2)
                if player.block(cell) == OBSIDIAN:
                    return
                break
        if not player.have("lava_bucket"):
            return  # it flowed elsewhere or is lost: `Obtaining.obtain` starts over
    raise GaveUp("lava could not be poured into water")


def _top_in_sight(player: Player) -> bool:
    hit = under_crosshair(player.world.state, player.world.rules, 0, REACH)
    return int(hit[4]) == 1
