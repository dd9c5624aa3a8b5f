"""A node with a breakpoint in a service of its serving thread, for as long as the run folder has a
file called `debug`."""

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
        return Empty()


if __name__ == "__main__":
    Debugged.main()
