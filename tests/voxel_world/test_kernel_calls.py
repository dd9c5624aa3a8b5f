"""Which kernels Python can call."""

import numba
import pytest

from voxeldojo.engine import grid


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")  # type: ignore[attr-defined]
def test_calling_an_inner_kernel_from_python_raises_with_what_to_mark() -> None:
    with pytest.raises(TypeError, match="mark it as an entry_kernel"):
        grid.biome_at(None, 0, 0, 0)
