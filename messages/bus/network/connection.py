"""A DEALER socket to one node with its monitor: whether the node is connected, how often the
connection was made, and why the node rejects it.

ZeroMQ's option IMMEDIATE is not used, by which nothing would be queued for an absent node. With it
the library drops, when a connection ends, what has come by it and was not read yet: the last
messages of a node that publishes and stops. It even ends the process ("Assertion failed: !_more")
where a message of several frames was just being read. So the sender checks ``connected`` before: a
request for an absent node would be carried out after the caller has given up.
"""

import contextlib
import time
from collections.abc import Callable
from typing import cast

import zmq
from zmq.utils.monitor import recv_monitor_message

from messages.bus.network.frames import Socket, limit, send
from messages.bus.network.handshakes import FAILED, hung_up, why_a_node_rejects
from messages.codec import Frames

_NEWS = int(zmq.EVENTS)
_READABLE = int(zmq.POLLIN)
_EVENTS = zmq.EVENT_HANDSHAKE_SUCCEEDED | zmq.EVENT_DISCONNECTED | FAILED

AGAIN = 1.0
"""Seconds after which a rejected connection is tried again. ZeroMQ gives it up for good, but the
missing key may be copied, or the node be started again with the right ones."""
_REJECTED = 5.0
"""Seconds without another rejection, after which the node does not count as one that rejects: it
may have been stopped."""
_HANG_UPS = 3
"""So many in a row are no accident. A node rejects keys that do not fit by hanging up."""


class Connection:
    """A connection to one node. For one thread only.

    Attributes:
        connected: whether the node is connected, as far as `watch` has read.
        times: how often the connection was established.
        rejected: why the node rejects the connection, empty if it does not.
    """

    def __init__(
        self,
        context: "zmq.Context[Socket]",
        address: str,
        secure: Callable[[Socket], None] | None,
    ) -> None:
        self.connected = False
        self.times = 0
        self.rejected = ""
        self._address = address
        self._keys = secure is not None
        self._hang_ups = 0  # in a row
        self._failed_at = 0.0
        self._again = 0.0  # when a connection that was given up is tried again, 0 for never
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
        """Read the connection's events; to be called when there are any, and about every `AGAIN`
        seconds while it is rejected."""
        while cast(int, self.monitor.getsockopt(_NEWS)) & _READABLE:
            message = recv_monitor_message(self.monitor, zmq.NOBLOCK)
            event = int(message["event"])
            self.connected = event == zmq.EVENT_HANDSHAKE_SUCCEEDED
            if self.connected:
                self.times += 1
                self.rejected, self._hang_ups = "", 0
            elif event & FAILED:
                self._failed(event, int(message["value"]))
        now = time.monotonic()
        if self.rejected and now >= self._failed_at + _REJECTED:
            self.rejected, self._hang_ups = "", 0
        if self._again and now >= self._again:
            self._again = 0.0
            with contextlib.suppress(zmq.ZMQError):  # ZeroMQ has forgotten it already
                self.socket.disconnect(self._address)
            self.socket.connect(self._address)

    def _failed(self, event: int, value: int) -> None:
        self._failed_at = time.monotonic()
        if hung_up(event, value):
            self._hang_ups += self._keys
            if self._hang_ups < _HANG_UPS:
                return
        elif event == zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL:
            return  # ZeroMQ tries again
        else:
            self._again = self._failed_at + AGAIN
        self.rejected = why_a_node_rejects(event, value, self._keys)

    def close(self) -> None:
        if not self.socket.closed:
            with contextlib.suppress(zmq.ZMQError):  # the context may have ended already
                self.socket.disable_monitor()
            self.monitor.close()
            self.socket.close()
