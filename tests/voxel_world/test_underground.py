"""Caves, ores, the Nether and the End: the same whatever the order, and at the game's rates."""

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

from tests.voxel_world.arena import BLOCK_IDS
from voxeldojo.engine.rulebook import rules
from voxeldojo.engine.state import State, new_state
from voxeldojo.engine.terrain.end.generate import (
    fountain_height,
    generate_end,
    pillar,
)
from voxeldojo.engine.terrain.nether.generate import generate_nether
from voxeldojo.engine.terrain.underground.carve import TUNNEL, begin_tunnels, carve
from voxeldojo.engine.terrain.underground.ores import VEINS, bury

GROUND = 68
SEED = np.uint64(11)
HILLS, PLAINS = 3, 1
Generator = Callable[..., Any]


def window(west: int, north: int, area: int = 64, biome: int = PLAINS) -> State:
    """Bare ground: stone, dirt, grass."""
    state = new_state(1, area)
    state.players["west"], state.players["north"] = west, north
    state.blocks[..., : GROUND - 3] = BLOCK_IDS["stone"]
    state.blocks[..., GROUND - 3 : GROUND] = BLOCK_IDS["dirt"]
    state.blocks[..., GROUND] = BLOCK_IDS["grass"]
    state.ground[:] = GROUND
    state.biomes[:] = biome
    return state


def underground(state: State, rules: Any, w: int, seed: np.uint64, *area: int) -> None:
    carve(state, rules, w, seed, *area)
    bury(state, rules, w, seed, *area)


def shown(state: State) -> tuple[bytes, bytes]:
    return state.blocks.tobytes(), state.meta.tobytes()


@pytest.mark.parametrize("generate", [underground, generate_nether, generate_end])
@pytest.mark.parametrize("corner", [(-48, -16), (1600, -2000)])
def test_caves_nether_and_end_are_the_same_in_any_order_of_making_them(
    generate: Generator, corner: tuple[int, int]
) -> None:
    x, z = corner
    whole = window(x, z)
    generate(whole, rules(), 0, SEED, x, z, x + 64, z + 64)
    pieces = window(x, z)
    cuts = [(0, 0, 16, 64), (48, 32, 64, 64), (16, 16, 48, 64), (16, 0, 64, 16), (48, 16, 64, 32)]
    for x0, z0, x1, z1 in reversed(cuts):
        generate(pieces, rules(), 0, SEED, x + x0, z + z0, x + x1, z + z1)
    assert shown(pieces) == shown(whole)
    other = window(x, z)
    generate(other, rules(), 0, SEED + np.uint64(1), x, z, x + 64, z + 64)
    assert shown(other) != shown(whole)


# Blocks in a chunk of stone, as Minecraft 1.11.2 generates them on the whole, within a third.
RATES = {
    "coal_ore": 170,
    "iron_ore": 108,
    "gold_ore": 10,
    "redstone_ore": 29,
    "diamond_ore": 3.7,
    "lapis_ore": 4.0,
}
DEPTHS = {
    "coal_ore": 127,
    "iron_ore": 66,
    "gold_ore": 34,
    "redstone_ore": 18,
    "diamond_ore": 18,
    "lapis_ore": 33,
}


def test_ores_lie_at_their_depths_at_their_rates() -> None:
    chunks = 0
    found = np.zeros((256, 128))
    for number in range(6):
        state = window(number * 500, 0, 128)
        bury(state, rules(), 0, SEED, number * 500, 0, number * 500 + 128, 128)
        for block in RATES:
            found[BLOCK_IDS[block]] += (state.blocks[0] == BLOCK_IDS[block]).sum((0, 1))
        chunks += 64
    for block, rate in RATES.items():
        heights = found[BLOCK_IDS[block]]
        assert 0.67 * rate < heights.sum() / chunks < 1.5 * rate, block
        assert np.flatnonzero(heights).max() <= DEPTHS[block], block
    # As the table of veins has it: rows are block, metadata, veins, size.
    assert [VEINS[VEINS[:, 0] == BLOCK_IDS[name], 2][0] for name in RATES] == [20, 20, 2, 8, 1, 1]


def test_emeralds_and_silverfish_are_in_extreme_hills_only() -> None:
    for biome, there in ((HILLS, True), (PLAINS, False)):
        state = window(0, 0, 128, biome)
        bury(state, rules(), 0, SEED, 0, 0, 128, 128)
        for block in ("emerald_ore", "monster_egg"):
            assert (state.blocks == BLOCK_IDS[block]).any() == there


def test_caves_are_hollow_and_their_depths_full_of_lava() -> None:
    shares = []
    for number in range(8):
        x = number * 700
        state = window(x, 0, 128)
        carve(state, rules(), 0, SEED, x, 0, x + 128, 128)
        blocks = state.blocks[0]
        shares.append(float((blocks[..., 11:60] == 0).mean()))
        assert not (blocks[..., :11] == 0).any()
        assert (blocks[..., :11] == BLOCK_IDS["lava"]).any()
    assert 0.01 < np.mean(shares) < 0.12


@numba.njit
def begun(seed: Any, chunk_x: int, chunk_z: int, waiting: Any) -> int:
    return begin_tunnels(seed, chunk_x, chunk_z, waiting)


def test_tunnels_and_rooms_leave_room_in_the_list_for_the_branches_of_the_last() -> None:
    whole = np.zeros(64, TUNNEL)
    waiting = whole[:8]
    fullest = 0
    for chunk in range(4000):
        fullest = max(fullest, begun(SEED, chunk, 7, waiting))
        assert not whole["steps"][6:].any()
    assert fullest == 6


def test_no_cave_opens_under_water() -> None:
    state = window(0, 0, 128)
    state.ground[:] = 50
    state.blocks[..., 51:63] = BLOCK_IDS["water"]
    state.blocks[..., 63:] = 0
    before = state.blocks[..., 43:63].copy()
    carve(state, rules(), 0, SEED, 0, 0, 128, 128)
    assert (state.blocks[..., 43:63] == before).all()


def test_the_nether_has_its_bedrock_lava_and_blocks() -> None:
    state = window(0, 0, 128)
    generate_nether(state, rules(), 0, SEED, 0, 0, 128, 128)
    blocks = state.blocks[0]
    assert (blocks[..., 0] == BLOCK_IDS["bedrock"]).all()
    assert (blocks[..., 127] == BLOCK_IDS["bedrock"]).all()
    assert 0.2 < float((blocks == 0).mean()) < 0.7
    assert (blocks[..., 31] == BLOCK_IDS["lava"]).mean() > 0.1
    for name in ("soul_sand", "gravel", "glowstone", "quartz_ore", "magma", "fire"):
        assert (blocks == BLOCK_IDS[name]).any(), name


def test_the_end_has_pillars_a_fountain_and_islands_far_out() -> None:
    state = window(-64, -64, 128)
    generate_end(state, rules(), 0, SEED, -64, -64, 64, 64)
    for number in range(10):
        x, z, top, _ = pillar(SEED, number)
        column = state.blocks[0, x & 127, z & 127]
        assert column[top] == BLOCK_IDS["bedrock"]
        assert (column[60:top] == BLOCK_IDS["obsidian"]).all()
    base = fountain_height(SEED)
    assert (state.blocks[0, 0, 0, base - 1 : base + 3] == BLOCK_IDS["bedrock"]).all()
    # Nothing between the islands, and beyond 1000 metres chorus plants on others.
    state = window(512, 0, 128)
    generate_end(state, rules(), 0, SEED, 512, 0, 640, 128)
    assert not state.blocks.any()
    seen: set[int] = set()
    for number in range(4):
        x = 1300 + 300 * number
        state = window(x, 0, 128)
        generate_end(state, rules(), 0, SEED, x, 0, x + 128, 128)
        seen |= set(np.unique(state.blocks).tolist())
    assert {BLOCK_IDS[name] for name in ("end_stone", "chorus_plant", "chorus_flower")} <= seen
