"""The body's needs and how it moves through other things than air, in the game's numbers."""

import numpy as np
import pytest

from tests.voxel_world.arena import FLOOR, Arena
from voxeldojo.engine.body.clock import (
    celestial_angle,
    darkness,
    pass_time,
    sun_brightness,
)
from voxeldojo.engine.body.effects import ABSORPTION, HUNGER, POISON, WATER_BREATHING, give_effect
from voxeldojo.engine.body.hurt import FALL, MOB, hurt, hurt_from
from voxeldojo.engine.body.sleeping import lie_down
from voxeldojo.engine.state import CLEAR, RAIN, THUNDER
from voxeldojo.rules import item_id


@pytest.fixture
def arena() -> Arena:
    arena = Arena()
    arena.world.state.settings["mobs_spawn"] = 0
    arena.world.state.settings["weather_changes"] = 0
    return arena


def pool(arena: Arena, block: str, depth: int) -> None:
    for x in range(12, 22):
        for z in range(12, 22):
            for y in range(FLOOR, FLOOR + depth):
                arena.put(x, y, z, block)


def wear(arena: Arena, material: str) -> None:
    for slot, piece in enumerate(("boots", "leggings", "chestplate", "helmet"), 36):
        arena.hold(f"{material}_{piece}", 1, slot)


def strike(arena: Arena, amount: float, cause: int = MOB) -> float:
    """Life lost by one blow."""
    before = arena.life
    hurt(arena.world.state, arena.world.rules, 0, amount, cause, 0)
    return before - arena.life


def test_sinking_in_water_ends_at_a_tenth_of_a_metre_per_tick(arena: Arena) -> None:
    pool(arena, "water", 30)
    arena.stand(16.5, FLOOR + 28, 16.5)
    arena.do("noop", 60)
    height = arena.position[1]
    arena.do("noop", 10)
    # v = 0.8 v - 0.02 ends at -0.1.
    assert height - arena.position[1] == pytest.approx(1.0, abs=0.01)


def test_the_jump_key_swims_up(arena: Arena) -> None:
    pool(arena, "water", 30)
    arena.do("jump_up", 60)
    low = arena.position[1]
    arena.do("jump_up", 10)
    # v = 0.8 (v + 0.04) - 0.02 ends at 0.06, of which 0.1 is the way of a tick.
    assert arena.position[1] - low == pytest.approx(1.0, abs=0.01)


def test_swimming_forward_has_the_games_slow_pace(arena: Arena) -> None:
    pool(arena, "water", 3)
    arena.stand(16.5, FLOOR, 12.5)
    arena.do("forward", 40)
    start = arena.position[2]
    arena.do("forward", 10)
    assert arena.position[2] - start == pytest.approx(10 * 0.098, abs=0.02)


def test_a_fall_into_water_does_no_harm(arena: Arena) -> None:
    pool(arena, "water", 3)
    arena.stand(16.5, FLOOR + 30, 16.5)
    arena.do("noop", 80)
    assert arena.life == 20


def test_drowning_begins_after_sixteen_seconds(arena: Arena) -> None:
    arena.player["food"] = 17.0  # too hungry to heal
    pool(arena, "water", 10)
    arena.do("noop", 319)
    assert arena.life == 20
    arena.do("noop", 2)
    assert arena.life == 18
    assert arena.world.cause_of_death(0) == "drowning"
    arena.do("noop", 20)
    assert arena.life == 16


def test_lava_takes_four_life_every_half_second_and_sets_the_player_on_fire(arena: Arena) -> None:
    arena.player["food"] = 17.0  # too hungry to heal
    pool(arena, "lava", 3)
    arena.do("noop", 2)
    assert arena.life == 16
    arena.do("noop", 8)
    assert arena.life == 16
    arena.do("noop", 2)
    assert arena.life == 12
    assert arena.player["fire"][0] == 300


def test_water_puts_out_fire(arena: Arena) -> None:
    arena.player["fire"] = 160
    arena.do("noop", 25)
    assert arena.life == 19
    pool(arena, "water", 2)
    arena.do("noop", 60)
    assert arena.life >= 19
    assert arena.player["fire"][0] == 0


def test_a_ladder_is_climbed_at_an_eighth_of_a_metre_a_tick(arena: Arena) -> None:
    for y in range(FLOOR, FLOOR + 12):
        arena.put(16, y, 18, "stone")
        arena.put(16, y, 17, "ladder", 2)
    arena.stand(16.5, FLOOR, 17.5)
    arena.do("forward", 20)
    start = arena.position[1]
    arena.do("forward", 20)
    # 0.2 less gravity and drag of the tick: (0.2 - 0.08) * 0.98.
    assert arena.position[1] - start == pytest.approx(20 * 0.1176, abs=0.01)
    arena.do("noop", 10)
    start = arena.position[1]
    arena.do("noop", 4)
    assert start - arena.position[1] == pytest.approx(0.6, abs=0.01)
    start = arena.position[1]
    arena.do((0, 0, 2, 12, 12, 0, 0, 0), 5)
    assert arena.position[1] >= start - 0.16


def test_a_player_climbs_a_ladder_onto_the_block_behind_it(arena: Arena) -> None:
    for y in range(FLOOR, FLOOR + 3):
        arena.put(16, y, 18, "stone")
        arena.put(16, y, 17, "ladder", 2)
    arena.stand(16.5, FLOOR, 17.5)
    for _ in range(60):
        arena.do("forward")
        if arena.position[2] > 18.2:
            break
    assert arena.position[1] == FLOOR + 3


def test_cobweb_slows_walking_to_a_crawl(arena: Arena) -> None:
    for z in range(16, 24):
        arena.put(16, FLOOR, z, "web")
        arena.put(16, FLOOR + 1, z, "web")
    arena.do("forward", 20)
    assert 0.3 < arena.position[2] - 16.5 < 0.7


def test_a_cobweb_ends_a_fall(arena: Arena) -> None:
    for y in range(FLOOR, FLOOR + 3):
        arena.put(16, y, 16, "web")
    arena.stand(16.5, FLOOR + 20, 16.5)
    arena.do("noop", 60)
    assert FLOOR < arena.position[1] < FLOOR + 3
    for y in range(FLOOR, FLOOR + 3):
        arena.put(16, y, 16, "air")
    arena.do("noop", 30)
    assert arena.position[1] == FLOOR
    assert arena.life == 20


def test_soul_sand_slows_walking(arena: Arena) -> None:
    for z in range(14, 30):
        arena.put(16, FLOOR - 1, z, "soul_sand")
    arena.stand(16.5, FLOOR - 0.125, 16.5)
    arena.player["ground"] = 1
    arena.do("forward", 20)
    start = arena.position[2]
    arena.do("forward", 20)
    assert 1.5 < arena.position[2] - start < 2.8


def test_slime_bounces_a_falling_player_unharmed(arena: Arena) -> None:
    arena.put(16, FLOOR - 1, 16, "slime")
    arena.stand(16.5, FLOOR + 10, 16.5)
    heights = []
    for _ in range(70):
        arena.do("noop")
        heights.append(float(arena.position[1]) - FLOOR)
    lowest = int(np.argmin(heights))
    assert arena.life == 20
    assert max(heights[lowest:]) > 5


def test_doors_and_gates_let_the_player_through_when_open(arena: Arena) -> None:
    for x in range(14, 19):
        for y in (FLOOR, FLOOR + 1):
            arena.put(x, y, 19, "stone")
    arena.put(16, FLOOR, 19, "wooden_door", 0)
    arena.put(16, FLOOR + 1, 19, "wooden_door", 8)
    arena.do("forward", 30)
    assert arena.position[2] < 19
    arena.put(16, FLOOR, 19, "wooden_door", 4)
    arena.do("forward", 30)
    assert arena.position[2] > 20


def test_snow_layers_are_stepped_on_and_upper_slabs_block_the_way(arena: Arena) -> None:
    for z in range(18, 26):
        arena.put(16, FLOOR, z, "snow_layer", 3)
    arena.do("forward", 12)
    assert arena.position[1] == FLOOR + 0.375
    arena.put(16, FLOOR, 28, "stone_slab", 8)
    arena.do("forward", 60)
    assert arena.position[2] < 28


@pytest.mark.parametrize(
    ("material", "amount", "left"),
    # max(points / 5, points - amount / (2 + toughness / 4)) / 25 of the blow is stopped.
    [
        ("iron", 3.0, 3 * (1 - 13.5 / 25)),
        ("diamond", 3.0, 3 * (1 - 19.25 / 25)),
        ("leather", 8.0, 8 * (1 - 3 / 25)),
    ],
)
def test_armour_reduces_a_blow_by_its_points_and_wears(
    arena: Arena, material: str, amount: float, left: float
) -> None:
    wear(arena, material)
    assert strike(arena, amount) == pytest.approx(left, abs=1e-5)
    assert arena.world.state.slots[0]["wear"][36:40].tolist() == [max(1, int(amount / 4))] * 4
    assert arena.player["exhaustion"][0] == pytest.approx(0.1)


def test_armour_does_not_help_against_a_fall(arena: Arena) -> None:
    wear(arena, "diamond")
    assert strike(arena, 5.0, FALL) == 5.0


def test_for_half_a_second_only_a_harder_blow_counts(arena: Arena) -> None:
    assert strike(arena, 3.0) == 3.0
    assert strike(arena, 3.0) == 0.0
    assert strike(arena, 5.0) == 2.0
    arena.do("noop", 9)
    assert strike(arena, 5.0) == 0.0
    arena.do("noop")
    assert strike(arena, 5.0) == 5.0


def test_a_shield_stops_what_comes_from_ahead(arena: Arena) -> None:
    arena.hold("shield", 1, 40)
    arena.player["blocking"] = 5
    state, rules = arena.world.state, arena.world.rules
    assert not hurt_from(state, rules, 0, 4.0, MOB, 0, 16.5, 18.5)
    assert state.slots[0, 40]["wear"] == 5
    assert hurt_from(state, rules, 0, 4.0, MOB, 0, 16.5, 14.5)
    assert arena.life == 16


def test_healing_costs_food(arena: Arena) -> None:
    arena.player["life"] = 10
    arena.player["saturation"] = 6.0
    arena.do("noop", 10)
    assert arena.life == 11
    arena.player["saturation"] = 0.0
    arena.player["exhaustion"] = 0.0
    arena.player["regeneration"] = 0
    arena.do("noop", 79)
    assert arena.life == 11
    arena.do("noop")
    assert arena.life == 12
    assert arena.player["exhaustion"][0] == 6.0


def test_sprinting_makes_hungry_and_hunger_starves_to_half_a_heart(arena: Arena) -> None:
    arena.player["saturation"] = 0.0
    arena.do("sprint", 20)
    assert arena.player["exhaustion"][0] > 0.3
    arena.player["food"] = 0.0
    arena.player["life"] = 3.0
    arena.do("noop", 79)
    assert arena.life == 3
    arena.do("noop")
    assert arena.life == 2
    arena.do("noop", 400)
    assert arena.life == 1


def test_poison_stops_at_half_a_heart_and_hunger_exhausts(arena: Arena) -> None:
    arena.player["life"] = 3.0
    arena.player["food"] = 10.0
    give_effect(arena.world.state, 0, POISON, 400, 0)
    give_effect(arena.world.state, 0, HUNGER, 400, 0)
    arena.do("noop", 401)
    assert arena.life == 1
    assert arena.player["effects"][0] == 0
    assert arena.player["exhaustion"][0] + 4 * (15 - arena.player["saturation"][0] - 10) == (
        pytest.approx(2.0)
    )


@pytest.mark.parametrize(("ticks", "other", "left"), [(20, 400, 0.0), (400, 20, 4.0)])
def test_absorption_ends_with_its_own_time(
    arena: Arena, ticks: int, other: int, left: float
) -> None:
    give_effect(arena.world.state, 0, ABSORPTION, ticks, 0)
    give_effect(arena.world.state, 0, WATER_BREATHING, other, 0)
    assert arena.player["absorption"][0] == 4.0
    arena.do("noop", 21)
    assert arena.player["absorption"][0] == left


def test_cactus_hurts_and_a_block_around_the_head_suffocates(arena: Arena) -> None:
    arena.player["food"] = 17.0  # too hungry to heal
    arena.put(16, FLOOR, 17, "cactus")
    arena.do("forward", 30)
    assert 17 <= arena.life <= 19
    arena.stand(10.5, FLOOR, 10.5)
    life = arena.life
    arena.put(10, FLOOR + 1, 10, "stone")
    arena.do("noop", 20)
    assert arena.life == life - 2


@pytest.mark.parametrize(
    ("time", "dark", "bright"), [(6000, 0, 1.0), (18000, 11, 0.2), (12000, 0, None)]
)
def test_darkness_and_brightness_follow_the_time_of_day(
    arena: Arena, time: int, dark: int, bright: float | None
) -> None:
    arena.player["time"] = time
    assert darkness(arena.world.state, 0) == dark
    if bright is not None:
        assert sun_brightness(arena.world.state, 0) == pytest.approx(bright)


def test_the_sun_stands_overhead_at_noon_and_below_at_midnight() -> None:
    assert celestial_angle(6000) == pytest.approx(0.0, abs=1e-9)
    assert celestial_angle(18000) == pytest.approx(0.5)


def test_thunder_darkens_and_rain_lasts_as_long_as_in_the_game(arena: Arena) -> None:
    arena.player["weather"] = THUNDER
    assert darkness(arena.world.state, 0) == 5
    arena.player["weather"] = CLEAR
    arena.world.state.settings["weather_changes"] = 1
    rains = []
    arena.player["weather_left"] = 1
    arena.player["thunder_left"] = 10**6
    last, since = CLEAR, 0
    for tick in range(300_000):
        pass_time(arena.world.state, 0)
        weather = int(arena.player["weather"][0])
        if weather != last:
            if last == RAIN:
                rains.append(tick - since)
            last, since = weather, tick
    assert rains
    assert all(12000 <= length <= 24000 for length in rains)


def test_a_bed_skips_the_night_and_becomes_the_start(arena: Arena) -> None:
    state = arena.world.state
    assert not lie_down(state, 0, 10, FLOOR, 10)
    arena.player["time"] = 18000
    assert lie_down(state, 0, 10, FLOOR, 10)
    arena.do("forward", 99)
    assert arena.player["sleeping"][0] > 0
    arena.do("noop", 2)
    assert arena.player["sleeping"][0] == 0
    assert 24000 <= arena.player["time"][0] < 24003
    assert arena.player["spawn_x"][0] == 10.5


def test_only_diamond_armour_has_toughness(arena: Arena) -> None:
    tough = np.flatnonzero(arena.world.rules.item["toughness"])
    assert set(tough) == {
        item_id(f"diamond_{piece}") for piece in ("boots", "leggings", "chestplate", "helmet")
    }
