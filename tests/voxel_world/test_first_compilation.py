"""A process that waits for kernels to be compiled reports it, once, and no other process does."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from voxeldojo.engine.compiling.first_compilation import SENTENCE

OURS = """
from voxeldojo.engine.body.clock import celestial_angle, darkness
celestial_angle(1000)
celestial_angle(1000.0)
"""
ANOTHER = """
import numba
import voxeldojo.engine
numba.njit(lambda x: x + 1)(1)
"""
WORKER = f"""
from multiprocessing import get_context
if __name__ == "__main__":
    with get_context("spawn").Pool(1) as pool:
        pool.apply(exec, ({OURS!r}, {{}}))
"""

USES = """
import gymnasium, voxeldojo
from voxeldojo.game import Keys
from voxeldojo.tasks import InventoryItem

environment = gymnasium.make("voxeldojo/HarvestLog-v0", render_mode="rgb_array")
environment.reset(seed=1)
environment.step(environment.action_space.sample())
environment.render()
batch = gymnasium.make_vec("voxeldojo/HarvestLog-v0", num_envs=130)
batch.reset(seed=1)
batch.step(batch.action_space.sample())

drawing = '<DrawEntity x="1" y="71" z="1" type="Cow"/><DrawItem x="1" y="72" z="1" type="log"/>'
started = dict(x=0, y=70, z=0, yaw=0, pitch=0)
for options in (
    dict(use_lidar=True, use_voxel=True),
    dict(drawing_str=drawing, start_position=started),
    dict(spawn_in_village=True, generate_world_type="specified_biome", specified_biome="plains"),
):
    played = voxeldojo.make("open-ended", image_size=(32, 32), area=64, **options)
    played.reset()
    game = played.unwrapped.game
    played.set_block("stone", [0, 1, 1])
    played.set_inventory([InventoryItem(0, "log", 0, 9), InventoryItem(20, "stone", 0, 3)])
    for keys in (
        Keys(hotbar=3), Keys(pick=True), Keys(swaps=[(0, 9)]), Keys(swap_hands=True),
        Keys(attack=True), Keys(use=True), Keys(drop=True), Keys(equip="stone"),
    ):
        game.tick(keys)
    for command in (
        "summon cow ~ ~ ~2", "tp @e[type=cow] ~ ~ ~", "kill @e[type=cow]", "give @p torch 2",
        "effect @p regeneration 5", "effect @p clear", "weather rain", "time set night",
        "fill ~ ~ ~3 ~1 ~ ~4 dirt", "tp ~ ~1 ~", "spreadplayers ~ ~ 0 20 false @p", "kill @p",
    ):
        assert game.tick(command=f"/{command}") == "", command
    played.step(played.action_space.no_op())
    played.reset()
"""
"""What programs do with a world: every kernel that Python calls, whichever calls it first."""


def said(folder: Path, program: str, *arguments: str) -> str:
    """What a process prints on standard error, whose kernels are in ``folder``."""
    (folder / "script.py").write_text(program)
    done = subprocess.run(
        [sys.executable, *arguments, str(folder / "script.py")],
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder / "kernels")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    return done.stderr


def test_the_first_compilation_is_reported_once_and_not_where_kernels_are_cached(
    tmp_path: Path,
) -> None:
    assert said(tmp_path, OURS) == f"{SENTENCE}\n"
    assert said(tmp_path, OURS) == ""


def test_neither_other_kernels_nor_those_of_a_worker_are_reported(tmp_path: Path) -> None:
    assert said(tmp_path, ANOTHER) == ""
    assert said(tmp_path, WORKER) == ""


def test_a_world_is_compiled_where_standard_error_is_closed(tmp_path: Path) -> None:
    assert said(tmp_path, f"import sys\nsys.stderr.close()\nsys.stderr = None\n{OURS}") == ""


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_what_was_compiled_in_advance_is_compiled_by_no_use(tmp_path: Path) -> None:
    compiling = subprocess.run(
        [sys.executable, "-m", "voxeldojo.engine"],
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kernels")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (compiling.returncode, compiling.stderr) == (0, "")
    assert said(tmp_path, USES) == ""
