import hashlib

import numpy as np
import pytest

from tests.voxel_world.arena import embedded
from voxeldojo.engine import EmbeddedWorld
from voxeldojo.rules import BLOCKS

MAGMA = next(block.id for block in BLOCKS if block.name == "magma")
BIOMES = ["plains", "forest", "birch forest", "extreme_hills", "desert", "taiga"]


def digest(world: EmbeddedWorld, environment: int) -> str:
    """All that can be seen of an environment, in one word."""
    parts = hashlib.sha256(world.state.blocks[environment].tobytes())
    for array in (
        world.voxels(2)[environment],
        *(part[environment] for part in world.inventory()),
        *(part[environment] for part in world.location()),
    ):
        parts.update(np.ascontiguousarray(array).tobytes())
    return parts.hexdigest()


def play(world: EmbeddedWorld, environment: int, steps: int, seed: int) -> str:
    random = np.random.default_rng(seed)
    active = np.zeros(world.size, np.bool_)
    active[environment] = True
    for _ in range(steps):
        actions = np.tile((0, 0, 0, 12, 12, 0, 0, 0), (world.size, 1))
        actions[environment, :3] = random.integers((3, 3, 4))
        actions[environment, 3:5] = random.integers(10, 15, 2)
        actions[environment, 5] = random.choice([0, 2, 3, 3, 3])
        world.step(actions, active)
    return digest(world, environment)


def test_a_seed_is_the_same_episode_in_every_batch() -> None:
    alone, many = embedded(1), embedded(5)
    alone.reset(np.array([0]), np.array([42]))
    many.reset(np.arange(5), np.array([7, 8, 9, 42, 10]))
    assert digest(alone, 0) == digest(many, 3)
    first = play(alone, 0, 300, seed=1)
    assert play(many, 3, 300, seed=1) == first
    assert digest(many, 1) != digest(many, 2)
    # Again in the same environment: the changes are taken back.
    alone.reset(np.array([0]), np.array([42]))
    assert play(alone, 0, 300, seed=1) == first
    # And where another world stood before.
    many.reset(np.array([1]), np.array([42]))
    assert play(many, 1, 300, seed=1) == first


def test_a_reset_takes_back_every_change() -> None:
    world = embedded(1)
    world.reset(np.array([0]), np.array([3]))
    pristine = world.state.blocks.copy(), world.state.meta.copy()
    play(world, 0, 300, seed=2)
    from voxeldojo.engine.block_changes import set_block

    west, north = (int(world.state.players[low][0]) for low in ("west", "north"))
    for number in range(9000):
        place = west + number % 32, 60 + number // 1024, north + (number // 32) % 32
        set_block(world.state, world.rules, 0, *place, 5, 1)
        if number == 4000:
            world.reset(np.array([0]), np.array([3]))
            assert (world.state.blocks == pristine[0]).all()
    # More changes than are remembered: the world is made again.
    world.reset(np.array([0]), np.array([3]))
    assert (world.state.blocks == pristine[0]).all()
    assert (world.state.meta == pristine[1]).all()


@pytest.mark.parametrize("biome", ["plains", "jungle"])
def test_a_reset_brings_back_what_the_window_left_behind(biome: str) -> None:
    """A jungle has more than there is room to keep: some of it must be made again."""
    from voxeldojo.engine.block_changes import set_block
    from voxeldojo.engine.scene.staging import put_player

    world = embedded(1, {"area": 128}, biome=biome)
    one, seed = np.array([0]), np.array([6])
    world.reset(one, seed)
    player, state = world.state.players[0], world.state
    names = "blocks", "meta", "light", "ground", "biomes"
    pristine = {name: getattr(state, name).copy() for name in names}
    start = {name: player[name] for name in ("x", "y", "z", "west", "north", "random")}
    mobs = state.mobs[0, : int(player["mobs"])][["kind", "x", "z"]].copy()
    for far_x, far_z in ((40, 0), (-90, 40), (30, -30), (600, 0), (0, 0)):
        x, z = float(start["x"]), float(start["z"])
        for step in range(10):
            put_player(
                state,
                world.rules,
                0,
                x + far_x * (step + 1) / 10,
                90.0,
                z + far_z * (step + 1) / 10,
            )
            feet = int(player["x"]), int(player["z"])
            set_block(state, world.rules, 0, feet[0], 61 + step, feet[1], 89, 0)  # glowstone
            world.step(np.array([[1, 0, 3, 12, 12, 3, 0, 0]]), np.ones(1, np.bool_))
        player["spawn_x"] += 3.0  # as a bed does
        world.reset(one, seed)
        for name in names:
            assert (getattr(state, name) == pristine[name]).all(), name
        assert {name: player[name] for name in start} == start
        found = state.mobs[0, : int(player["mobs"])][["kind", "x", "z"]]
        assert (found == mobs).all()


def test_a_reset_takes_back_how_high_the_land_reaches() -> None:
    """What is drawn, and where monsters are tried, depends on it."""
    from voxeldojo.engine.block_changes import set_block

    world, one, seed = embedded(1), np.array([0]), np.array([3])
    world.reset(one, seed)
    player = world.state.players[0]
    ceiling = int(player["ceiling"])
    set_block(world.state, world.rules, 0, int(player["x"]), ceiling + 9, int(player["z"]), 5, 0)
    play(world, 0, 1, seed=1)
    world.reset(one, seed)
    assert player["ceiling"] == ceiling


def test_a_reset_takes_back_light_of_land_that_the_window_has_left() -> None:
    """The window moves off and back, and nothing else changes."""
    from voxeldojo.engine.scene.staging import put_player

    world = embedded(8, biome="birch_forest")
    rows = np.arange(8)
    world.reset(rows, rows)
    start = world.state.players.copy()
    light = world.state.light.copy()
    for away in (16.0, 0.0):
        for w in rows.tolist():
            middle_x, middle_z = (float(start[w][low]) + 16.5 for low in ("west", "north"))
            put_player(world.state, world.rules, w, middle_x + away, 100.0, middle_z)
        world.step(np.tile((0, 0, 0, 12, 12, 0, 0, 0), (8, 1)), np.ones(8, np.bool_))
        moved = world.state.players["west"] != start["west"]
        assert moved.all() == (away > 0.0)
    assert (world.state.light != light).any()
    world.reset(rows, rows)
    assert (world.state.light == light).all()


def test_harm_comes_at_the_same_tick_in_every_place_of_a_batch() -> None:
    from voxeldojo.engine.block_changes import set_block

    world = embedded(10)
    world.reset(np.arange(10), np.full(10, 3))
    x, y, z = (int(np.floor(world.state.players[0][axis])) for axis in "xyz")
    for w in range(10):
        set_block(world.state, world.rules, w, x, y - 1, z, MAGMA, 0)
    lives = set()
    for _ in range(10):
        world.step(np.tile((0, 0, 0, 12, 12, 0, 0, 0), (10, 1)), np.ones(10, np.bool_))
        life = world.life()[0]
        assert (life == life[0]).all()
        lives.add(float(life[0]))
    assert len(lives) == 2


@pytest.mark.parametrize("biome", BIOMES)
def test_spawn_is_on_dry_ground_in_the_open(biome: str) -> None:
    world = embedded(8, {"area": 128}, biome=biome)
    world.reset(np.arange(8), np.arange(100, 108))
    voxels = world.voxels(1)
    passable = ("air", "grass", "flower", "plant", "snow")
    walkable = {world.block_names.index(name) for name in passable}
    for environment in range(8):
        feet, head = voxels[environment, 1, 1, 1], voxels[environment, 1, 2, 1]
        assert {int(feet), int(head)} <= walkable
        below = world.block_names[voxels[environment, 1, 0, 1]]
        assert below == ("sand" if biome == "desert" else "grass block")
    logs = world.rays(np.array([[0.0, 0.0]]), 4.5)[0]
    assert "wood" not in {world.block_names[name] for name in logs.ravel()}


def test_trees_are_near_but_out_of_reach_in_a_forest() -> None:
    world = embedded(8, {"area": 128})
    world.reset(np.arange(8), np.arange(8))
    heights = []
    for environment in range(8):
        x, _, z = world.location()[0][environment]
        logs = (world.state.blocks[environment] == 17).sum(axis=2)
        trunks = np.argwhere(logs > 3) + 0.5
        # From the storage's columns to the world's.
        for axis, low in enumerate(("west", "north")):
            first = int(world.state.players[low][environment])
            trunks[:, axis] = first + (trunks[:, axis] - first) % 128
        nearest = np.hypot(trunks[:, 0] - x, trunks[:, 1] - z).min()
        assert 4.5 < nearest < 15.0
        heights += logs[logs > 3].tolist()
    # Small oaks and birches, and one tree in twelve a large oak.
    assert {4, 5, 6, 7} <= set(heights) <= set(range(4, 15))
    assert np.mean(np.array(heights) <= 7) > 0.8


def test_unknown_biomes_items_and_sizes_are_refused_in_words() -> None:
    for refused, words in (
        (lambda: embedded(biome="moon"), "no biome 'moon'"),
        (lambda: embedded(inventory={"logg": 1}), "did you mean log"),
        (lambda: embedded(inventory={"log": 9999}), "slots, there are 36"),
        (lambda: embedded(0), "at least one environment"),
        (lambda: embedded(options={"area": 7}), "area is 32"),
    ):
        with pytest.raises(ValueError, match=words):
            refused()


def test_wrong_calls_are_refused_in_words() -> None:
    world = embedded(2)
    world.reset(np.arange(2), np.arange(2))
    actions = np.tile((0, 0, 0, 12, 12, 0, 0, 0), (2, 1))
    active = np.ones(2, np.bool_)
    with pytest.raises(ValueError, match=r"step wants actions \(2, 8\)"):
        world.step(actions[:1], active)
    for fractions in (actions + 0.5, actions * np.nan):
        with pytest.raises(TypeError, match=r"float64.* to .*int64"):
            world.step(fractions, active)
    with pytest.raises(TypeError, match=r"float64.* to .*bool"):
        world.step(actions, active * 0.5)
    with pytest.raises(ValueError, match="environments are a row of whole numbers"):
        world.reset(np.array([0.7]), np.array([0]))
    for column, value in ((0, 3), (3, 25), (6, 244), (7, -1)):
        wrong = actions.copy()
        wrong[1, column] = value
        with pytest.raises(ValueError, match="environment 1: "):
            world.step(wrong, active)
    with pytest.raises(ValueError, match="numbered 0 to 1"):
        world.reset(np.array([2]), np.array([0]))
    with pytest.raises(ValueError, match="as many seeds"):
        world.reset(np.array([1]), np.array([0, 1]))
    with pytest.raises(ValueError, match="numbered 0 to 1"):
        world.observation(-1)


def test_read_only_arrays_are_taken_without_compiling_again() -> None:
    from voxeldojo.engine.stepping import act_all

    world = embedded(1)
    arrays = [
        np.array([0]),
        np.array([3]),
        np.array([[1, 0, 0, 12, 12, 0, 0, 0]], np.int32),
        np.ones(1, np.bool_),
        np.zeros((1, 2)),
    ]
    for array in arrays:
        array.flags.writeable = False
    world.reset(arrays[0], arrays[1])
    world.step(arrays[2], arrays[3])
    world.rays(arrays[4], 4.5)
    assert len(act_all.signatures) == 1  # type: ignore[attr-defined]
