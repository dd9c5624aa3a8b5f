"""Thousands of hostile messages to a real node: it answers meanwhile, reports what it rejected, and
frees its memory afterwards.

`make fuzz` sends a hundred thousand.
"""

import contextlib
import random
import resource
import socket
from pathlib import Path
from typing import Any

import pytest

from messages.bus import Bus
from messages.bus.actions.goal_store import GoalQuery
from messages.bus.network.address import socket_path
from messages.codec import MAX_MESSAGE
from messages.system import Diagnostic, diagnostics
from tests.bus.bus_server import DO, Do, Done
from tests.bus.raw_peer import RawPeer, request
from tests.bus.raw_zmtp import Endless
from tests.bus_processes import PATIENCE, Process, eventually

BACK = 1.2
"""The memory that a node may have afterwards, as a multiple of what it had."""


class Hostile:
    """Sends messages that no well-behaved peer sends."""

    def __init__(self, run: Path, seed: int) -> None:
        self._dice = random.Random(seed)
        self._raw = RawPeer(run)
        self._path = socket_path(run, "server", "srv")
        self._requests = [self._raw.connect() for _ in range(3)]
        self._subscriptions = [self._raw.connect("pub") for _ in range(2)]
        self._number = 0
        self._kinds = (
            self._noise,
            self._mutation,
            self._mutation,
            self._forged_id,
            self._wrong_kind,
            self._huge_counts,
            self._query,
            self._goal,
            self._check,
            self._subscription,
            self._subscription,
        )

    def send(self, count: int) -> None:
        for _ in range(count):
            self._number += 1
            if self._number % 97 == 0:
                self._not_zeromq()
            elif self._number % 4001 == 0:
                self._large(MAX_MESSAGE + (8 << 20))
            elif self._number % 499 == 0:
                self._large(4 << 20)
            else:
                self._dice.choice(self._kinds)()
            if self._number % 50 == 0:
                self._read()

    def close(self) -> None:
        self._raw.close()

    def _ask(self, frames: list[bytes]) -> None:
        self._dice.choice(self._requests).send_multipart(frames)

    def _read(self) -> None:
        """Replies are not read; one in three times all that have come are discarded."""
        if self._dice.random() < 0.3:
            for dealer in (*self._requests, *self._subscriptions):
                while dealer.poll(0):
                    dealer.recv_multipart()

    def _noise(self) -> None:
        dice = self._dice
        self._ask([dice.randbytes(dice.randrange(400)) for _ in range(dice.randint(1, 15))])

    def _mutation(self) -> None:
        frames = request(self._number, client=f"fuzz.{self._number % 7}")
        for _ in range(self._dice.randint(1, 3)):
            index = self._dice.randrange(len(frames))
            frame = bytearray(frames[index])
            if frame:
                frame[self._dice.randrange(len(frame))] = self._dice.randrange(256)
            frames[index] = bytes(frame)
        self._ask(frames)

    def _forged_id(self) -> None:
        number = self._dice.choice([0, self._number, 2**62, 2**63 - 1])
        self._ask(request(number, client=f"{self._dice.randrange(10**6)}" * 5, again=""))

    def _wrong_kind(self) -> None:
        kind: Any = self._dice.choice(["reply", "error", "message", "latched", "working"])
        self._ask(request(self._number, kind=kind, endpoint="x" * self._dice.randrange(3000)))

    def _huge_counts(self) -> None:
        """A body that claims four thousand million elements."""
        front = self._dice.choice([b"\xdd", b"\xdf", b"\xc6", b"\xdb", b"\xc9"])
        body = front + b"\xff\xff\xff\xff" + self._dice.randbytes(20)
        endpoints = ["server/double", "server/do", "server/work/send"]
        header, _ = request(self._number, endpoint=self._dice.choice(endpoints), goal="g")
        self._ask([header, body])

    def _query(self) -> None:
        query = GoalQuery(goal=f"{self._dice.randrange(300)}", wait=1e9)
        self._ask(request(self._number, query, endpoint="server/work/result", client="asks"))

    def _goal(self) -> None:
        seconds = self._dice.choice([0.0, 0.0, 0.0, 0.2])
        goal = Do(note="x" * self._dice.randrange(1000), seconds=seconds)
        id = f"{self._number}"
        self._ask(request(self._number, goal, endpoint="server/work/send", goal=id, client="gives"))

    def _check(self) -> None:
        self._ask(request(self._number, kind="check", client=f"{self._number}"))

    def _subscription(self) -> None:
        dice = self._dice
        length = dice.choice([5, 200, 1500])
        dice.choice(self._subscriptions).send(b"\1" + dice.randbytes(length))

    def _large(self, size: int) -> None:
        part = bytes(2 << 20)
        self._ask([*request(self._number, endpoint="server/double"), *[part] * (size // len(part))])

    def _not_zeromq(self) -> None:
        with socket.socket(socket.AF_UNIX) as bare, contextlib.suppress(OSError):
            bare.connect(str(self._path))
            bare.sendall(self._dice.randbytes(self._dice.randrange(1, 500)))


def resident(process: int) -> int:
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def flood(run: Path, surviving: Process, bus: Bus, count: int) -> None:
    """Send ``count`` messages, and check that the node is as it was."""
    counts: dict[str, int] = {}

    def note(diagnostic: Diagnostic) -> None:
        counts[diagnostic.about] = max(diagnostic.count, counts.get(diagnostic.about, 0))

    bus.subscribe(diagnostics("server"), note)
    hostile = Hostile(run, count)
    try:
        hostile.send(500)
        bus.call(DO, Do(note="warm"), PATIENCE)
        before = resident(surviving.popen.pid)
        for _ in range(count // 500):
            hostile.send(500)
            assert bus.call(DO, Do(note="still here"), PATIENCE).note == "still here"
            bus.spin_once()
    finally:
        hostile.close()

    def back() -> bool:
        bus.spin_once(0.05)
        return resident(surviving.popen.pid) < BACK * before

    eventually(back)
    assert bus.call(DO, Do(note="after"), PATIENCE).note == "after"
    # A third or so of what was sent is well-formed; goals, checks and queries are answered.
    rejected = {"requests", "subscriptions", "server/double", "server/do"}

    def counted() -> bool:
        bus.spin_once(0.05)
        return sum(counts.values()) >= count // 4 and rejected <= counts.keys()

    eventually(counted)


def test_node_survives_some_thousand_hostile_messages(
    run: Path, surviving: Process, bus: Bus
) -> None:
    flood(run, surviving, bus, 4_500)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_node_survives_a_hundred_thousand_hostile_messages(
    run: Path, surviving: Process, bus: Bus
) -> None:
    flood(run, surviving, bus, 100_000)


@pytest.mark.parametrize("side", ["srv", "pub"])
def test_message_without_an_end_is_cut_off(
    run: Path, monkeypatch: pytest.MonkeyPatch, side: Any
) -> None:
    monkeypatch.setattr("messages.bus.network.connection_guard.MAX_GROWTH", 32 << 20)
    node = Bus(run, "server")
    reported: list[str] = []
    report = node._diagnostics.report  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(
        *(node._diagnostics, "report"),  # pyright: ignore[reportPrivateUsage]
        lambda about, message, level="warning": reported.append(message) or report(about, message),
    )
    endless = Endless(socket_path(run, "server", side), PATIENCE)
    try:
        most = 2 << 30
        assert endless.send(bytes(1024), most) < most
        eventually(lambda: any("sends without end" in message for message in reported))
        node.serve(DO, lambda request: Done(note=request.note, process=0))
        node.spin_once()
    finally:
        endless.close()
        node.close()


def test_connections_beyond_the_limit_are_closed(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("messages.bus.network.connection_guard.MAX_CONNECTIONS", 20)
    node = Bus(run, "server")
    opened = [socket.socket(socket.AF_UNIX) for _ in range(30)]
    try:
        for each in opened:
            each.settimeout(0.0)
            each.connect(str(socket_path(run, "server", "srv")))
        closed: set[int] = set()

        def rejected() -> bool:
            for each in opened:
                with contextlib.suppress(BlockingIOError):
                    while each.recv(256):  # ZeroMQ greets first
                        continue
                    closed.add(each.fileno())
            return len(closed) == 10

        eventually(rejected)
    finally:
        for each in opened:
            each.close()
        node.close()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_node_frees_the_memory_of_messages_without_an_end(
    run: Path, surviving: Process, bus: Bus
) -> None:
    bus.call(DO, Do(note="warm"), PATIENCE)
    before = resident(surviving.popen.pid)
    for _ in range(5):
        endless = Endless(socket_path(run, "server", "srv"), PATIENCE)
        assert endless.send(bytes(1 << 20), 8 << 30) < 8 << 30
        endless.close()
        assert bus.call(DO, Do(note="on"), PATIENCE).note == "on"
    eventually(lambda: resident(surviving.popen.pid) < BACK * before)
