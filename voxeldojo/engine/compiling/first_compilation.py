"""Reports once in a process that kernels are being compiled: it takes minutes in which nothing else
can be seen.

Numba tells when it compiles a kernel, and does not where it finds one in its cache.
"""

import contextlib
import multiprocessing
import sys
from typing import Any

from numba.core import event

PACKAGE = "voxeldojo."
SENTENCE = (
    "voxeldojo: compiling the world for the first time takes minutes, once; `voxeldojo compile` "
    "does it beforehand, on all cores"
)
_COMPILING = "numba:compile"


class _Reporting(event.Listener):
    def __init__(self) -> None:
        self._done = False

    def on_start(self, event: Any) -> None:
        ours = event.data["dispatcher"].py_func.__module__.startswith(PACKAGE)
        if self._done or not ours:
            return
        self._done = True
        # A closed standard error is no reason why there should be no world.
        with contextlib.suppress(OSError, ValueError):
            if sys.stderr is not None:
                print(SENTENCE, file=sys.stderr, flush=True)

    def on_end(self, event: Any) -> None:
        pass


def report_first_compilation() -> None:
    """From now on; not in the workers of a process, which reports it itself."""
    if multiprocessing.parent_process() is None:
        event.register(_COMPILING, _Reporting())
