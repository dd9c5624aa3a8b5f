"""A whole node: one service, one action, one latched topic and two parameters.

Run it beside any run:  python docs/examples/echo_node/echo.py --run runs/<run> [greeting=hello]
Started by a launch it is seen by `rlgpt node list` and the other tools: docs/writing_a_node.md
"""

import time

import msgspec

from messages.bus import GoalHandle, ServiceError
from messages.interface import Action, Service, Topic
from nodes.node import Node


class Say(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    text: str


class Said(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    text: str
    times: int


class Count(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    to: int


class Counted(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    number: int


# In the project's own nodes these lines stand in messages/, one file for each conversation.
SAY = Service("echo/say", Say, Said, idempotent=True, timeout=5.0)
COUNT = Action("echo/count", Count, Counted, Counted)
LAST = Topic("echo/last", Said, latched=True)


class Echo(Node):
    """Says what it is told, and counts."""

    name = "echo"

    class Parameters(Node.Parameters, kw_only=True, forbid_unknown_fields=True):
        greeting: str = "hello"
        pause: float = 0.05  # seconds between two numbers

    live = frozenset({"greeting"})
    parameters: Parameters

    def setup(self) -> None:
        self.times = 0
        self.advertise(LAST)
        self.serve(SAY, self.say)
        self.serve_action(COUNT, self.count)

    def say(self, request: Say) -> Said:
        if not request.text:
            raise ServiceError("there is nothing to say; give a text", code="empty")
        self.times += 1
        said = Said(text=f"{self.parameters.greeting} {request.text}", times=self.times)
        self.publish(LAST, said)
        return said

    def count(self, goal: GoalHandle[Count, Counted]) -> Counted:
        for number in range(1, goal.request.to + 1):
            goal.check()  # raises if the goal was cancelled or the node is to stop
            goal.feedback(Counted(number=number))
            time.sleep(self.parameters.pause)
        return Counted(number=goal.request.to)


if __name__ == "__main__":
    Echo.main()
