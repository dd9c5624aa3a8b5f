"""Which kinds spawn as monsters although they are none: endermen and ocelots."""

import pytest

from tests.voxel_world.arena import BLOCK_IDS, FLOOR
from tests.voxel_world.motion import still
from voxeldojo.engine.mobs.placing import place_mob
from voxeldojo.engine.motion.travel import travel
from voxeldojo.engine.rulebook import rules
from voxeldojo.engine.state import END
from voxeldojo.rules.mobs import MOB_IDS

JUNGLE = 21


def test_endermen_spawn_in_the_end() -> None:
    arena = still(area=64)
    state = arena.world.state
    travel(state, arena.world.rules, 0, END, 5.5, 80.0, 5.5)
    state.settings["mobs_spawn"] = 1
    for _ in range(100):
        arena.player["life"] = 20.0
        arena.do("noop", 10)
        if (state.mobs[0]["kind"] == MOB_IDS["enderman"]).any():
            break
    assert (state.mobs[0]["kind"] == MOB_IDS["enderman"]).any()


@pytest.mark.parametrize(("ground", "come"), [("grass", True), ("leaves", True), ("stone", False)])
def test_ocelots_come_in_the_dark_on_grass_and_leaves(ground: str, come: bool) -> None:
    arena = still(area=64)
    state = arena.world.state
    state.biomes[:] = JUNGLE
    state.blocks[0, :, :, FLOOR - 1] = BLOCK_IDS[ground]
    state.settings["mobs_spawn"], state.settings["time_passes"] = 1, 0
    arena.player["time"] = 18000
    kinds = rules().spawns["kind"]
    before = kinds.copy()
    kinds[:] = MOB_IDS["ocelot"]
    try:
        arena.do("noop", 600)
    finally:
        kinds[:] = before
    assert bool((state.mobs[0]["kind"] == MOB_IDS["ocelot"]).any()) == come


@pytest.mark.parametrize(
    ("kind", "stays", "left"),
    [("ocelot", 0, False), ("ocelot", 1, True), ("zombie_pigman", 0, False), ("cow", 0, True)],
)
def test_ocelots_and_pigmen_despawn_far_from_the_player_unless_they_are_tame(
    kind: str, stays: int, left: bool
) -> None:
    arena = still(area=64)
    state = arena.world.state
    arena.stand(-7.5, FLOOR, -7.5)
    number = place_mob(state, arena.world.rules, 0, MOB_IDS[kind], 40.5, float(FLOOR), 40.5)
    state.mobs[0, number]["stays"] = stays
    for _ in range(800):
        state.mobs[0, number]["x"] = state.mobs[0, number]["z"] = 40.5
        arena.do("noop", 10)
    assert bool(state.mobs[0, number]["kind"]) == left
