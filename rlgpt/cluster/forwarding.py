"""Forwards TCP connections from a fixed address here to a node that may be on any host.

A node that moves keeps its address this way: nothing has to be looked up. The bytes are those of
CURVE between the two ends; they can be neither read nor changed here.
"""

import contextlib
import socket
import threading

PART = 1 << 18  # bytes
CONNECTING = 10.0  # seconds
AGAIN = 0.1  # seconds after a connection that could not be accepted, or made to the node


class Forwarder:
    """Listens from its making on, until `close`. Raises OSError where the port is taken."""

    def __init__(self, here: tuple[str, int], there: tuple[str, int]) -> None:
        self._there = there
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._closed = threading.Event()
        self._server = socket.create_server(here, backlog=512)
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def close(self) -> None:
        """End all connections: both ends notice at once."""
        with self._lock:
            self._closed.set()
            ended = [self._server, *self._open]
        for each in ended:
            _end(each)
        self._accepting.join()
        self._server.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._server.accept()
            except OSError:
                # Closed, or too many open files, or a client that has closed.
                if self._closed.wait(AGAIN):
                    return
                continue
            threading.Thread(target=self._forward, args=(client,), daemon=True).start()

    def _forward(self, client: socket.socket) -> None:
        self._keep(client)
        node = self._node()
        if node is None:
            self._forget(client)
            return
        self._keep(node)
        for each in (client, node):
            each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        back = threading.Thread(target=_pump, args=(node, client), daemon=True)
        back.start()
        _pump(client, node)
        back.join()
        self._forget(client)
        self._forget(node)

    def _node(self) -> socket.socket | None:
        """A connection to the node, as soon as one can be made; None once this is closed. The
        client waits meanwhile: to hang up on it is how a node rejects keys."""
        while not self._closed.is_set():
            try:
                node = socket.create_connection(self._there, CONNECTING)
            except OSError:
                self._closed.wait(AGAIN)
            else:
                node.settimeout(None)
                return node
        return None

    def _keep(self, each: socket.socket) -> None:
        with self._lock:
            self._open.add(each)
            if self._closed.is_set():
                _end(each)

    def _forget(self, each: socket.socket) -> None:
        with self._lock:
            self._open.discard(each)
        each.close()


def _pump(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(PART):
            target.sendall(data)
    _end(source)
    _end(target)


def _end(each: socket.socket) -> None:
    with contextlib.suppress(OSError):
        each.shutdown(socket.SHUT_RDWR)
