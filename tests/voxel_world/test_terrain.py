"""The endless ground: the same however one comes to it, and what each biome is made of."""

import hashlib

import numpy as np
import pytest

from tests.voxel_world.arena import Arena, embedded
from voxeldojo.engine.compiling.compiled_apart import connect, places
from voxeldojo.engine.rulebook import rules
from voxeldojo.engine.state import DEFAULT_WORLD, HEIGHT, ONE_BIOME, new_state
from voxeldojo.engine.terrain.columns import surface
from voxeldojo.engine.terrain.generate import generate_area
from voxeldojo.engine.terrain.window import keep_window, load
from voxeldojo.rules import BIOMES, BLOCKS

NAMES = {block.id: block.name for block in BLOCKS}
BIOME_IDS = {biome.name: biome.id for biome in BIOMES}


def world_of(biome: str | None, seed: int = 4, area: int = 64):
    state = new_state(1, area)
    state.settings["generator"] = DEFAULT_WORLD if biome is None else ONE_BIOME
    state.settings["biome"] = BIOME_IDS[biome or "forest"]
    state.players["seed"] = seed
    connect(state, rules())
    return state


def digest(state) -> str:
    """Blocks, metadata, ground and biomes of the window, whatever lies where in the storage."""
    found = hashlib.sha256()
    last = state.blocks.shape[1] - 1
    xs = np.arange(state.players["west"][0], state.players["west"][0] + last + 1) & last
    zs = np.arange(state.players["north"][0], state.players["north"][0] + last + 1) & last
    for array in (state.blocks, state.meta, state.ground, state.biomes):
        found.update(np.ascontiguousarray(array[0][np.ix_(xs, zs)]).tobytes())
    return found.hexdigest()


@pytest.mark.parametrize(
    "biome", [None, "jungle", "mega_taiga", "ice_plains_spikes", "roofed_forest", "savanna_m"]
)
def test_ground_is_the_same_in_any_order_of_making_it(biome: str | None) -> None:
    at_once = world_of(biome)
    load(at_once, rules(), 0, -300, 170)
    west, north = int(at_once.players["west"][0]), int(at_once.players["north"][0])

    in_strips = world_of(biome)
    in_strips.players["west"], in_strips.players["north"] = west, north
    for x in (48, 0, 32, 16):
        for z in (0, 40, 20, 60):
            x0, z0 = west + x, north + z
            generate_area(in_strips, rules(), 0, 4, x0, z0, x0 + 16, min(z0 + 20, north + 64))
    assert digest(in_strips) == digest(at_once)

    walked = world_of(biome)
    load(walked, rules(), 0, -340, 300)
    for x, z in ((-300, 300), (-260, 240), (-300, 200), (-330, 150), (-300, 170)):
        while True:
            player = walked.players[0:1]
            away = np.array([x - player["x"][0], z - player["z"][0]])
            if player["x"][0] == 0.0:
                player["x"], player["z"] = -340.0, 300.0
                continue
            step = np.clip(away, -7.0, 7.0)
            player["x"] += step[0]
            player["z"] += step[1]
            keep_window(walked, rules(), 0)
            if not away.any():
                break
    walked_west, walked_north = int(walked.players["west"][0]), int(walked.players["north"][0])
    again = world_of(biome)
    load(again, rules(), 0, walked_west + 32, walked_north + 32)
    assert (again.players["west"], again.players["north"]) == (walked_west, walked_north)
    assert digest(walked) == digest(again)


@pytest.mark.parametrize("biome", [None, "extreme_hills", "mesa_bryce", "deep_ocean"])
def test_generated_heights_and_biomes_equal_those_of_surface(biome: str | None) -> None:
    state = world_of(biome, seed=9)
    load(state, rules(), 0, 700, -40)
    setting = state.settings[0]
    west, north = int(state.players["west"][0]), int(state.players["north"][0])
    lakes = 0
    for x in range(west, west + 64, 3):
        for z in range(north, north + 64, 3):
            told = surface(rules(), setting["biome"], setting["generator"], 9, x, z)
            assert state.biomes[0, x & 63, z & 63] == told[1]
            lakes += int(state.ground[0, x & 63, z & 63] != told[0])
    assert lakes < 30  # small lakes are dug into what is told
    assert state.ground.max() <= 115 + 22


def test_every_biome_can_be_made_and_stays_below_the_sky() -> None:
    for biome in BIOMES:
        state = world_of(biome.name, area=32)
        load(state, rules(), 0, 40, 40)
        assert (state.biomes == biome.id).all(), biome.name
        assert not state.blocks[0, :, :, HEIGHT - 1].any() or biome.name == "nether"
        top = int(state.players["ceiling"][0])
        assert not state.blocks[0, :, :, top + 1 :].any(), biome.name


def blocks_of(biome: str, area: int = 128) -> dict[str, int]:
    state = world_of(biome, area=area)
    load(state, rules(), 0, 0, 0)
    numbers, counts = np.unique(state.blocks, return_counts=True)
    return {NAMES[int(n)]: int(c) for n, c in zip(numbers, counts, strict=True)}


@pytest.mark.parametrize(
    ("biome", "there", "missing"),
    [
        ("jungle", {"log", "leaves", "vine", "cocoa", "tallgrass"}, {"log2"}),
        ("savanna", {"log2", "leaves2", "log", "double_plant"}, {"snow_layer"}),
        ("roofed_forest", {"log2", "brown_mushroom_block"}, {"cactus"}),
        ("swampland", {"waterlily", "vine", "clay", "red_flower"}, {"yellow_flower"}),
        ("desert", {"cactus", "deadbush", "sandstone"}, {"grass", "log"}),
        ("mesa", {"hardened_clay", "stained_hardened_clay", "deadbush", "sand"}, {"grass"}),
        ("mega_taiga", {"mossy_cobblestone", "log", "deadbush"}, {"log2"}),
        ("ice_plains_spikes", {"packed_ice", "snow", "snow_layer"}, {"log"}),
        ("frozen_ocean", {"ice", "gravel"}, {"water_lily"}),
        ("mushroom_island", {"mycelium", "red_mushroom_block"}, {"grass", "log"}),
        ("the_void", {"stone", "cobblestone"}, {"grass", "bedrock"}),
    ],
)
def test_a_biome_has_its_own_blocks(biome: str, there: set[str], missing: set[str]) -> None:
    found = blocks_of(biome)
    assert there <= set(found)
    assert not missing & set(found)


def test_trees_are_as_many_as_in_the_game() -> None:
    for biome, low, high in (("plains", 0, 30), ("forest", 300, 640), ("desert", 0, 0)):
        state = world_of(biome, area=128)
        load(state, rules(), 0, 0, 0)
        columns = np.isin(state.blocks[0], (17, 162)).sum(axis=2) > 3
        assert low <= columns.sum() <= high, biome


def test_the_mixed_world_has_land_sea_and_many_biomes() -> None:
    found: dict[int, int] = {}
    for x in range(-3000, 3000, 150):
        for z in range(-3000, 3000, 150):
            _, biome = surface(rules(), 4, DEFAULT_WORLD, 1, x, z)
            found[int(biome)] = found.get(int(biome), 0) + 1
    sea = sum(found.get(number, 0) for number in (0, 10, 24)) / 1600
    assert 0.08 < sea < 0.5
    assert len(found) > 20
    assert max(found.values()) < 0.3 * 1600


def test_changed_blocks_are_kept_when_the_player_comes_back() -> None:
    arena = Arena()
    arena.put(16, 64, 18, "air")
    from voxeldojo.engine.block_changes import set_block

    set_block(arena.world.state, arena.world.rules, 0, 16, 64, 18, 5, 2)
    arena.stand(200.5, 64, 16.5)
    arena.do("noop")
    assert int(arena.player["west"][0]) > 100
    arena.stand(16.5, 64, 16.5)
    arena.do("noop")
    assert arena.block(16, 64, 18) == "planks"


def test_a_reset_after_a_long_walk_is_the_same_world() -> None:
    world = embedded(1, {"area": 64})
    world.reset(np.zeros(1, np.int64), np.array([5]))
    first = digest(world.state), world.location()[0][0].tolist()
    world.state.players["x"] += 300.0
    world.step(np.array([[0, 0, 0, 12, 12, 0, 0, 0]]), np.ones(1, np.bool_))
    assert digest(world.state) != first[0]
    world.reset(np.zeros(1, np.int64), np.array([5]))
    assert (digest(world.state), world.location()[0][0].tolist()) == first


def test_a_state_that_is_not_connected_is_refused() -> None:
    state = world_of("forest")
    unconnected = type(rules())(**{**rules()._asdict(), "apart": places()})
    with pytest.raises(RuntimeError, match=r"before apart\.connect"):
        load(state, unconnected, 0, 0, 0)
