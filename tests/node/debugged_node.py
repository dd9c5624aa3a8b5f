"""A node with a service in its serving thread that has a breakpoint as long as the run folder has a
file called `debug`, and is busy as long as there is one called `busy`."""

import time

from messages.empty import Empty
from messages.interface import Service
from nodes.node import Node

LOOK_AROUND = Service("debugged/look_around", Empty, Empty, idempotent=True, timeout=120.0)


class Debugged(Node):
    name = "debugged"

    def setup(self) -> None:
        self.serve(LOOK_AROUND, self.look_around)

    def look_around(self, _: Empty) -> Empty:
        if (self.run / "debug").exists():
            breakpoint()
        while (self.run / "busy").exists():
            print("busy now", flush=True)
            time.sleep(0.1)
        return Empty()


if __name__ == "__main__":
    Debugged.main()
