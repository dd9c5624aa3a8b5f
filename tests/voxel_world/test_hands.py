"""What the use and attack keys do with things, in the game's numbers."""

import numpy as np
import pytest

from tests.voxel_world.arena import FLOOR, Arena
from voxeldojo.actions import action
from voxeldojo.engine.body.effects import (
    ABSORPTION,
    FIRE_RESISTANCE,
    REGENERATION,
    RESISTANCE,
)
from voxeldojo.engine.hands.digging import break_block
from voxeldojo.engine.hands.fishing import CATCH, hooked
from voxeldojo.engine.state import NETHER, OVERWORLD
from voxeldojo.rules import item_id

USE = action(function="use")


@pytest.fixture
def arena() -> Arena:
    arena = Arena()
    arena.world.state.settings["mobs_spawn"] = 0
    arena.player["pitch"] = 45.0  # at the ground in (16, 63, 18)
    return arena


def drops(arena: Arena, name: str) -> int:
    lying = arena.world.state.drops[0]
    return int(lying["count"][lying["item"] == item_id(name)].sum())


def meta(arena: Arena, x: int, y: int, z: int) -> int:
    return int(arena.world.state.meta[0, x, z, y])


def test_a_bucket_pours_water_and_takes_it_up_again(arena: Arena) -> None:
    arena.hold("water_bucket")
    arena.do(USE)
    assert arena.have("bucket") == 1
    assert arena.block(16, FLOOR, 18) in ("water", "flowing_water")
    arena.do(USE)
    assert arena.have("water_bucket") == 1
    assert arena.block(16, FLOOR, 18) == "air"


def test_a_hoe_makes_farmland_on_which_seeds_can_be_planted(arena: Arena) -> None:
    arena.put(16, FLOOR - 1, 18, "grass")
    arena.hold("wheat_seeds", 2)
    arena.do(USE)
    assert arena.have("wheat_seeds") == 2
    arena.hold("iron_hoe")
    arena.do(USE)
    assert arena.block(16, FLOOR - 1, 18) == "farmland"
    assert arena.world.state.slots[0, 0]["wear"] == 1
    arena.world.state.slots[0:1, 0]["wear"] = 0
    arena.hold("wheat_seeds", 2)
    arena.do(USE)
    assert arena.block(16, FLOOR, 18) == "wheat"
    assert arena.have("wheat_seeds") == 1


@pytest.mark.parametrize(("age", "wheat"), [(3, 0), (7, 1)])
def test_only_ripe_wheat_drops_wheat(arena: Arena, age: int, wheat: int) -> None:
    arena.put(16, FLOOR, 20, "wheat", age)
    break_block(arena.world.state, arena.world.rules, 0, 16, FLOOR, 20)
    assert drops(arena, "wheat") == wheat
    assert drops(arena, "wheat_seeds") <= 3


def test_a_door_is_two_blocks_high_opens_and_breaks_as_a_whole(arena: Arena) -> None:
    arena.hold("wooden_door")
    arena.do(USE)
    assert arena.block(16, FLOOR, 18) == arena.block(16, FLOOR + 1, 18) == "wooden_door"
    assert meta(arena, 16, FLOOR, 18) == 1  # facing south
    arena.player["pitch"] = 30.0
    arena.do(USE)
    assert meta(arena, 16, FLOOR, 18) == 5
    break_block(arena.world.state, arena.world.rules, 0, 16, FLOOR + 1, 18)
    assert arena.block(16, FLOOR, 18) == "air"
    assert drops(arena, "wooden_door") == 1


def test_a_torch_is_placed_on_a_wall_and_stairs_face_the_player(arena: Arena) -> None:
    arena.put(16, FLOOR + 1, 19, "stone")
    arena.player["pitch"] = 0.0
    arena.hold("torch")
    arena.do(USE)
    assert (arena.block(16, FLOOR + 1, 18), meta(arena, 16, FLOOR + 1, 18)) == ("torch", 4)
    arena.player["pitch"] = 60.0
    arena.hold("oak_stairs")
    arena.do(USE)
    assert (arena.block(16, FLOOR, 17), meta(arena, 16, FLOOR, 17)) == ("oak_stairs", 2)


def test_flint_and_steel_lights_a_fire(arena: Arena) -> None:
    arena.hold("flint_and_steel")
    arena.do(USE)
    assert arena.block(16, FLOOR, 18) == "fire"


def test_drinking_milk_ends_effects_and_leaves_the_bucket(arena: Arena) -> None:
    arena.player["effects"] = 2
    arena.hold("milk_bucket")
    arena.do(USE)
    assert arena.player["effects"][0] == 0
    assert arena.have("bucket") == 1


def test_armour_is_put_on_by_use(arena: Arena) -> None:
    arena.hold("iron_helmet")
    arena.do(USE)
    assert arena.world.state.slots[0, 39]["item"] == item_id("iron_helmet")
    assert arena.have("iron_helmet") == 0


def test_a_bow_at_full_draw_shoots_an_arrow_with_six_to_ten_damage(arena: Arena) -> None:
    arena.player["pitch"] = 0.0
    arena.hold("bow")
    arena.hold("arrow", 3, slot=1)
    arena.do(USE, 20)
    assert arena.world.state.players[0]["shots"] == 0
    arena.do("noop")
    shot = arena.world.state.shots[0, 0]
    assert arena.have("arrow") == 2
    # Speed 3, damage 6 to 10: full draws hit critically.
    assert 5.9 <= 3.0 * shot["damage"] <= 10.1


def test_an_eye_of_ender_is_placed_into_a_portal_frame(arena: Arena) -> None:
    arena.put(16, FLOOR, 18, "end_portal_frame", 1)
    arena.hold("ender_eye", 2)
    arena.do(USE)
    assert meta(arena, 16, FLOOR, 18) == 5
    assert arena.have("ender_eye") == 1


def test_a_bed_is_two_blocks_long_and_can_be_slept_in(arena: Arena) -> None:
    arena.hold("bed")
    arena.do(USE)
    assert (meta(arena, 16, FLOOR, 18), meta(arena, 16, FLOOR, 19)) == (0, 8)
    arena.player["time"] = 18000
    arena.do(USE)
    assert arena.player["sleeping"][0] > 0


def test_fishing_catches_at_the_game_s_chances(arena: Arena) -> None:
    rows = np.array([hooked(arena.world.state.players[0:1][0]) for _ in range(4000)])
    fish = np.isin(CATCH[rows, 0], [item_id("fish")])
    assert fish.mean() == pytest.approx(0.85, abs=0.02)
    assert (CATCH[rows, 0] == item_id("saddle")).mean() == pytest.approx(0.05 / 6, abs=0.006)


def test_a_fishing_rod_catches_something_and_gives_experience(arena: Arena) -> None:
    arena.put(16, FLOOR - 1, 18, "water")
    arena.hold("fishing_rod")
    arena.do(USE)
    waiting = int(arena.player["fishing"][0])
    assert 99 <= waiting <= 600
    arena.do("noop", waiting)
    arena.do(USE)
    assert 1 <= arena.player["xp"][0] <= 6
    assert arena.world.state.slots[0, 0]["wear"] == 1


def test_a_catch_that_finds_no_room_keeps_its_variant(arena: Arena) -> None:
    arena.put(16, FLOOR - 1, 18, "water")
    arena.hold("fishing_rod")
    for slot in range(1, 36):
        arena.hold("stone", 64, slot)
    lying = arena.world.state.drops[0]
    variants: set[int] = set()
    for _ in range(60):
        arena.player["fishing"] = -1
        arena.world.state.slots[0:1, 0]["wear"] = 0
        arena.do(USE)
        fish = lying[(lying["count"] > 0) & (lying["item"] == item_id("fish"))]
        variants |= set(fish["variant"].tolist())
        lying["count"] = 0
    assert {0, 1, 3} <= variants <= {0, 1, 2, 3}  # raw fish, salmon, clownfish, pufferfish


@pytest.mark.parametrize(
    ("variant", "expected"),
    [
        (0, {REGENERATION: (100, 1), ABSORPTION: (2400, 0)}),
        (
            1,
            {
                REGENERATION: (400, 1),
                ABSORPTION: (2400, 3),
                RESISTANCE: (6000, 0),
                FIRE_RESISTANCE: (6000, 0),
            },
        ),
    ],
)
def test_golden_apples_have_the_effects_of_the_game(
    arena: Arena, variant: int, expected: dict[int, tuple[int, int]]
) -> None:
    arena.hold("golden_apple")
    arena.world.state.slots[0:1, 0]["variant"] = variant
    arena.do(USE)
    effects = arena.world.state.effects[0]
    has = int(arena.player["effects"][0])
    assert has == sum(1 << effect for effect in expected)
    for effect, (ticks, strength) in expected.items():
        assert ticks - 1 <= int(effects[effect]) >> 3 <= ticks
        assert int(effects[effect]) & 7 == strength
    assert arena.player["absorption"][0] == 4.0 * (expected[ABSORPTION][1] + 1)


@pytest.mark.parametrize(
    ("block", "fewest", "most"), [("coal_ore", 0, 2), ("diamond_ore", 3, 7), ("iron_ore", 0, 0)]
)
def test_ores_give_experience(arena: Arena, block: str, fewest: int, most: int) -> None:
    arena.hold("iron_pickaxe")
    seen = set()
    for _ in range(60):
        arena.player["xp"] = 0.0
        arena.world.state.slots[0:1, 0]["wear"] = 0
        arena.put(16, FLOOR, 20, block)
        break_block(arena.world.state, arena.world.rules, 0, 16, FLOOR, 20)
        seen.add(int(arena.player["xp"][0]))
    assert (min(seen), max(seen)) == (fewest, most)


@pytest.mark.parametrize(
    ("below", "dimension", "left"),
    [
        ("stone", OVERWORLD, "water"),
        ("water", OVERWORLD, "water"),
        ("air", OVERWORLD, "air"),
        ("stone", NETHER, "air"),
    ],
)
def test_ice_leaves_water_over_ground_and_water_but_not_in_the_nether(
    arena: Arena, below: str, dimension: int, left: str
) -> None:
    arena.player["dimension"] = dimension
    arena.put(16, FLOOR - 1, 20, below)
    arena.put(16, FLOOR, 20, "ice")
    break_block(arena.world.state, arena.world.rules, 0, 16, FLOOR, 20)
    assert arena.block(16, FLOOR, 20) == left


def test_bone_meal_makes_wheat_grow(arena: Arena) -> None:
    arena.put(16, FLOOR - 1, 18, "farmland", 7)
    arena.put(16, FLOOR, 18, "wheat", 0)
    arena.hold("dye", 5)
    arena.world.state.slots[0:1, 0]["variant"] = 15
    arena.do(USE)
    assert meta(arena, 16, FLOOR, 18) >= 2
    assert arena.have("dye") == 4


def test_tnt_is_lit_by_flint_and_steel(arena: Arena) -> None:
    arena.stand(16.5, FLOOR, 10.5)
    arena.put(16, FLOOR + 1, 14, "tnt")
    arena.hold("flint_and_steel")
    arena.do(USE)
    arena.do("noop", 70)
    assert arena.life == 20
    for _ in range(20):
        if arena.block(16, FLOOR + 1, 14) == "tnt":
            arena.do("noop")
    assert arena.life < 20
