"""A ghast's fireball can be struck back, and kills a ghast, as in the game."""

import pytest

from tests.voxel_world.arena import FLOOR, Arena
from voxeldojo.engine.mobs.placing import place_mob
from voxeldojo.engine.mobs.shots import FIREBALL, SMALL_FIREBALL, shoot
from voxeldojo.rules.mobs import MOB_IDS


def played(kind: int, *, strike: bool, wall: bool = False) -> tuple[Arena, int]:
    """A ghast hangs nine metres before the player; its shot is two metres away. Returns the arena
    after half a second, and the ghasts that were killed."""
    arena = Arena({"area": 64})
    state, rules = arena.world.state, arena.world.rules
    state.settings["mobs_spawn"] = 0
    ghast = place_mob(state, rules, 0, MOB_IDS["ghast"], 16.5, FLOOR + 0.5, 25.5)
    state.mobs[0, ghast : ghast + 1]["pause"] = 100  # it does not shoot once more
    shoot(state, 0, kind, 16.5, FLOOR + 1.6, 18.5, 0.0, 0.0, -0.9, 6.0, ghast)
    if wall:
        for y in (FLOOR, FLOOR + 1, FLOOR + 2):
            arena.put(16, y, 17, "stone")
    arena.do("attack" if strike else "noop")
    arena.do("noop", 12)
    return arena, int(state.kills[0, MOB_IDS["ghast"]])


def test_a_fireball_that_is_struck_kills_the_ghast() -> None:
    arena, killed = played(FIREBALL, strike=True)
    assert killed == 1
    assert arena.life == 20.0


def test_a_fireball_that_is_not_struck_hits_the_player() -> None:
    arena, killed = played(FIREBALL, strike=False)
    assert killed == 0
    assert arena.life < 20.0


@pytest.mark.parametrize(("kind", "wall"), [(SMALL_FIREBALL, False), (FIREBALL, True)])
def test_a_blazes_fireball_and_one_behind_a_wall_cannot_be_struck(kind: int, wall: bool) -> None:
    assert played(kind, strike=True, wall=wall)[1] == 0
