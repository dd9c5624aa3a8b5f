"""How the world's kernels are compiled, and when compiled ones may be used again.

Numba's cache notices a change in a kernel's own file only. A kernel that calls into another file
would go on using that file's old code, and rules that are constants to it their old values. So all
of them are discarded when any file has changed.
"""

import contextlib
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba

import models.rules

Function = TypeVar("Function", bound=Callable[..., Any])
HERE = Path(__file__).parent
RULES = Path(models.rules.__file__).parent


def kernel(function: Function) -> Function:
    """Compile: cached on disk, without the interpreter's lock, in strict IEEE arithmetic so that
    an episode is the same on every run."""
    return numba.njit(cache=True, nogil=True, error_model="numpy")(function)  # type: ignore[return-value]


def discard_stale_kernels() -> None:
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted([*HERE.glob("*.py"), *RULES.glob("*.json"), *RULES.glob("*.py")]):
        digest.update(path.read_bytes())
    cache = HERE / "__pycache__"
    stamp = cache / "kernels.sha256"
    # A read-only installation has no cache here; Numba then keeps one of its own, by user.
    with contextlib.suppress(OSError):
        if stamp.exists() and stamp.read_text() == digest.hexdigest():
            return
        cache.mkdir(exist_ok=True)
        for index in cache.glob("*.nbi"):
            index.unlink(missing_ok=True)
        stamp.write_text(digest.hexdigest())
