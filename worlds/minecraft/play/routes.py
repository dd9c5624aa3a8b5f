"""Ways on foot through the blocks around a player, for programs: walking, jumping up, dropping
down, swimming, and digging what is in the way where that is quicker."""

import heapq
import math
from collections.abc import Callable, Collection

from voxeldojo.rules import BLOCKS

Cell = tuple[int, int, int]

WALK, DIAGONAL, CLIMB, DROP, SWIM = 4.0, 5.6, 7.0, 2.0, 10.0  # steps that each takes
BARE_ROCK = 200.0  # steps for what a pickaxe is made for, by hand
PICK = 25.0  # with one
DEEPEST = 3  # blocks that one may fall
MOST = 700  # cells that are looked at for one way
EDGE = 7  # blocks from the feet to the last cell that a way leads to
GREED = 4.0  # steps that a metre farther off is reckoned to cost
EAGER = 12.0  # times that, where no way leads all the way
NEVER = math.inf
_FLUIDS = frozenset(("water", "flowing water"))
_HARM = frozenset(("lava", "flowing lava", "fire", "cactus", "magma block", "cobweb"))
_ROCK = frozenset(("rock", "iron"))


def _kinds() -> tuple[dict[str, float], dict[str, bool], frozenset[str]]:
    """By localised name: steps to get through the cell; whether one stands on it; what takes a
    pickaxe."""
    through: dict[str, float] = {}
    stands: dict[str, bool] = {}
    rock: set[str] = set()
    for block in BLOCKS:
        name = block.localised
        if name in through:
            continue
        if name in _HARM:
            through[name], stands[name] = NEVER, False
        elif block.height == 0.0 or name in _FLUIDS or name == "air":
            through[name], stands[name] = 0.0, False
        else:
            stands[name] = block.height <= 1.0
            if block.hardness < 0:
                through[name] = NEVER
            elif block.material in _ROCK:
                through[name] = BARE_ROCK
                rock.add(name)
            else:
                through[name] = 4.0 + 30.0 * block.hardness
    return through, stands, frozenset(rock)


_THROUGH, _STANDS, _ROCKS = _kinds()


def route(
    block: Callable[[int, int, int], str], goal: tuple[float, float | None, float], picks: bool
) -> tuple[tuple[Cell, ...], int]:
    """Cells for the feet, offsets from where they are, the nearest first: to the goal's cell, or as
    far towards it as ``block`` sees; and how many cells were looked at for it. ``goal``: offset;
    without y any height is accepted. ``picks``: whether a pickaxe is at hand. No cells: there is no
    way on."""
    return _Search(block, goal, picks).found()


class _Search:
    def __init__(
        self,
        block: Callable[[int, int, int], str],
        goal: tuple[float, float | None, float],
        picks: bool,
    ) -> None:
        self._block = block
        self._goal = goal
        self._picks = picks
        self._seen: dict[Cell, str] = {}

    def found(self) -> tuple[tuple[Cell, ...], int]:
        start = (0, 0, 0)
        cost: dict[Cell, float] = {start: 0.0}
        came: dict[Cell, Cell] = {}
        done: set[Cell] = set()
        begun = self._left(start) - 4 * GREED  # an edge farther off is no way on
        queue: list[tuple[float, Cell]] = [(self._left(start), start)]
        best, least = start, self._left(start) * EAGER
        while queue and len(done) < MOST:
            _, cell = heapq.heappop(queue)
            if cell in done:
                continue
            done.add(cell)
            left = self._left(cell)
            value = cost[cell] + left * EAGER
            if value < least:
                best, least = cell, value
            at_edge = max(abs(cell[0]), abs(cell[2])) >= EDGE
            if left < GREED or (at_edge and left < begun):
                best = cell
                break
            for there, steps in self._moves(cell):
                known = cost[cell] + steps
                if known < cost.get(there, NEVER):
                    cost[there] = known
                    came[there] = cell
                    heapq.heappush(queue, (known + self._left(there), there))
        way: list[Cell] = []
        while best != start:
            way.append(best)
            best = came[best]
        return tuple(reversed(way)), len(done)

    def _left(self, cell: Cell) -> float:
        x, y, z = self._goal
        far = math.hypot(x - cell[0], z - cell[2])
        return GREED * (far if y is None else math.hypot(far, y - cell[1]))

    def _at(self, x: int, y: int, z: int) -> str:
        name = self._seen.get((x, y, z))
        if name is None:
            name = self._seen[x, y, z] = self._block(x, y, z)
        return name

    def _open(self, cells: Collection[Cell]) -> float:
        """Steps to clear the cells; never where something harmful is there, or would run in."""
        steps = 0.0
        for x, y, z in cells:
            name = self._at(x, y, z)
            own = _THROUGH.get(name, NEVER)
            if own == NEVER:
                return NEVER
            if own and name in _ROCKS and self._picks:
                own = PICK
            if own:
                for ax, ay, az in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, -1)):
                    beside = self._at(x + ax, y + ay, z + az)
                    if beside in _FLUIDS or "lava" in beside:
                        return NEVER
            steps += own
        return steps

    def _carries(self, x: int, y: int, z: int) -> bool:
        return _STANDS.get(self._at(x, y, z), False)

    def _moves(self, cell: Cell) -> list[tuple[Cell, float]]:
        x, y, z = cell
        if max(abs(x), abs(z)) > EDGE or not -5 <= y <= 5:
            return []
        found: list[tuple[Cell, float]] = []
        swims = self._at(x, y, z) in _FLUIDS
        pace = SWIM if swims else WALK
        if swims and self._at(x, y + 1, z) in _FLUIDS:
            found.append(((x, y + 1, z), SWIM))
        open_sides: dict[tuple[int, int], bool] = {}
        for dx, dz in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            nx, nz = x + dx, z + dz
            level = self._open(((nx, y + 1, nz), (nx, y, nz)))
            below = self._at(nx, y - 1, nz)
            if level < NEVER:
                if self._carries(nx, y - 1, nz) or self._at(nx, y, nz) in _FLUIDS:
                    found.append(((nx, y, nz), pace + level))
                    open_sides[dx, dz] = level == 0.0
                elif below in _FLUIDS:
                    found.append(((nx, y - 1, nz), SWIM + level))
                else:
                    for drop in range(1, DEEPEST + 1):
                        if _THROUGH.get(self._at(nx, y - drop, nz), NEVER) > 0.0:
                            break
                        if self._carries(nx, y - drop - 1, nz):
                            found.append(((nx, y - drop, nz), pace + level + DROP * drop))
                            break
            if self._carries(nx, y, nz):
                up = self._open(((x, y + 2, z), (nx, y + 2, nz), (nx, y + 1, nz)))
                if up < NEVER:
                    found.append(((nx, y + 1, nz), CLIMB + up))
            if self._goal[1] is not None and self._carries(nx, y - 2, nz):
                down = self._open(((nx, y + 1, nz), (nx, y, nz), (nx, y - 1, nz)))
                if 0.0 < down < NEVER:
                    found.append(((nx, y - 1, nz), pace + down))
        for dx, dz in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            if open_sides.get((dx, 0)) and open_sides.get((0, dz)):
                nx, nz = x + dx, z + dz
                clear = self._open(((nx, y + 1, nz), (nx, y, nz))) == 0.0
                if clear and self._carries(nx, y - 1, nz):
                    found.append(((nx, y, nz), pace * 1.4))
        return found
