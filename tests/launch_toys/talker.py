"""A node with parameters, whose topic's type nobody else knows."""

import msgspec
import numpy as np

from messages.array import Array
from messages.interface import Topic
from nodes.node import Node


class Said(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    text: str
    numbers: Array


SAID = Topic("talker/said", Said, latched=True)


class Talker(Node):
    name = "talker"
    live = frozenset({"text"})

    class Parameters(Node.Parameters, kw_only=True, forbid_unknown_fields=True):
        text: str = "hello"
        loudness: int = 3

    def setup(self) -> None:
        self.advertise(SAID)
        self.bus.every(0.05, self.say)

    def say(self) -> None:
        said = Said(text=self.parameters.text, numbers=np.arange(3, dtype=np.int64))
        self.publish(SAID, said)


if __name__ == "__main__":
    Talker.main()
