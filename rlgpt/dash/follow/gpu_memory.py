"""Memory of the GPUs of this machine, from the driver's own program; nothing where there is none.

It is asked seldom and in the thread of the follower: a call takes some 50 ms.
"""

import time
from collections.abc import Iterable, Sequence

import msgspec

from nodes.common.running.nvidia import query_cards

_EVERY = 5.0  # seconds
_PATIENCE = 3.0  # seconds
_QUERY = "index,name,memory.used,memory.total,utilization.gpu"


class Gpu(msgspec.Struct, frozen=True, kw_only=True):
    """``used`` and ``total`` are bytes, ``busy`` percent of the last second."""

    index: int
    name: str
    used: int
    total: int
    busy: int | None


class Gpus:
    def __init__(self) -> None:
        self._asked_at = -_EVERY
        self._found: list[Gpu] = []

    def look(self) -> list[Gpu]:
        now = time.monotonic()
        if now - self._asked_at >= _EVERY:
            self._asked_at = now
            self._found = gpus(query_cards(_QUERY, _PATIENCE))
        return self._found


def gpus(rows: Iterable[Sequence[str]]) -> list[Gpu]:
    """The cards of the program's answer; one that is not understood is left out."""
    found: list[Gpu] = []
    for fields in rows:
        try:
            index, name, used, total, busy = fields
            found.append(
                Gpu(
                    index=int(index),
                    name=name,
                    used=int(used) << 20,
                    total=int(total) << 20,
                    busy=int(busy) if busy.isdigit() else None,
                )
            )
        except ValueError:
            continue
    return found
