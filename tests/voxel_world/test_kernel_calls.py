"""Which kernels Python can call, and how they run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from voxeldojo.engine import grid
from voxeldojo.engine.compiling.stale_kernels import needed_by


def test_calling_an_inner_kernel_from_python_raises_with_what_to_mark() -> None:
    with pytest.raises(TypeError, match="mark it as an entry_kernel"):
        grid.biome_at(None, 0, 0, 0)


def test_kernels_that_are_not_to_be_compiled_are_refused_with_what_to_do() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import voxeldojo.engine"],
        capture_output=True,
        text=True,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "RuntimeError: the kernels run only compiled: unset NUMBA_DISABLE_JIT"
    )


def test_kernels_need_all_files_of_the_engine_that_theirs_imports() -> None:
    engine = Path(grid.__file__).parent
    needed = needed_by(engine / "body/physics.py")
    assert {engine / "grid.py", engine / "state.py", engine / "compiling/kernels.py"} <= needed
    assert engine / "compiling/arrays_by_address.py" in needed  # state.py imports it
    assert engine / "embedded_world.py" not in needed
