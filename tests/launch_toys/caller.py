"""A node that calls the node ``talker`` again and again, by a service with a short timeout."""

import threading

from messages.bus import BusError
from messages.empty import Empty
from messages.interface import Service
from messages.system import Description
from nodes.node import Node

DESCRIBE = Service("talker/describe", Empty, Description, idempotent=True, timeout=2.0)


class Caller(Node):
    name = "caller"

    def setup(self) -> None:
        self._over = threading.Event()
        threading.Thread(target=self._call, daemon=True).start()

    def shutdown(self) -> None:
        self._over.set()

    def _call(self) -> None:
        known = 0
        while not self._over.wait(0.05):
            try:
                found = self.call(DESCRIBE, Empty()).pid
            except BusError as error:
                self.log.error("gave up: %s", error)
                return
            if found != known:
                known = found
                self.log.info("talker answers as %d", found)


if __name__ == "__main__":
    Caller.main()
