"""Where it rains, and what rain does: it puts out what burns and wets fields."""

import pytest

from tests.voxel_world.arena import BLOCK_IDS, FLOOR, Arena
from tests.voxel_world.motion import count, put, run, still
from voxeldojo.engine.mobs.placing import place_mob
from voxeldojo.engine.motion.raining import rains_at
from voxeldojo.engine.state import CLEAR, NETHER, OVERWORLD, RAIN, THUNDER
from voxeldojo.rules import biome_named
from voxeldojo.rules.mobs import MOB_IDS


def wet(biome: str, weather: int = RAIN) -> Arena:
    arena = still()
    arena.world.state.biomes[:] = biome_named(biome).id
    arena.player["weather"] = weather
    return arena


@pytest.mark.parametrize(
    ("biome", "weather", "dimension", "rains"),
    [
        ("plains", RAIN, OVERWORLD, True),
        ("plains", THUNDER, OVERWORLD, True),
        ("plains", CLEAR, OVERWORLD, False),
        ("plains", RAIN, NETHER, False),
        ("desert", RAIN, OVERWORLD, False),
        ("savanna", RAIN, OVERWORLD, False),
        ("mesa", RAIN, OVERWORLD, False),
        ("ice_plains", RAIN, OVERWORLD, False),
        ("taiga", RAIN, OVERWORLD, True),
    ],
)
def test_it_rains_by_weather_and_biome_under_the_open_sky(
    biome: str, weather: int, dimension: int, rains: bool
) -> None:
    arena = wet(biome, weather)
    arena.player["dimension"] = dimension
    state, rules = arena.world.state, arena.world.rules
    assert rains_at(state, rules, 0, 16, FLOOR, 16) == rains
    assert not rains_at(state, rules, 0, 16, FLOOR - 2, 16)
    assert not rains_at(state, rules, 0, 4000, FLOOR, 16)  # outside the window


@pytest.mark.parametrize(("biome", "burns"), [("plains", False), ("desert", True)])
def test_rain_puts_out_players_and_mobs(biome: str, burns: bool) -> None:
    arena = wet(biome)
    state = arena.world.state
    arena.stand(16.5, FLOOR, 16.5)
    arena.player["fire"] = 160
    number = place_mob(state, arena.world.rules, 0, MOB_IDS["cow"], 10.5, float(FLOOR), 10.5)
    state.mobs[0, number]["fire"] = 300
    run(arena, 12)
    assert bool(arena.player["fire"][0]) == burns
    assert bool(state.mobs[0, number]["fire"]) == burns


@pytest.mark.parametrize(("biome", "moisture"), [("plains", 7), ("savanna", 0)])
def test_rain_wets_farmland_where_it_falls(biome: str, moisture: int) -> None:
    arena = wet(biome)
    fields = [(x, z) for x in range(8, 28, 4) for z in range(8, 28, 4)]
    for x, z in fields:
        put(arena, x, FLOOR - 1, z, "farmland", 0)
        arena.put(x, FLOOR, z, "wheat")  # so that it stays, though dry
    run(arena, 15000)
    found = {int(arena.world.state.meta[0, x, z, FLOOR - 1]) for x, z in fields}
    assert found == {moisture}


def test_a_fire_on_wood_goes_out_in_the_rain_and_burns_on_in_the_desert() -> None:
    burning = {}
    for biome in ("plains", "desert"):
        arena = wet(biome)
        arena.world.state.blocks[0, 12:28, 12:28, FLOOR - 1] = BLOCK_IDS["planks"]
        for x in range(13, 28, 3):
            for z in range(13, 28, 3):
                put(arena, x, FLOOR, z, "fire")
        run(arena, 600)
        burning[biome] = count(arena, "fire")
    assert burning["plains"] < 5 < burning["desert"]
