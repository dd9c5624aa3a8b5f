"""Messages on a Malmo connection: a length of four bytes, big-endian, and as many bytes."""

import socket
import struct
import time

LENGTH = struct.Struct("!I")
QUICK_ACK = getattr(socket, "TCP_QUICKACK", None)  # Linux


class BadMessage(Exception):
    """A message is invalid; the sentence has the reason. The connection ends."""


class Gone(Exception):
    """The other side has closed the connection."""


class Channel:
    """One end of a connection. ``patience``: seconds within which a message must be complete after
    its first byte, and within which the client must take a reply."""

    def __init__(self, connection: socket.socket, patience: float) -> None:
        self._socket = connection
        self._patience = patience
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # A client whose machine was switched off sends nothing: the system checks for it.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)

    def receive(self, limit: int, *, at_once: bool = False) -> bytes:
        """The next message, ``limit`` bytes at most. Waits for it without limit, as a client may
        compute for hours, or with ``at_once`` only for ``patience``.

        Raises:
            BadMessage: too long, or not complete in time.
            Gone: the connection was closed, between messages or in the middle of one.
        """
        first = b"" if at_once else self._exactly(1, None)
        deadline = time.monotonic() + self._patience
        (length,) = LENGTH.unpack(first + self._exactly(LENGTH.size - len(first), deadline))
        if length > limit:
            raise BadMessage(f"a message of {length} bytes is announced, {limit} is the most here")
        return self._exactly(length, deadline)

    def send(self, *messages: bytes) -> None:
        parts = [part for message in messages for part in (LENGTH.pack(len(message)), message)]
        self._socket.settimeout(self._patience)
        try:
            self._socket.sendall(b"".join(parts))
        except TimeoutError:
            raise BadMessage(f"an answer was not taken within {self._patience:g} s") from None
        except OSError as error:
            raise Gone(f"the connection broke ({error.strerror})") from None

    def _exactly(self, count: int, deadline: float | None) -> bytes:
        parts: list[bytes] = []
        while count:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0.0:
                raise BadMessage(f"a message was not complete within {self._patience:g} s")
            self._socket.settimeout(left)
            try:
                part = self._socket.recv(min(count, 1 << 16))
            except TimeoutError:
                continue
            except OSError as error:
                raise Gone(f"the connection broke ({error.strerror})") from None
            if not part:
                raise Gone("the client closed the connection")
            # MineDojo's client waits for the acknowledgement of a StepServer before its next step
            # goes out (Nagle): without this for up to 40 ms. The system forgets it, so each time.
            if QUICK_ACK is not None:
                self._socket.setsockopt(socket.IPPROTO_TCP, QUICK_ACK, 1)
            parts.append(part)
            count -= len(part)
        return b"".join(parts)
