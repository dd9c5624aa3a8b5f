"""The sockets of one process: made with the right address, the right keys and the right limits."""

import contextlib
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import zmq

from messages.bus.errors import AddressError
from messages.bus.network import address as addresses
from messages.bus.network.connection import Connection
from messages.bus.network.connection_guard import EVENTS
from messages.bus.network.curve import TOOLS, KeyAuthenticator, Keys
from messages.bus.network.frames import Socket, limit
from messages.bus.network.key_files import missing_folder

LAST = 1.0
"""Seconds in which a node's last replies and messages leave; where those who are sent them read, it
takes a moment."""
_REQUESTS = 4  # of one connection that the node has not read yet
_REPLIES = 16  # to one connection that does not read them
_SUBSCRIPTIONS = 64  # of one connection that the node has not read yet
_SUBSCRIPTION = 2048  # bytes: more than a name has, and enough for the keys' handshake


class Network:
    """Makes sockets, and closes those that stay open as long as the process's bus."""

    def __init__(
        self, run: Path, node: str | None, hosts: Mapping[str, Any] | None, keys: Path | None
    ) -> None:
        self._run = run
        self._hosts = addresses.read_hosts(hosts)
        if self._hosts and keys is not None and not keys.is_dir():
            raise AddressError(missing_folder(keys))  # what is named is believed to be used
        self._key_folder = keys or run / "keys"
        self._keys = Keys(self._key_folder, node or TOOLS)
        self._context: zmq.Context[Socket] = zmq.Context()
        self._context.setsockopt(zmq.MAX_SOCKETS, 4096)
        self._kept: list[Socket] = []

    def prepare(self, node: str) -> KeyAuthenticator | None:
        """Prepare to bind the node's sockets; over TCP with keys, this makes an authenticator.
        Raises AddressError: a key of the node or of a peer cannot be used."""
        host = self._hosts.get(node)
        if host is None:
            addresses.prepare(self._run, node)
        if any(map(self._keys.needed, self._hosts.values())):
            self._keys.check()
        if not self._keys.needed(host):
            return None
        authenticator = KeyAuthenticator(self._context, self._key_folder)
        self._kept.append(authenticator.socket)
        return authenticator

    def router(self, node: str, side: addresses.Side) -> tuple[Socket, Socket]:
        """A socket for the node's address, and the monitor of its connections. It does not listen
        before `bind`. A connection may fill little memory before the node reads: a client sends one
        request at a time, and a subscription is a name."""
        where = addresses.address(self._run, node, side, self._hosts)
        socket: Socket = self._context.socket(zmq.ROUTER)
        self._kept.append(socket)
        limit(socket, where)
        socket.setsockopt(zmq.LINGER, int(LAST * 1000))
        if side == "srv":
            socket.setsockopt(zmq.RCVHWM, _REQUESTS)
            socket.setsockopt(zmq.SNDHWM, _REPLIES)
        else:
            socket.setsockopt(zmq.RCVHWM, _SUBSCRIPTIONS)
            socket.setsockopt(zmq.MAXMSGSIZE, _SUBSCRIPTION)
        socket.setsockopt(zmq.ROUTER_MANDATORY, 1)  # or else it drops messages silently
        if self._keys.needed(self._hosts.get(node)):
            self._keys.listen(socket)
        monitor: Socket = socket.get_monitor_socket(EVENTS)
        monitor.setsockopt(zmq.LINGER, 0)
        self._kept.append(monitor)
        return socket, monitor

    def bind(self, socket: Socket, node: str, side: addresses.Side) -> None:
        """Listen. Raises AddressError if the address cannot be used."""
        where = addresses.address(self._run, node, side, self._hosts)
        try:
            socket.bind(where)
        except zmq.ZMQError as error:
            raise AddressError(
                f"{node} cannot listen on {where}: {zmq.strerror(error.errno or 0)}; "
                "is another program using it, or is the host not this machine?"
            ) from error

    def connect(self, node: str, side: addresses.Side) -> Connection:
        """A connection to a node, for one thread; close it yourself."""
        keys = self._keys
        needed = keys.needed(self._hosts.get(node))
        return Connection(
            self._context,
            addresses.address(self._run, node, side, self._hosts),
            (lambda socket: keys.connect(socket, node)) if needed else None,
        )

    def close(self) -> None:
        """Close the sockets that were kept."""
        for socket in self._kept:
            with contextlib.suppress(zmq.ZMQError):
                socket.disable_monitor()
            socket.close()

    def end(self, seconds: float) -> None:
        """Wake the threads that wait, and wait until they have closed their sockets."""
        thread = threading.Thread(target=self._context.term, name="bus-end", daemon=True)
        thread.start()
        thread.join(seconds)
