"""Copies of a world, by ``copy`` and by ``pickle``: each has its own memory and goes on by itself.

Threads cannot be copied. A copy of a world that looks ahead, or is shared among threads, has none:
its episodes are the same, and `look_ahead` and `share_among` start threads for it.
"""

from typing import Any

import numpy as np

from voxeldojo.engine.compiling.compiled_apart import connect
from voxeldojo.engine.rulebook import Rules
from voxeldojo.engine.state import State
from voxeldojo.engine.threads.thread_crew import Crew
from voxeldojo.engine.threads.world_maker import WorldMaker

# Several names refer to parts of one buffer; in a copy they would be separate arrays.
LEFT_OUT = frozenset({"_maker", "_crew", "_buffers", "_chosen"})


class Copyable:
    state: State  # deleted when the world is closed
    rules: Rules
    _maker: WorldMaker | None
    _crew: Crew
    _buffers: dict[Any, Any]
    _chosen: dict[Any, Any]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in LEFT_OUT}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        vars(self).update({name: writable(value) for name, value in kept.items()})
        self._maker, self._crew = None, Crew()
        self._buffers, self._chosen = {}, {}
        if "state" in kept:
            connect(self.state, self.rules)  # a copy may be stepped without a reset


def writable(value: Any) -> Any:
    """A copy of an array in memory that must not be written to, as ``pickle`` gives them where
    several processes share a buffer."""
    return value.copy() if isinstance(value, np.ndarray) and not value.flags.writeable else value
