"""The lines by which a process asks others: one for each of its threads and each node asked."""

import itertools
import threading
import weakref
from typing import cast

import zmq

from messages.bus.client import Peer
from messages.bus.errors import AddressError, BusClosed
from messages.bus.network import Network
from messages.bus.serving import Serving


class Lines:
    """Makes lines as they are needed. A thread that ends takes its own with it."""

    def __init__(self, network: Network, serving: Serving, epoch: str) -> None:
        self._network = network
        self._serving = serving
        self._epoch = epoch
        self._numbers = itertools.count(1)
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
            client = f"{self._epoch}.{next(self._numbers)}"
            try:
                line = self._network.line(node, client, self._epoch)
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
