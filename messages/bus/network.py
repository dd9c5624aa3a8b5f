"""The sockets of one process: made with the right address, the right keys and the right limits."""

import contextlib
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import zmq
from zmq.utils.monitor import recv_monitor_message

from messages.bus import address as addresses
from messages.bus.client import Peer
from messages.bus.curve import TOOLS, Doorkeeper, Keys
from messages.bus.errors import AddressError
from messages.bus.frames import Socket, limit

_FAILED = zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL
_REFUSED = zmq.EVENT_HANDSHAKE_FAILED_AUTH


class Network:
    """Makes sockets, and closes those that stay open as long as the process's bus."""

    def __init__(
        self, run: Path, node: str | None, hosts: Mapping[str, Any] | None, keys: Path | None
    ) -> None:
        self._run = run
        self._hosts = addresses.read_hosts(hosts)
        self._key_folder = keys or run / "keys"
        self._keys = Keys(self._key_folder, node or TOOLS)
        self._context: zmq.Context[Socket] = zmq.Context()
        self._context.setsockopt(zmq.MAX_SOCKETS, 4096)
        self._kept: list[Socket] = []

    def prepare(self, node: str) -> Doorkeeper | None:
        """Make ready to bind the node's sockets; over TCP somebody has to look at keys."""
        host = self._hosts.get(node)
        if host is None:
            addresses.prepare(self._run, node)
        if not self._keys.needed(host):
            return None
        keeper = Doorkeeper(self._context, self._key_folder)
        self._kept.append(keeper.socket)
        return keeper

    def bind(self, kind: int, node: str, side: addresses.Side) -> tuple[Socket, Socket]:
        """A socket that listens on the node's address, and the monitor of who is turned away."""
        where = addresses.address(self._run, node, side, self._hosts)
        socket = self._socket(kind, where)
        socket.setsockopt(zmq.LINGER, 100)  # milliseconds, for the last answers
        if kind == zmq.XPUB:
            socket.setsockopt(zmq.XPUB_VERBOSE, 1)
        if self._keys.needed(self._hosts.get(node)):
            self._keys.listen(socket)
        monitor: Socket = socket.get_monitor_socket(_FAILED | _REFUSED)
        self._kept.append(monitor)
        monitor.setsockopt(zmq.LINGER, 0)
        try:
            socket.bind(where)
        except zmq.ZMQError as error:
            raise AddressError(
                f"{node} cannot listen on {where}: {zmq.strerror(error.errno or 0)}; "
                "is another program using it, or is the host not this machine?"
            ) from error
        return socket, monitor

    def listen(self, node: str, keep: bool = True) -> Socket:
        """A SUB socket for one node's topics; one for each node, as their keys differ. Close it
        yourself if it is not to be kept."""
        where = addresses.address(self._run, node, "pub", self._hosts)
        socket = self._socket(zmq.SUB, where, keep)
        try:
            if self._keys.needed(self._hosts.get(node)):
                self._keys.connect(socket, node)
            socket.connect(where)
        except BaseException:
            socket.close()
            raise
        return socket

    def line(self, node: str, client: str, epoch: str) -> Peer:
        """A line to ask a node by, for one thread."""
        keys = self._keys
        needed = keys.needed(self._hosts.get(node))
        return Peer(
            self._context,
            node,
            addresses.address(self._run, node, "srv", self._hosts),
            client,
            epoch,
            (lambda socket: keys.connect(socket, node)) if needed else None,
        )

    def close(self) -> None:
        """Close what was kept."""
        for socket in self._kept:
            with contextlib.suppress(zmq.ZMQError):
                socket.disable_monitor()
            socket.close()

    def end(self, seconds: float) -> None:
        """Wake those who wait in other threads, and wait until they have closed their sockets."""
        thread = threading.Thread(target=self._context.term, name="bus-end", daemon=True)
        thread.start()
        thread.join(seconds)

    def _socket(self, kind: int, where: str, keep: bool = True) -> Socket:
        socket: Socket = self._context.socket(kind)
        if keep:
            self._kept.append(socket)
        limit(socket, where)
        return socket


def turned_away(monitor: Socket) -> list[str]:
    """Why connections failed since this was last asked, a sentence for each."""
    reasons: list[str] = []
    with contextlib.suppress(zmq.Again):
        while True:
            event = recv_monitor_message(monitor, zmq.NOBLOCK)["event"]
            why = "its key is not known" if event == _REFUSED else "it is no ZeroMQ peer"
            reasons.append(f"somebody was turned away: {why}")
    return reasons
