"""A node that asks the node ``doubler`` and notes what it is answered, in ``<folder>/answers``."""

import threading

import msgspec
import numpy as np

from messages.bus import BusError, RemoteError
from nodes.node import Node
from tests.launch_toys.doubler import COUNT, DOUBLE, TICKS, UNUSED, Number


class Asker(Node):
    name = "asker"

    class Parameters(Node.Parameters, kw_only=True, forbid_unknown_fields=True):
        numbers: list[int] = msgspec.field(default_factory=lambda: [1, 1, 2, -1])
        goal: str = "goal"  # its id

    def setup(self) -> None:
        (self.folder / "answers").unlink(missing_ok=True)
        self.ticks = 0
        self.subscribe(TICKS, self.on_tick)
        threading.Thread(target=self.ask, daemon=True).start()

    def on_tick(self, tick: Number) -> None:
        self.ticks += 1
        if self.ticks in (1, 10):
            self.note(f"tick {self.ticks}")

    def ask(self) -> None:
        try:
            for number in self.parameters.numbers:
                self.note(self.answer(number))
            for number in (3, 6):
                goal = f"{self.parameters.goal}/{number}"
                try:
                    counted = self.bus.run_goal(COUNT, goal, Number(number=number))
                    self.note(f"counted {counted.number}")
                except RemoteError as error:
                    self.note(f"{error.code}: {error.message}")
            self.note("done")
        except BusError as error:
            self.note(f"gave up: {error}")

    def answer(self, number: int) -> str:
        values = np.arange(3) if number == 2 else None
        try:
            if number == 99:
                return f"unused {self.call(UNUSED, Number(number=1)).number}"
            reply = self.call(DOUBLE, Number(number=number, values=values))
        except RemoteError as error:
            return f"{error.code}: {error.message}"
        more = "" if reply.values is None else f" {reply.values.tolist()}"
        return f"{number} -> {reply.number}{more}"

    def note(self, text: str) -> None:
        with (self.folder / "answers").open("a", encoding="utf-8") as file:
            file.write(f"{text}\n")


if __name__ == "__main__":
    Asker.main()
