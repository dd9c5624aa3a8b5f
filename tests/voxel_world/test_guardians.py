"""A guardian's beam, as EntityGuardian.AIGuardianAttack has it."""

import math

import pytest

from tests.voxel_world.arena import FLOOR, Arena
from voxeldojo.actions import action
from voxeldojo.engine.mobs.placing import place_mob
from voxeldojo.rules.mobs import MOB_IDS

DEEP = 12  # blocks of water
SEVERAL = 400  # ticks of some beams and of what lies between them
ARMOUR = ("boots", "leggings", "chestplate", "helmet")  # by slot, from 36 on
UP = action(gait=1)  # swims up where it is


def sea(kind: str, away: float) -> tuple[Arena, int]:
    """A player over a sea, and a mob in it that has just begun its beam."""
    arena = Arena({"area": 64})
    state, rules = arena.world.state, arena.world.rules
    state.settings["mobs_spawn"] = 0
    for x in range(4, 60):
        for z in range(4, 60):
            for y in range(FLOOR, FLOOR + DEEP):
                arena.put(x, y, z, "water")
    arena.stand(16.5, FLOOR + DEEP, 16.5)
    number = place_mob(state, rules, 0, MOB_IDS[kind], 16.5, FLOOR + DEEP - 2.0, 16.5 + away)
    mob = state.mobs[0, number : number + 1]
    mob["target"], mob["counter"], mob["wait"] = -1, 1, 0
    return arena, number


def test_a_guardian_stays_where_it_is_while_its_beam_gathers_strength() -> None:
    arena, number = sea("guardian", 9.0)
    mob = arena.world.state.mobs[0, number]
    x, z = float(mob["x"]), float(mob["z"])
    far = 0.0
    while int(mob["counter"]):
        arena.do(UP)
        far = max(far, math.hypot(float(mob["x"]) - x, float(mob["z"]) - z))
    assert far < 0.1
    assert arena.life < 20.0
    for _ in range(SEVERAL):
        arena.do(UP)
        far = max(far, math.hypot(float(mob["x"]) - x, float(mob["z"]) - z))
    assert far > 1.0, "then it swims on"


@pytest.mark.parametrize(("kind", "goes_on"), [("guardian", False), ("elder_guardian", True)])
def test_close_by_the_beam_breaks_off_but_not_an_elders(kind: str, goes_on: bool) -> None:
    arena, number = sea(kind, 2.0)
    arena.do(UP)
    assert bool(arena.world.state.mobs[0, number]["counter"]) == goes_on


@pytest.mark.parametrize(
    ("kind", "armour", "harm"),
    [("guardian", "", 6.0), ("elder_guardian", "", 8.0), ("guardian", "iron", 1.0 + 5.0 * 0.5)],
)
def test_a_beam_is_a_little_magic_and_else_a_blow_that_armour_reduces(
    kind: str, armour: str, harm: float
) -> None:
    arena, number = sea(kind, 9.0)
    for place, piece in enumerate(ARMOUR):
        if armour:
            arena.hold(f"{armour}_{piece}", slot=36 + place)
    mob = arena.world.state.mobs[0, number]
    while int(mob["counter"]):
        life = arena.life
        arena.do(UP)
    assert life - arena.life == pytest.approx(harm)


@pytest.mark.parametrize(("kind", "ticks"), [("guardian", 80), ("elder_guardian", 60)])
def test_an_elders_beam_gathers_its_strength_sooner(kind: str, ticks: int) -> None:
    arena, number = sea(kind, 9.0)
    begun = int(arena.player["ticks"][0])
    while int(arena.world.state.mobs[0, number]["counter"]):
        arena.do(UP)
    assert int(arena.player["ticks"][0]) - begun == ticks - 1
