"""How many requests a node accepts at a time; further ones are rejected at once."""

MAX_OPEN = 4096
"""Requests of all connections that are not answered yet."""
MAX_OPEN_EACH = 64
"""Requests of one connection that are not answered yet. A client sends one at a time; a request
that it no longer waits for may still be worked on."""
MAX_OPEN_BYTES = 256 << 20
"""Bytes of the requests that are not answered yet."""


class Admission:
    """Counts the requests that are being worked on. In the serving thread."""

    def __init__(self) -> None:
        self._count = 0
        self._bytes = 0
        self._each: dict[bytes, int] = {}

    def rejects(self, route: bytes, size: int) -> str | None:
        """Why a request is rejected; None if it is accepted."""
        if self._each.get(route, 0) >= MAX_OPEN_EACH:
            return f"{MAX_OPEN_EACH} requests of this connection are not answered yet; wait for one"
        if self._count >= MAX_OPEN:
            return f"{MAX_OPEN} requests are not answered yet; try again later"
        # The first one is always accepted: by itself it is no larger than a message may be.
        if self._bytes and self._bytes + size > MAX_OPEN_BYTES:
            return (
                f"the requests that are not answered yet have more than {MAX_OPEN_BYTES >> 20} MiB "
                "with this one; try again later"
            )
        return None

    def enter(self, route: bytes, size: int) -> None:
        self._count += 1
        self._bytes += size
        self._each[route] = self._each.get(route, 0) + 1

    def leave(self, route: bytes, size: int) -> None:
        self._count -= 1
        self._bytes -= size
        if self._each[route] == 1:
            del self._each[route]
        else:
            self._each[route] -= 1
