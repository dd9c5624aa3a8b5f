"""Going from one dimension to another: a portal of obsidian in the rock, and the way back."""

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
RIM = 10  # blocks of obsidian around 2 x 3 free ones; the corners are not needed
INSIDE = tuple(product((0, 1), (0, 1, 2)))  # (along, up) of the free ones
FRAME = (
    *((along, -1) for along in (0, 1)),
    *((along, up) for up in (0, 1, 2) for along in (-1, 2)),
    *((along, 3) for along in (0, 1)),
)
# The way from a block out of each of its faces, by the face's number.
FACES = ((0, -1, 0), (0, 1, 0), (0, 0, -1), (0, 0, 1), (-1, 0, 0), (1, 0, 0))
SEARCH = 24  # columns around, in which a place for a portal is looked for
DEEP = 24  # blocks below the feet
SITES = 4  # places that are tried
WALKS = 6  # on to other ground
PASSAGE = 240  # ticks in a portal: 80 carry one off
TRIES = 6  # at walking into one


def enter_nether(obtaining: Obtaining, rule: Rule, count: int) -> None:
    """Through the portal that there is, or through one of obsidian that is built. Where the rules
    would have it cast in place, block by block, it is built as well: obsidian that was cast
    elsewhere is laid with fewer slips than lava is poured.

    Raises:
        GaveUp: there is no place for a portal, or it could not be gone through.
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
    """Back to the overworld: by the nearest portal in sight, else by a new one. Who begins in the
    Nether has no other home."""
    player = obtaining.player
    if player.land != NETHER or int(player.body["dimension"]) == OVERWORLD:
        return
    if not _portals(player):
        obtaining.obtain("flint_and_steel")
        obtaining.obtain("obsidian", RIM)
        _build(player)
    _pass(player)


def _portals(player: Player) -> list[Cell]:
    """Cells of portals in the window with something to stand on below, the nearest first."""
    feet = player.feet
    cells = Ground(player, feet, player.world.state.blocks.shape[1]).cells_of({PORTAL})
    found = [(x, y, z) for x, y, z in cells.tolist() if player.block((x, y - 1, z)) != PORTAL]
    return sorted(found, key=lambda cell: sum(abs(a - b) for a, b in zip(cell, feet, strict=True)))


def _pass(player: Player) -> None:
    """Into the nearest portal, and waits there to be carried off.

    Raises:
        GaveUp: it does not carry the player off.
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
        if int(player.body["portal"]) < 0:  # who came out of it has to leave it first
            _step_out(player)
    raise GaveUp("the portal could not be gone through")


def _step_out(player: Player) -> None:
    x, y, z = player.feet
    go(
        player,
        lambda cell: player.block(cell) != PORTAL and abs(cell[0] - x) + abs(cell[2] - z) <= 3,
        (x, y, z + 2),
        slack=3.0,
    )


def _build(player: Player) -> None:
    """Hollows 2 x 3 blocks out of the ground, changes what is around them for obsidian from
    within, and lights it.

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
    """The obsidian of a frame that came to nothing."""
    for along, up in FRAME:
        cell = _cell(corner, axis, along, up)
        if player.block(cell) == OBSIDIAN and dig(player, cell, keep=True):
            pick_up(player, "obsidian")


def _cell(corner: Cell, axis: Cell, along: int, up: int) -> Cell:
    return corner[0] + axis[0] * along, corner[1] + up, corner[2] + axis[2] * along


def _site(player: Player, but: set[Cell]) -> tuple[Cell, Cell]:
    """The lowest inner cell of a portal and the axis along which it stands: the nearest place with
    firm ground all round.

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
        # Rim, what it leans on, and one block before and behind it.
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
    """Raises GaveUp: a block of the frame could not be put where it belongs."""
    # From either of the two cells to stand in what is on the other side, the nearest last: what is
    # below the feet is changed from beside it.
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
    """Digs a block and puts obsidian in its place. Raises GaveUp: it could not."""
    if player.block(cell) == OBSIDIAN:
        return
    for _ in range(3):
        if player.block(cell) != AIR and not dig(player, cell):
            raise GaveUp("what stands where the portal is to be cannot be dug")
        for face, (dx, dy, dz) in enumerate(FACES):
            # Of the block on its other side the face that looks at the cell.
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
    raise GaveUp("a block of the portal could not be put down")
