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
    use = """
import gymnasium, voxeldojo
environment = gymnasium.make("voxeldojo/HarvestLog-v0", render_mode="rgb_array")
environment.reset(seed=1)
environment.step(environment.action_space.sample())
environment.render()
"""
    assert said(tmp_path, use) == ""
