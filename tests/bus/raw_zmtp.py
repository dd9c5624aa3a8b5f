"""ZeroMQ's protocol by hand, for what its library never sends: a message without an end."""

import socket
from pathlib import Path

_GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
_TYPE = b"\x0bSocket-Type" + (6).to_bytes(4, "big") + b"DEALER"
_READY = b"\x05READY" + _TYPE
_MORE = 1
_LONG = 2
_COMMAND = 4


class Endless:
    """A connection to a node's Unix socket on which a message never ends."""

    def __init__(self, path: Path, patience: float) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(patience)
        self._socket.connect(str(path))
        self._socket.sendall(_GREETING + bytes([_COMMAND, len(_READY)]) + _READY)
        answer = b""
        while b"ROUTER" not in answer:
            answer += self._socket.recv(256)

    def send(self, part: bytes, most: int) -> int:
        """Send parts until the connection is closed by the other side, or ``most`` bytes were sent.
        Returns the bytes that were sent."""
        frame = bytes([_MORE | _LONG]) + len(part).to_bytes(8, "big") + part
        sent = 0
        while sent < most:
            try:
                self._socket.sendall(frame)
            except (BrokenPipeError, ConnectionResetError):
                return sent
            sent += len(part)
        return sent

    def close(self) -> None:
        self._socket.close()
