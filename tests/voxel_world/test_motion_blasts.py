import numpy as np
import pytest

from tests.voxel_world.arena import FLOOR
from tests.voxel_world.motion import count, put, run, still
from voxeldojo.engine.motion.burning import prime
from voxeldojo.engine.motion.explosions import explode
from voxeldojo.rules.mobs import MOB_IDS


def test_an_explosion_digs_a_crater_that_is_lit_and_a_reset_fills_it() -> None:
    arena = still()
    state, rules = arena.world.state, arena.world.rules
    light = state.light[0].copy()
    blocks = state.blocks[0].copy()
    explode(state, rules, 0, 16.5, FLOOR + 0.5, 16.5, 4.0, False, 0)
    run(arena, 1)
    assert arena.block(16, FLOOR - 1, 16) == "air"
    gone = int(np.count_nonzero(state.blocks[0] != blocks))
    assert 15 < gone < 120  # in stone
    depth = FLOOR - np.nonzero(state.blocks[0, 16, 16, :FLOOR])[0].max()
    assert 2 <= depth <= 4
    assert state.light[0, 16, 16, FLOOR - 1] >> 4 == 15
    assert arena.life == 20.0  # far away
    arena.world.reset(np.zeros(1, np.int64), np.zeros(1, np.int64))
    assert (state.blocks[0] == blocks).all()
    assert (state.light[0] == light).all()


def test_an_explosion_hurts_by_distance_and_little_behind_a_wall() -> None:
    arena = still()
    state, rules = arena.world.state, arena.world.rules
    arena.stand(16.5, FLOOR, 20.5)
    explode(state, rules, 0, 16.5, FLOOR + 0.5, 16.5, 3.0, False, 0)
    # 4 m of 6, in full view: (1/3)^2 + 1/3 over 2, times 7 times 6, and 1.
    harm = 20.0 - arena.life
    assert 9.0 <= harm <= 11.0
    assert state.players[0]["vz"] > 0.2
    arena.player["life"] = 20.0
    arena.player["invulnerable"] = 0
    arena.put(16, FLOOR, 18, "obsidian")
    for x in range(12, 21):
        for y in range(5):
            arena.put(x, FLOOR + y, 18, "obsidian")
    explode(state, rules, 0, 16.5, FLOOR + 0.5, 16.5, 3.0, False, 0)
    assert arena.life >= 18.0
    assert arena.block(16, FLOOR, 18) == "obsidian"


def test_tnt_goes_off_after_80_ticks_and_lights_another() -> None:
    arena = still()
    put(arena, 16, FLOOR, 16, "tnt")
    put(arena, 18, FLOOR, 16, "tnt")
    state, rules = arena.world.state, arena.world.rules
    assert prime(state, rules, 0, 16, FLOOR, 16, 80)
    assert not prime(state, rules, 0, 16, FLOOR, 16, 80)
    run(arena, 80)
    assert count(arena, "tnt") == 2
    run(arena, 1)
    assert arena.block(16, FLOOR, 16) == "air"
    run(arena, 31)
    assert count(arena, "tnt") == 0


def test_fire_burns_leaves_goes_out_on_stone_and_stays_on_netherrack() -> None:
    arena = still()
    put(arena, 8, FLOOR, 8, "fire")
    arena.put(28, FLOOR - 1, 28, "netherrack")
    put(arena, 28, FLOOR, 28, "fire")
    for x in range(14, 18):
        for z in range(14, 18):
            arena.put(x, FLOOR, z, "leaves", 4)
    put(arena, 15, FLOOR + 1, 15, "fire")
    arena.world.state.settings["weather_changes"] = 0
    run(arena, 4000)
    assert arena.block(8, FLOOR, 8) == "air"
    assert arena.block(28, FLOOR, 28) == "fire"
    assert count(arena, "leaves") < 8


@pytest.mark.parametrize(
    ("by", "yaw", "stops"),
    [
        ("creeper", 180.0, True),
        ("creeper", 0.0, False),
        ("ghast", 180.0, False),
        ("", 180.0, False),
    ],
)
def test_a_shield_stops_a_creepers_explosion_but_not_a_fireballs_or_tnts(
    by: str, yaw: float, stops: bool
) -> None:
    arena = still()
    arena.stand(16.5, FLOOR, 20.5, yaw)
    arena.hold("shield", 1, 40)
    arena.player["blocking"] = 5
    state, rules = arena.world.state, arena.world.rules
    explode(state, rules, 0, 16.5, FLOOR + 0.5, 16.5, 3.0, False, MOB_IDS[by] if by else 0)
    assert (arena.life == 20.0) == stops
    # As much as the blow and one more: EntityPlayer.damageShield.
    assert (9 <= state.slots[0, 40]["wear"] <= 12) == stops
    assert state.players[0]["vz"] > 0.2, "it pushes all the same"
