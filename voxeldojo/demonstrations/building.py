"""Placing blocks such as a crafting table, using them, and picking them up again."""

from collections.abc import Iterable

import numpy as np

from voxeldojo.actions import PLACE
from voxeldojo.demonstrations.digging import dig
from voxeldojo.demonstrations.footing import HARMFUL, WATER, Costs, Ground
from voxeldojo.demonstrations.gathering import pick_up
from voxeldojo.demonstrations.going import step_aside
from voxeldojo.demonstrations.player import (
    BLOCK_IDS,
    ITEM_BLOCKS,
    SIDES,
    Cell,
    GaveUp,
    Player,
)

PLACES = 4  # positions of the player that are tried
CORNERS = ((0.5, 0.5), (0.3, 0.5), (0.7, 0.5), (0.5, 0.3), (0.5, 0.7), (0.2, 0.2), (0.8, 0.8))


def place_near(player: Player, item: str) -> Cell:
    """Place a block beside the player, on the ground or in a niche that it digs.

    Raises:
        GaveUp: there is no room.
    """
    block = BLOCK_IDS[ITEM_BLOCKS[item]]
    x, y, z = player.feet
    for place in range(PLACES):
        if place or player.block((x, y + 1, z)) in WATER:
            step_aside(player)
        for cell in free_spots(player):
            if player.block(cell) != 0 and not dig(player, cell):
                continue
            below = (cell[0], cell[1] - 1, cell[2])
            before = player.have(item)
            _put(player, item, below)
            if player.have(item) < before:
                # Seen from below, the crosshair is on the ground's side: the block is beside it.
                return cell if player.block(cell) == block else _stands(player, block)
    raise GaveUp(f"there is no room for a {item}")


def free_spots(player: Player) -> Iterable[Cell]:
    """Cells beside the player with ground under them: free ones first, then some to dig out."""
    x, y, z = player.feet
    costs = Costs(player)
    near = [(x + 2 * dx, y + dy, z + 2 * dz) for dy in (0, 1, -1) for dx, dz in SIDES]
    near += [(x + dx, y + dy, z + dz) for dy in (0, 1) for dx, dz in SIDES]
    near += [(x + dx, y + dy, z + dz) for dy in (0, 1, -1) for dx in (1, -1) for dz in (1, -1)]
    grounded = [
        cell
        for cell in near
        if costs.solid[player.block((cell[0], cell[1] - 1, cell[2]))]
        and player.block((cell[0], cell[1] - 1, cell[2])) not in HARMFUL
    ]
    free = [
        c
        for c in grounded
        if not costs.solid[player.block(c)] and costs.dig[player.block(c)] == 0.0
    ]
    return [*free, *(c for c in grounded if c not in free and costs.dig[player.block(c)])]


def _put(player: Player, item: str, below: Cell) -> None:
    """Try to place a block on another one. The caller checks the inventory for success."""
    for dx, dz in CORNERS:
        player.look_at(below[0] + dx, below[1] + 1.0, below[2] + dz)
        hit, at = player.target()
        if hit and at == below:
            if (slot := player.slot_of(item)) < 0:
                raise GaveUp(f"the inventory has no {item} any more")
            player.act(function=PLACE, slot=slot)
            return


def _stands(player: Player, block: int) -> Cell:
    cells = Ground(player, player.feet, 6).cells_of({block})
    if not len(cells):
        raise GaveUp("the block that was placed is not there")
    away = np.abs(cells - np.array(player.feet)).sum(axis=1)
    x, y, z = cells[int(np.argmin(away))].tolist()
    return x, y, z


def face(player: Player, cell: Cell) -> None:
    """Look at a crafting table or a furnace: only those in view can be used."""
    player.look_at(*(c + 0.5 for c in cell))


def take_along(player: Player, cell: Cell, item: str) -> None:
    """Break a block that was placed and pick it up."""
    if dig(player, cell, keep=True):
        pick_up(player, item)
