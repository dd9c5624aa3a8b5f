"""A node that writes another one's name into its heartbeats."""

import os

from messages.system import Heartbeat, heartbeat
from nodes.node import Node


class Impostor(Node):
    name = "impostor"

    def _beat(self) -> None:
        note = "reports under a wrong name"
        beat = Heartbeat(
            node="talker", epoch=self.epoch, pid=os.getpid(), uptime=1.0, busy=[], notes=[note]
        )
        self.publish(heartbeat(self.name), beat)


if __name__ == "__main__":
    Impostor.main()
