"""Calls a kernel from Python without Numba's check of the arguments' types at each call.

Numba finds the compiled code by the types of the arguments. A state is a tuple of some twenty
arrays, and checking them takes longer than a step of one world.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])


def direct(kernel: Function) -> Function:
    """The kernel, for code that always calls it with arguments of the same types: arrays of the
    same dtype, number of axes and order, as our own buffers have. Only the first call checks
    them."""
    overloads: Any = kernel.overloads  # type: ignore[attr-defined]
    entry: Callable[..., Any] | None = None

    def call(*arguments: Any) -> Any:
        nonlocal entry
        if entry is not None:
            return entry(*arguments)
        result = kernel(*arguments)
        # If there are several compiled versions, Numba has to find the right one.
        if len(overloads) == 1:
            entry = next(iter(overloads.values())).entry_point
        return result

    return cast(Function, call)
