"""All kinds of structures as arrays for the kernels."""

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import voxeldojo.rules
from voxeldojo.engine.structures import (
    desert_temple,
    dungeon,
    end_city,
    fortress,
    igloo,
    jungle_temple,
    mansion,
    mineshaft,
    monument,
    stronghold,
    village,
    witch_hut,
)
from voxeldojo.engine.structures.plans import (
    DIMENSIONS,
    Kind,
    Piece,
    cell,
)
from voxeldojo.rules import BIOMES, item_id
from voxeldojo.rules.mobs import MOB_IDS

GRID, RING, CAVE = 0, 1, 2
ON_GROUND = -1  # of STRUCTURE.low: the start is on the ground
AT_START, AT_GROUND, AT_EACH = 0, 1, 2
KINDS: tuple[Kind, ...] = (
    *village.KINDS,
    mineshaft.KIND,
    dungeon.KIND,
    stronghold.KIND,
    desert_temple.KIND,
    jungle_temple.KIND,
    igloo.KIND,
    witch_hut.KIND,
    monument.KIND,
    mansion.KIND,
    fortress.KIND,
    end_city.KIND,
)
KIND_IDS = {kind.name: number for number, kind in enumerate(KINDS)}
CHESTS = Path(voxeldojo.rules.__file__).parent / "chests.json"

STRUCTURE = np.dtype(
    [
        ("spacing", "i4"),  # chunks
        ("separation", "i4"),
        ("placement", "i4"),
        ("dimension", "i4"),
        ("low", "i4"),  # y of the start, or ON_GROUND
        ("high", "i4"),
        ("nearest", "i4"),  # metres
        ("reach", "i4"),  # metres from the start to the furthest block
        ("layout", "i4"),  # first row of layouts
        ("layouts", "i4"),
        ("salt", "i4"),
        ("unused", "i4"),
        ("chance", "f8"),
    ],
    align=True,
)
LAYOUT = np.dtype([("piece", "i4"), ("pieces", "i4")], align=True)
PIECE = np.dtype(
    [
        ("cell", "i4"),  # first one, in order x, z, y
        ("wide", "i4"),
        ("tall", "i4"),
        ("deep", "i4"),
        ("x", "i4"),
        ("y", "i4"),
        ("z", "i4"),
        ("level", "i4"),
        ("foundation", "i4"),  # cell, 0 none
        ("table", "i4"),  # of Rules.chest, 0 none
        ("dweller", "i4"),
        ("dwellers", "i4"),
    ],
    align=True,
)
DWELLER = np.dtype([("x", "f8"), ("y", "f8"), ("z", "f8"), ("kind", "i4"), ("unused", "i4")])
POOL = np.dtype(
    [("fewest", "i4"), ("most", "i4"), ("entry", "i4"), ("entries", "i4"), ("weight", "i4")],
    align=True,
)
ENTRY = np.dtype(
    [("item", "i4"), ("weight", "i4"), ("fewest", "i4"), ("most", "i4"), ("variant", "i4")],
    align=True,
)
CHEST = np.dtype([("pool", "i4"), ("pools", "i4")], align=True)


class Structures(NamedTuple):
    structure: NDArray[np.void]  # (kinds,) STRUCTURE
    habitat: NDArray[np.bool_]  # (kinds, 256): it stands in the biome
    layout: NDArray[np.void]  # LAYOUT
    piece: NDArray[np.void]  # PIECE
    cells: NDArray[np.uint16]  # block id << 4 | metadata; KEEP leaves what is there
    dweller: NDArray[np.void]  # DWELLER
    chest: NDArray[np.void]  # (tables,) CHEST, row 0 is empty
    pool: NDArray[np.void]  # POOL
    entry: NDArray[np.void]  # ENTRY, item 0 is nothing


def chest_tables() -> dict[str, list[dict[str, list[list[object]]]]]:
    """chests.json: by name its pools, each with ``rolls`` [fewest, most] and ``entries`` [item,
    weight, fewest, most] or with a fifth, the variant; the item "" is nothing."""
    return json.loads(CHESTS.read_text(encoding="utf-8"))


@cache
def structures() -> Structures:
    shelf = _Shelf()
    tables = chest_tables()
    names = {name: number + 1 for number, name in enumerate(tables)}
    rows = []
    habitat = np.zeros((len(KINDS), 256), np.bool_)
    biome_ids = {biome.name: biome.id for biome in BIOMES}
    for number, kind in enumerate(KINDS):
        first = len(shelf.layouts)
        reach = 0
        for layout in kind.layouts:
            for turns in range(4 if kind.turns else 1):
                reach = max(reach, shelf.add(layout, turns, names))
        low, high = kind.heights or (ON_GROUND, ON_GROUND)
        placement = {"grid": GRID, "ring": RING, "cave": CAVE}[kind.placement]
        rows.append(
            (
                *(kind.spacing, kind.separation, placement, DIMENSIONS[kind.dimension]),
                *(low, high, kind.nearest, reach, first, len(shelf.layouts) - first),
                *(kind.salt or 600 + number, 0, kind.chance),
            )
        )
        for biome in biome_ids if kind.biomes is None else kind.biomes:
            habitat[number, biome_ids[biome]] = True
    pools, entries, chests = [], [], [(0, 0)]
    for table in tables.values():
        chests.append((len(pools), len(table)))
        for pool in table:
            total = sum(int(str(row[1])) for row in pool["entries"])
            pools.append((*pool["rolls"], len(entries), len(pool["entries"]), total))
            for item, weight, fewest, most, *variant in pool["entries"]:
                entries.append(
                    (item_id(str(item)) if item else 0, weight, fewest, most, *(variant or [0]))
                )
    return Structures(
        structure=np.array(rows, STRUCTURE),
        habitat=habitat,
        layout=np.array(shelf.layouts, LAYOUT),
        piece=np.array(shelf.pieces, PIECE),
        cells=np.concatenate(shelf.cells),
        dweller=np.array(shelf.dwellers, DWELLER),
        chest=np.array(chests, CHEST),
        pool=np.array(pools, POOL),
        entry=np.array(entries, ENTRY),
    )


class _Shelf:
    """Collects layouts; a plan that is used twice is kept once for each turn."""

    def __init__(self) -> None:
        self.layouts: list[tuple[int, int]] = []
        self.pieces: list[tuple[int, ...]] = []
        self.cells: list[NDArray[np.uint16]] = []
        self.dwellers: list[tuple[float, ...]] = []
        self._length = 0
        self._known: dict[tuple[int, int], tuple[int, int, int, tuple[int, ...]]] = {}

    def add(self, layout: list[Piece], turns: int, tables: dict[str, int]) -> int:
        """Add a turned layout. Returns how far it reaches from the start."""
        self.layouts.append((len(self.pieces), len(layout)))
        reach = 0
        for piece in layout:
            dweller, dwellers, first, shape = self._plan(piece, turns)
            x, y, z = piece.at
            deep, wide = piece.plan.cells.shape[1], piece.plan.cells.shape[0]
            for _ in range(turns):
                x, z = -(z + deep - 1), x
                deep, wide = wide, deep
            level = {"start": AT_START, "ground": AT_GROUND, "each": AT_EACH}[piece.level]
            foundation = cell(piece.foundation) if piece.foundation else 0
            table = tables[piece.table] if piece.table else 0
            self.pieces.append(
                (
                    *(first, shape[0], shape[2], shape[1], x, y, z, level, foundation, table),
                    *(dweller, dwellers),
                )
            )
            reach = max(reach, abs(x), abs(z), abs(x + shape[0]), abs(z + shape[1]))
        return reach

    def _plan(self, piece: Piece, turns: int) -> tuple[int, int, int, tuple[int, ...]]:
        key = (id(piece.plan), turns)
        if key not in self._known:
            plan = piece.plan.turned(turns)
            people = [(x, y, z, MOB_IDS[mob], 0) for mob, x, y, z in plan.dwellers]
            self._known[key] = (len(self.dwellers), len(people), self._length, plan.cells.shape)
            self.dwellers += people
            self.cells.append(plan.cells.ravel())
            self._length += plan.cells.size
        return self._known[key]
