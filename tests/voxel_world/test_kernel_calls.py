"""Which kernels Python can call."""

import numba
import pytest

from voxeldojo.engine import grid


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")  # type: ignore[attr-defined]
def test_python_calling_a_kernel_that_is_for_kernels_alone_is_told_what_to_mark() -> None:
    with pytest.raises(TypeError, match="mark it as an entry_kernel"):
        grid.biome_at(None, 0, 0, 0)
