"""Mobs on a plate of stone: each kind lives, strikes and dies by the table."""

import numpy as np
import pytest

from models.rules.mobs import MOB_IDS, MOBS, mob_id
from nodes.env_server.worlds.embedded.mobs.aim import mob_on_ray
from nodes.env_server.worlds.embedded.mobs.placing import place_mob, resize
from nodes.env_server.worlds.embedded.mobs.wounds import hurt_mob
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
    yard.stand(28.5, 100, 28.5)  # on a pillar, out of sight
    for y in range(60, 100):
        yard.put(28, y, 28, "stone")
    number = yard.mob(name, 6.5, FLOOR, 6.5)
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


def test_a_zombie_hurts_by_three_and_is_seen_as_the_attacker() -> None:
    yard = Yard()
    yard.world.state.settings["time_passes"] = 0
    yard.player["time"] = 18000
    yard.mob("zombie", 16.5, FLOOR, 24.5)
    for _ in range(200):
        yard.do("noop")
        if yard.life < 20.0:
            break
    assert yard.life == pytest.approx(17.0)
    assert int(yard.player["attacker"][0]) == mob_id("zombie")


def test_a_zombie_burns_by_day_and_not_under_a_roof() -> None:
    yard = Yard()
    yard.player["time"] = 6000
    yard.stand(30.5, FLOOR, 30.5)
    yard.player["life"] = 0.0
    free = yard.mob("zombie", 6.5, FLOOR, 6.5)
    yard.world.state.light[...] = 0xF0
    yard.do("noop", 60)
    assert yard.mobs[free]["fire"] > 0 or yard.mobs[free]["kind"] == 0
    assert yard.mobs[free]["kind"] == 0 or yard.mobs[free]["life"] < 20.0


def test_a_creeper_explodes_beside_the_player() -> None:
    yard = Yard()
    number = yard.mob("creeper", 16.5, FLOOR, 18.0)
    for _ in range(80):
        yard.do("noop")
        if yard.mobs[number]["kind"] == 0:
            break
    assert yard.life == 0.0
    assert int(yard.player["attacker"][0]) == mob_id("creeper")
    assert yard.kills("creeper") == 0


def test_a_skeleton_shoots_arrows() -> None:
    yard = Yard()
    yard.player["time"] = 18000
    yard.mob("skeleton", 16.5, FLOOR, 26.5)
    yard.do("noop", 200)
    assert yard.life < 20.0
    assert int(yard.player["attacker"][0]) == mob_id("skeleton")


def test_an_enderman_is_provoked_by_a_look() -> None:
    yard = Yard()
    number = yard.mob("enderman", 16.5, FLOOR, 24.5)
    yard.player["pitch"] = 30.0
    yard.do("noop", 30)
    assert yard.mobs[number]["target"] == 0
    mob = yard.mobs[number]
    for _ in range(30):
        yard.player["yaw"] = -np.degrees(np.arctan2(mob["x"] - 16.5, mob["z"] - 16.5))
        eyes = mob["y"] + 0.88 * 2.9 - FLOOR - 1.62
        flat = np.hypot(mob["x"] - 16.5, mob["z"] - 16.5)
        yard.player["pitch"] = -np.degrees(np.arctan2(eyes, flat))
        yard.do("noop")
    assert yard.mobs[number]["target"] == -1 or yard.life < 20.0


def test_a_slime_splits() -> None:
    yard = Yard()
    number = yard.mob("slime")
    resize(yard.world.state.mobs[0, number], 4)
    hurt_mob(yard.world.state, yard.world.rules, 0, number, 100.0, 2, True)
    sizes = [int(mob["variant"]) for mob in yard.mobs if mob["kind"]]
    assert 2 <= len(sizes) <= 4
    assert set(sizes) == {2}
