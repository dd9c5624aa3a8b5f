"""Mobs on a plate of stone: each kind lives, strikes and dies by the table."""

import numpy as np
import pytest

from models.rules.mobs import MOB_IDS, MOBS, mob_id
from nodes.env_server.worlds.embedded.mobs.aim import mob_on_ray
from nodes.env_server.worlds.embedded.mobs.placing import place_mob
from tests.arena import FLOOR, Arena


class Yard(Arena):
    """The plate, with mobs."""

    def __init__(self) -> None:
        super().__init__()
        self.world.state.settings["mobs_spawn"] = 0
        self.mobs = self.world.state.mobs[0]

    def mob(self, name: str, x: float = 16.5, y: float = FLOOR, z: float = 18.5) -> int:
        state, rules = self.world.state, self.world.rules
        return int(place_mob(state, rules, 0, mob_id(name), float(x), float(y), float(z)))

    def kills(self, name: str) -> int:
        return int(self.world.state.kills[0, mob_id(name)])


def test_a_cow_dies_by_repeated_blows_and_leaves_beef() -> None:
    yard = Yard()
    yard.hold("diamond_sword")
    yard.player["pitch"] = 30.0
    number = yard.mob("cow")
    yard.mobs["x"][number], yard.mobs["z"][number] = 16.5, 18.5
    yard.do("attack")
    assert yard.mobs[number]["life"] == pytest.approx(3.0)
    for _ in range(100):
        if yard.kills("cow"):
            break
        yard.mobs["x"][number], yard.mobs["z"][number] = 16.5, 18.5
        yard.do("attack")
    assert yard.kills("cow") == 1
    assert yard.mobs[number]["kind"] == 0
    assert "beef" in {
        yard.world.item_names[d["item"]] for d in yard.world.state.drops[0] if d["count"]
    }


@pytest.mark.parametrize("name", [mob.name for mob in MOBS])
def test_each_kind_lives_for_two_hundred_ticks(name: str) -> None:
    yard = Yard()
    number = yard.mob(name, 8.5, FLOOR, 8.5)
    assert number >= 0
    yard.do("noop", 200)
    assert yard.mobs[number]["kind"] == MOB_IDS[name]
    assert 0 <= yard.mobs[number]["x"] < 32
    assert FLOOR - 0.01 <= yard.mobs[number]["y"] < 128


def test_a_ray_meets_the_nearest_mob() -> None:
    yard = Yard()
    far, near = yard.mob("pig", 16.5, FLOOR, 25.5), yard.mob("cow", 16.5, FLOOR, 20.5)
    state, rules = yard.world.state, yard.world.rules
    number, distance = mob_on_ray(state, rules, 0, 16.5, 64.5, 16.5, 0.0, 0.0, 1.0, 20.0)
    assert number == near
    assert distance == pytest.approx(4.0 - 0.45)
    assert mob_on_ray(state, rules, 0, 16.5, 64.5, 16.5, 0.0, 0.0, -1.0, 20.0)[0] == -1
    assert far != near
    assert np.count_nonzero(yard.mobs["kind"]) == 2
