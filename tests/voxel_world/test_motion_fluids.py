import pytest

from tests.voxel_world.arena import FLOOR
from tests.voxel_world.motion import put, run, still

WATER, LAVA = ("water", "flowing_water"), ("lava", "flowing_lava")


def test_water_on_a_plate_is_a_diamond_of_radius_seven() -> None:
    arena = still()
    put(arena, 16, FLOOR, 16, "water")
    run(arena, 1)
    for radius in range(8):
        for x in range(5, 28):
            for z in range(5, 28):
                away = abs(x - 16) + abs(z - 16)
                wet = arena.block(x, FLOOR, z) in WATER
                assert wet == (away <= radius), (radius, x, z)
                if wet:
                    assert arena.world.state.meta[0, x, z, FLOOR] == away
        run(arena, 5)
    run(arena, 60)
    assert arena.block(16, FLOOR, 24) == "air"
    # Taken away, all of it dries up.
    put(arena, 16, FLOOR, 16, "air")
    run(arena, 200)
    assert not any(arena.block(x, FLOOR, 16) in WATER for x in range(32))


def test_water_runs_to_the_nearest_hole() -> None:
    arena = still()
    put(arena, 19, FLOOR - 1, 16, "air")
    put(arena, 16, FLOOR, 16, "water")
    run(arena, 40)
    assert [arena.block(x, FLOOR, 16) in WATER for x in (17, 18, 19)] == [True] * 3
    assert arena.block(15, FLOOR, 16) == "air"
    assert arena.block(16, FLOOR, 17) == "air"
    assert arena.world.state.meta[0, 19, 16, FLOOR - 1] & 8


def test_two_sources_make_a_third() -> None:
    arena = still()
    for x in (15, 16, 17):
        put(arena, x, FLOOR - 1, 16, "air")
    put(arena, 15, FLOOR - 1, 16, "water")
    put(arena, 17, FLOOR - 1, 16, "water")
    run(arena, 20)
    assert arena.block(16, FLOOR - 1, 16) in WATER
    assert arena.world.state.meta[0, 16, 16, FLOOR - 1] == 0
    put(arena, 16, FLOOR - 1, 16, "air")
    run(arena, 20)
    assert arena.world.state.meta[0, 16, 16, FLOOR - 1] == 0
    assert arena.block(16, FLOOR - 1, 16) in WATER


def test_lava_flows_three_blocks_far_and_slowly() -> None:
    arena = still()
    put(arena, 16, FLOOR, 16, "lava")
    run(arena, 29)
    assert arena.block(17, FLOOR, 16) == "air"
    run(arena, 131)
    reach = [x for x in range(32) if arena.block(x, FLOOR, 16) in LAVA]
    assert reach == [13, 14, 15, 16, 17, 18, 19]


@pytest.mark.parametrize(("meta", "stone"), [(0, "obsidian"), (4, "cobblestone")])
def test_water_hardens_lava(meta: int, stone: str) -> None:
    arena = still()
    put(arena, 16, FLOOR, 16, "lava", meta)
    put(arena, 17, FLOOR, 16, "water")
    run(arena, 1)
    assert arena.block(16, FLOOR, 16) == stone


def test_lava_that_falls_on_water_becomes_stone() -> None:
    arena = still()
    put(arena, 16, FLOOR - 1, 16, "water")
    put(arena, 16, FLOOR + 1, 16, "lava")
    run(arena, 100)
    assert arena.block(16, FLOOR - 1, 16) in ("stone", "water")
    assert "stone" in (arena.block(16, FLOOR - 1, 16), arena.block(16, FLOOR, 16))


def test_water_washes_torches_away() -> None:
    arena = still()
    put(arena, 17, FLOOR, 16, "torch", 5)
    put(arena, 16, FLOOR, 16, "water")
    run(arena, 6)
    assert arena.block(17, FLOOR, 16) in WATER
    assert (arena.world.state.drops[0]["count"] > 0).sum() == 1


def test_generated_water_lies_still() -> None:
    arena = still()
    arena.put(16, FLOOR, 16, "water")
    run(arena, 50)
    assert arena.block(17, FLOOR, 16) == "air"
    put(arena, 16, FLOOR + 1, 16, "stone")
    run(arena, 6)
    assert arena.block(17, FLOOR, 16) in WATER
