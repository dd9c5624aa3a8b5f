"""Ways through the remembered ground."""

import heapq
from collections.abc import Mapping, Sequence
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from worlds.crafter.card.crafter_names import DAY, SIZE, THINGS
from worlds.crafter.play.package_game import CODES
from worlds.crafter.play.remembered_ground import HALF, Memory

STAND_ON, STAND_BESIDE, LOOK_AT = range(3)
"""How a goal is reached: looking at it means that so many goals are in view."""

_DIRECTIONS = ((-1, 0), (1, 0), (0, -1), (0, 1))
_WALK, _DIG, _BRIDGE, _FELL = 1, 2, 4, 4
_DARK_GRASS, _DARK_SAND = 5, 3  # where zombies come up
_NIGHT = (190, 260)  # steps of the day
_BY_A_ZOMBIE, _BEFORE_A_SKELETON, _BY_A_COW = 4, 3, 3
_RANGE = 4  # cells that an arrow is feared at


def costs(memory: Memory, inventory: Mapping[str, int], creatures: Sequence, time: int) -> NDArray:
    """(64, 64) int64: what entering a cell costs, in steps; 0: it cannot be entered."""
    table = np.zeros(len(THINGS), np.int64)
    for name in ("grass", "sand", "path"):
        table[CODES[name]] = _WALK
    if _NIGHT[0] <= time % DAY < _NIGHT[1]:
        table[CODES["grass"]], table[CODES["sand"]] = _DARK_GRASS, _DARK_SAND
    table[CODES["tree"]] = _FELL
    for pickaxe, names in (
        ("wood_pickaxe", ("stone", "coal")),
        ("stone_pickaxe", ("iron",)),
        ("iron_pickaxe", ("diamond",)),
    ):
        if inventory.get(pickaxe):
            table[[CODES[name] for name in names]] = _DIG
    if inventory.get("stone"):
        table[CODES["water"]] = _BRIDGE
    cost = table[memory.ground]
    for creature in creatures:
        x, y = memory.x + creature.dx, memory.y + creature.dy
        if creature.name == "zombie":
            _fear(cost[max(0, x - 1) : x + 2, max(0, y - 1) : y + 2], _BY_A_ZOMBIE)
        elif creature.name == "skeleton":
            _fear(cost[max(0, x - _RANGE) : x + _RANGE + 1, y : y + 1], _BEFORE_A_SKELETON)
            _fear(cost[x : x + 1, max(0, y - _RANGE) : y + _RANGE + 1], _BEFORE_A_SKELETON)
        elif creature.name == "cow":
            _fear(cost[x : x + 1, y : y + 1], _BY_A_COW)
    return cost


def _fear(cost: NDArray, more: int) -> None:
    cost[cost > 0] += more


def find(
    cost: NDArray, goal: NDArray, memory: Memory, how: int, least: int = 1
) -> tuple[int, int, int, int, int] | None:
    """The cheapest way: the direction of its first step, its cost, and its goal counted from the
    start. None: there is none. The direction of a way without a step is that of the goal."""
    first, total, x, y = _search(cost, goal, memory.x, memory.y, how, least)
    if total < 0:
        return None
    if first < 0:
        return x - memory.x, y - memory.y, 0, x - HALF, y - HALF
    dx, dy = _DIRECTIONS[first]
    return dx, dy, total, x - HALF, y - HALF


def near(cells: NDArray, far: int = 2) -> NDArray:
    """Cells within so many of those, diagonally too."""
    wide = np.zeros_like(cells)
    for dx in range(-far, far + 1):
        for dy in range(-far, far + 1):
            wide[max(dx, 0) : SIZE + min(dx, 0), max(dy, 0) : SIZE + min(dy, 0)] |= cells[
                max(-dx, 0) : SIZE + min(-dx, 0), max(-dy, 0) : SIZE + min(-dy, 0)
            ]
    return wide


@numba.njit(cache=True)
def _search(
    cost: NDArray, goal: NDArray, x: int, y: int, how: int, least: int
) -> tuple[Any, Any, int, int]:
    """Dijkstra's algorithm: number of the first direction, cost, goal. Cost -1: there is no way."""
    size = cost.shape[0]
    best = np.full((size, size), 1 << 30, np.int64)
    first = np.full((size, size), -1, np.int64)
    best[x, y] = 0
    heap: Any = [(0, x * size + y)]
    while len(heap):
        total, at = heapq.heappop(heap)
        ux, uy = at // size, at % size
        if total > best[ux, uy]:
            continue
        gx, gy = -1, -1
        if how == 0:
            if goal[ux, uy]:
                gx, gy = ux, uy
        elif how == 1:
            for k in range(4):
                vx, vy = ux + (k == 1) - (k == 0), uy + (k == 3) - (k == 2)
                if 0 <= vx < size and 0 <= vy < size and goal[vx, vy]:
                    gx, gy = vx, vy
        else:
            seen = 0
            for vx in range(max(0, ux - 4), min(size, ux + 5)):
                for vy in range(max(0, uy - 3), min(size, uy + 4)):
                    seen += goal[vx, vy]
            if seen >= least:
                gx, gy = ux, uy
        if gx >= 0:
            return first[ux, uy], total, gx, gy
        for k in range(4):
            vx, vy = ux + (k == 1) - (k == 0), uy + (k == 3) - (k == 2)
            if 0 <= vx < size and 0 <= vy < size and cost[vx, vy] > 0:
                new = total + cost[vx, vy]
                if new < best[vx, vy]:
                    best[vx, vy] = new
                    first[vx, vy] = k if first[ux, uy] < 0 else first[ux, uy]
                    heapq.heappush(heap, (new, vx * size + vy))
    return -1, -1, -1, -1
