"""A fast way in ticks: weighted A* over the cells in which a player can stand or swim, digging
included.

If the way is too long for one search, the result leads to the nearest cell that was found: the
player follows it and searches again from there.
"""

import heapq
from collections.abc import Callable
from typing import NamedTuple

from voxeldojo.demonstrations.footing import HARMFUL, LAVA, Costs, Ground
from voxeldojo.demonstrations.player import BLOCK_IDS, SIDES, Cell

WALK = 5.0  # ticks a block
JUMP = 7.0
FALL = 3.0
DEEPEST = 3  # blocks of a fall that does no harm
NODES = 5_000  # cells of one search
LEAN = 3.0  # weight of the remaining distance, as a block of rock costs several times a walked one
FLOOD = 1000.0  # extra ticks for digging a block beside water: the hole would flood
DIVE = 10.0  # extra ticks a block under water, for the breath
SLOWLY = 5.0  # digging with the head under water takes five times as long
LILY_PAD = BLOCK_IDS["waterlily"]
PROGRESS = 3.0  # blocks that an incomplete way must lead nearer
AROUND = ((1, 0, 0), (-1, 0, 0), (0, 0, 1), (0, 0, -1), (0, 1, 0), (0, -1, 0))


class Step(NamedTuple):
    """Dig ``digs`` in this order, then go to ``cell``."""

    cell: Cell
    digs: tuple[Cell, ...]


class Paths:
    def __init__(self, ground: Ground, costs: Costs) -> None:
        self._ground, self._costs = ground, costs
        self._freeing: dict[Cell, float | None] = {}

    def find(
        self, start: Cell, arrived: Callable[[Cell], bool], distance: Callable[[Cell], float]
    ) -> list[Step] | None:
        """The steps to a cell for which ``arrived`` is true, or else to the nearest cell that was
        found; None if none is nearer than the start. ``distance`` is in blocks."""
        came: dict[Cell, tuple[Cell, tuple[Cell, ...]]] = {}
        spent = {start: 0.0}
        lean = WALK * LEAN
        nearest, left = start, distance(start)
        begun = left
        queue = [(lean * left, 0.0, start)]
        done: set[Cell] = set()
        while queue and len(done) < NODES:
            _, cost, cell = heapq.heappop(queue)
            if cell in done:
                continue
            if arrived(cell):
                return self._walk_back(came, start, cell)
            done.add(cell)
            if (far := distance(cell)) < left:
                nearest, left = cell, far
            for there, price, digs in self._moves(cell):
                total = cost + price
                if total < spent.get(there, 1e18):
                    spent[there] = total
                    came[there] = (cell, digs)
                    heapq.heappush(queue, (total + lean * distance(there), total, there))
        if left < begun - PROGRESS:
            return self._walk_back(came, start, nearest)
        return None

    def _walk_back(
        self, came: dict[Cell, tuple[Cell, tuple[Cell, ...]]], start: Cell, cell: Cell
    ) -> list[Step]:
        steps: list[Step] = []
        while cell != start:
            before, digs = came[cell]
            steps.append(Step(cell, digs))
            cell = before
        return steps[::-1]

    def _free(self, x: int, y: int, z: int) -> float | None:
        """The cost of freeing a cell; None if it cannot or must not be freed."""
        cell = (x, y, z)
        if cell in self._freeing:
            return self._freeing[cell]
        block = self._ground.block(x, y, z)
        cost = None if block < 0 else self._costs.dig[block]
        if cost is not None and block and self._costs.solid[block]:
            for dx, dy, dz in AROUND:
                beside = self._ground.block(x + dx, y + dy, z + dz)
                if beside in LAVA:
                    cost = None
                    break
                if beside >= 0 and self._costs.water[beside] and dy >= 0:
                    cost += FLOOD
        self._freeing[cell] = cost
        return cost

    def _floor(self, x: int, y: int, z: int) -> bool:
        block = self._ground.block(x, y, z)
        return block > 0 and self._costs.solid[block] and block not in HARMFUL

    def _water(self, x: int, y: int, z: int) -> bool:
        block = self._ground.block(x, y, z)
        return block > 0 and self._costs.water[block]

    def _hot(self, x: int, y: int, z: int) -> bool:
        """Whether the block there harms a player on it or in it."""
        return self._ground.block(x, y, z) in HARMFUL

    def _sum(self, cells: tuple[Cell, ...]) -> float | None:
        total = 0.0
        for x, y, z in cells:
            cost = self._free(x, y, z)
            if cost is None:
                return None
            total += cost
        return total

    def _solid(self, cells: tuple[Cell, ...]) -> tuple[Cell, ...]:
        """Those that have to be dug. A swimmer does not get over a lily pad."""
        ground, costs = self._ground, self._costs
        blocks = ((cell, ground.block(*cell)) for cell in cells)
        return tuple(cell for cell, block in blocks if costs.solid[block] or block == LILY_PAD)

    def _moves(self, cell: Cell) -> list[tuple[Cell, float, tuple[Cell, ...]]]:
        x, y, z = cell
        dives = self._water(x, y + 1, z)
        found: list[tuple[Cell, float, tuple[Cell, ...]]] = []

        def offer(there: Cell, price: float, cells: tuple[Cell, ...]) -> None:
            cost = self._sum(cells)
            if cost is None:
                return
            digs = self._solid(cells)
            if dives:
                cost = DIVE + (SLOWLY * cost if digs else cost)
            found.append((there, price + cost, digs))

        swims = self._water(x, y, z)
        for dx, dz in SIDES:
            nx, nz = x + dx, z + dz
            level = ((nx, y + 1, nz), (nx, y, nz))
            if self._floor(nx, y - 1, nz) or self._water(nx, y, nz):
                offer((nx, y, nz), WALK, level)
            elif not self._hot(nx, y - 1, nz):
                self._offer_fall(offer, nx, y, nz, level)
            if self._floor(nx, y, nz) and (self._floor(x, y - 1, z) or swims):
                offer((nx, y + 1, nz), JUMP, ((x, y + 2, z), (nx, y + 2, nz), (nx, y + 1, nz)))
            if self._floor(nx, y - 2, nz) and self._floor(nx, y - 1, nz):
                # Dig a step down.
                offer((nx, y - 1, nz), WALK + FALL, (*level, (nx, y - 1, nz)))
        if swims or self._water(x, y + 1, z):
            offer((x, y + 1, z), WALK, ((x, y + 2, z), (x, y + 1, z)))
        if self._water(x, y - 1, z):
            offer((x, y - 1, z), WALK, ((x, y - 1, z),))
        elif self._floor(x, y - 1, z) and self._floor(x, y - 2, z):
            offer((x, y - 1, z), FALL + 2.0, ((x, y - 1, z),))
        return found

    def _offer_fall(
        self,
        offer: Callable[[Cell, float, tuple[Cell, ...]], None],
        x: int,
        y: int,
        z: int,
        level: tuple[Cell, ...],
    ) -> None:
        for depth in range(1, DEEPEST + 1):
            below = y - depth
            if self._ground.block(x, below, z) < 0 or self._free(x, below, z) is None:
                return
            if self._floor(x, below - 1, z) or self._water(x, below, z):
                if not self._hot(x, below - 1, z):
                    offer((x, below, z), WALK + FALL * depth, level)
                return
