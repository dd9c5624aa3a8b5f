"""Tilling the ground, sowing, and waiting for a crop to be ripe."""

import math

import numpy as np

from voxeldojo.actions import USE
from voxeldojo.demonstrations.buckets import beside, still
from voxeldojo.demonstrations.fighting import is_dark, keep_watch
from voxeldojo.demonstrations.footing import WATER, Ground
from voxeldojo.demonstrations.gathering import approach
from voxeldojo.demonstrations.obtaining import Obtaining
from voxeldojo.demonstrations.player import BLOCK_IDS, Cell, GaveUp, OutOfSteps, Player
from voxeldojo.demonstrations.sheltering import MORNING
from voxeldojo.obtainable.derivations import Rule

HOES = ("wooden_hoe", "stone_hoe", "iron_hoe", "golden_hoe", "diamond_hoe")
PATIENCE = 400_000  # ticks that a crop may take
IDLE = 60  # ticks between two checks of it
SEARCH = 60  # columns in which soil is searched for
NEAREST = 200  # cells of soil among which one near water is chosen
DRY = 20.0  # blocks of detour that soil near water is worth
MOIST = 4  # columns from water within which farmland gets moist
RIPE = {"wheat": 7, "carrots": 7, "potatoes": 7, "beetroots": 3}
SEEDS = {
    "wheat": "wheat_seeds",
    "carrots": "carrot",
    "potatoes": "potato",
    "beetroots": "beetroot_seeds",
}
SOIL = {BLOCK_IDS[name] for name in ("dirt", "grass", "grass_path")}
FARMLAND = BLOCK_IDS["farmland"]


def till_by_water(obtaining: Obtaining, rule: Rule, count: int) -> None:
    """Till farmland, beside water if there is any: crops grow faster there."""
    player = obtaining.player
    try:
        beside(player, still(player, WATER, set()))
    except OutOfSteps:
        raise
    except GaveUp:
        pass
    till(player, next(name for name in HOES if player.have(name)))


def till(player: Player, hoe: str) -> None:
    """Till the best soil nearby. Raises GaveUp where there is none."""
    cell = _soil(player)
    approach(player, cell)
    player.equip(hoe)
    player.look_at(cell[0] + 0.5, cell[1] + 1.0, cell[2] + 0.5)
    player.act(function=USE)


def _soil(player: Player) -> Cell:
    """The best cell of soil under air: near the player, and near water if possible."""
    ground = Ground(player, player.feet, SEARCH)
    cells, wet = ground.cells_of(SOIL), ground.cells_of(WATER)
    far = np.abs(cells - np.array(player.feet)).sum(axis=1)
    best, price = None, math.inf
    looked_at = 0
    for index in np.argsort(far, kind="stable"):
        x, y, z = (int(c) for c in cells[index])
        if ground.block(x, y + 1, z) != 0 or ground.block(x, y + 2, z) != 0:
            continue
        near = np.abs(wet - np.array((x, y, z)))
        moist = (near[:, 0] <= MOIST) & (near[:, 2] <= MOIST) & (near[:, 1] <= 1)
        costs = float(far[index]) + (0.0 if moist.any() else DRY)
        if costs < price and (x, y + 1, z) != player.feet:
            best, price = (x, y, z), costs
        looked_at += 1
        if looked_at >= NEAREST:
            break
    if best is None:
        raise GaveUp("there is no soil here")
    return best


def grow(obtaining: Obtaining, rule: Rule, count: int) -> None:
    """Sow one plant and wait beside it until it is ripe; at night in a hole. It waits by crafting
    actions without effect, which take three ticks each."""
    player = obtaining.player
    crop = rule.gives.removeprefix("block:")
    seeds = SEEDS[crop]
    obtaining.obtain(seeds)
    if not _fields(player):
        obtaining.do(obtaining.way("block:farmland"), 1)
    field = _fields(player)
    if not field:
        raise GaveUp("the ground was not tilled")
    cell = field[0]
    player.look_at(cell[0] + 0.5, cell[1] + 0.95, cell[2] + 0.5)
    player.equip(seeds)
    player.act(function=USE)
    plant = (cell[0], cell[1] + 1, cell[2])
    if player.block(plant) != BLOCK_IDS[crop]:
        raise GaveUp(f"{seeds} were not sown")
    for _ in range(PATIENCE // IDLE):
        if player.block(plant) != BLOCK_IDS[crop]:
            raise GaveUp(f"the {crop} were lost")
        if player.meta(plant) >= RIPE[crop]:
            return
        if is_dark(player):
            keep_watch(player, MORNING)  # crops do not grow in the dark
        else:
            player.idle(IDLE)


def _fields(player: Player) -> list[Cell]:
    """Farmland within reach, the nearest first."""
    cells = Ground(player, player.feet, 5).cells_of({FARMLAND})
    feet = player.feet
    found = [(x, y, z) for x, y, z in cells.tolist() if abs(y - feet[1]) < 4]
    return sorted(found, key=lambda cell: math.dist(cell, feet))
