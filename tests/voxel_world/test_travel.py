"""Between the overworld, the Nether and the End, and what is there after one comes back."""

import numpy as np
import pytest

from tests.voxel_world.arena import BLOCK_IDS, FLOOR, Arena
from tests.voxel_world.motion import count, put, run, still
from voxeldojo.engine.body.hurt import MOB
from voxeldojo.engine.mobs.placing import place_mob
from voxeldojo.engine.mobs.wounds import hurt_mob
from voxeldojo.engine.motion.travel import go_home, travel
from voxeldojo.engine.state import END, NETHER, OVERWORLD
from voxeldojo.engine.terrain.end.generate import fountain_height
from voxeldojo.rules import item_id
from voxeldojo.rules.mobs import MOB_IDS


def gate(arena: Arena) -> None:
    """A portal at (10..11, FLOOR .. FLOOR + 2, 10), lit by hand."""
    for across in (-1, 0, 1, 2):
        for up in range(-1, 4):
            if across in (-1, 2) or up in (-1, 3):
                put(arena, 10 + across, FLOOR + up, 10, "obsidian")
    put(arena, 10, FLOOR, 10, "fire")
    run(arena, 1)
    assert count(arena, "portal") == 6


def dimension(arena: Arena) -> int:
    return int(arena.player["dimension"][0])


def test_a_nether_portal_leads_there_and_back_to_the_same_one() -> None:
    arena = still()
    gate(arena)
    put(arena, 20, FLOOR, 12, "gold_block")
    left = arena.world.state.blocks[0].copy()
    arena.stand(10.5, FLOOR, 10.5)
    run(arena, 79)
    assert dimension(arena) == OVERWORLD
    run(arena, 1)
    assert dimension(arena) == NETHER
    assert count(arena, "netherrack") > 100
    assert count(arena, "portal") == 6
    x, y, z = (int(np.floor(value)) for value in arena.position)
    assert arena.block(x & 31, y, z & 31) == "portal"
    # Who has come out stays, until he steps out and in again.
    run(arena, 100)
    assert dimension(arena) == NETHER
    put(arena, x, 5, z, "diamond_block")
    home = arena.position
    arena.player["portal"] = 0
    run(arena, 81)
    assert dimension(arena) == OVERWORLD
    # Both windows hold these columns.
    assert (arena.world.state.blocks[0, :, :16] == left[:, :16]).all()
    arena.player["portal"] = 0
    run(arena, 81)
    assert dimension(arena) == NETHER
    assert arena.block(x & 31, 5, z & 31) == "diamond_block"
    assert np.abs(arena.position - home).max() < 2.0


def test_a_reset_or_death_in_another_dimension_begins_in_the_overworld() -> None:
    arena = still()
    state, rules = arena.world.state, arena.world.rules
    travel(state, rules, 0, END, 100.5, 49.0, 0.5)
    assert count(arena, "end_stone") + count(arena, "obsidian") > 0
    arena.player["life"] = 0.0
    run(arena, 1)
    assert dimension(arena) == OVERWORLD
    assert arena.life == 20.0
    assert count(arena, "end_stone") == 0
    travel(state, rules, 0, NETHER, 2.0, 70.0, 2.0)
    arena.world.reset(np.zeros(1, np.int64), np.zeros(1, np.int64))
    assert dimension(arena) == OVERWORLD
    assert count(arena, "netherrack") == 0


def test_the_last_eye_placed_by_hand_opens_the_end_portal() -> None:
    arena = still()
    places = [(x, z) for x in (15, 16, 17) for z in (18, 22)]
    places += [(x, z) for x in (14, 18) for z in (19, 20, 21)]
    for x, z in places:
        arena.put(x, FLOOR, z, "end_portal_frame", 4)
    arena.put(16, FLOOR, 18, "end_portal_frame", 0)
    arena.stand(16.5, FLOOR, 16.5, 0.0, 35.0)
    arena.hold("ender_eye")
    arena.do("use")
    assert count(arena, "end_portal") == 9
    arena.stand(16.5, FLOOR, 20.5)
    run(arena, 1)
    assert dimension(arena) == END
    assert np.abs(arena.position - (100.5, 49.0, 0.5)).max() < 0.2


def test_the_dragon_leaves_the_way_out_its_egg_and_a_gateway() -> None:
    arena = still(area=64)
    state, rules = arena.world.state, arena.world.rules
    travel(state, rules, 0, END, 5.5, 80.0, 5.5)
    dragon = MOB_IDS["ender_dragon"]
    (number,) = np.flatnonzero(state.mobs[0]["kind"] == dragon)
    hurt_mob(state, rules, 0, int(number), 1000.0, MOB, True)
    run(arena, 1)
    assert count(arena, "dragon_egg") == 1
    base = fountain_height(state.players[0]["seed"])
    assert state.blocks[0, 1, 0, base] == BLOCK_IDS["end_portal"]
    # It stays dead, and the gateway out of the window has opened.
    travel(state, rules, 0, END, 96.5, 75.0, 2.5)
    assert count(arena, "end_gateway") == 1
    travel(state, rules, 0, END, 5.5, 80.0, 5.5)
    assert not (state.mobs[0]["kind"] == dragon).any()
    assert count(arena, "dragon_egg") == 1
    travel(state, rules, 0, END, 96.5, 75.0, 0.5)
    run(arena, 1)
    assert arena.position[0] > 900.0
    assert count(arena, "end_stone") > 0
    travel(state, rules, 0, END, 1.5, base, 0.5)
    run(arena, 1)
    assert dimension(arena) == OVERWORLD


def test_mobs_and_drops_stay_behind_when_the_dimension_changes() -> None:
    arena = still()
    state, rules = arena.world.state, arena.world.rules
    place_mob(state, rules, 0, MOB_IDS["cow"], 5.5, float(FLOOR), 5.5)
    travel(state, rules, 0, END, 100.5, 49.0, 0.5)
    assert not (state.mobs[0]["kind"] == MOB_IDS["cow"]).any()
    go_home(state, rules, 0)
    assert not (state.drops[0]["count"] > 0).any()
    assert state.players[0]["pending"] == 0


def test_a_web_cut_with_shears_drops_itself() -> None:
    arena = still()
    arena.stand(16.5, FLOOR, 16.5)
    arena.put(16, FLOOR + 1, 18, "web")
    arena.hold("shears")
    arena.do("attack", 40)
    run(arena, 40)
    drops = arena.world.state.drops[0]
    assert arena.have("web") == 1 or item_id("web") in drops["item"][drops["count"] > 0]


@pytest.mark.parametrize(
    ("last", "kind"), [("skull", "wither"), ("pumpkin", "villager_golem"), ("pumpkin", "snowman")]
)
def test_withers_and_golems_are_built_of_their_blocks(last: str, kind: str) -> None:
    arena = still()
    body = {"wither": "soul_sand", "villager_golem": "iron_block", "snowman": "snow"}[kind]
    arena.put(16, FLOOR, 18, body)
    arena.put(16, FLOOR + 1, 18, body)
    if kind != "snowman":
        for x in (15, 17):
            arena.put(x, FLOOR + 1, 18, body)
    if kind == "wither":
        for x in (15, 17):
            arena.put(x, FLOOR + 2, 18, "skull", 1)
    arena.stand(16.5, FLOOR + 1.5, 16.5, 0.0, 30.0)
    arena.hold(last)
    arena.world.state.slots[0, 0]["variant"] = 1 if last == "skull" else 0
    arena.do("use")
    kinds = arena.world.state.mobs[0]["kind"]
    assert MOB_IDS[kind] in kinds
    assert count(arena, body) == 0


def test_an_enderman_leaves_the_block_that_it_carried() -> None:
    arena = still()
    state, rules = arena.world.state, arena.world.rules
    number = place_mob(state, rules, 0, MOB_IDS["enderman"], 10.5, float(FLOOR), 10.5)
    state.mobs[0, number]["carried"] = BLOCK_IDS["grass"] << 4
    hurt_mob(state, rules, 0, number, 100.0, MOB, True)
    drops = state.drops[0]
    assert item_id("grass") in drops["item"][drops["count"] > 0]
