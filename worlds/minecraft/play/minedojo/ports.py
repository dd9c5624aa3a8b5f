"""Which running instance belongs to which world, in this process."""

import threading

from worlds.play import WorldError

_LOCK = threading.Lock()
_TAKEN: list[int] = []


def take(ports: list[int], count: int) -> list[int]:
    """``count`` of these ports that no other world of this process plays on. One that stands there
    twice takes two connections, which the embedded world's Malmo server allows and Minecraft does
    not.

    Raises:
        WorldError: there are not so many left.
    """
    with _LOCK:
        free = list(ports)
        for port in _TAKEN:
            if port in free:
                free.remove(port)
        if len(free) < count:
            raise WorldError(
                f"{count} instances are wanted and {len(free)} of the {len(ports)} named in"
                " world.ports are free; start more and name their ports, as with"
                " world.connections=N that each takes N, or play with fewer environments"
                " (docs/minedojo.md)"
            )
        _TAKEN.extend(free[:count])
        return free[:count]


def give_back(ports: list[int]) -> None:
    with _LOCK:
        for port in ports:
            _TAKEN.remove(port)
