"""Going to the Nether and back: building a portal of obsidian in the rock, and using it."""

from collections.abc import Iterator
from itertools import product

import numpy as np

from voxeldojo.actions import PLACE, USE
from voxeldojo.demonstrations.digging import dig
from voxeldojo.demonstrations.footing import FALLING, HARMFUL, WATER, Costs, Ground
from voxeldojo.demonstrations.gathering import pick_up, wander
from voxeldojo.demonstrations.going import go
from voxeldojo.demonstrations.obtaining import Obtaining
from voxeldojo.demonstrations.player import BLOCK_IDS, Cell, GaveUp, OutOfSteps, Player
from voxeldojo.demonstrations.sheltering import to_the_middle
from voxeldojo.engine.rays import under_crosshair
from voxeldojo.engine.state import NETHER, OVERWORLD, REACH
from voxeldojo.obtainable.derivations import Rule

OBSIDIAN, PORTAL, AIR = BLOCK_IDS["obsidian"], BLOCK_IDS["portal"], 0
RIM = 10  # blocks of obsidian around 2 x 3 free cells; the corners are not needed
INSIDE = tuple(product((0, 1), (0, 1, 2)))  # (along, up) of the free cells
FRAME = (
    *((along, -1) for along in (0, 1)),
    *((along, up) for up in (0, 1, 2) for along in (-1, 2)),
    *((along, 3) for along in (0, 1)),
)
# The normal of each face of a block, by the face's number.
FACES = ((0, -1, 0), (0, 1, 0), (0, 0, -1), (0, 0, 1), (-1, 0, 0), (1, 0, 0))
SEARCH = 24  # columns around in which a place for a portal is searched for
DEEP = 24  # blocks below the feet, at most
SITES = 4  # places that are tried
WALKS = 6  # to other ground, before it gives up
PASSAGE = 240  # ticks to wait in a portal; 80 are needed
TRIES = 6  # at walking into one


def enter_nether(obtaining: Obtaining, rule: Rule, count: int) -> None:
    """Go through a portal nearby, or build one of obsidian first. Also where the derivation would
    cast it in place, block by block: placing obsidian that was cast elsewhere goes wrong less often
    than pouring lava.

    Raises:
        GaveUp: there is no place for a portal, or the player could not pass through it.
    """
    player = obtaining.player
    if player.land == NETHER:
        return
    if not _portals(player):
        obtaining.obtain("flint_and_steel")
        obtaining.obtain("obsidian", RIM)
        obtaining.obtain("flint_and_steel")  # it may have been lost on the way
        _build(player)
    _pass(player)


def leave_nether(obtaining: Obtaining, rule: Rule, count: int) -> None:
    """Go back to the overworld, by the nearest portal or a new one. Does nothing in an episode that
    takes place in the Nether."""
    player = obtaining.player
    if player.land != NETHER or int(player.body["dimension"]) == OVERWORLD:
        return
    if not _portals(player):
        obtaining.obtain("flint_and_steel")
        obtaining.obtain("obsidian", RIM)
        _build(player)
    _pass(player)


def _portals(player: Player) -> list[Cell]:
    """The lowest cells of portals in the window, the nearest first."""
    feet = player.feet
    cells = Ground(player, feet, player.world.state.blocks.shape[1]).cells_of({PORTAL})
    found = [(x, y, z) for x, y, z in cells.tolist() if player.block((x, y - 1, z)) != PORTAL]
    return sorted(found, key=lambda cell: sum(abs(a - b) for a, b in zip(cell, feet, strict=True)))


def _pass(player: Player) -> None:
    """Go into the nearest portal and wait there for the change of dimension.

    Raises:
        GaveUp: the dimension did not change.
    """
    before = player.land
    for _ in range(TRIES):
        portals = _portals(player)
        if not portals:
            break
        cell = portals[0]
        if player.block(player.feet) != PORTAL:
            go(player, lambda there, cell=cell: there == cell, cell)
        for _ in range(PASSAGE):
            player.act()
            if player.land != before:
                return
            if player.block(player.feet) != PORTAL:
                break
        if int(player.body["portal"]) < 0:  # after an arrival the player has to step out first
            _step_out(player)
    raise GaveUp("the player could not pass through the portal")


def _step_out(player: Player) -> None:
    x, y, z = player.feet
    go(
        player,
        lambda cell: player.block(cell) != PORTAL and abs(cell[0] - x) + abs(cell[2] - z) <= 3,
        (x, y, z + 2),
        slack=3.0,
    )


def _build(player: Player) -> None:
    """Dig 2 x 3 cells out of the ground, replace the blocks around them by obsidian from inside,
    and light the portal.

    Raises:
        GaveUp: there is no place for it, or it did not light.
    """
    tried: set[Cell] = set()
    for _ in range(SITES):
        site = _site(player, tried)
        tried.add(site[0])
        try:
            _frame(player, *site)
        except OutOfSteps:
            raise
        except GaveUp:
            _take_back(player, *site)
            continue
        if _portals(player):
            return
        _take_back(player, *site)
    raise GaveUp("no portal could be built")


def _take_back(player: Player, corner: Cell, axis: Cell) -> None:
    """Dig out the obsidian of a frame that failed."""
    for along, up in FRAME:
        cell = _cell(corner, axis, along, up)
        if player.block(cell) == OBSIDIAN and dig(player, cell, keep=True):
            pick_up(player, "obsidian")


def _cell(corner: Cell, axis: Cell, along: int, up: int) -> Cell:
    return corner[0] + axis[0] * along, corner[1] + up, corner[2] + axis[2] * along


def _site(player: Player, but: set[Cell]) -> tuple[Cell, Cell]:
    """The lowest inner cell of a portal and its axis, at the nearest place with firm ground on all
    sides.

    Raises:
        GaveUp: there is none anywhere near.
    """
    for _ in range(WALKS):
        for corner, axis in _sites(player):
            if corner not in but:
                return corner, axis
        wander(player)
    raise GaveUp("there is no place for a portal")


def _sites(player: Player) -> Iterator[tuple[Cell, Cell]]:
    ground = Ground(player, player.feet, SEARCH + 4)
    costs = Costs(player)
    firm = np.zeros(256, np.bool_)
    for block in range(1, 256):
        digs = costs.dig[block]
        firm[block] = costs.solid[block] and digs is not None and block not in FALLING
    firm[list(WATER | HARMFUL)] = False
    solid = firm[ground.blocks]  # (x, z, y)
    feet = player.feet
    for axis, wide in (((1, 0, 0), (4, 3)), ((0, 0, 1), (3, 4))):
        # The frame, the blocks around it, and one block in front of it and behind it.
        size = (wide[0] + 2 * axis[0], wide[1] + 2 * axis[2], 7)
        windows = np.lib.stride_tricks.sliding_window_view(solid, size)
        found = np.argwhere(windows.all(axis=(3, 4, 5)))
        if not len(found):
            continue
        shift = np.array([1 + axis[0], 2, 1 + axis[2]])
        cells = found[:, [0, 2, 1]] + np.array([ground.x0, 0, ground.z0]) + shift
        low = (cells[:, 1] > 6) & (cells[:, 1] > feet[1] - DEEP)
        cells = cells[low]
        away = np.abs(cells - np.array(feet)) @ np.array([1.0, 1.0, 1.0])
        for index in np.argsort(away, kind="stable")[:SITES]:
            x, y, z = (int(part) for part in cells[index])
            yield (x, y, z), axis


def _frame(player: Player, corner: Cell, axis: Cell) -> None:
    """Raises GaveUp: a block of the frame could not be placed."""
    # There are two cells to stand in. From each, the player replaces the blocks of the other one's
    # side, so that it never replaces the block under its own feet.
    for stand in (0, 1):
        there = _cell(corner, axis, stand, 0)
        other = 1 - stand
        go(player, lambda cell, there=there: cell == there, there)
        to_the_middle(player)
        for along, up in INSIDE:
            if player.block(_cell(corner, axis, along, up)) not in (AIR, PORTAL):
                dig(player, _cell(corner, axis, along, up))
        side = -1 if other == 0 else 2
        for along, up in ((other, -1), *((side, up) for up in (0, 1, 2)), (other, 3)):
            _change(player, _cell(corner, axis, along, up))
    floor = _cell(corner, axis, 0, -1)
    player.equip("flint_and_steel")
    player.look_at(floor[0] + 0.5, floor[1] + 1.0, floor[2] + 0.5)
    if player.target()[1] != floor:
        raise GaveUp("the portal's floor is not in sight")
    player.act(function=USE)
    player.wait(2)


def _change(player: Player, cell: Cell) -> None:
    """Dig a block and put obsidian in its place. Raises GaveUp: it could not."""
    if player.block(cell) == OBSIDIAN:
        return
    for _ in range(3):
        if player.block(cell) != AIR and not dig(player, cell):
            raise GaveUp("a block in the place of the portal cannot be dug")
        for face, (dx, dy, dz) in enumerate(FACES):
            # A neighbouring block's face towards the cell.
            player.look_at(
                cell[0] + 0.5 - 0.5 * dx, cell[1] + 0.5 - 0.5 * dy, cell[2] + 0.5 - 0.5 * dz
            )
            hit = under_crosshair(player.world.state, player.world.rules, 0, REACH)
            behind = (cell[0] - dx, cell[1] - dy, cell[2] - dz)
            at = (int(hit[1]), int(hit[2]), int(hit[3]))
            if not hit[0] or at != behind or int(hit[4]) != face:
                continue
            player.act(function=PLACE, slot=player.slot_of("obsidian"))
            if player.block(cell) == OBSIDIAN:
                return
    raise GaveUp("a block of the portal could not be placed")
