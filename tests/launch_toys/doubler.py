"""A node that doubles numbers, and adds how often it has done so: what it answers to equal requests
differs. It counts aloud, and counts for a goal."""

import msgspec

from messages.array import Array
from messages.bus import GoalHandle, ServiceError
from messages.interface import Action, Service, Topic
from nodes.node import Node


class Number(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    number: int
    values: Array | None = None


DOUBLE = Service("doubler/double", Number, Number, idempotent=True)
UNUSED = Service("doubler/unused", Number, Number, idempotent=True)
COUNT = Action("doubler/count", Number, Number, Number)
TICKS = Topic("doubler/ticks", Number)


class Doubler(Node):
    name = "doubler"

    def setup(self) -> None:
        self.ticks = self.times = 0
        self.advertise(TICKS)
        self.serve(DOUBLE, self.double)
        self.serve(UNUSED, lambda request: request)
        self.serve_action(COUNT, self.count)
        self.bus.every(0.05, self.tick)

    def tick(self) -> None:
        self.ticks += 1
        self.publish(TICKS, Number(number=self.ticks))

    def double(self, request: Number) -> Number:
        if request.number < 0:
            raise ServiceError("a number below 0 is not doubled", code="negative")
        self.times += 1
        values = None if request.values is None else request.values * 2
        return Number(number=2 * request.number + 1000 * self.times, values=values)

    def count(self, goal: GoalHandle[Number, Number]) -> Number:
        if goal.request.number > 5:
            raise ServiceError("that is too far to count", code="far")
        return Number(number=goal.request.number + 500)


if __name__ == "__main__":
    Doubler.main()
