"""Calling a kernel from Python again and again without Numba's looking at its arguments each time.

By an argument's kind Numba finds the compiled code. A state is a tuple of some twenty arrays, and
looking through them takes longer than the step of one world.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def direct(kernel: Function) -> Function:
    """The kernel, for a place that always calls it with arguments of the same kinds: arrays of the
    same dtype, number of axes and order, as our own buffers are. They are not checked any more
    after the first call."""
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return kernel
    overloads: Any = kernel.overloads  # type: ignore[attr-defined]
    entry: Callable[..., Any] | None = None

    def call(*arguments: Any) -> Any:
        nonlocal entry
        if entry is not None:
            return entry(*arguments)
        result = kernel(*arguments)
        # Of several the right one is for Numba to find.
        if len(overloads) == 1:
            entry = next(iter(overloads.values())).entry_point
        return result

    return cast(Function, call)
