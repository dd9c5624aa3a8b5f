import numpy as np
import pytest

from tests.voxel_world.arena import FLOOR, Arena
from voxeldojo.engine.grid import block_at


@pytest.fixture
def arena() -> Arena:
    return Arena()


@pytest.mark.parametrize(
    ("name", "metres_per_second"),
    [("forward", 4.317), ("sprint", 5.612), ("sneak", 0.0)],
)
def test_walking_and_sprinting_have_the_games_pace(
    arena: Arena, name: str, metres_per_second: float
) -> None:
    arena.stand(16.5, FLOOR, 5.5)
    arena.do(name, 20)
    start = arena.position
    arena.do(name, 20)
    assert arena.position[2] - start[2] == pytest.approx(metres_per_second, abs=0.002)


def test_sneaking_is_slow_and_stops_at_an_edge(arena: Arena) -> None:
    arena.world.state.blocks[0, :, 20:, :FLOOR] = 0
    arena.do((1, 0, 2, 12, 12, 0, 0, 0), 20)
    assert 1.0 < arena.position[2] - 16.5 < 1.4
    arena.do((1, 0, 2, 12, 12, 0, 0, 0), 200)
    assert arena.position[2] < 20.31
    assert arena.position[1] == FLOOR


def test_jump_is_a_block_and_a_quarter_high(arena: Arena) -> None:
    heights = []
    for _ in range(12):
        arena.do("jump_up")
        heights.append(arena.position[1] - FLOOR)
    assert max(heights) == pytest.approx(1.2522, abs=1e-3)
    assert heights[-1] == 0.0


def test_walls_stop_and_slabs_are_stepped_on(arena: Arena) -> None:
    for x in range(14, 19):
        arena.put(x, FLOOR, 18, "stone_slab")
        arena.put(x, FLOOR, 21, "stone")
    arena.do("forward", 60)
    x, y, z = arena.position
    assert (x, z) == (pytest.approx(16.5), pytest.approx(20.7, abs=1e-5))
    assert y == FLOOR
    arena.do("jump", 40)
    assert arena.position[2] > 21.3


def test_slab_lifts_by_half_a_block(arena: Arena) -> None:
    for z in range(18, 24):
        arena.put(16, FLOOR, z, "stone_slab")
    arena.do("forward", 12)
    assert arena.position[1] == FLOOR + 0.5


@pytest.mark.parametrize(("blocks", "damage"), [(3, 0), (4, 1), (10, 7), (30, 20)])
def test_a_fall_hurts_by_its_height(arena: Arena, blocks: int, damage: int) -> None:
    arena.stand(16.5, FLOOR + blocks, 16.5)
    while arena.position[1] > FLOOR:
        arena.do("noop")
    assert arena.life == 20 - damage


def test_a_dead_player_respawns_with_an_empty_inventory(arena: Arena) -> None:
    arena.hold("log", 3)
    arena.stand(16.5, FLOOR + 40, 16.5)
    while arena.life > 0:
        arena.do("noop")
    arena.do("noop")
    assert arena.life == 20
    assert arena.have("log") == 0


def test_pitch_is_clamped_and_turning_right_adds_to_the_yaw(arena: Arena) -> None:
    arena.do("look_down", 5)
    assert arena.world.location()[2][0] == 90.0
    arena.do("look_up", 12)
    assert arena.world.location()[2][0] == -90.0
    arena.do("turn_right", 7)
    assert arena.world.location()[1][0] == pytest.approx(-150.0)


def test_the_window_follows_the_player_so_that_the_world_has_no_edge() -> None:
    arena = Arena({"area": 64})
    for _ in range(10):
        arena.do("sprint", 40)
        for axis, low in ((0, "west"), (2, "north")):
            first = int(arena.player[low][0])
            assert first % 16 == 0
            assert first + 7 <= arena.position[axis] <= first + 64 - 7
        assert arena.position[1] == FLOOR
    assert arena.position[2] == pytest.approx(16.5 + 20 * 5.612, abs=1.0)
    ahead = int(arena.position[2]) + 6
    assert block_at(arena.world.state, 0, 16, FLOOR - 1, ahead) == 1
    assert block_at(arena.world.state, 0, 16, FLOOR, ahead) == 0


def test_a_player_who_died_far_away_respawns_at_the_start_unharmed() -> None:
    """The window is where he stands from the first tick on."""
    for dimension in (0, 1):
        arena = Arena({"area": 64})
        arena.do("sprint", 600)
        arena.player["dimension"] = dimension
        arena.player["life"] = 0.0
        # As many ticks as lie between two looks at what presses on the head.
        arena.do("noop", 12)
        assert arena.position.tolist() == [16.5, FLOOR, 16.5]
        assert arena.life == 20.0
        assert arena.player["dimension"] == 0
        assert arena.player["north"] == arena.player["west"] == -16


def test_a_crafting_step_takes_three_ticks(arena: Arena) -> None:
    ticks = arena.player["ticks"][0]
    arena.craft("planks")
    assert arena.player["ticks"][0] - ticks == 3
    arena.do("attack")
    assert arena.player["ticks"][0] - ticks == 4


def test_inactive_environments_stand_still() -> None:
    from tests.voxel_world.arena import embedded

    world = embedded(2)
    world.reset(np.arange(2), np.arange(2))
    before = world.state.players.copy()
    world.step(np.tile((1, 0, 0, 12, 12, 3, 0, 0), (2, 1)), np.array([True, False]))
    assert world.state.players[1] == before[1]
    assert world.state.players[0] != before[0]
