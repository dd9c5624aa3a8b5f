"""A node with parameters, and a topic whose type no other module declares."""

import msgspec
import numpy as np

from messages.array import Array
from messages.interface import Topic
from nodes.node import Node


class Chatter(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    text: str
    numbers: Array


CHATTER = Topic("talker/chatter", Chatter, latched=True)


class Talker(Node):
    name = "talker"
    live = frozenset({"text"})

    class Parameters(Node.Parameters, kw_only=True, forbid_unknown_fields=True):
        text: str = "hello"
        loudness: int = 3

    def setup(self) -> None:
        self.advertise(CHATTER)
        self.bus.every(0.05, self.publish_text)

    def publish_text(self) -> None:
        message = Chatter(text=self.parameters.text, numbers=np.arange(3, dtype=np.int64))
        self.publish(CHATTER, message)


if __name__ == "__main__":
    Talker.main()
