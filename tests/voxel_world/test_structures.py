"""Structures stand where nearest() says, with their blocks, chests and inhabitants."""

import math
from collections import Counter
from typing import Any

import numba
import numpy as np
import pytest

from tests.voxel_world.arena import BLOCK_IDS
from voxeldojo.engine.compiling.compiled_apart import connect
from voxeldojo.engine.grid import log_change, write_block
from voxeldojo.engine.hands.digging import break_block
from voxeldojo.engine.motion.explosions import explode
from voxeldojo.engine.rulebook import rules
from voxeldojo.engine.state import ONE_BIOME, State, new_state
from voxeldojo.engine.structures.build import build
from voxeldojo.engine.structures.catalogue import (
    KIND_IDS,
    KINDS,
    chest_tables,
    structures,
)
from voxeldojo.engine.structures.inhabitants import settle
from voxeldojo.engine.structures.loot import drop_chest
from voxeldojo.engine.structures.places import STRONGHOLDS, nearest, stronghold_chunk
from voxeldojo.engine.structures.plans import DIMENSIONS, Plan, drawn
from voxeldojo.rules import biome_named, item_names
from voxeldojo.rules.mobs import MOB_IDS
from voxeldojo.rules.sources import sources

SEED = np.uint64(5)
STONE_TO = 62

# What makes each kind what it is: blocks, and who lives there.
MARKS: dict[str, tuple[set[str], set[str]]] = {
    "village": (
        {"wheat", "carrots", "potatoes", "beetroots", "chest", "grass_path", "water", "torch"},
        {"villager", "villager_golem"},
    ),
    "village_desert": ({"sandstone", "chest", "farmland"}, {"villager", "villager_golem"}),
    "village_savanna": ({"log2", "chest", "farmland"}, {"villager", "villager_golem"}),
    "village_taiga": ({"log", "chest", "farmland"}, {"villager", "villager_golem"}),
    "mineshaft": ({"planks", "fence", "rail", "web", "torch", "mob_spawner", "chest"}, set()),
    "dungeon": ({"mossy_cobblestone", "cobblestone", "mob_spawner", "chest"}, set()),
    "stronghold": (
        {"stonebrick", "iron_bars", "bookshelf", "web", "mob_spawner", "chest", "monster_egg"},
        set(),
    ),
    "desert_temple": ({"sandstone", "stained_hardened_clay", "tnt", "chest"}, set()),
    "jungle_temple": ({"mossy_cobblestone", "dispenser", "tripwire", "chest"}, set()),
    "igloo": ({"snow", "bed", "furnace", "crafting_table"}, set()),
    "witch_hut": ({"planks", "cauldron", "flower_pot"}, {"witch"}),
    "monument": (
        {"prismarine", "sea_lantern", "sponge", "gold_block", "water"},
        {"elder_guardian"},
    ),
    "mansion": (
        {"planks", "log2", "bookshelf", "chest", "cobblestone"},
        {"vindication_illager", "evocation_illager"},
    ),
    "fortress": (
        {"nether_brick", "nether_brick_fence", "nether_wart", "soul_sand", "mob_spawner", "chest"},
        {"blaze", "wither_skeleton"},
    ),
    "end_city": ({"purpur_block", "purpur_pillar", "end_rod", "chest"}, {"shulker"}),
}


def site(kind: str, seed: np.uint64 = SEED) -> tuple[State, tuple[int, int, int]]:
    """A window around the nearest structure of a kind, built into plain stone."""
    number = KIND_IDS[kind]
    entry = KINDS[number]
    biome = biome_named((entry.biomes or ["plains"])[0]).id
    found, x, y, z = nearest(rules(), biome, ONE_BIOME, seed, number, 0, 0)
    assert found
    state = new_state(1, 256)
    connect(state, rules())
    state.players["seed"] = seed
    state.players["dimension"] = DIMENSIONS[entry.dimension]
    state.players["west"], state.players["north"] = x - 128, z - 128
    state.settings["generator"], state.settings["biome"] = ONE_BIOME, biome
    state.blocks[..., : STONE_TO + 1] = BLOCK_IDS["stone"]
    state.ground[:] = STONE_TO
    build(state, rules(), 0, seed, x - 128, z - 128, x + 128, z + 128)
    return state, (int(x), int(y), int(z))


def near(state: State, x: int, z: int, reach: int) -> Any:
    """Blocks and metadata of the columns around a place."""
    xs, zs = (np.arange(c - reach, c + reach + 1) & 255 for c in (x, z))
    return state.blocks[0][np.ix_(xs, zs)], state.meta[0][np.ix_(xs, zs)]


@pytest.mark.parametrize("kind", list(KIND_IDS))
def test_a_structure_stands_where_nearest_finds_it(kind: str) -> None:
    state, (x, _, z) = site(kind)
    reach = int(rules().structure[KIND_IDS[kind]]["reach"])
    blocks, _ = near(state, x, z, reach)
    marks, inhabitants = MARKS[kind]
    missing = {name for name in marks if not (blocks == BLOCK_IDS[name]).any()}
    assert not missing
    settle(state, rules(), 0, SEED, x - 128, z - 128, x + 128, z + 128)
    kinds = set(state.mobs[0]["kind"].tolist()) - {0}
    assert {MOB_IDS[name] for name in inhabitants} <= kinds
    assert all(state.mobs[0]["stays"][state.mobs[0]["kind"] != 0] == 1)


@pytest.mark.parametrize("kind", ["village", "stronghold", "fortress"])
def test_a_structure_is_the_same_in_any_order_of_building_its_parts(kind: str) -> None:
    whole, (x, _, z) = site(kind)
    parts = new_state(1, 256)
    for name in ("seed", "dimension", "west", "north"):
        parts.players[name] = whole.players[name]
    parts.settings[:] = whole.settings
    parts.blocks[..., : STONE_TO + 1] = BLOCK_IDS["stone"]
    parts.ground[:] = STONE_TO
    for dx in range(240, -1, -16):
        for half in (128, 0):
            west, north = x - 128 + dx, z - 128 + half
            build(parts, rules(), 0, SEED, west, north, west + 16, north + 128)
    assert parts.blocks.tobytes() == whole.blocks.tobytes()
    assert parts.meta.tobytes() == whole.meta.tobytes()


@numba.njit
def nearest_stronghold(seed: Any, x: int, z: int) -> tuple[int, int]:
    """(x, z) of the stronghold's origin, the middle of its portal room."""
    best = 1e18
    best_x = 0
    best_z = 0
    for number in range(STRONGHOLDS):
        chunk_x, chunk_z = stronghold_chunk(seed, number)
        away = math.hypot(chunk_x * 16.0 + 8.0 - x, chunk_z * 16.0 + 8.0 - z)
        if away < best:
            best = away
            best_x = chunk_x * 16 + 8
            best_z = chunk_z * 16 + 8
    return best_x, best_z


def test_the_nearest_stronghold_has_twelve_portal_frames() -> None:
    for seed in range(4):
        state, (x, _, z) = site("stronghold", np.uint64(seed))
        assert (x, z) == nearest_stronghold(np.uint64(seed), 0, 0)
        assert 1400 < np.hypot(x, z) < 2700
        blocks, metas = near(state, x, z, 3)
        frames = blocks == BLOCK_IDS["end_portal_frame"]
        assert frames.sum() == 12
        assert sorted(np.bincount(metas[frames] & 3)) == [3, 3, 3, 3]


def test_chests_of_structures_hold_only_items_of_their_tables() -> None:
    book = rules()
    tables = list(chest_tables())
    expected = {entry.place: set(entry.items) for entry in sources().chests}
    seen: dict[str, set[str]] = {}
    for kind in KINDS:
        place = kind.name.split("_")[0] if kind.name.startswith("village") else kind.name
        for seed in range(3):
            state, (x, _, z) = site(kind.name, np.uint64(seed))
            reach = int(book.structure[KIND_IDS[kind.name]]["reach"])
            chests = np.argwhere(state.blocks[0] == BLOCK_IDS["chest"])
            for i, k, y in chests:
                cx = x + (int(i) - x + 128) % 256 - 128
                cz = z + (int(k) - z + 128) % 256 - 128
                if max(abs(cx - x), abs(cz - z)) > reach:
                    continue
                state.drops["count"] = 0
                drop_chest(state, book, 0, cx, int(y), cz, BLOCK_IDS["chest"])
                lying = state.drops[0][state.drops[0]["count"] > 0]
                assert len(lying) > 0, (kind.name, cx, y, cz)
                seen.setdefault(place, set()).update(item_names[i] for i in lying["item"])
    for place, items in seen.items():
        rows = [name for name in tables if name.startswith(place)]
        rows += ["end_ship"] if place == "end_city" else []
        rows += ["dungeon", "mineshaft"]  # such a one may lie within another's reach
        may = {
            str(row[0]) for name in rows for pool in chest_tables()[name] for row in pool["entries"]
        }
        assert items <= may, place
    for place, items in expected.items():
        rows = [name for name in tables if name.startswith(place)]
        has = {row[0] for name in rows for pool in chest_tables()[name] for row in pool["entries"]}
        assert items <= has, place


def test_a_chest_that_the_player_put_down_is_empty() -> None:
    state, (x, _, z) = site("desert_temple")
    i, k, y = (int(v) for v in np.argwhere(state.blocks[0] == BLOCK_IDS["chest"])[0])
    cx, cz = x + (i - x + 128) % 256 - 128, z + (k - z + 128) % 256 - 128
    log_change(state, 0, cx, y, cz, BLOCK_IDS["chest"], 2)
    drop_chest(state, rules(), 0, cx, y, cz, BLOCK_IDS["chest"])
    assert not state.drops["count"].any()


def test_a_chest_spills_when_it_is_broken_and_silverfish_come_out_of_their_stone() -> None:
    state, (x, y, z) = site("stronghold")
    i, k, level = (int(v) for v in np.argwhere(state.blocks[0] == BLOCK_IDS["chest"])[0])
    cx, cz = x + (i - x + 128) % 256 - 128, z + (k - z + 128) % 256 - 128
    break_block(state, rules(), 0, cx, level, cz)
    lying = [item_names[item] for item in state.drops[0]["item"][state.drops[0]["count"] > 0]]
    assert "chest" in lying
    assert len(lying) > 1
    write_block(state, 0, x, y + 20, z, BLOCK_IDS["monster_egg"], 0)
    break_block(state, rules(), 0, x, y + 20, z)
    assert MOB_IDS["silverfish"] in state.mobs[0]["kind"]


def test_a_turned_plan_turns_its_stairs_and_villagers() -> None:
    plan = drawn("ab\n..", {"a": "oak_stairs:2", "b": "stone"}).lives("villager", 0.5, 1.0, 1.5)
    east = plan.turned(1)
    # (x, z) goes to (-z, x); stairs that rose to the south now rise to the west.
    assert east.cells[1, 0, 0] == BLOCK_IDS["oak_stairs"] << 4 | 1
    assert east.cells[1, 1, 0] == BLOCK_IDS["stone"] << 4
    assert east.dwellers == [("villager", 0.5, 1.0, 0.5)]
    again = plan.turned(4)
    assert (again.cells == plan.cells).all()
    assert again.dwellers == plan.dwellers


def test_a_plan_that_names_an_unknown_block_is_refused() -> None:
    with pytest.raises(ValueError, match="names 'stonebricks', which is no block"):
        Plan(1, 1, 1).put("stonebricks", (0, 0, 0))
    assert set(KIND_IDS) == set(MARKS)
    assert structures().cells.nbytes < 4 << 20


def test_a_chest_that_explodes_spills_what_is_in_it() -> None:
    state, (x, _, z) = site("stronghold")
    i, k, level = (int(v) for v in np.argwhere(state.blocks[0] == BLOCK_IDS["chest"])[0])
    cx, cz = x + (i - x + 128) % 256 - 128, z + (k - z + 128) % 256 - 128
    drop_chest(state, rules(), 0, cx, level, cz, BLOCK_IDS["chest"])

    def lying() -> Counter[int]:
        drops = state.drops[0][state.drops[0]["count"] > 0]
        return sum((Counter({int(d["item"]): int(d["count"])}) for d in drops), Counter())

    contents = lying()
    state.drops["count"] = 0
    explode(state, rules(), 0, cx + 0.5, level + 0.5, cz + 0.5, 3.0, False, 0)
    assert contents
    assert contents <= lying()
