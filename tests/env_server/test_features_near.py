"""What policies see of mobs, their own gear, light, fluids and food, in the embedded world."""

import msgspec
import numpy as np
import pytest

from messages.world import Condition, Interface, Lead, OpenSession, SeedRange, Task
from nodes.env_server.session import Session
from tests.voxel_world.test_mobs import Yard
from voxeldojo.engine.observation.readings_for_programs import ARMOUR
from voxeldojo.rules import item_id
from worlds import play
from worlds.minecraft.card import features

GAME = play("minecraft")
TASK = Task(id="look", prompt="look", success=Condition(kind="have", name="log"))
SEEN, SIN, COS, PITCH, NEAR, COMES, KIND = range(7)


class Eyes:
    """The columns of one feature in a yard. ``look`` also lets the readings be read again."""

    def __init__(self, yard: Yard, name: str) -> None:
        self.yard = yard
        self._readings = GAME.readings(yard.world)
        interface = Interface(
            observations=[name], actions=["noop"], success=TASK.success, horizon=10
        )
        self._features = GAME.features(interface, TASK, 1, yard.world)

    def look(self) -> np.ndarray:
        self._readings.forget(np.ones(1, bool))
        nothing = np.zeros(1, np.float32)
        return self._features.compute(self._readings, nothing, np.full(1, -1))[0].copy()

    def begin(self) -> None:
        self._readings.begin(np.ones(1, bool))

    def mobs(self) -> np.ndarray:
        """One row for each mob that there is room for."""
        columns = self.look()
        rows = features.MOBS_SHOWN["hostiles"] if len(columns) == 33 else 2
        return columns.reshape(rows, -1)


def placed(yard: Yard, name: str, x: float, z: float) -> int:
    number = yard.mob(name, x, 64, z)
    yard.mobs["x"][number], yard.mobs["z"][number] = x, z
    return number


def test_hostile_mobs_are_shown_by_kind_direction_and_distance() -> None:
    yard = Yard()
    placed(yard, "zombie", 16.5, 22.5)
    placed(yard, "creeper", 13.5, 19.5)  # three metres ahead and three to the right
    placed(yard, "cow", 19.5, 19.5)
    near, far, none = Eyes(yard, "hostiles").mobs()
    kinds = features.HOSTILE_KINDS
    assert near[KIND - 1 + 1 :].tolist() == [float(kind == "creeper") for kind in kinds]
    assert far[KIND:].tolist() == [float(kind == "undead") for kind in kinds]
    assert none.tolist() == [0] * len(none)
    assert np.degrees(np.arctan2(near[SIN], near[COS])) == pytest.approx(45, abs=8)
    assert np.degrees(np.arctan2(far[SIN], far[COS])) == pytest.approx(0, abs=4)
    # The nearest face of a zombie's box is 0.3 m before its middle.
    assert far[NEAR] == pytest.approx(1 - 5.7 / features.RAY_REACH, abs=0.02)
    (cow, none) = Eyes(yard, "passives").mobs()
    assert cow[KIND:].tolist() == [float(kind == "cow") for kind in features.PASSIVE_KINDS]
    assert np.degrees(np.arctan2(cow[SIN], cow[COS])) == pytest.approx(-45, abs=8)
    assert not none.any()


def test_one_mob_is_shown_once_and_two_of_a_kind_twice() -> None:
    yard = Yard()
    placed(yard, "zombie", 16.5, 18.5)  # so near that many rays meet it
    eyes = Eyes(yard, "hostiles")
    assert eyes.mobs()[:, SEEN].tolist() == [1, 0, 0]
    placed(yard, "zombie", 18.5, 20.5)
    assert eyes.mobs()[:, SEEN].tolist() == [1, 1, 0]


@pytest.mark.parametrize(("step", "comes"), [(-0.3, 1.0), (0.3, -1.0), (0.0, 0.0)])
def test_whether_a_mob_comes_nearer_is_shown_from_the_fifth_look_on(
    step: float, comes: float
) -> None:
    yard = Yard()
    number = placed(yard, "zombie", 16.5, 22.5)
    eyes = Eyes(yard, "hostiles")
    told = []
    for _ in range(5):
        told.append(float(eyes.mobs()[0, COMES]))
        yard.mobs["z"][number] += step
    assert told[:4] == [0, 0, 0, 0]
    assert told[4] == pytest.approx(comes, abs=0.05)


def test_a_mob_is_not_compared_with_one_of_the_episode_before() -> None:
    yard = Yard()
    number = placed(yard, "zombie", 16.5, 22.5)
    eyes = Eyes(yard, "hostiles")
    for _ in range(4):
        eyes.mobs()
    eyes.begin()
    yard.mobs["z"][number] = 21.5
    assert eyes.mobs()[0, [SEEN, COMES]].tolist() == [1, 0]


def test_a_mob_is_not_compared_with_one_that_an_earlier_stage_saw() -> None:
    """Neither in an evaluation nor behind a policy that leads to a training."""
    ahead = {"initial_mob_spawn_range_low": "0 0 7", "initial_mob_spawn_range_high": "0 0 9"}
    night = {"generate_world_type": "flat", "start_time": 18_000, "allow_mob_spawn": False}
    world = {"area": 32, "initial_mobs": "zombie", **ahead, **night}
    task = msgspec.structs.replace(TASK, horizon=99, world=world)
    interface = Interface(
        observations=["hostiles"], actions=["noop"], success=TASK.success, horizon=8
    )
    opened = OpenSession(
        session="two", task=task, size=4, seeds=SeedRange(first=0, count=4), interface=interface
    )
    nothing = np.zeros(4, np.int64)

    def coming(columns: np.ndarray) -> np.ndarray:
        return columns.reshape(4, features.MOBS_SHOWN["hostiles"], -1)[:, :, COMES]

    session = Session(opened, GAME.make_world("embedded", 4, task))
    for _ in range(7):
        seen = session.step(nothing).features
    assert coming(seen).any()
    session.take(interface)
    assert not coming(session.opened().features).any()
    session.close()
    training = msgspec.structs.replace(opened, autoreset=True, lead=[Lead(interface=interface)])
    session = Session(training, GAME.make_world("embedded", 4, task))
    led = [session.step(nothing) for _ in range(8)]
    assert [each.lead for each in led] == [*[0] * 7, -1]
    assert coming(led[6].features).any()
    assert not coming(led[7].features).any()
    session.close()


def test_a_sessions_episode_of_a_seed_shows_the_same_mobs_again() -> None:
    task = msgspec.structs.replace(
        TASK, biome="plains", world={"initial_mobs": "zombie,cow,sheep,skeleton", "area": 32}
    )
    interface = Interface(
        observations=["hostiles", "passives"], actions=["noop"], success=TASK.success, horizon=8
    )
    request = OpenSession(
        session="same", task=task, size=4, seeds=SeedRange(first=0, count=4), autoreset=True,
        interface=interface,
    )  # fmt: skip
    session = Session(request, GAME.make_world("embedded", 4, task))
    seen = [session.opened().features]
    seen += [session.step(np.zeros(4, np.int64)).features for _ in range(15)]
    assert any(each.any() for each in seen)
    assert np.array_equal(seen[:8], seen[8:])
    session.close()


def test_the_players_own_movement_does_not_count_as_a_mob_coming() -> None:
    yard = Yard()
    placed(yard, "zombie", 16.5, 22.5)
    eyes = Eyes(yard, "hostiles")
    for walked in range(5):
        yard.player["z"] = 16.5 + 0.3 * walked
        told = float(eyes.mobs()[0, COMES])
    assert told == pytest.approx(0, abs=0.05)


def test_equipment_shows_kind_material_armour_shield_and_what_a_blow_has_left() -> None:
    yard = Yard()
    eyes = Eyes(yard, "equipment")
    kinds = features.HELD_KINDS
    count = len(kinds)
    assert eyes.look()[:count].tolist() == [float(kind == "nothing") for kind in kinds]
    yard.hold("iron_sword")
    slots = yard.world.state.slots[0]
    names = ("iron_boots", "iron_leggings", "diamond_chestplate", "leather_helmet", "shield")
    for place, name in enumerate(names):
        slots["item"][ARMOUR + place], slots["count"][ARMOUR + place] = item_id(name), 1
    seen = eyes.look()
    assert seen[:count].tolist() == [float(kind == "sword") for kind in kinds]
    assert seen[count:].tolist() == pytest.approx([0.6, (2 + 5 + 8 + 1) / 20, 1, 1])
    yard.player["cooldown"] = 0  # struck just now: 12.5 ticks until all of it is back
    assert eyes.look()[-1] == pytest.approx(0.5 / 12.5)
    yard.hold("bread")
    assert eyes.look()[kinds.index("food")] == 1


def test_fluids_show_air_water_and_where_lava_is() -> None:
    yard = Yard()
    yard.player["yaw"] = 0.0  # faces +z
    eyes = Eyes(yard, "fluids")
    dry = eyes.look()
    assert dry.tolist() == [1, 0, 0, 0, 0, 0, 0, 0, 0]
    yard.put(16, 64, 17, "lava")
    assert eyes.look()[4:].tolist() == [0, 0, 1, 0, 0]  # ahead
    yard.player["yaw"] = 90.0  # faces -x: it is to the left now
    assert eyes.look()[4:].tolist() == [1, 0, 0, 0, 0]
    yard.put(16, 64, 17, "air")
    yard.put(16, 64, 16, "water")
    yard.put(16, 65, 16, "water")
    assert eyes.look()[1:4].tolist() == [1, 1, 0]


def test_the_light_and_food_features_have_their_values() -> None:
    yard = Yard()
    assert 0 < Eyes(yard, "light").look()[0] <= 1
    yard.hold("bread", 3)
    assert Eyes(yard, "food").look().tolist() == pytest.approx([1, np.log(4)])
