"""The requests and replies of a node and its clients are published while there is a subscriber."""

import queue
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from messages.bus import Bus, GoalCancelled, RemoteError
from messages.bus.network.curve import make_keys
from messages.bus.network.header import Header
from messages.bus.services.waiting import RequestLimits
from messages.bus.topics.flow import MAX_WAITING
from messages.calling import CallEvent, calls
from messages.codec import Frames, decode
from messages.empty import Empty
from messages.system import describe
from tests.bus import SERVER
from tests.bus.bus_server import DO, DOUBLE, FAIL, WORK, Batch, Do
from tests.bus_processes import PATIENCE, ROOT, Process, free_port, make_run


class Watcher:
    """A process's own end that subscribes to the calls of ``server``."""

    def __init__(self, run: Path, name: str = "server/calls", **options: Any) -> None:
        self.bus = Bus(run, **options)
        self.events: queue.SimpleQueue[tuple[CallEvent, Frames]] = queue.SimpleQueue()
        self._over = threading.Event()
        self.bus.subscribe_frames(name, self._take)
        self._thread = threading.Thread(target=self.bus.spin, args=(self._over,), daemon=True)
        self._thread.start()

    def _take(self, header: Header, frames: Frames) -> None:
        if header.endpoint == "server/calls":
            self.events.put((decode(CallEvent, frames[:1]), frames))

    def next(self) -> tuple[CallEvent, Frames]:
        return self.events.get(timeout=PATIENCE)

    def until(self, bus: Bus) -> None:
        """Wait until the node knows of this subscriber."""
        while self.events.empty():
            bus.call(DO, Do(note="subscribed?"))
        while not self.events.empty():
            self.events.get()
        # A reply is published before it is sent; so nothing is on its way any more but this one's.
        bus.call(DO, Do(note="subscribed"))
        while True:
            event, _ = self.next()
            if event.kind == "reply" and decode(DO.reply, [event.body]).note == "subscribed":
                return

    def close(self) -> None:
        self._over.set()
        self.bus.wake()
        self._thread.join(PATIENCE)
        self.bus.close()


@contextmanager
def watching(run: Path, name: str = "server/calls", **options: Any) -> Iterator[Watcher]:
    watcher = Watcher(run, name, **options)
    try:
        yield watcher
    finally:
        watcher.close()


def test_requests_replies_and_errors_are_published(run: Path, surviving: Process, bus: Bus) -> None:
    with watching(run) as watcher:
        watcher.until(bus)
        bus.call(DO, Do(note="this", seconds=0.05))
        request, frames = watcher.next()
        assert (request.endpoint, request.kind, request.body_type) == ("server/do", "request", "Do")
        assert request.caller == bus.epoch
        assert decode(Do, [request.body, *frames[1:]]) == Do(note="this", seconds=0.05)
        reply, frames = watcher.next()
        assert (reply.kind, reply.body_type) == ("reply", "Done")
        assert (reply.client, reply.id) == (request.client, request.id)
        assert 0.05 <= reply.took <= PATIENCE
        assert reply.time >= request.time
        assert decode(DO.reply, [reply.body]).note == "this"
        with pytest.raises(RemoteError):
            bus.call(FAIL, Do(note="refuse"))
        assert watcher.next()[0].kind == "request"
        error, _ = watcher.next()
        assert (error.kind, error.code) == ("error", "because")
        assert error.text == "this is rejected"
        assert error.body_type == ""


def test_arrays_are_published_with_the_calls_that_carry_them(
    run: Path, surviving: Process, bus: Bus
) -> None:
    values = np.arange(200_000, dtype="f4")
    with watching(run) as watcher:
        watcher.until(bus)
        bus.call(DOUBLE, Batch(values=values))
        request, frames = watcher.next()
        assert np.array_equal(decode(Batch, [request.body, *frames[1:]]).values, values)
        reply, frames = watcher.next()
        assert np.array_equal(decode(Batch, [reply.body, *frames[1:]]).values, values * 2)


def test_a_goal_its_result_and_its_end_are_published(
    run: Path, surviving: Process, bus: Bus
) -> None:
    with watching(run) as watcher:
        watcher.until(bus)
        bus.run_goal(WORK, "the goal", Do(note="work"))
        seen = [watcher.next()[0] for _ in range(4)]
        assert [(each.endpoint, each.kind) for each in seen] == [
            ("server/work/send", "request"),
            ("server/work/send", "reply"),
            ("server/work/result", "request"),
            ("server/work/result", "reply"),
        ]
        assert {each.goal for each in seen} == {"the goal"}
        assert decode(WORK.result, [seen[3].body]).note == "work"
        bus.send_goal(WORK, "long", Do(note="long", seconds=PATIENCE))
        bus.cancel_goal(WORK, "long")
        with pytest.raises(GoalCancelled):
            bus.run_goal(WORK, "long", Do(note="long", seconds=PATIENCE))
        codes = []
        while "cancelled" not in codes:
            event, _ = watcher.next()
            codes.append(event.code)
            assert event.goal == "long"


def test_subscribing_to_all_topics_of_a_node_does_not_make_it_publish_its_calls(
    run: Path, surviving: Process, bus: Bus
) -> None:
    """Who looks at all topics does not make the node publish its calls."""
    news: queue.SimpleQueue[str] = queue.SimpleQueue()
    with watching(run, "server/*") as watcher:
        watcher.bus.subscribe_frames("server/*", lambda header, _: news.put(header.endpoint))
        until = []
        while "server/news" not in until:
            bus.call(DO, Do(note="now"))
            while not news.empty():
                until.append(news.get())
        bus.call(DO, Do(note="now"))
        bus.call(DO, Do(note="now"))
        while until.count("server/news") < 3:
            until.append(news.get(timeout=PATIENCE))
        assert "server/calls" not in until
        assert watcher.events.empty()


def test_calls_of_a_node_on_tcp_with_keys_are_published(tmp_path: Path) -> None:
    hosts = {"server": {"host": "127.0.0.1", "port": free_port()}}
    run = make_run(tmp_path, hosts=hosts)
    make_keys(run / "keys", ["server", "tools"])
    process = Process(SERVER, run)
    try:
        bus = Bus(run, hosts=hosts)
        with watching(run, hosts=hosts) as watcher:
            watcher.until(bus)
            bus.call(DO, Do(note="far"))
            event, frames = watcher.next()
            assert decode(Do, [event.body, *frames[1:]]).note == "far"
        bus.close()
    finally:
        process.kill()


_SUBSCRIBER = """
import sys, threading
from pathlib import Path
from messages.bus import Bus

bus = Bus(Path(sys.argv[1]))
bus.subscribe_frames("server/calls", lambda header, frames: print("one", flush=True))
bus.spin(threading.Event())
"""


@contextmanager
def stopped_subscriber(run: Path, bus: Bus) -> Iterator[None]:
    """A process that has subscribed and was stopped by a signal."""
    process = subprocess.Popen(
        [sys.executable, "-c", _SUBSCRIBER, str(run)], cwd=ROOT, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        while not select.select([process.stdout], [], [], 0.05)[0]:
            bus.call(DO, Do(note="subscribed?"))
        process.send_signal(signal.SIGSTOP)
        yield
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_a_subscriber_that_does_not_read_costs_a_bounded_amount(
    run: Path, surviving: Process, bus: Bus
) -> None:
    values = np.zeros(1_000_000, dtype="f4")  # 4 MB each way
    with stopped_subscriber(run, bus), watching(run) as watcher:
        diagnostics: queue.SimpleQueue[str] = queue.SimpleQueue()
        watcher.bus.subscribe_untyped(
            "server/diagnostics", lambda _, body: diagnostics.put(body["message"])
        )
        watcher.until(bus)
        before = _resident(surviving.popen.pid)
        for _ in range(60):  # 480 MB in all
            bus.call(DOUBLE, Batch(values=values))
            for _ in range(2):
                watcher.next()  # another subscriber misses nothing
        grown = _resident(surviving.popen.pid) - before
        assert grown < 4 * MAX_WAITING, f"{grown >> 20} MiB"
        assert "a subscriber does not read" in diagnostics.get(timeout=PATIENCE)


def test_a_body_that_is_no_message_is_left_out(run: Path, surviving: Process, bus: Bus) -> None:
    with watching(run) as watcher:
        watcher.until(bus)
        request = bus._caller.clients.to("server", "server/do").request
        with pytest.raises(RemoteError, match="not a Do"):
            request("server/do", [b"\xc1"], RequestLimits.by_the_clock(PATIENCE))
        event, _ = watcher.next()
        assert event.omitted == "it is not MessagePack"
        assert bytes(event.body) == b"\xc0"
        assert watcher.next()[0].code == "malformed"


def test_the_topic_of_calls_is_among_the_described_endpoints(
    run: Path, surviving: Process, bus: Bus
) -> None:
    described = bus.call(describe("server"), Empty())
    assert calls("server").name in {each.name for each in described.endpoints}


def _resident(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096
