import numpy as np

from tests.voxel_world.arena import FLOOR
from tests.voxel_world.motion import count, lying, put, run, still


def test_sand_falls_to_the_ground_and_a_tower_after_it() -> None:
    arena = still()
    for y in range(4, 7):
        arena.put(16, FLOOR + y, 16, "sand")
    put(arena, 16, FLOOR + 3, 16, "stone")
    run(arena, 20)
    assert arena.block(16, FLOOR + 4, 16) == "sand"
    put(arena, 16, FLOOR + 3, 16, "air")
    run(arena, 20)
    assert [arena.block(16, FLOOR + y, 16) for y in range(7)] == ["sand"] * 3 + ["air"] * 4


def test_sand_and_gravel_that_fall_on_a_torch_or_slab_become_items() -> None:
    arena = still()
    arena.put(16, FLOOR, 16, "torch", 5)
    put(arena, 16, FLOOR + 3, 16, "gravel")
    arena.put(20, FLOOR, 16, "stone_slab")
    put(arena, 20, FLOOR + 3, 16, "sand")
    run(arena, 5)
    assert lying(arena) == {"gravel": 1, "sand": 1}
    assert arena.block(16, FLOOR, 16) == "torch"


def test_blocks_that_lose_their_support_drop() -> None:
    arena = still()
    for x, name, meta in ((10, "tallgrass", 1), (12, "torch", 5), (14, "rail", 0)):
        arena.put(x, FLOOR - 1, 10, "dirt")
        arena.put(x, FLOOR, 10, name, meta)
        put(arena, x, FLOOR - 1, 10, "air")
    arena.put(16, FLOOR, 16, "stone")
    arena.put(17, FLOOR, 16, "torch", 1)  # carried from x - 1
    arena.put(16, FLOOR, 17, "ladder", 3)  # carried from z - 1
    put(arena, 16, FLOOR, 16, "air")
    arena.put(20, FLOOR - 1, 20, "sand")
    for y in range(3):
        arena.put(20, FLOOR + y, 20, "cactus")
    put(arena, 21, FLOOR, 20, "stone")
    run(arena, 2)
    assert count(arena, "torch") == count(arena, "ladder") == count(arena, "rail") == 0
    assert count(arena, "cactus") == 0
    found = lying(arena)
    assert (found["torch"], found["ladder"], found["rail"], found["cactus"]) == (2, 1, 1, 3)


def test_a_door_that_loses_its_support_drops_one_item() -> None:
    arena = still()
    put(arena, 16, FLOOR, 16, "wooden_door", 0)
    put(arena, 16, FLOOR + 1, 16, "wooden_door", 8)
    run(arena, 2)
    assert count(arena, "wooden_door") == 2
    put(arena, 16, FLOOR - 1, 16, "air")
    run(arena, 2)
    assert count(arena, "wooden_door") == 0
    assert lying(arena) == {"wooden_door": 1}


def test_leaves_without_a_log_wither() -> None:
    arena = still()
    for x in range(12, 26):
        arena.put(x, FLOOR + 3, 16, "leaves", 0)
    arena.put(12, FLOOR + 3, 17, "leaves", 4)  # put there by a player
    for y in range(4):
        arena.put(16, FLOOR + y, 15, "log")
    arena.put(24, FLOOR + 3, 15, "log")
    put(arena, 24, FLOOR + 3, 15, "air")
    run(arena, 12000)
    state = arena.world.state
    left = [x for x in range(32) if arena.block(x, FLOOR + 3, 16) == "leaves"]
    # Three more leaves reach the log at 16 over the one beside it; those that never looked, too.
    assert set(range(12, 20)) <= set(left)
    assert not set(range(21, 26)) & set(left)
    for y in range(4):
        put(arena, 16, FLOOR + y, 15, "air")
    run(arena, 20000)
    assert [x for x in range(32) if arena.block(x, FLOOR + 3, 16) == "leaves"] == []
    assert arena.block(12, FLOOR + 3, 17) == "leaves"
    assert int(np.count_nonzero(state.pending[0]["due"][: state.players[0]["pending"]])) == 0
