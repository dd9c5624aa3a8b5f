"""The lines by which a process asks others: one for each of its threads and each node asked."""

import secrets
import threading
import weakref
from typing import cast

import zmq

from messages.bus.client import Peer
from messages.bus.errors import AddressError, BusClosed
from messages.bus.network import Network
from messages.bus.serving import Serving
from messages.bus.waiting import Outlook
from messages.system import LIST


class Lines:
    """Makes lines as they are needed. A thread that ends takes its own with it."""

    def __init__(self, network: Network, serving: Serving, epoch: str, outlook: Outlook) -> None:
        self._network = network
        self._outlook = outlook
        self._serving = serving
        self._epoch = epoch
        self._own = threading.local()
        self._all: weakref.WeakSet[Peer] = weakref.WeakSet()
        self._lock = threading.Lock()

    def to(self, node: str, door: str) -> Peer:
        """The calling thread's line to a node.

        Raises:
            BusClosed: the bus is closed.
            AddressError: there is no line to be had to the node's ``door``.
        """
        if self._serving.closed:
            raise BusClosed(f"{door}: the bus is closed")
        own = cast("dict[str, Peer] | None", getattr(self._own, "lines", None))
        if own is None:
            own = self._own.lines = {}
        line = own.get(node)
        if line is None:
            # Nobody else is to guess it: a server knows a line by it.
            client = secrets.token_hex(12)
            # The launcher is the one who would know; of itself it cannot say anything.
            outlook = None if node == LIST.node else self._outlook
            try:
                connection = self._network.connect(node, "srv")
                line = Peer(connection, node, client, self._epoch, outlook)
            except zmq.ZMQError as error:
                if self._serving.closed:
                    raise BusClosed(f"{door}: the bus is closed") from None
                raise AddressError(f"{door}: no line to {node}: {error.strerror}") from error
            own[node] = line
            with self._lock:
                self._all.add(line)
        return line

    def close(self) -> None:
        """Close those on which nobody waits; the others' threads close them when they wake."""
        with self._lock:
            lines = list(self._all)
        for line in lines:
            if line.busy.acquire(blocking=False):
                try:
                    line.close()
                finally:
                    line.busy.release()
