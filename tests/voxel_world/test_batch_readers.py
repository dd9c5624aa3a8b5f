"""The fast readings of a batch against plain ones: the same numbers, whatever was read before."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.voxel_world.arena import embedded
from voxeldojo.engine import EmbeddedWorld
from voxeldojo.engine.grid import BARRIER, block_at
from voxeldojo.engine.hands.crafting import affordable, nearby_tools, usable
from voxeldojo.engine.rays import cast, direction
from voxeldojo.engine.state import EYES
from voxeldojo.rules import CRAFTS, item_id
from voxeldojo.world_interface import OBSERVED, World

SIZE = 4
EVERY_WAY = np.array(
    [(p, y) for p in np.linspace(-1.5, 1.5, 9) for y in np.linspace(-3.0, 3.0, 13)], np.float32
)
KIT = {"log": 9, "cobblestone": 20, "coal": 3, "crafting_table": 2, "furnace": 1, "iron_ore": 4}


@pytest.fixture(scope="module")
def world() -> EmbeddedWorld:
    world = embedded(SIZE, {"strict": False}, inventory=KIT)
    world.reset(np.arange(SIZE), np.arange(SIZE) + 5)
    return world


def lively(steps: int) -> NDArray[np.int64]:
    """Walking, digging, crafting, equipping, placing and throwing away, (steps, SIZE, 8)."""
    chance = np.random.default_rng(8)
    columns = [chance.integers(0, n, (steps, SIZE)) for n in (3, 3, 4)]
    columns += [chance.integers(9, 16, (steps, SIZE)) for _ in "ab"]
    columns += [chance.integers(0, n, (steps, SIZE)) for n in (8, 244, 36)]
    crafted = [number for number, craft in enumerate(CRAFTS) if craft.item in ("planks", "stick")]
    actions = np.stack(columns, -1)
    actions[::3, :, 6] = crafted[0]
    actions[1::3, :, 7] = 3
    actions[2::3, :, 7] = 0
    return actions


def plain_masks(world: EmbeddedWorld, w: int) -> dict[str, NDArray[np.bool_]]:
    items = world.state.slots[w]["item"][:36]
    tools = nearby_tools(world.state, w)
    first = world.rules.first
    crafts = np.array(
        [
            usable(world.rules, n, tools) and affordable(world.state, world.rules, w, first[n])
            for n in range(244)
        ]
    )
    equip = items != 0
    equip[0] &= world.rules.item["slot"][items[0]] != 0
    place = (items != 0) & (world.rules.item["block"][items] > 0)
    can = [True, True, items[0] != 0, True, crafts.any() and not (items != 0).all()]
    return {
        "action_type": np.array([*can, equip.any(), place.any(), (items != 0).any()]),
        "craft_smelt": crafts,
        "equip": equip,
        "place": place,
        "destroy": items != 0,
    }


def test_masks_equal_slowly_computed_ones_after_every_step(world: EmbeddedWorld) -> None:
    seen_different = set()
    for actions in lively(150):
        world.step(actions, np.ones(SIZE, np.bool_))
        seen = world.observe(("masks",))
        for w in range(SIZE):
            for name, mask in plain_masks(world, w).items():
                np.testing.assert_array_equal(seen[name][w], mask, err_msg=name)
            seen_different.add(seen["craft_smelt"][w].tobytes())
    assert len(seen_different) > 5


def test_masks_follow_slots_written_directly_into_the_arrays(world: EmbeddedWorld) -> None:
    """Commands write slots themselves."""
    world.observe(("masks",))
    slots = world.state.slots[1]
    slots["item"], slots["count"] = 0, 0
    assert not world.observe(("masks",))["destroy"][1].any()
    slots["item"][7], slots["count"][7] = item_id("log"), 1
    assert world.observe(("masks",))["destroy"][1].nonzero()[0].tolist() == [7]


def test_rays_and_voxels_equal_slowly_computed_ones(world: EmbeddedWorld) -> None:
    hits = 0
    for step, actions in enumerate(lively(12)):
        world.step(actions, np.ones(SIZE, np.bool_))
        if step % 4:
            continue
        if step == 8:  # at the window's edge
            world.state.players["x"][2] = world.state.players["west"][2] + 1.2
        names, distances = world.rays(EVERY_WAY, 30.0)
        voxels = world.voxels(4)
        for w in range(SIZE):
            player = world.state.players[w]
            eye = (float(player["x"]), float(player["y"]) + EYES, float(player["z"]))
            for number, (pitch, yaw) in enumerate(EVERY_WAY):
                look = direction(
                    player["yaw"] + math.degrees(yaw), player["pitch"] + math.degrees(pitch)
                )
                block, *_, distance = cast(world.state, world.rules, w, *eye, *look, 30.0)
                if block == BARRIER:
                    block, distance = 0, 30.0
                assert names[w, number] == world.rules.block["name"][block]
                assert distances[w, number] == np.float32(distance)
                hits += block > 0
            feet = [math.floor(player[axis]) for axis in "xyz"]
            for i, j, k in np.ndindex(9, 9, 9):
                at = (feet[0] + i - 4, feet[1] + j - 4, feet[2] + k - 4)
                block = block_at(world.state, w, *at)
                assert voxels[w, i, j, k] == world.rules.block["name"][block]
    assert hits > 500


def test_one_observation_of_all_fields_equals_the_separate_readers(world: EmbeddedWorld) -> None:
    """What the interface puts together from the separate readers, and what one call reads."""
    fields = (*OBSERVED, "rays")
    fast = {
        name: array.copy()
        for name, array in world.observe(fields, radius=2, rays=EVERY_WAY, reach=9.0).items()
    }
    plain = World.observe(world, fields, radius=2, rays=EVERY_WAY, reach=9.0)
    assert fast.keys() == plain.keys()
    for name, array in plain.items():
        assert array.dtype == fast[name].dtype
        np.testing.assert_array_equal(array, fast[name], err_msg=name)


def test_an_unknown_field_and_rays_without_directions_are_refused(world: EmbeddedWorld) -> None:
    for observe in (world.observe, lambda *a: World.observe(world, *a)):
        with pytest.raises(ValueError, match="none of inventory, voxels"):
            observe(("smell",))
        with pytest.raises(ValueError, match="give rays"):
            observe(("rays",))


Readers = dict[str, Callable[[Any], Any]]


def readers(world: EmbeddedWorld) -> Readers:
    """Those that read the named environments only."""
    return {
        "voxels": lambda rows: (world.voxels(1, rows),),
        "rays": lambda rows: world.rays(EVERY_WAY, 9.0, rows),
        "mobs": lambda rows: world.mobs(EVERY_WAY, 9.0, rows),
        "status": lambda rows: tuple(world.status(rows).values()),
        "light": lambda rows: (world.light(rows),),
    }


@pytest.mark.parametrize("name", ["voxels", "rays", "mobs", "status", "light"])
def test_environments_that_there_are_not_are_refused_in_a_sentence(
    world: EmbeddedWorld, name: str
) -> None:
    """A kernel would read, and write, beyond the arrays."""
    read = readers(world)[name]
    for rows in ([SIZE], [-1], [0, 10**6], np.array([2**64 - 1], np.uint64)):
        with pytest.raises(ValueError, match=f"environments are numbered 0 to {SIZE - 1}, not"):
            read(rows)
    for rows in ([0.5], [True], 0, [[0]], ["0"], [10**30]):
        with pytest.raises(ValueError, match="environments are a row of whole numbers, not"):
            read(rows)


@pytest.mark.parametrize("name", ["voxels", "rays", "mobs", "status", "light"])
def test_environments_are_read_in_any_order_and_as_often_as_they_are_named(
    world: EmbeddedWorld, name: str
) -> None:
    read = readers(world)[name]
    every = [array.copy() for array in read(None)]
    backwards = np.arange(SIZE)[::-1]
    for rows in ([], [2], [3, 0, 3, 1, 1, 2, 0], backwards, np.array([1, 2], np.uint8)):
        found = read(rows)
        for whole, part in zip(every, found, strict=True):
            np.testing.assert_array_equal(part, whole[np.array(rows, np.int64)])


def test_directions_and_radii_that_are_none_are_refused(world: EmbeddedWorld) -> None:
    for look in (world.rays, world.mobs):
        for wrong in (np.zeros(2), np.zeros((2, 3)), np.zeros((1, 2, 2))):
            with pytest.raises(ValueError, match="pitch_yaw is"):
                look(wrong.astype(np.float32), 9.0, np.array([0]))
        for reach in (0.0, -1.0, math.nan, math.inf):
            with pytest.raises(ValueError, match="reach is above 0 and below 1,000,000 metres"):
                look(EVERY_WAY, reach, np.array([0]))
    for rows in (None, np.array([0])):
        with pytest.raises(ValueError, match="a radius is not negative"):
            world.voxels(-1, rows)


def test_a_dict_of_readings_is_the_callers_own(world: EmbeddedWorld) -> None:
    for fields, rays in ((OBSERVED, None), (("voxels", "rays"), EVERY_WAY)):
        seen = world.observe(fields, rays=rays)
        names = list(seen)
        seen["voxels"] = seen["voxels"] / 2
        seen["mine"] = seen.pop(names[-1])
        again = world.observe(fields, rays=rays)
        assert list(again) == names
        assert again["voxels"].dtype == np.int64


def test_counts_that_were_read_stay_as_they_were() -> None:
    world = embedded(1)
    world.reset(np.array([0]), np.array([5]))
    read = {name: getattr(world, name)() for name in ("age", "killed", "used")}
    before = {name: array.copy() for name, array in read.items()}
    world.state.kills[0, 1] += 1
    world.step(np.array([[0, 0, 0, 12, 12, 0, 0, 0]]), np.ones(1, np.bool_))
    assert world.age().tolist() == [world.state.players[0]["ticks"]] != read["age"].tolist()
    for name, array in read.items():
        assert (array == before[name]).all(), name
        array[:] = 99
    assert world.state.players[0]["ticks"] < 99
    assert world.state.kills.max() < 99
