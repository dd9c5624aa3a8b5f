"""HTTP connections that end by a deadline and within a size, whatever the server does.

A socket's timeout starts again with each byte that comes. Here what is left until the deadline is
set before each wait: for an address, for the request to be taken, for `100 Continue` after `100
Continue`, for headers and for each piece of the body. Only the look-up of a name is not bounded.
"""

import http.client
import io
import socket
import ssl
import time
from functools import partial
from typing import Any

_HEADERS = 2**20  # bytes before the body; http.client itself bounds a line and how many there are


def timed_connection(
    scheme: str, place: str, deadline: float, most: int
) -> http.client.HTTPConnection:
    """A connection, not made yet, whose calls raise TimeoutError once ``time.monotonic()`` is at
    ``deadline``, and HTTPException where an answer has more than ``most`` bytes."""
    if scheme == "https":
        connection: _Timed = _TimedTLS(place, context=ssl.create_default_context())
    else:
        connection = _Timed(place)
    connection.deadline = deadline
    connection._create_connection = partial(_reach, deadline)  # type: ignore[attr-defined]
    connection.response_class = partial(_response, deadline, most)  # type: ignore[assignment]
    return connection


def _left(deadline: float) -> float:
    """Seconds until the deadline.

    Raises:
        TimeoutError: it has passed.
    """
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("timed out")
    return left


class _Timed(http.client.HTTPConnection):
    deadline = 0.0

    def send(self, data: Any) -> None:
        self.sock.settimeout(_left(self.deadline))  # of all the data together
        super().send(data)


class _TimedTLS(_Timed, http.client.HTTPSConnection):
    pass


def _reach(deadline: float, address: tuple[str, int], *_: object) -> socket.socket:
    """A socket to the first of a name's addresses that answers."""
    name, port = address
    wrong: OSError | None = None
    for info in socket.getaddrinfo(name, port, type=socket.SOCK_STREAM):
        try:
            return socket.create_connection((str(info[4][0]), port), _left(deadline))
        except OSError as error:
            wrong = wrong or error
    raise wrong or OSError(f"{name} has no address")


class _Reading(io.RawIOBase):
    """The bytes of an answer."""

    def __init__(self, connected: socket.socket, deadline: float) -> None:
        self._socket = connected
        self._bytes = connected.makefile("rb", buffering=0)
        self._deadline = deadline
        self.most = _HEADERS
        self._read = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._socket.settimeout(_left(self._deadline))
        size = self._bytes.readinto(buffer)
        self._read += size or 0
        if self._read > self.most:
            raise http.client.HTTPException(f"the answer is longer than {self.most:,} bytes")
        return size

    def close(self) -> None:
        self._bytes.close()
        super().close()


class _Response(http.client.HTTPResponse):
    def __init__(self, reading: _Reading, most: int, *more: Any, **options: Any) -> None:
        self._reading = reading
        self._most = most
        super().__init__(self, *more, **options)  # type: ignore[arg-type]

    def makefile(self, _mode: str) -> io.BufferedReader:
        """All that http.client asks of the socket that it reads from."""
        return io.BufferedReader(self._reading)

    def begin(self) -> None:
        super().begin()
        self._reading.most += self._most


def _response(
    deadline: float, most: int, connected: socket.socket, *more: Any, **options: Any
) -> _Response:
    return _Response(_Reading(connected, deadline), most, *more, **options)
