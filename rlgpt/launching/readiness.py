"""Receives the nodes' messages about their start, by the protocol of systemd's sd_notify: that they
are ready, and of a node that a cluster places, whether it has a host."""

import os
import shutil
import socket
import struct
import tempfile
from pathlib import Path

READY = "READY=1"
UNPLACED, PLACED = "X_PLACED=0", "X_PLACED=1"
STATUS = "STATUS="
"""Lines of a message; a sentence comes after the last one."""
_CREDENTIALS = struct.Struct("3i")  # pid, uid, gid


class Readiness:
    """A datagram socket for ``NOTIFY_SOCKET``. The kernel adds the sender's process id."""

    def __init__(self, inside: Path | None = None) -> None:
        """``inside``: the folder that its own is made in; None: the temporary folder."""
        # A run folder's path may be too long for a socket address; the temporary folder's is not.
        self.folder = Path(tempfile.mkdtemp(prefix="rlgpt-", dir=inside))
        self.address = str(self.folder / "notify")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self._socket.setblocking(False)
        self._socket.bind(self.address)

    def fileno(self) -> int:
        return self._socket.fileno()

    def ready_groups(self) -> list[int]:
        """Process groups in which a process has sent READY=1 since the last call."""
        return [group for group, lines in self.messages() if READY in lines]

    def messages(self) -> list[tuple[int, list[str]]]:
        """The messages since the last call: their sender's process group, and their lines."""
        found: list[tuple[int, list[str]]] = []
        while True:
            try:
                message, extra, _, _ = self._socket.recvmsg(
                    4096, socket.CMSG_SPACE(_CREDENTIALS.size)
                )
            except BlockingIOError:
                return found
            for level, kind, data in extra:
                if level == socket.SOL_SOCKET and kind == socket.SCM_CREDENTIALS:
                    pid = _CREDENTIALS.unpack(data[: _CREDENTIALS.size])[0]
                    try:
                        group = os.getpgid(pid)
                    except ProcessLookupError:
                        continue
                    found.append((group, message.decode(errors="replace").split("\n")))

    def close(self) -> None:
        self._socket.close()
        shutil.rmtree(self.folder, ignore_errors=True)
