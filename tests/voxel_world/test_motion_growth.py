import numpy as np

from tests.voxel_world.arena import BLOCK_IDS, FLOOR
from tests.voxel_world.motion import count, put, run, still
from voxeldojo.engine.motion.growth import fertilise


def test_wheat_grows_at_minecraft_s_rate() -> None:
    arena = still()
    arena.world.state.settings["time_passes"] = 0
    plots = [(x, z) for x in range(8, 30, 3) for z in range(8, 30, 3)]
    for x, z in plots:
        arena.put(x, FLOOR - 1, z, "farmland", 7)
        arena.put(x + 1, FLOOR - 1, z, "water")
        put(arena, x, FLOOR, z, "wheat")
    run(arena, 15000)
    ages = [int(arena.world.state.meta[0, x, z, FLOOR]) for x, z in plots]
    # Alone on wet farmland its chance is 4: one random tick in int(25 / 4) + 1 = 7.
    expected = 15000 * 3 / 4096 / 7
    assert abs(np.mean(ages) - expected) < 0.6


def test_at_night_wheat_and_saplings_grow_by_torchlight_only() -> None:
    arena = still()
    arena.world.state.settings["time_passes"] = 0
    arena.player["time"] = 18000
    for x in (6, 26):
        arena.put(x, FLOOR - 1, 10, "farmland", 7)
        arena.put(x, FLOOR - 1, 11, "water")
        put(arena, x, FLOOR, 10, "wheat")
        arena.put(x, FLOOR - 1, 20, "dirt")
        put(arena, x, FLOOR, 20, "sapling")
    put(arena, 25, FLOOR, 10, "torch", 5)
    put(arena, 25, FLOOR, 20, "torch", 5)
    for _ in range(20):
        run(arena, 5000)
        if arena.block(26, FLOOR, 20) == "log":
            break
    state = arena.world.state
    assert state.meta[0, 26, 10, FLOOR] > 0
    assert arena.block(26, FLOOR, 20) == "log"
    assert (arena.block(6, FLOOR, 10), state.meta[0, 6, 10, FLOOR]) == ("wheat", 0)
    assert (arena.block(6, FLOOR, 20), state.meta[0, 6, 20, FLOOR]) == ("sapling", 0)


def test_reeds_grow_to_three_and_stay_by_the_water() -> None:
    arena = still()
    arena.put(16, FLOOR - 1, 16, "sand")
    arena.put(17, FLOOR - 1, 16, "water")
    put(arena, 16, FLOOR, 16, "reeds")
    arena.player["ticks"] = 0
    for _ in range(30):
        run(arena, 5000)
        if count(arena, "reeds") == 3:
            break
    run(arena, 5000)
    assert count(arena, "reeds") == 3
    arena.put(17, FLOOR - 1, 16, "stone")
    put(arena, 17, FLOOR, 16, "stone")  # the reeds look only when a neighbour changes
    run(arena, 3)
    assert count(arena, "reeds") == 0


def test_bone_meal_makes_a_sapling_a_tree_and_a_reset_removes_it() -> None:
    arena = still()
    arena.put(16, FLOOR - 1, 16, "dirt")
    put(arena, 16, FLOOR, 16, "sapling", 2)
    for _ in range(200):
        if arena.block(16, FLOOR, 16) != "sapling":
            break
        fertilise(arena.world.state, arena.world.rules, 0, 16, FLOOR, 16)
        run(arena, 1)
    assert arena.block(16, FLOOR, 16) == "log"
    assert arena.world.state.meta[0, 16, 16, FLOOR] == 2
    assert 4 <= count(arena, "log") <= 8
    assert count(arena, "leaves") > 20
    arena.world.reset(np.zeros(1, np.int64), np.zeros(1, np.int64))
    assert arena.block(16, FLOOR, 16) == "air"


def test_farmland_dries_without_water_and_grass_dies_under_stone() -> None:
    arena = still()
    put(arena, 16, FLOOR - 1, 16, "farmland", 1)
    put(arena, 20, FLOOR - 1, 20, "farmland", 0)
    arena.put(23, FLOOR - 1, 20, "water")
    arena.put(10, FLOOR - 1, 10, "grass")
    put(arena, 10, FLOOR, 10, "stone")
    put(arena, 10, FLOOR - 1, 5, "dirt")
    arena.put(11, FLOOR - 1, 5, "grass")
    arena.put(9, FLOOR - 1, 5, "grass")
    run(arena, 30000)
    assert arena.block(16, FLOOR - 1, 16) == "dirt"
    assert arena.block(20, FLOOR - 1, 20) == "farmland"
    assert arena.world.state.meta[0, 20, 20, FLOOR - 1] == 7
    assert arena.block(10, FLOOR - 1, 10) == "dirt"
    assert arena.block(10, FLOOR - 1, 5) == "grass"


def test_bone_meal_on_grass_makes_tall_grass() -> None:
    arena = still()
    arena.world.state.blocks[0, 8:24, 8:24, FLOOR - 1] = BLOCK_IDS["grass"]
    assert fertilise(arena.world.state, arena.world.rules, 0, 16, FLOOR - 1, 16)
    assert count(arena, "tallgrass") > 5
    assert not fertilise(arena.world.state, arena.world.rules, 0, 16, FLOOR - 10, 16)


def test_a_fall_tramples_farmland_and_walking_does_not() -> None:
    arena = still()
    for x in range(12, 21):
        for z in range(12, 21):
            put(arena, x, FLOOR - 1, z, "farmland", 7)
    arena.stand(16.5, FLOOR, 14.5)
    arena.do("forward", 10)
    assert count(arena, "dirt") == 0
    arena.stand(16.5, FLOOR + 3, 16.5)
    arena.do("noop", 20)
    assert count(arena, "dirt") == 1


def test_bone_meal_spreads_as_far_uphill_as_downhill() -> None:
    """A step goes up or down one time in nine each: rand.nextInt(3) - 1 times rand.nextInt(3),
    halved towards 0."""
    arena = still()
    blocks = arena.world.state.blocks[0]
    for x in range(8, 25):
        top = FLOOR - 1 + 16 - x
        blocks[x, :, : top + 1] = BLOCK_IDS["stone"]
        blocks[x, :, top + 1 :] = 0
        blocks[x, :, top] = BLOCK_IDS["grass"]
    slope = blocks.copy()
    higher, lower = 0, 0
    for _ in range(300):
        fertilise(arena.world.state, arena.world.rules, 0, 16, FLOOR - 1, 16)
        grown = (blocks != slope).any((1, 2)) * (blocks != slope).sum((1, 2))
        higher += int(grown[8:16].sum())
        lower += int(grown[17:25].sum())
        blocks[:] = slope
    assert higher > 200
    assert 0.8 < higher / lower < 1.25
