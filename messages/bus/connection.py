"""A DEALER socket to one node with its monitor: whether the node is connected, and how often the
connection was made.

ZeroMQ's option IMMEDIATE is not used, by which nothing would be queued for an absent node. With it
the library drops, when a connection ends, what has come by it and was not read yet: the last
messages of a node that publishes and stops. It even ends the process ("Assertion failed: !_more")
where a message of several frames was just being read. So the sender checks ``connected`` before: a
request for an absent node would be carried out after the caller has given up.
"""

import contextlib
from collections.abc import Callable
from typing import cast

import zmq
from zmq.utils.monitor import recv_monitor_message

from messages.bus.frames import Socket, limit, send
from messages.codec import Frames

_NEWS = int(zmq.EVENTS)
_READABLE = int(zmq.POLLIN)
_EVENTS = zmq.EVENT_HANDSHAKE_SUCCEEDED | zmq.EVENT_DISCONNECTED


class Connection:
    """A connection to one node. For one thread only.

    Attributes:
        connected: whether the node is connected, as far as `watch` has read.
        times: how often the connection was established.
    """

    def __init__(
        self,
        context: "zmq.Context[Socket]",
        address: str,
        secure: Callable[[Socket], None] | None,
    ) -> None:
        self.connected = False
        self.times = 0
        self.socket: Socket = context.socket(zmq.DEALER)
        monitor: Socket | None = None
        try:
            limit(self.socket, address)
            if secure is not None:
                secure(self.socket)
            monitor = self.socket.get_monitor_socket(_EVENTS)
            monitor.setsockopt(zmq.LINGER, 0)
            self.socket.connect(address)
        except BaseException:
            if monitor is not None:
                monitor.close()
            self.socket.close()
            raise
        self.monitor: Socket = monitor

    def send(self, frames: Frames) -> bool:
        """False if the connection accepts nothing now; the caller retries."""
        for attempt in range(2):
            try:
                send(self.socket, frames)
            except zmq.Again:
                if attempt == 0:
                    # The library may not have noticed yet that the connection is made.
                    self.socket.getsockopt(_NEWS)
            else:
                return True
        return False

    def watch(self) -> None:
        """Read the connection's events."""
        while cast(int, self.monitor.getsockopt(_NEWS)) & _READABLE:
            event = recv_monitor_message(self.monitor, zmq.NOBLOCK)["event"]
            self.connected = event == zmq.EVENT_HANDSHAKE_SUCCEEDED
            self.times += self.connected

    def close(self) -> None:
        if not self.socket.closed:
            with contextlib.suppress(zmq.ZMQError):  # the context may have ended already
                self.socket.disable_monitor()
            self.monitor.close()
            self.socket.close()
