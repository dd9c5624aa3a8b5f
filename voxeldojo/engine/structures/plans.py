"""The description of structures: plans of blocks, layouts of plans, and the places of layouts.

A plan is a box of blocks, drawn as text or made of boxes. A layout lists plans with their places
around a structure's start, and is turned to the four sides before the world is made. Blocks are
named "stonebrick" or, with metadata, "stonebrick:2"; in text a blank leaves the block that is
there, and a dot is air.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from voxeldojo.engine.state import END, NETHER, OVERWORLD
from voxeldojo.rules import BLOCKS

KEEP = 0xFFFF
IDS = {block.name: block.id for block in BLOCKS}
DIMENSIONS = {"overworld": OVERWORLD, "nether": NETHER, "the_end": END}

# What becomes of metadata when a plan is turned by 90 degrees, east to south to west to north.
_STAIRS = {0: 2, 2: 1, 1: 3, 3: 0}
_SIDES = {2: 5, 5: 3, 3: 4, 4: 2}
_TORCH = {1: 3, 3: 2, 2: 4, 4: 1}
_QUARTER = {0: 1, 1: 2, 2: 3, 3: 0}
_AXIS = {4: 8, 8: 4}
_VINE = {meta: (meta << 1 & 15) | meta >> 3 for meta in range(16)}
TURNS: dict[str, tuple[int, dict[int, int]]] = {
    **{name: (3, _STAIRS) for name in IDS if name.endswith("_stairs")},
    **{
        name: (7, _SIDES)
        for name in ("chest", "furnace", "ladder", "wall_sign", "dispenser", "end_rod", "skull")
    },
    **{name: (7, _TORCH) for name in ("torch", "redstone_torch")},
    **{name: (3, _QUARTER) for name in IDS if name.endswith("_door")},
    **{name: (3, _QUARTER) for name in ("bed", "end_portal_frame", "tripwire_hook", "fence_gate")},
    **{name: (12, _AXIS) for name in ("log", "log2", "hay_block", "purpur_pillar", "bone_block")},
    "rail": (15, {0: 1, 1: 0}),
    "vine": (15, _VINE),
}


def cell(name: str) -> int:
    """A block's id and metadata in one number.

    Raises:
        ValueError: there is no block of that name.
    """
    block, _, meta = name.partition(":")
    if block not in IDS:
        raise ValueError(f"a plan names {block!r}, which is no block")
    return IDS[block] << 4 | int(meta or 0)


class Plan:
    """A box of ``wide`` x ``tall`` x ``deep`` blocks (x, y, z), empty of instructions at first."""

    def __init__(self, wide: int, tall: int, deep: int, fill: str | None = None) -> None:
        self.cells = np.full((wide, deep, tall), KEEP if fill is None else cell(fill), np.uint16)
        self.dwellers: list[tuple[str, float, float, float]] = []

    @property
    def size(self) -> tuple[int, int, int]:
        wide, deep, tall = self.cells.shape
        return wide, tall, deep

    def box(
        self, low: tuple[int, int, int], high: tuple[int, int, int], block: str | None
    ) -> "Plan":
        """Fill from one corner to the other, both included. None: leave what is there."""
        value = KEEP if block is None else cell(block)
        (a, b, c), (d, e, f) = low, high
        self.cells[a : d + 1, c : f + 1, b : e + 1] = value
        return self

    def room(
        self,
        low: tuple[int, int, int],
        high: tuple[int, int, int],
        wall: str,
        inside: str = "air",
    ) -> "Plan":
        """A hollow box."""
        self.box(low, high, wall)
        (a, b, c), (d, e, f) = low, high
        return self.box((a + 1, b + 1, c + 1), (d - 1, e - 1, f - 1), inside)

    def put(self, block: str, *places: tuple[int, int, int]) -> "Plan":
        for x, y, z in places:
            self.cells[x, z, y] = cell(block)
        return self

    def mixed_in(self, block: str, into: str, share: float, seed: int) -> "Plan":
        """Some of the blocks ``into`` are ``block`` instead, here and there."""
        chance = np.random.default_rng(seed).random(self.cells.shape)
        self.cells[(self.cells == cell(into)) & (chance < share)] = cell(block)
        return self

    def door(self, x: int, y: int, z: int, facing: int, block: str = "wooden_door") -> "Plan":
        """Facing 0 is east, 1 south, 2 west, 3 north."""
        return self.put(f"{block}:{facing}", (x, y, z)).put(f"{block}:8", (x, y + 1, z))

    def turned(self, turns: int) -> "Plan":
        """The plan after so many turns by 90 degrees, north to east to south."""
        result = Plan(1, 1, 1)
        result.cells, result.dwellers = self.cells, self.dwellers
        for _ in range(turns):
            far = result.cells.shape[1]
            result.dwellers = [(mob, far - z, y, x) for mob, x, y, z in result.dwellers]
            result.cells = turned(result.cells)
        return result

    def lives(self, mob: str, x: float, y: float, z: float) -> "Plan":
        """A mob stands at the corner (x, y, z) of the plan when it is generated."""
        self.dwellers.append((mob, x, y, z))
        return self


def drawn(text: str, legend: dict[str, str]) -> Plan:
    """A plan out of layers from the bottom up, a line between two; a row of text runs along x,
    the rows of a layer along z."""
    layers = [layer.splitlines() for layer in text.strip("\n").split("\n\n")]
    wide = max(len(row) for layer in layers for row in layer)
    deep = max(len(layer) for layer in layers)
    plan = Plan(wide, len(layers), deep)
    for y, layer in enumerate(layers):
        for z, row in enumerate(layer):
            for x, sign in enumerate(row):
                if sign != " ":
                    plan.put("air" if sign == "." else legend[sign], (x, y, z))
    return plan


@dataclass
class Piece:
    """A plan in a layout: its lowest corner stands at ``at`` from the structure's start.

    ``level``: "start" counts y from the start's, "ground" from the ground under the plan's middle,
    "each" from the ground of each column of its own. ``foundation`` is what it stands on where the
    ground is lower.
    """

    plan: Plan
    at: tuple[int, int, int]
    level: Literal["start", "ground", "each"] = "start"
    foundation: str = ""
    table: str = ""  # of chests.json, for the chests in the plan


@dataclass
class Kind:
    """A kind of structure: what it looks like and where it stands.

    A "grid" one stands once in each square of ``spacing`` chunks at a ``chance``, ``separation``
    chunks from the square's far ends; a "ring" one on rings around the origin; a "cave" one where
    tunnels begin. ``heights``: y of its start is chosen between them; None: the ground's.
    """

    name: str
    layouts: list[list[Piece]]
    biomes: list[str] | None = None  # None: all of the dimension
    spacing: int = 32
    separation: int = 8
    chance: float = 1.0
    placement: Literal["grid", "ring", "cave"] = "grid"
    heights: tuple[int, int] | None = None
    dimension: str = "overworld"
    nearest: int = 0  # metres from the origin to the first
    salt: int = 0
    turns: bool = True


def turned(cells: NDArray[np.uint16]) -> NDArray[np.uint16]:
    """Cells (x, z, y) after a turn by 90 degrees: what was east is south."""
    result = np.rot90(cells, 1, (0, 1)).copy()  # (x, z) goes to (-z, x)
    ids, metas = result >> 4, result & 15
    for name, (mask, table) in TURNS.items():
        where = (ids == IDS[name]) & (result != KEEP)
        if name.endswith("_door"):
            where &= metas < 8
        if where.any():
            map_ = np.array([(m & ~mask) | table.get(m & mask, m & mask) for m in range(16)])
            result[where] = (ids[where] << 4 | map_[metas[where]]).astype(np.uint16)
    return result
