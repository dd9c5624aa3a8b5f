"""The decorators that compile a kernel: ``kernel`` and ``entry_kernel``."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.core import types
from numba.core.registry import CPUDispatcher

Function = TypeVar("Function", bound=Callable[..., Any])
NARROW = (types.int8, types.int16, types.int32, types.uint8, types.uint16, types.uint32)
UNCOMPILED = "the kernels run only compiled: unset NUMBA_DISABLE_JIT"


def kernel(function: Function) -> Function:
    """Compile for other kernels to call: cached on disk, without the interpreter's lock, in strict
    IEEE arithmetic so that an episode is the same on every run.

    When one kernel calls another, integers are passed as int64 and fractions as float64, whether
    they are literals or fields of records. Otherwise the called kernel would be compiled again for
    each width and each literal.

    The wrapper with which Python would call it is left out: it took a fifth of the time that all
    kernels take to compile. ``entry_kernel`` keeps it."""
    compiled = _compile(function, no_cpython_wrapper=True)
    dispatcher = cast(Any, compiled)
    if isinstance(dispatcher, CPUDispatcher):
        dispatcher.__class__ = _InnerKernel
    return compiled


def entry_kernel(function: Function) -> Function:
    """Compile a kernel that Python calls too, otherwise like ``kernel``."""
    return _compile(function)


class _InnerKernel(CPUDispatcher):
    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Numba's own ``__call__`` would crash the process here.

        Raises:
            TypeError: always."""
        raise TypeError(f"only kernels can call {self.__name__}: mark it as an entry_kernel")


def _compile(function: Function, **options: Any) -> Function:
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        raise RuntimeError(UNCOMPILED)
    options |= {"no_cfunc_wrapper": True, "error_model": "numpy"}
    compiled: Any = numba.njit(cache=True, nogil=True, **options)(function)
    plain = compiled.get_call_template
    compiled.get_call_template = lambda arguments, keywords: plain(
        tuple(_wide(kind) for kind in arguments), keywords
    )
    return compiled


def _wide(kind: Any) -> Any:
    kind = types.unliteral(kind)
    if kind in NARROW:
        return types.int64
    return types.float64 if kind == types.float32 else kind
