"""A run whose nodes are ends of the bus in the test's own process, and a recorder as a command."""

import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from messages.array import Array
from messages.bus import Bus
from messages.empty import Empty
from messages.interface import Service, Topic
from messages.system import Description, describe, description
from rlgpt.bags.bag_reader import BagReader, Recorded
from tests.bus_processes import make_run
from tests.launch_toys.launched import Launched, command, environment, eventually

TOYS = {name: {"module": f"tests.launch_toys.{name}"} for name in ("talker", "caller", "planner")}


class Number(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    number: int
    values: Array | None = None


NUMBERS = Topic("talker/numbers", Number)
LAST = Topic("talker/last", Number, latched=True)
DOUBLE = Service("talker/double", Number, Number, idempotent=True)


def make_bag_run(folder: Path, nodes: dict[str, Any] | None = None, **more: Any) -> Path:
    """A run folder as a launch leaves it."""
    return make_run(folder, run=str(folder / "run"), nodes=nodes or TOYS, **more)


@contextmanager
def serving(run: Path, node: str | None, **options: Any) -> Iterator[Bus]:
    """An end of the bus with a thread that serves it; what is served is added by the caller."""
    bus, over = Bus(run, node, **options), threading.Event()
    thread = threading.Thread(target=bus.spin, args=(over,), daemon=True)
    thread.start()
    try:
        yield bus
    finally:
        over.set()
        bus.wake()
        thread.join(10.0)
        bus.close()


def describe_itself(bus: Bus, node: str) -> None:
    """Have ``bus`` report its endpoints, as a node does."""

    def described(_: Empty) -> Description:
        return Description(node=node, epoch=bus.epoch, pid=os.getpid(), endpoints=bus.endpoints)

    bus.serve(describe(node), described)
    bus.publish(description(node), described(Empty()))


@contextmanager
def recorded(run: Path, *arguments: str, before: tuple[str, ...] = ()) -> Iterator[Launched]:
    """`rlgpt bag record` in the background. ``before``: words of the command line before it."""
    process = subprocess.Popen(
        [*before, *command("bag", "record", *arguments, "--run", str(run))],
        cwd=run.parent,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    launch = Launched(process, run)
    try:
        launch.wait_for("rlgpt: ")
        yield launch
    finally:
        if process.poll() is None:
            process.kill()
        launch.ended()
        assert process.stdout is not None
        process.stdout.close()


def messages_of(bag: Path) -> list[Recorded]:
    return list(BagReader(bag).messages()) if bag.exists() else []


def numbers_in(bag: Path) -> list[int]:
    """The numbers of the messages of `NUMBERS`."""
    return [
        msgspec.msgpack.decode(each.data)["number"]
        for each in messages_of(bag)
        if each.channel.topic == NUMBERS.name
    ]


def publish_until_recorded(bus: Bus, bag: Path) -> None:
    """Publish 0 until the recorder has subscribed."""

    def arrived() -> bool:
        bus.publish(NUMBERS, Number(number=0))
        return bool(numbers_in(bag))

    eventually(arrived)
