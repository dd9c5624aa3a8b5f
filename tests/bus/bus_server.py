"""A node for the tests of the bus: it notes on disk what it did, and can be slow."""

import os
import threading
import time

import msgspec

from messages.array import Array
from messages.bus import GoalHandle, ServiceError
from messages.interface import Action, Service, Topic
from nodes.node import Node

UNTIL_STOPPED = "until stopped"
"""The note of what waits until the node stops, and fails by that. The next process does it."""


class Do(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    note: str = ""
    seconds: float = 0.0


class Done(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    note: str
    process: int


class Batch(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    values: Array


DO = Service("server/do", Do, Done, timeout=60.0)
DO_AGAIN = Service("server/do_again", Do, Done, idempotent=True, timeout=60.0)
BEHIND = Service("server/behind", Do, Done, idempotent=True, timeout=60.0)
FAIL = Service("server/fail", Do, Done)
DOUBLE = Service("server/double", Batch, Batch, idempotent=True, timeout=60.0)
WORK = Action("server/work", Do, Done, Done)
LATEST = Topic("server/latest", Done, latched=True)
NEWS = Topic("server/news", Done)


class Server(Node):
    name = "server"

    def setup(self) -> None:
        self._stopping, self._waiting = threading.Event(), 0
        self.advertise(LATEST)
        self.advertise(NEWS)
        while (self.run / "not_yet").exists():  # it takes long to get ready
            time.sleep(0.02)
        self.serve(DO, self.do)
        self.serve(DO_AGAIN, self.do)
        self.serve(BEHIND, self.do, background=True)
        self.serve(FAIL, self.fail)
        self.serve(DOUBLE, lambda batch: Batch(values=batch.values * 2))
        self.serve_action(WORK, self.work)

    def shutdown(self) -> None:
        self._stopping.set()
        if self._waiting:
            time.sleep(0.2)  # in which it fails

    def wait_until_stopped(self) -> None:
        if (self.folder / "was_stopped").exists():
            return
        self._waiting += 1
        self._stopping.wait()
        (self.folder / "was_stopped").touch()
        raise ServiceError("the node stops", code="stopping")

    def note(self, text: str) -> None:
        with open(self.folder / "done", "a", encoding="utf-8") as file:
            file.write(text + "\n")

    def do(self, request: Do) -> Done:
        self.note(request.note)
        if request.note == UNTIL_STOPPED:
            self.wait_until_stopped()
        time.sleep(request.seconds)
        done = Done(note=request.note, process=os.getpid())
        self.publish(LATEST, done)
        self.publish(NEWS, done)
        return done

    def fail(self, request: Do) -> Done:
        if request.note == "refuse":
            raise ServiceError("this is rejected", code="because")
        if request.note == "wrong":
            return request  # type: ignore[return-value]
        raise KeyError(request.note)

    def work(self, goal: GoalHandle[Do, Done]) -> Done:
        self.note(f"begin {goal.id}")
        if goal.request.note.startswith("fail"):
            more = goal.request.note.removeprefix("fail")
            raise ServiceError(f"it cannot be done{more}", code="impossible")
        if goal.request.note == UNTIL_STOPPED:
            self.wait_until_stopped()
        if goal.request.note == "silence":
            raise ServiceError("the language model is away", code="no_answer")
        if goal.request.note == "mistake" and not (self.run / "fixed").exists():
            raise KeyError("mistake")
        until = time.monotonic() + goal.request.seconds
        while time.monotonic() < until:
            goal.check()
            goal.feedback(Done(note=goal.request.note, process=os.getpid()))
            time.sleep(0.02)
        self.note(f"end {goal.id}")
        return Done(note=goal.request.note, process=os.getpid())


if __name__ == "__main__":
    Server.main()
