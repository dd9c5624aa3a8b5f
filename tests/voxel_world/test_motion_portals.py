import pytest

from tests.voxel_world.arena import FLOOR, Arena
from tests.voxel_world.motion import count, put, run, still
from voxeldojo.engine.motion.portals import fill_eyes
from voxeldojo.engine.state import END, NETHER


def frame(arena: Arena, wide: int, tall: int, *, along_x: bool = True) -> None:
    """Obsidian around ``wide`` x ``tall`` free blocks from (10, FLOOR + 1, 10) on, no corners."""
    for across in range(wide):
        for y in (0, tall + 1):
            x, z = (10 + across, 10) if along_x else (10, 10 + across)
            arena.put(x, FLOOR + y, z, "obsidian")
    for up in range(1, tall + 1):
        for across in (-1, wide):
            x, z = (10 + across, 10) if along_x else (10, 10 + across)
            arena.put(x, FLOOR + up, z, "obsidian")


@pytest.mark.parametrize(
    ("wide", "tall", "along_x", "lit"),
    [(2, 3, True, True), (2, 3, False, True), (5, 6, True, True), (1, 3, True, False),
     (2, 2, True, False), (21, 21, True, True)],
)  # fmt: skip
def test_a_portal_is_lit_only_in_a_frame_of_a_valid_size_and_ends_with_it(
    wide: int, tall: int, along_x: bool, lit: bool
) -> None:
    arena = still()
    frame(arena, wide, tall, along_x=along_x)
    put(arena, 10, FLOOR + 1, 10, "fire")
    run(arena, 1)
    assert count(arena, "portal") == (wide * tall if lit else 0)
    if lit:
        assert arena.world.state.meta[0, 10, 10, FLOOR + 1] == (1 if along_x else 2)
        # A piece of the frame is gone, and so is the portal.
        put(arena, 10, FLOOR, 10, "air")
        run(arena, 4)
        assert count(arena, "portal") == 0


def test_a_portal_frame_with_a_wrong_block_is_not_lit() -> None:
    arena = still()
    frame(arena, 2, 3)
    arena.put(9, FLOOR + 2, 10, "stone")
    put(arena, 10, FLOOR + 1, 10, "fire")
    run(arena, 1)
    assert count(arena, "portal") == 0


@pytest.mark.parametrize(("dimension", "lit"), [(NETHER, True), (END, False)])
def test_a_nether_portal_cannot_be_lit_in_the_end(dimension: int, lit: bool) -> None:
    arena = still()
    arena.player["dimension"] = dimension
    frame(arena, 2, 3)
    put(arena, 10, FLOOR + 1, 10, "fire")
    run(arena, 1)
    assert count(arena, "portal") == (6 if lit else 0)


def test_twelve_eyes_open_the_end_portal() -> None:
    arena = still()
    places = [(x, z) for x in (15, 16, 17) for z in (14, 18)]
    places += [(x, z) for x in (14, 18) for z in (15, 16, 17)]
    for x, z in places:
        arena.put(x, FLOOR, z, "end_portal_frame", 4)
    arena.put(14, FLOOR, 16, "end_portal_frame", 0)
    state, rules = arena.world.state, arena.world.rules
    assert not fill_eyes(state, rules, 0, 18, FLOOR, 16)
    arena.put(14, FLOOR, 16, "end_portal_frame", 4)
    assert fill_eyes(state, rules, 0, 14, FLOOR, 16)
    assert count(arena, "end_portal") == 9
