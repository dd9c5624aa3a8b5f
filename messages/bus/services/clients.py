"""The clients of a process: one for each of its threads and each node that it calls."""

import secrets
import threading
import weakref
from typing import cast

import zmq

from messages.bus.errors import AddressError, BusClosed
from messages.bus.network.sockets import Network
from messages.bus.services.client import Client
from messages.bus.services.waiting import NodeStatus
from messages.bus.serving import Serving
from messages.system import LIST


class Clients:
    """Makes clients as they are needed. When a thread ends, its clients end too."""

    def __init__(self, network: Network, serving: Serving, epoch: str, status: NodeStatus) -> None:
        self._network = network
        self._status = status
        self._serving = serving
        self._epoch = epoch
        self._own = threading.local()
        self._all: weakref.WeakSet[Client] = weakref.WeakSet()
        self._lock = threading.Lock()

    def to(self, node: str, endpoint: str) -> Client:
        """The calling thread's client of a node.

        Raises:
            BusClosed: the bus is closed.
            AddressError: the node of ``endpoint`` cannot be connected to.
        """
        if self._serving.closed:
            raise BusClosed(f"{endpoint}: the bus is closed")
        own = cast("dict[str, Client] | None", getattr(self._own, "clients", None))
        if own is None:
            own = self._own.clients = {}
        client = own.get(node)
        if client is None:
            # Random, so that no other process can guess it: a server knows a client by it.
            client_id = secrets.token_hex(12)
            # The launcher is the one that is queried; it cannot report on itself.
            status = None if node == LIST.node else self._status
            try:
                connection = self._network.connect(node, "srv")
                client = Client(connection, node, client_id, self._epoch, status)
            except zmq.ZMQError as error:
                if self._serving.closed:
                    raise BusClosed(f"{endpoint}: the bus is closed") from None
                raise AddressError(
                    f"{endpoint}: cannot connect to {node}: {error.strerror}"
                ) from error
            own[node] = client
            with self._lock:
                self._all.add(client)
        return client

    def close(self) -> None:
        """Close those that are not waiting; the others are closed by their threads on waking."""
        with self._lock:
            clients = list(self._all)
        for client in clients:
            if client.busy.acquire(blocking=False):
                try:
                    client.close()
                finally:
                    client.busy.release()
