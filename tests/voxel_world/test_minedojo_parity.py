"""The same seeds and actions through the real minedojo package on the Malmo server and through our
own make(): every observation key, reward and done has to be the same.

The real package lives in an environment of its own, .venv-minedojo (`make minedojo`).
"""

import os
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from tests.voxel_world.malmo_client import serving
from tests.voxel_world.minedojo_parity.own_player import Job, Rows, play
from voxeldojo.tasks import task_spec

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-minedojo" / "bin" / "python"
SIZE, SMALL = (160, 256), (40, 64)
PARTS = 4  # in which the long test comes
BOX = {"xmin": -2, "ymin": -1, "zmin": -3, "xmax": 1, "ymax": 2, "zmax": 0}
RAYS = [(0.0, 0.0, 10.0), (0.3, 0.4, 20.0), (-0.2, -0.7, 4.0), (1.2, 0.0, 3.0), (-1.4, 0.1, 50.0)]
FAN = [(pitch / 10, yaw / 10, 25.0) for pitch in (-2, 0, 2, 5) for yaw in range(-30, 31, 6)]
DRAWING = (
    '<DrawCuboid x1="-3" y1="26" z1="3" x2="3" y2="27" z2="4" type="planks" variant="birch"/>'
    '<DrawBlock x="2" y="26" z="2" type="log"/><DrawEntity x="3" y="26" z="0" type="Cow"/>'
    '<DrawItem x="1" y="26" z="1" type="diamond"/>'
)
KIT = [
    (0, "iron_pickaxe", 0, 1), (1, "iron_axe", 0, 1), (2, "crafting_table", 0, 2),
    (3, "furnace", 0, 2), (4, "coal", 1, 9), (5, "iron_ore", 0, 6),
    (6, "cooked_beef", 0, 4), (7, "stone", 0, 30),
    (8, "log", 2, 12), (9, "iron_helmet", 0, 1), (20, "shears", 0, 1), (35, "sand", 0, 9),
    ("feet", "leather_boots", 0, 1), ("offhand", "shield", 0, 1),
]  # fmt: skip
TASKS = [
    "harvest_1_log", "harvest_8_log", "harvest_1_dirt", "harvest_8_sapling",
    "harvest_1_wheat_seeds", "harvest_log_with_diamond_axe",
    "harvest_1_cobblestone_with_wooden_pickaxe", "harvest_8_iron_ore_with_stone_pickaxe",
    "harvest_1_crafting_table", "harvest_8_planks_forest", "harvest_1_log_taiga",
    "harvest_1_stick_plains", "harvest_1_chest_with_crafting_table",
    "harvest_1_stone_with_furnace_and_fuel", "harvest_1_glass_forest_with_furnace_and_fuel",
    "techtree_from_barehand_to_wooden_sword", "techtree_from_wood_to_stone_pickaxe",
    "techtree_from_stone_to_iron_shovel", "survival", "creative:3",
    "combat_pig_plains_barehand", "combat_cow_forest_leather_armors_wooden_sword_shield",
    "combat_zombie_plains_diamond_armors_diamond_sword_shield",
    "combat_spider_forest_iron_armors_iron_sword_shield",
    "combat_creeper_plains_leather_armors_wooden_sword_shield",
    "combat_skeleton_forest_diamond_armors_diamond_sword_shield",
    "harvest_milk_with_empty_bucket_and_cow", "harvest_wool_with_shears_and_sheep",
    "combat_blaze_nether_diamond_armors_diamond_sword_shield",
    "combat_ghast_nether_iron_armors_iron_sword_shield",
    "combat_shulker_end_diamond_armors_diamond_sword_shield",
    "combat_endermite_end_leather_armors_wooden_sword_shield",
    "combat_slime_swamp_iron_armors_iron_sword_shield",
    "combat_husk_desert_leather_armors_wooden_sword_shield",
    "combat_squid_ocean_barehand", "combat_llama_extreme_hills_barehand",
    "combat_bat_extreme_hills_barehand", "harvest_8_apple_jungle", "harvest_1_netherrack",
    "techtree_from_diamond_to_redstone_compass",
]  # fmt: skip
# Every runtime command, at odd moments; the last ones cannot be done.
CALLS = [
    (3, "spawn_mobs", ["cow", [1, 0, 2]]),
    (3, "spawn_mobs", [["zombie", "sheep"], [[3, 1, 3], [-2, 0, -3]]]),
    (8, "set_inventory", [[(0, "diamond_pickaxe", 0, 1), (5, "planks", 2, 17),
                           ("head", "iron_helmet", 0, 1), (30, "torch", 0, 64)]]),
    (14, "set_block", [["diamond_ore", "crafting_table"], [[1, 0, 1], [-1, 1, 0]]]),
    (20, "set_time", [13500]),
    (26, "set_weather", ["rain"]),
    (31, "teleport_agent", [30.5, 80, -20.25, 77.0, -10.0]),
    (40, "execute_cmd", ["/kill @e[type=cow]"]),
    (41, "execute_cmd", ["/summon creeper ~2 ~ ~2"]),
    (47, "execute_cmd", ["/replaceitem entity @p slot.weapon.offhand minecraft:shield 1 0"]),
    (55, "random_teleport", [60]),
    (60, "clear_inventory", []),
    (66, "kill_agent", []),
    (72, "set_weather", ["thunder"]),
    (75, "execute_cmd", ["/gamemode creative"]),
    (76, "execute_cmd", ["/tp @p ~ ~ north"]),
]  # fmt: skip

pytestmark = pytest.mark.skipif(
    not (ROOT / ".venv-minedojo" / ".installed").exists(),
    reason="the real package is not installed: run `make minedojo`",
)


def _ready_made(number: int, task_id: str) -> Job:
    """Most dig fast and have their hands full, that much may happen; a few are left as they are."""
    spec = task_spec(task_id)
    as_it_is = number % 7 == 0
    kwargs = {"image_size": SIZE if as_it_is else SMALL, "world_seed": str(100 + number)}
    if not as_it_is:
        kwargs["break_speed_multiplier"] = 30.0
    given = as_it_is or "initial_inventory" in spec.kwargs
    if "initial_mobs" in spec.kwargs:
        kwargs["seed"] = number  # which lays the mobs out
    return Job(
        name=task_id.replace(":", "-"),
        task_id=task_id,
        kwargs=kwargs,
        inventory=[] if given else KIT,
        prompt=True,
    )


def _of_meta_task(name: str, task_id: str, world_seed: int, /, **kwargs: Any) -> Job:
    given = {"image_size": (48, 64), "world_seed": str(world_seed), **kwargs}
    return Job(name=name, task_id=task_id, kwargs=given, inventory=KIT)


def _odd_ones() -> list[Job]:
    """Arguments that no ready-made task has."""
    return [
        _of_meta_task(
            "harvest-kit", "harvest", 21, target_names=["planks", "dirt"],
            target_quantities=[5000, 5000], reward_weights={"planks": 1, "dirt": 2.5},
            use_voxel=True, voxel_size=BOX, use_lidar=True, lidar_rays=RAYS,
            break_speed_multiplier=20.0, specified_biome="forest",
        ),
        _of_meta_task(
            "open-ended-full-resets", "open-ended", 22, use_lidar=True, use_voxel=True,
            start_health=13.0, start_food=9, start_time=6000, break_speed_multiplier=5.0,
            start_position={"x": 40.5, "y": 90.0, "z": 51.25, "yaw": 33.0, "pitch": 10.0},
        ),
        _of_meta_task(
            "techtree-kit", "techtree", 23, tech="iron", break_speed_multiplier=50.0
        ),
        _of_meta_task(
            "combat-lidar", "combat", 24, target_names=["zombie", "cow"], target_quantities=2,
            initial_mobs=["zombie", "cow", "sheep", "skeleton"], seed=5, always_night=True,
            initial_mob_spawn_range_low=(-4, 1, -4), initial_mob_spawn_range_high=(4, 2, 4),
            use_lidar=True, lidar_rays=FAN, use_voxel=True, initial_weather="thunder",
        ),
        _of_meta_task(
            "spawn-rates", "harvest", 25, target_names="beef", target_quantities=99, seed=6,
            spawn_rate={"cow": 0.3, "bat": 0.5, "coal_ore": 0.1},
            spawn_range_low=(-4, 1, -4), spawn_range_high=(4, 3, 4), use_lidar=True,
            lidar_rays=FAN, initial_weather="rain", start_at_night=True,
        ),
        # No seed is said for a flat world: the server's first one is 0.
        _of_meta_task(
            "flat", "open-ended", 0, generate_world_type="flat", use_voxel=True, use_lidar=True,
            flat_world_seed_string="3;7,3*1,20*3,12,2;1;", lidar_rays=RAYS, fast_reset=True,
            break_speed_multiplier=20.0, drawing_str=DRAWING,
            start_position={"x": 0.5, "y": 26, "z": 0.5, "yaw": 0, "pitch": 20},
        ),
        _of_meta_task(
            "night", "open-ended", 27, start_time=14000, use_voxel=True, use_lidar=True,
            lidar_rays=FAN, fast_reset=True, start_food=7, spawn_in_village=True,
        ),
    ]  # fmt: skip


def _with_commands() -> list[Job]:
    jobs = [
        _of_meta_task(
            "commands", "harvest", 31, target_names=["planks", "torch"], target_quantities=200,
            use_voxel=True, use_lidar=True, lidar_rays=FAN, break_speed_multiplier=20.0,
        ),
        _of_meta_task(
            "commands-full-resets", "open-ended", 32, generate_world_type="specified_biome",
            specified_biome="savanna", use_voxel=True, start_time=1000,
        ),
    ]  # fmt: skip
    for job in jobs:
        job.calls = CALLS
    return jobs


def _compare(name: str, own: Rows, real: Rows) -> list[str]:
    """What differs, a line per key."""
    found = [f"{name}: {key} is on one side only" for key in sorted(own.keys() ^ real.keys())]
    for key in sorted(own.keys() & real.keys()):
        ours, theirs = own[key], real[key]
        if ours.shape != theirs.shape or ours.dtype.kind != theirs.dtype.kind:
            found.append(f"{name}: {key} {ours.shape} {ours.dtype} / {theirs.shape} {theirs.dtype}")
        elif ours.dtype.kind != "U" and ours.dtype != theirs.dtype:
            found.append(f"{name}: {key} {ours.dtype} / {theirs.dtype}")
        elif not np.array_equal(ours, theirs):
            row = int(np.flatnonzero((ours != theirs).reshape(len(ours), -1).any(axis=1))[0])
            count = int((ours != theirs).reshape(len(ours), -1).any(axis=1).sum())
            found.append(
                f"{name}: {key} differs in {count} of {len(ours)} rows, first in {row}:"
                f" {ours[row].tolist()!r:.300} / {theirs[row].tolist()!r:.300}"
            )
    return found


def _parity(jobs: list[Job], steps: list[int], folder: Path, lively: dict[str, Any]) -> list[str]:
    """What differs. ``lively``: keys that must not have one value all the time, as where nothing
    happens there is nothing to compare."""
    own = {job.name: play(job, steps, seed) for seed, job in enumerate(jobs)}
    for key, idle in lively.items():
        assert any((rows[key] != idle).any() for rows in own.values()), f"{key} is always {idle}"
    with serving() as server:
        (folder / "jobs.json").write_bytes(msgspec.json.encode({"port": server.port, "jobs": jobs}))
        player = ROOT / "tests" / "voxel_world" / "minedojo_parity" / "real_player.py"
        command = [str(PYTHON), str(player), str(folder / "jobs.json"), str(folder)]
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr[-4000:]
    differences = []
    for job in jobs:
        with np.load(folder / f"{job.name}.npz") as real:
            differences += _compare(job.name, own[job.name], dict(real))
    return differences


def _all() -> list[Job]:
    jobs = [_ready_made(number, task) for number, task in enumerate(TASKS)]
    return jobs + _odd_ones() + _with_commands()


@pytest.mark.timeout(900)
def test_short_episodes_equal_those_of_the_real_minedojo(tmp_path: Path) -> None:
    rates = next(job for job in _odd_ones() if job.name == "spawn-rates")
    jobs = [_ready_made(1, "harvest_1_dirt"), rates, _with_commands()[0]]
    lively = {"reward": 0.0, "done": False, "delta_inv/inc_name_by_craft": "air"}
    assert _parity(jobs, [80, 20], tmp_path, lively) == []


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("part", range(PARTS))
def test_episodes_of_more_than_forty_tasks_equal_those_of_the_real_minedojo(
    part: int, tmp_path: Path
) -> None:
    lively = {"delta_inv/inc_name_by_other": "air", "delta_inv/inc_name_by_craft": "air"}
    assert _parity(_all()[part::PARTS], [200, 100], tmp_path, lively) == []
