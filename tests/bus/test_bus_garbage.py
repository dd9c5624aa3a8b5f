"""Garbage on every socket: it is counted and reported, and no node stops for it."""

import random
import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
import zmq

from messages.bus import Bus, BusError
from messages.bus.network.address import prepare, socket_path
from messages.bus.network.header import VERSION, Header, encode_header
from messages.codec import encode, snapshot
from messages.system import Diagnostic, diagnostics
from tests.bus.bus_server import BEHIND, DO, LATEST, Do, Done
from tests.bus.raw_peer import request
from tests.bus_processes import PATIENCE, Process, eventually


class Sockets:
    """Makes plain ZeroMQ sockets and closes them."""

    def __init__(self) -> None:
        self._context: zmq.Context[Any] = zmq.Context()
        self._made: list[Any] = []

    def socket(self, kind: int) -> Any:
        made = self._context.socket(kind)
        made.setsockopt(zmq.LINGER, 0)
        self._made.append(made)
        return made

    def close(self) -> None:
        for made in self._made:
            made.close()
        self._context.term()


@pytest.fixture
def context() -> Iterator[Sockets]:
    sockets = Sockets()
    yield sockets
    sockets.close()


class Watched:
    """A well-behaved client that receives the server's diagnostics."""

    def __init__(self, run: Path) -> None:
        self.bus = Bus(run)
        self.received: list[Diagnostic] = []
        self.bus.subscribe(diagnostics("server"), self.received.append)
        self.calls = 0

    def call(self) -> None:
        self.calls += 1
        assert self.bus.call(DO, Do(note=str(self.calls)), PATIENCE).note == str(self.calls)
        self.bus.spin_once()

    def wait_for(self, about: str, count: int = 1) -> None:
        """Wait until the diagnostics report so many problems."""

        def reported() -> bool:
            self.bus.spin_once(0.05)
            return any(each.about == about and each.count >= count for each in self.received)

        eventually(reported)


@pytest.fixture
def watched(run: Path, surviving: Process) -> Iterator[Watched]:
    watched = Watched(run)
    watched.call()
    yield watched
    watched.call()
    watched.bus.close()


def _mutate(dice: random.Random, frames: list[bytes]) -> list[bytes]:
    frames = list(frames)
    for _ in range(dice.randint(1, 3)):
        index = dice.randrange(len(frames))
        frame = bytearray(frames[index])
        match dice.randrange(5):
            case 0:
                frames.insert(index, dice.randbytes(dice.randrange(50)))
            case 1 if len(frames) > 1:
                frames.pop(index)
            case 2:
                frames[index] = bytes(frame[: dice.randrange(len(frame) + 1)])
            case _:
                if frame:
                    frame[dice.randrange(len(frame))] = dice.randrange(256)
                frames[index] = bytes(frame)
    return frames


def test_garbage_requests_are_counted(run: Path, watched: Watched, context: Sockets) -> None:
    dice = random.Random(1)
    dealer = context.socket(zmq.DEALER)
    dealer.connect(f"ipc://{socket_path(run, 'server', 'srv')}")
    for number in range(1, 601):
        if number % 3 == 0:
            frames = [dice.randbytes(dice.randrange(200)) for _ in range(dice.randint(1, 6))]
        else:
            frames = _mutate(dice, request(number))
        dealer.send_multipart(frames)
        if number % 50 == 0:
            watched.call()
    dealer.send_multipart([b"x"] * 2000)
    watched.wait_for("requests", count=200)
    reported = [each for each in watched.received if each.about == "requests"]
    assert all("\n" not in each.message for each in reported)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"endpoint": "server/none"}, "unknown_service"),
        ({"version": 99}, "version"),
        ({"endpoint": "server/double"}, "malformed"),
        ({"endpoint": "server/work/send"}, "malformed"),
        ({"endpoint": "server/work/result"}, "malformed"),
        ({"endpoint": "server/do", "again": "another epoch"}, "restarted"),
    ],
)
def test_requests_that_can_be_answered_get_an_error(
    run: Path, watched: Watched, context: Sockets, changes: dict[str, Any], code: str
) -> None:
    dealer = context.socket(zmq.DEALER)
    dealer.setsockopt(zmq.RCVTIMEO, int(PATIENCE * 1000))
    dealer.connect(f"ipc://{socket_path(run, 'server', 'srv')}")
    dealer.send_multipart(request(1, **changes))
    header = msgspec.msgpack.decode(dealer.recv_multipart()[0], type=Header)
    assert (header.kind, header.code) == ("error", code)
    assert header.text


def test_request_that_comes_twice_is_done_once(
    run: Path, watched: Watched, context: Sockets
) -> None:
    dealer = context.socket(zmq.DEALER)
    dealer.setsockopt(zmq.RCVTIMEO, int(PATIENCE * 1000))
    dealer.connect(f"ipc://{socket_path(run, 'server', 'srv')}")
    replies: list[list[bytes]] = []
    for _ in range(3):
        dealer.send_multipart(request(7))
    for _ in range(3):
        replies.append(dealer.recv_multipart())
    assert replies[0] == replies[1] == replies[2]
    dealer.send_multipart(request(6))  # no client waits for this one any more
    rejected = msgspec.msgpack.decode(dealer.recv_multipart()[0], type=Header)
    assert (rejected.id, rejected.code) == (6, "out_of_order")
    dealer.send_multipart(request(8))
    assert msgspec.msgpack.decode(dealer.recv_multipart()[0], type=Header).id == 8
    assert (run / "server" / "done").read_text().split().count("fuzz") == 2


@pytest.mark.parametrize("side", ["srv", "pub"])
def test_bytes_that_are_not_zeromq_are_reported(run: Path, watched: Watched, side: Any) -> None:
    dice = random.Random(2)
    path = str(socket_path(run, "server", side))
    greeting = b"\xff" + bytes(8) + b"\x7f\x03\x00NULL" + bytes(48)
    opened: list[socket.socket] = []
    for number in range(150):
        raw = socket.socket(socket.AF_UNIX)
        raw.connect(path)
        start = (b"", greeting, greeting[:12], b"\x01\x00", b"GET / HTTP/1.1\r\n\r\n")[number % 5]
        try:
            raw.sendall(start + dice.randbytes(dice.randrange(300)))
            if number % 3 == 0:  # a frame that claims to be 2**60 bytes long
                raw.sendall(greeting + b"\x02" + (2**60).to_bytes(8, "big"))
        except OSError:
            pass  # disconnected before all was sent
        if number % 2:
            raw.close()
        else:
            opened.append(raw)
        if number % 30 == 0:
            watched.call()
    for raw in opened:
        raw.close()
    watched.wait_for("requests" if side == "srv" else "subscriptions")


def test_garbage_subscriptions_are_reported(run: Path, watched: Watched, context: Sockets) -> None:
    dice = random.Random(3)
    strange = context.socket(zmq.DEALER)
    strange.connect(f"ipc://{socket_path(run, 'server', 'pub')}")
    strange.send(b"\x01")  # everything
    for _ in range(300):
        strange.send_multipart(
            [dice.randbytes(dice.randrange(1, 60)) for _ in range(dice.randint(1, 4))]
        )
    watched.call()
    watched.wait_for("subscriptions")


def test_frame_that_is_too_large_ends_only_its_connection(
    run: Path, watched: Watched, context: Sockets
) -> None:
    dealer = context.socket(zmq.DEALER)
    dealer.setsockopt(zmq.RECONNECT_IVL, -1)
    monitor = dealer.get_monitor_socket(zmq.EVENT_DISCONNECTED)
    dealer.connect(f"ipc://{socket_path(run, 'server', 'srv')}")
    dealer.send_multipart([request(1)[0], bytes((64 << 20) + 1)])
    assert monitor.poll(PATIENCE * 1000)
    dealer.disable_monitor()
    monitor.close()


def test_garbage_on_topics_is_reported_by_the_subscriber(run: Path, context: Sockets) -> None:
    """A publisher that sends anything at all, and a node that subscribes to it."""
    dice = random.Random(4)
    subscriber = Bus(run, "subscriber")
    received: list[Done] = []
    reported: list[Diagnostic] = []
    subscriber.subscribe(LATEST, received.append)
    subscriber.subscribe_untyped("server/*", lambda header, body: None)
    of_another: list[Any] = []
    subscriber.subscribe_untyped("another/*", lambda header, body: of_another.append(body))
    subscriber.subscribe(diagnostics("subscriber"), reported.append)
    prepare(run, "server")
    publisher = context.socket(zmq.ROUTER)
    publisher.bind(f"ipc://{socket_path(run, 'server', 'pub')}")
    routes: dict[bytes, bytes] = {}  # by subscription

    def subscribed() -> bool:
        subscriber.spin_once(0.01)
        while publisher.poll(0):
            route, subscription = publisher.recv_multipart()
            routes[subscription] = route
        return routes.keys() == {b"\1server/latest\0", b"\1server/"}

    eventually(subscribed)
    (route,) = set(routes.values())
    topic = b"server/latest\0"

    def message(number: int, **changes: Any) -> list[bytes]:
        fields: dict[str, Any] = {
            "version": VERSION,
            "kind": "message",
            "endpoint": "server/latest",
            "client": "t",
            "id": number,
            "epoch": "t",
            "time": 0.0,
            **changes,
        }
        body = snapshot(encode(Done(note=str(number), process=1)))
        return [encode_header(Header(**fields)), *body]

    for number in range(1, 501):
        publisher.send_multipart([route, topic, *_mutate(dice, message(number))])
        if number % 20 == 0:
            publisher.send_multipart([route, topic, dice.randbytes(20), dice.randbytes(20)])
            publisher.send_multipart([route, b"server/", dice.randbytes(20)])
            publisher.send_multipart([route, topic, *message(number, kind="request")])
            publisher.send_multipart([route, topic, *message(number, endpoint="server/other")])
            subscriber.spin_once(0.0)
    another = message(999, endpoint="another/latest")
    publisher.send_multipart([route, b"another/latest\0", *another])
    publisher.send_multipart([route, topic, *message(1000)])

    def came() -> bool:
        subscriber.spin_once(0.05)
        return any(done.note == "1000" for done in received) and bool(reported)

    eventually(came)
    assert {each.about for each in reported} <= {"topics", "server/latest"}
    assert of_another == []  # it is that node's own connection that brings its topics
    subscriber.close()


def test_garbage_replies_raise_an_exception_of_the_bus(run: Path, context: Sockets) -> None:
    """A server that replies anything at all."""
    dice = random.Random(5)
    prepare(run, "server")
    router = context.socket(zmq.ROUTER)
    router.bind(f"ipc://{socket_path(run, 'server', 'srv')}")

    def answer() -> None:
        for _ in range(200):
            if not router.poll(PATIENCE * 1000):
                return
            route, header, *_rest = router.recv_multipart()
            request = msgspec.msgpack.decode(header, type=Header)
            reply = msgspec.structs.replace(request, kind=dice.choice(["reply", "error"]), text="x")
            good = [encode_header(reply), *snapshot(encode(Done(note="", process=1)))]
            router.send_multipart([route, *_mutate(dice, good)])

    answering = threading.Thread(target=answer, daemon=True)
    answering.start()
    bus = Bus(run)
    errors: list[str] = []
    for _ in range(200):
        try:
            bus.call(DO, Do(), timeout=0.1 if answering.is_alive() else 0.01)
        except BusError as error:
            errors.append(str(error))
    assert not any("\n" in why for why in errors)
    assert len(errors) > 50
    answering.join(PATIENCE)
    bus.close()


def test_request_in_progress_is_not_done_again_however_many_other_clients_call(
    run: Path, context: Sockets, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many other clients call meanwhile: repeated, it is answered and not done again."""
    monkeypatch.setattr("messages.bus.services.service_server.MAX_CLIENTS", 4)
    begun: list[str] = []
    goes_on = threading.Event()

    def do(request: Do) -> Done:
        begun.append(request.note)
        if request.note == "fuzz":
            goes_on.wait(PATIENCE)
        return Done(note=request.note, process=0)

    bus = Bus(run, "server")
    bus.serve(BEHIND, do, background=True)
    over = threading.Event()
    serving = threading.Thread(target=bus.spin, args=(over,))
    serving.start()
    try:
        dealer = context.socket(zmq.DEALER)
        dealer.connect(f"ipc://{socket_path(run, 'server', 'srv')}")
        dealer.send_multipart(request(1, endpoint="server/behind"))
        eventually(lambda: begun == ["fuzz"])
        for number in range(6):
            with closing(Bus(run)) as other:
                other.call(BEHIND, Do(note=str(number)), PATIENCE)
        dealer.send_multipart(request(1, endpoint="server/behind", again=bus.epoch))
        with closing(Bus(run)) as other:
            other.call(BEHIND, Do(note="last"), PATIENCE)
        goes_on.set()
        assert dealer.poll(PATIENCE * 1000)
        assert begun.count("fuzz") == 1
    finally:
        goes_on.set()
        over.set()
        bus.wake()
        serving.join(PATIENCE)
        bus.close()
