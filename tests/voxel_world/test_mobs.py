"""Mobs on a plate of stone: each kind lives, strikes and dies by the table."""

from typing import Any

import numpy as np
import pytest

from tests.voxel_world.arena import FLOOR, Arena, embedded
from voxeldojo.engine.mobs.aim import mob_on_ray
from voxeldojo.engine.mobs.placing import place_mob, resize
from voxeldojo.engine.mobs.wounds import hurt_mob
from voxeldojo.rules.mobs import MOB_IDS, MOBS


class Yard(Arena):
    """The plate, with mobs; so wide that it stays where it is if the player is thrown about."""

    def __init__(self, options: dict[str, Any] | None = None) -> None:
        super().__init__({"area": 64, **(options or {})})
        self.world.state.settings["mobs_spawn"] = 0
        self.mobs = self.world.state.mobs[0]

    def mob(self, name: str, x: float = 16.5, y: float = FLOOR, z: float = 18.5) -> int:
        state, rules = self.world.state, self.world.rules
        return int(place_mob(state, rules, 0, MOB_IDS[name], float(x), float(y), float(z)))

    def kills(self, name: str) -> int:
        return int(self.world.state.kills[0, MOB_IDS[name]])


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
def test_each_kind_of_mob_survives_two_hundred_ticks_and_stays_near(name: str) -> None:
    yard = Yard()
    yard.stand(28.5, 100, 28.5)  # on a pillar, out of sight
    for y in range(60, 100):
        yard.put(28, y, 28, "stone")
    number = yard.mob(name, 6.5, FLOOR, 6.5)
    assert number >= 0
    yard.mobs[number]["stays"] = 1
    yard.world.state.settings["time_passes"] = 0
    yard.player["time"] = 18000  # nothing burns
    yard.do("noop", 200)
    assert yard.mobs[number]["kind"] == MOB_IDS[name]
    assert -16 <= yard.mobs[number]["x"] < 48
    assert FLOOR - 0.01 <= yard.mobs[number]["y"] < 128


def test_a_ray_hits_the_nearest_mob() -> None:
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
    assert int(yard.player["attacker"][0]) == MOB_IDS["zombie"]
    assert yard.world.cause_of_death(0) == "a blow of a zombie"


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
    assert int(yard.player["attacker"][0]) == MOB_IDS["creeper"]
    assert yard.kills("creeper") == 0


def test_a_skeleton_shoots_arrows() -> None:
    yard = Yard()
    yard.player["time"] = 18000
    yard.mob("skeleton", 16.5, FLOOR, 26.5)
    yard.do("noop", 200)
    assert yard.life < 20.0
    assert int(yard.player["attacker"][0]) == MOB_IDS["skeleton"]


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


@pytest.mark.parametrize("size", [1, 2, 4])
@pytest.mark.parametrize("name", ["slime", "magma_cube"])
def test_a_slimes_experience_is_its_size(name: str, size: int) -> None:
    yard = Yard()
    number = yard.mob(name)
    resize(yard.mobs[number : number + 1][0], size)
    hurt_mob(yard.world.state, yard.world.rules, 0, number, 100.0, 2, True)
    assert yard.player["xp"][0] == size


def test_a_magma_cubes_armour_is_thrice_its_size() -> None:
    yard = Yard()
    number = yard.mob("magma_cube")
    resize(yard.mobs[number : number + 1][0], 4)
    hurt_mob(yard.world.state, yard.world.rules, 0, number, 10.0, 2, True)
    # 12 points: max(12 / 5, 12 - 10 / 2) / 25 of the blow is stopped.
    assert yard.mobs[number]["life"] == pytest.approx(16.0 - 10.0 * (1.0 - 7.0 / 25.0))


@pytest.mark.parametrize(("name", "fights"), [("creeper", False), ("zombie", True)])
def test_an_iron_golem_fights_monsters_but_no_creepers(name: str, fights: bool) -> None:
    yard = Yard()
    yard.world.state.settings["time_passes"] = 0
    yard.player["time"] = 18000
    yard.stand(44.5, FLOOR, 44.5)
    golem = yard.mob("villager_golem", 4.5, FLOOR, 4.5)
    monster = yard.mob(name, 9.5, FLOOR, 4.5)
    aims = set()
    for _ in range(40):
        yard.do("noop")
        aims.add(int(yard.mobs[golem]["target"]))
    assert (monster + 1 in aims) == fights


def test_a_sheep_is_shorn_once_until_it_has_eaten_grass() -> None:
    yard = Yard()
    yard.hold("shears")
    number = yard.mob("sheep", 16.5, FLOOR, 18.0)
    yard.player["pitch"] = 30.0
    colour = int(yard.mobs[number]["variant"])
    drops = yard.world.state.drops[0]
    yard.do("use")
    shorn = drops[drops["count"] > 0]
    assert 1 <= len(shorn) <= 3
    assert set(shorn["variant"]) == {colour}
    yard.do("use")
    assert (drops["count"] > 0).sum() == len(shorn)
    for x in range(32):
        for z in range(32):
            yard.put(x, FLOOR - 1, z, "grass")
    for side in range(12, 22):  # a pen, or it walks off to where nothing stirs
        for x, z in ((side, 12), (side, 21), (12, side), (21, side)):
            yard.put(x, FLOOR, z, "fence")
    yard.do("noop", 6000)
    assert yard.mobs[number]["carried"] == 0


def test_a_cow_is_milked() -> None:
    yard = Yard()
    yard.hold("bucket")
    yard.mob("cow", 16.5, FLOOR, 18.0)
    yard.player["pitch"] = 30.0
    yard.do("use")
    assert yard.have("milk_bucket") == 1
    assert yard.have("bucket") == 0


def test_two_fed_cows_have_a_calf() -> None:
    yard = Yard()
    for x in (15.5, 17.5):
        yard.mobs[yard.mob("cow", x, FLOOR, 18.0)]["love"] = 600
    yard.do("noop", 300)
    assert sorted(yard.mobs["age"][yard.mobs["kind"] > 0] < 0) == [False, False, True]


def natural(time: int, spawns: int, ticks: int = 600) -> set[str]:
    yard = Yard()
    state = yard.world.state
    state.settings["mobs_spawn"], state.settings["time_passes"] = spawns, 0
    state.light[...] = 0xF0
    state.biomes[...] = 1
    yard.player["time"] = time
    yard.stand(1.5, FLOOR, 1.5)
    seen: set[str] = set()
    for _ in range(ticks // 20):
        yard.do("noop", 20)
        yard.player["life"] = 20.0
        seen |= {MOBS[kind - 1].name for kind in yard.mobs["kind"] if kind}
    return seen


def test_monsters_spawn_by_night_only_and_never_without_mobs_spawn() -> None:
    night = natural(18000, 1)
    assert night & {"zombie", "skeleton", "creeper", "spider"}
    assert not natural(6000, 1) & {"zombie", "skeleton", "creeper", "spider"}
    assert natural(18000, 0) == set()


def test_a_spawner_spawns_its_kind_of_mob() -> None:
    yard = Yard()
    yard.world.state.settings["mobs_spawn"] = 1
    yard.world.state.light[...] = 0
    yard.put(10, FLOOR, 10, "mob_spawner", meta=6)
    yard.do("noop", 600)
    assert "blaze" in {MOBS[kind - 1].name for kind in yard.mobs["kind"] if kind}


def kill_all(yard: Yard, name: str) -> None:
    state, rules = yard.world.state, yard.world.rules
    for number in np.flatnonzero(yard.mobs["kind"]):
        hurt_mob(state, rules, 0, int(number), 1000.0, 2, True)


@pytest.mark.parametrize("name", [mob.name for mob in MOBS])
def test_each_kind_of_mob_drops_what_its_table_has(name: str) -> None:
    mob = MOBS[MOB_IDS[name] - 1]
    yard = Yard()
    items = yard.world.item_names
    found: dict[str, int] = {}
    tries = 300
    for _ in range(tries):
        number = yard.mob(name)
        if name in ("slime", "magma_cube"):
            resize(yard.world.state.mobs[0, number], 1 if name == "slime" else 2)
        kill_all(yard, name)
        for drop in yard.world.state.drops[0]:
            if drop["count"]:
                found[items[drop["item"]]] = found.get(items[drop["item"]], 0) + int(drop["count"])
        yard.world.state.drops["count"] = 0
        if name == "magma_cube":
            yard.mobs["kind"] = 0
    expected: dict[str, float] = {}
    for item, fewest, most, chance, *_ in [*mob.drops, *mob.rare]:
        expected[item] = expected.get(item, 0.0) + tries * chance * (fewest + most) / 2.0
    assert set(found) <= set(expected)
    for item, count in expected.items():
        assert abs(found.get(item, 0) - count) <= 5.0 * (count**0.5) + 0.15 * count, item
    assert yard.kills(name) >= tries


def test_mobs_of_an_episode_are_the_same_in_any_batch() -> None:
    states = []
    for size in (1, 3):
        world = embedded(size, {"area": 64}, biome="plains")
        world.state.settings["time"] = 18000
        world.state.biomes[...] = 1
        seeds = np.arange(7, 7 + size)[::-1].copy()
        world.reset(np.arange(size), seeds)
        vector = np.array([[1, 0, 1, 12, 13, 3, 0, 0]] * size)
        for _ in range(400):
            world.step(vector, np.ones(size, np.bool_))
        row = int(np.flatnonzero(seeds == 7)[0])
        player = [float(world.state.players[row][name]) for name in ("x", "y", "z", "life")]
        states.append((world.state.mobs[row].tobytes(), player))
        assert size == 3 or world.state.mobs["kind"].any()
    assert states[0] == states[1]


def test_lidar_reports_the_mob_before_the_block() -> None:
    yard = Yard({"use_lidar": True, "lidar_rays": [(0.5, 0.0, 10.0), (0.0, 3.0, 10.0)]})
    yard.mob("zombie_pigman", 16.5, FLOOR, 18.5)
    rays = yard.world.observation(0)["rays"]
    assert rays["entity_name"].tolist() == ["pigzombie", "null"]
    assert rays["entity_distance"][0] == pytest.approx(1.7 / np.cos(0.5), abs=0.01)
    assert rays["entity_distance"][1] == rays["block_distance"][1]
