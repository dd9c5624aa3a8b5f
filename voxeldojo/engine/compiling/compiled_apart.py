"""Kernels that are compiled once, separately from those that call them.

Numba inlines a called kernel into its caller and optimises the whole again, at every level up to
``act_all``: the generation of the ground was compiled in seventeen kernels. A kernel marked
``apart`` is called at its address instead, which is in ``Rules.apart``. The call costs some
nanoseconds and prevents optimisation across it, so it is for large kernels that are called at most
some tens of times in a step.
"""

from collections.abc import Callable
from functools import update_wrapper
from typing import Any, TypeVar, cast

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin
from numpy.typing import NDArray

from voxeldojo.engine.compiling.arrays_by_address import address_of_array
from voxeldojo.engine.compiling.kernels import entry_kernel

Function = TypeVar("Function", bound=Callable[..., Any])

ENGINE = "voxeldojo.engine"
# Kernels by module. Their order is that of Rules.apart, and is part of the callers' code.
NAMES = (
    "terrain.generate.generate_area",
    "terrain.window.fill",
    "motion.travel.travel",
    "stepping.begin",
    "motion.explosions.explode",
    "motion.consequences.follow",
    "motion.due.run_updates",
    "mobs.wounds.hurt_mob",
    "mobs.living.live",
    "mobs.living.tick_mobs",
    "stepping.use_hands",
    "stepping.tick",
)
UNCONNECTED = "a kernel was called before apart.connect(state, rules)"
_MARKED: dict[str, tuple[Any, tuple[types.Type, ...]]] = {}


def apart(*kinds: types.Type, returns: types.Type = types.none) -> Callable[[Function], Function]:
    """Decorator for a kernel with the arguments state, rules and then those of these kinds. It must
    be one of ``NAMES``."""

    def mark(function: Function) -> Function:
        compiled: Any = entry_kernel(function)
        name = f"{function.__module__}.{function.__name__}".removeprefix(f"{ENGINE}.")
        place = NAMES.index(name)
        _MARKED[name] = compiled, kinds

        def call(*arguments: Any) -> Any:
            return compiled(*arguments)

        call.overloads = compiled.overloads  # type: ignore[attr-defined]  # for direct()

        @cast(Any, infer_global)(call, typing_key=name)
        class Call(AbstractTemplate):
            def generic(self, args: Any, kws: Any) -> Any:
                return signature(returns, args[0], args[1], *kinds)

        @lower_builtin(name, types.VarArg(types.Any))
        def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            word = ir.IntType(64)
            table = address_of_array(builder, sig.args[1], args[1], "apart")
            entry = builder.gep(builder.inttoptr(table, word.as_pointer()), [word(place)])
            kind = context.call_conv.get_function_type(returns, sig.args)
            address = builder.load(entry)
            with cgutils.if_unlikely(builder, cgutils.is_null(builder, address)):
                context.call_conv.return_user_exc(builder, RuntimeError, (UNCONNECTED,))
            callee = builder.inttoptr(address, kind.as_pointer())
            status, found = context.call_conv.call_function(
                builder, callee, returns, sig.args, args
            )
            with cgutils.if_unlikely(builder, status.is_error):
                context.call_conv.return_status_propagate(builder, status)
            return found

        return cast(Function, update_wrapper(call, function))

    return mark


def places() -> NDArray[np.int64]:
    """An array for the addresses, which ``connect`` fills."""
    return np.zeros(len(NAMES), np.int64)


def connect(state: Any, rules: Any) -> None:
    """Write the addresses to ``rules.apart``: to be called before any kernel that changes a state,
    once for all states. Compiles what is not in the cache."""
    if rules.apart[-1]:
        return
    for place, name in enumerate(NAMES):
        found = compile_apart(name, state, rules)
        rules.apart[place] = found.library.get_pointer_to_function(found.fndesc.llvm_func_name)


def compile_apart(name: str, state: Any, rules: Any) -> Any:
    """One of these kernels for states and rules like these, from the cache if it is there."""
    compiled, kinds = _MARKED[name]
    held = numba.typeof(state), numba.typeof(rules), *kinds
    compiled.compile(held)
    return compiled.overloads[held]
