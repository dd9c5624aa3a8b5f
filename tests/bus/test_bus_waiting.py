"""What a deadline counts, which nodes are waited for, and how that is reported."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import zmq

from messages.bus import Bus, DeadlineExceeded, GoalCancelled
from messages.bus.network.address import prepare, socket_path
from messages.bus.network.header import VERSION, Header, decode_header, encode_header
from messages.bus.services.client import NOT_KNOWN
from messages.codec import encode, snapshot
from messages.empty import Empty
from messages.interface import Service
from messages.system import LIST, NodeState, NodeStates
from tests.bus import SERVER
from tests.bus.bus_server import WORK, Do, Done
from tests.bus.callers import Caller
from tests.bus_processes import PATIENCE, Process, eventually, free_port, launch

HURRIED = Service("server/do_again", Do, Done, idempotent=True, timeout=0.5)


class Notices:
    """What a bus reports about the nodes that it waits for."""

    def __init__(self, bus: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sentences: list[str] = []
        diagnostics = bus._diagnostics  # pyright: ignore[reportPrivateUsage]
        monkeypatch.setattr(diagnostics, "report", self._report)

    def _report(self, about: str, message: str, level: str = "warning") -> None:
        self.sentences.append(message)

    def wait_for(self, words: str) -> None:
        eventually(lambda: any(words in sentence for sentence in self.sentences))


@pytest.fixture
def notices(bus: Bus, monkeypatch: pytest.MonkeyPatch) -> Notices:
    return Notices(bus, monkeypatch)


@contextmanager
def launcher(run: Path, state: str) -> Iterator[list[str]]:
    """A launcher that has one node, ``server``, in a state that the test can change."""
    states = [state]
    bus = Bus(run, "launcher")

    def listed(_: Empty) -> NodeStates:
        node = NodeState(node="server", state=states[-1], pid=0, restarts=1, uptime=0, memory=0)
        return NodeStates(nodes=[node])

    bus.serve(LIST, listed)
    over = threading.Event()
    serving = threading.Thread(target=bus.spin, args=(over,))
    serving.start()
    try:
        yield states
    finally:
        over.set()
        bus.wake()
        serving.join(PATIENCE)
        bus.close()


def test_deadline_does_not_count_while_the_node_is_absent(
    run: Path, bus: Bus, notices: Notices
) -> None:
    server = Process(SERVER, run)
    bus.call(HURRIED, Do(note="before"), PATIENCE)
    server.kill()
    caller = Caller(lambda: bus.call(HURRIED, Do(note="after")))
    notices.wait_for("waiting for server, which is absent")  # after the service's half second
    server.start()
    assert caller.result() == Done(note="after", process=server.popen.pid)
    assert notices.sentences[-1] == "server is connected again"
    server.kill()


def test_deadline_does_not_count_while_the_node_gets_ready(
    run: Path, bus: Bus, notices: Notices
) -> None:
    (run / "not_yet").touch()
    server = launch(SERVER, run)
    caller = Caller(lambda: bus.call(HURRIED, Do(note="early")))
    notices.wait_for("waiting for server")
    (run / "not_yet").unlink()
    assert caller.result() == Done(note="early", process=server.pid)
    server.kill()
    server.communicate()


def test_node_that_is_not_started_is_waited_for_a_stated_time(
    run: Path, bus: Bus, notices: Notices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("messages.bus.services.waiting.ABSENCE", 2.0)
    with pytest.raises(DeadlineExceeded, match=r"server/do_again.*2 seconds: it is not running"):
        bus.call(HURRIED, Do())
    (sentence,) = notices.sentences
    assert sentence.endswith("which no launcher knows; start it within 2 seconds")


def test_node_that_the_launcher_knows_is_waited_for_longer(
    run: Path, bus: Bus, notices: Notices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("messages.bus.services.waiting.ABSENCE", 0.1)
    monkeypatch.setattr("messages.bus.services.waiting.NOTICE", 0.0)
    monkeypatch.setattr("messages.bus.services.waiting.QUERY_INTERVAL", 0.1)
    with launcher(run, "released") as states:
        caller = Caller(lambda: bus.call(HURRIED, Do(note="x")))
        notices.wait_for("which is not the launcher's: start it with `rlgpt run server`")
        states.append("waiting")
        notices.wait_for("which is being restarted")
        server = Process(SERVER, run)
        assert caller.result() == Done(note="x", process=server.popen.pid)
        server.kill()


def test_caller_with_a_clock_of_its_own_waits_no_longer(run: Path, bus: Bus) -> None:
    with (
        launcher(run, "waiting"),
        pytest.raises(DeadlineExceeded, match=r"0\.2 seconds: it is not running"),
    ):
        bus.call(HURRIED, Do(), timeout=0.2)


def test_request_whose_caller_gave_up_is_not_sent_later(run: Path, bus: Bus) -> None:
    with pytest.raises(DeadlineExceeded):
        bus.call(HURRIED, Do(note="given up"), timeout=0.1)
    server = Process(SERVER, run)
    bus.call(HURRIED, Do(note="next"), PATIENCE)
    assert (run / "server" / "done").read_text().split("\n")[:-1] == ["next"]
    server.kill()


def test_waiting_for_the_server_of_a_goal_is_reported(
    run: Path, bus: Bus, notices: Notices
) -> None:
    caller = Caller(lambda: bus.run_goal(WORK, "g", Do(note="x")))
    notices.wait_for("waiting for server, which is absent, and which no launcher knows")
    server = Process(SERVER, run)
    assert caller.result() == Done(note="x", process=server.popen.pid)
    server.kill()


def test_goal_is_cancelled_at_a_server_that_is_being_restarted(
    run: Path, bus: Bus, notices: Notices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("messages.bus.actions.goal_client.PATIENCE", 0.5)
    server = Process(SERVER, run)
    goal = Do(note="x", seconds=600.0)
    unwanted = threading.Event()
    caller = Caller(lambda: bus.run_goal(WORK, "g", goal, cancelled=unwanted.is_set))
    done = run / "server" / "done"
    eventually(lambda: done.exists() and "begin g" in done.read_text())
    server.kill()
    unwanted.set()
    notices.wait_for("waiting for server")
    server.start()
    assert isinstance(caller.result(), GoalCancelled)
    with pytest.raises(GoalCancelled):
        bus.run_goal(WORK, "g", goal, timeout=PATIENCE)
    server.kill()


# ---- a node that is connected and silent


class Silent:
    """A bare socket in a node's place, which replies when a test calls ``answer``."""

    def __init__(self, run: Path) -> None:
        prepare(run, "server")
        self._context: zmq.Context[Any] = zmq.Context()
        self._socket = self._context.socket(zmq.ROUTER)
        self._socket.setsockopt(zmq.RCVTIMEO, int(PATIENCE * 1000))
        self._socket.bind(f"ipc://{socket_path(run, 'server', 'srv')}")

    def next(self) -> tuple[bytes, Header]:
        route, header, *_ = self._socket.recv_multipart()
        return route, decode_header(header)

    def answer(self, route: bytes, request: Header, kind: Any, code: str = "") -> None:
        header = Header(
            *(VERSION, kind, request.endpoint, request.client, request.id),
            *("epoch", 0.0, "", None, code),
        )
        body = snapshot(encode(Done(note="late", process=1)))
        self._socket.send_multipart([route, encode_header(header), *body])

    def close(self) -> None:
        self._socket.close(0)
        self._context.term()


@pytest.fixture
def silent(run: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Silent]:
    monkeypatch.setattr("messages.bus.services.waiting.CHECK", 0.05)
    monkeypatch.setattr("messages.bus.services.waiting.SILENCE", 0.2)
    silent = Silent(run)
    yield silent
    silent.close()


LONG = Service("server/do", Do, Done, timeout=24 * 3600.0)


def test_silent_node_is_reported_long_before_the_deadline(
    silent: Silent, bus: Bus, notices: Notices
) -> None:
    caller = Caller(lambda: bus.call(LONG, Do()))
    route, request = silent.next()
    assert request.kind == "request"
    notices.wait_for("waiting for server, which is connected and has not responded for 0.2 seconds")
    assert silent.next()[1].kind == "check"
    silent.answer(route, request, "working")
    notices.wait_for("server answers again")
    silent.answer(route, request, "reply")
    assert caller.result() == Done(note="late", process=1)


def test_request_that_was_lost_is_sent_again(silent: Silent, bus: Bus) -> None:
    caller = Caller(lambda: bus.call(LONG, Do()))
    route, request = silent.next()
    while (check := silent.next()[1]).kind != "check":
        continue
    silent.answer(route, check, "error", NOT_KNOWN)
    while (again := silent.next()[1]).kind != "request":
        continue
    assert (again.id, again.again) == (request.id, "epoch")
    silent.answer(route, again, "reply")
    assert caller.result() == Done(note="late", process=1)


def test_call_of_a_node_that_hangs_raises_at_its_deadline(silent: Silent, bus: Bus) -> None:
    with pytest.raises(DeadlineExceeded, match=r"from server within 0\.5 seconds$"):
        bus.call(HURRIED, Do())


# ---- a machine that vanishes


class Cable:
    """Carries bytes between two ports until it is pulled: then nothing is sent any more, not even
    the end of the connection."""

    def __init__(self, to: int) -> None:
        self._to = to
        self.pulled = threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._sockets: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while not self.pulled.is_set():
                here, _ = self._listening.accept()
                if self.pulled.is_set():
                    self._sockets.append(here)  # no handshake follows
                    continue
                there = socket.create_connection(("127.0.0.1", self._to))
                self._sockets += [here, there]
                for one, other in ((here, there), (there, here)):
                    threading.Thread(target=self._carry, args=(one, other), daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(4096):
                if not self.pulled.is_set():
                    other.sendall(data)

    def close(self) -> None:
        for each in (self._listening, *self._sockets):
            each.close()


def test_machine_that_vanishes_is_noticed_and_reported(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("messages.bus.network.frames.BEAT", 0.1)
    monkeypatch.setattr("messages.bus.network.frames.GONE", 0.5)
    port = free_port()
    server = Bus(run, "server", {"server": {"host": "127.0.0.1", "port": port}})
    begun = threading.Event()

    def do(request: Do) -> Done:
        begun.set()
        return Done(note=request.note, process=0)

    server.serve(HURRIED, do)
    over = threading.Event()
    serving = threading.Thread(target=server.spin, args=(over,))
    serving.start()
    cable = Cable(port)
    caller = Bus(run, hosts={"server": {"host": "127.0.0.1", "port": cable.port}})
    notices = Notices(caller, monkeypatch)
    try:
        assert caller.call(HURRIED, Do(note="near"), PATIENCE).note == "near"
        cable.pulled.set()
        patient = Service("server/do_again", Do, Done, idempotent=True, timeout=3600.0)
        waiting = Caller(lambda: caller.call(patient, Do(note="far")))
        notices.wait_for("waiting for server, which is absent")
        assert waiting.is_alive()
        caller.close()
        waiting.result()
    finally:
        over.set()
        server.wake()
        serving.join(PATIENCE)
        server.close()
        caller.close()
        cable.close()
