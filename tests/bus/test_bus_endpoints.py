"""Services and topics between running processes: replies, rejections, latching, ownership."""

import socket
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from messages.bus import AddressError, Bus, BusClosed, BusError, RemoteError, ServiceError
from messages.bus.network.address import UNIX_PATH_MAX, socket_path
from messages.bus.network.curve import make_keys
from messages.bus.services.workers import MAX_WORKERS
from messages.codec import CodecError
from messages.empty import Empty
from messages.interface import Service, Topic
from messages.system import Diagnostic, describe, diagnostics
from nodes.common.running.process import hold
from rlgpt.runs.run_folder import remove_short_sockets
from tests.bus.bus_server import BEHIND, DO, DOUBLE, FAIL, LATEST, NEWS, WORK, Batch, Do, Done
from tests.bus_processes import PATIENCE, Process, eventually, free_port


class Spinning:
    """A bus that serves in a thread of its own."""

    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self._stop = threading.Event()
        self._thread = threading.Thread(target=bus.spin, args=(self._stop,))
        self._thread.start()

    def end(self) -> None:
        self._stop.set()
        self.bus.wake()
        self._thread.join(PATIENCE)
        self.bus.close()


def test_arrays_are_sent_and_returned_unchanged(server: Process, bus: Bus) -> None:
    for shape in ((0, 3), (64, 300), (1000, 1000), (3,)):
        values = np.random.default_rng(0).random(shape, "f4")
        back = bus.call(DOUBLE, Batch(values=values)).values
        assert np.array_equal(back, values * 2)
        assert not back.flags.writeable


def test_calls_of_many_threads_get_their_own_replies(server: Process, bus: Bus) -> None:
    wrong: list[object] = []

    def call(name: str) -> None:
        for number in range(30):
            service = (DO, BEHIND)[number % 2]
            if bus.call(service, Do(note=f"{name}{number}")).note != f"{name}{number}":
                wrong.append(name)

    threads = [threading.Thread(target=call, args=(name,)) for name in "abcdefgh"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert wrong == []


def test_rejections_and_failures_have_different_codes(run: Path, server: Process, bus: Bus) -> None:
    for note, code, text in [
        ("refuse", "because", "this is rejected"),
        ("missing key", "internal", "KeyError"),
        ("wrong", "internal", "returned Do, not Done"),
    ]:
        with pytest.raises(RemoteError, match=text) as error:
            bus.call(FAIL, Do(note=note))
        assert error.value.code == code
        assert "Traceback" not in str(error.value)
    assert "Traceback" in (run / "server" / "node.log").read_text()
    assert bus.call(DO, Do(note="on")).note == "on"


def test_a_goal_whose_id_is_too_long_for_the_header_is_rejected_at_once(
    server: Process, bus: Bus
) -> None:
    with pytest.raises(CodecError, match="has 9000"):
        bus.run_goal(WORK, "g" * 9000, Do(note="x"), timeout=PATIENCE)
    # A rejection may contain a language model's text: long, and four bytes a letter.
    smiles = "\N{SLIGHTLY SMILING FACE}" * 900
    with pytest.raises(RemoteError, match=f"it cannot be done{smiles}"):
        bus.run_goal(WORK, "g" * 3000, Do(note=f"fail{smiles * 10}"), timeout=PATIENCE)


def test_call_of_an_unknown_service_lists_the_known_ones(server: Process, bus: Bus) -> None:
    with pytest.raises(RemoteError, match="server/double") as error:
        bus.call(Service("server/undo", Do, Done), Do())
    assert error.value.code == "unknown_service"


def test_wrong_types_are_rejected_on_both_sides(server: Process, bus: Bus) -> None:
    wrong: Any = Done(note="", process=1)
    with pytest.raises(CodecError, match="takes Do"):
        bus.call(DO, wrong)
    with pytest.raises(RemoteError, match=r"Done.*") as error:
        bus.call(Service("server/do", Done, Done), wrong)
    assert error.value.code == "malformed"
    with pytest.raises(BusError, match="does not decode"):
        bus.call(Service("server/do", Do, Batch), Do(note="a"))


def test_topics_of_unknown_type_are_received_as_plain_data(server: Process, bus: Bus) -> None:
    received: dict[str, Any] = {}
    bus.subscribe_untyped(
        "server/*", lambda header, body: received.__setitem__(header.endpoint, body)
    )

    def came() -> bool:
        bus.call(DO, Do(note="x"))
        bus.spin_once(0.05)
        return {"server/latest", "server/heartbeat", "server/news"} <= set(received)

    eventually(came)
    assert received["server/latest"]["note"] == "x"


def test_latched_value_is_sent_once_to_each_subscriber(run: Path) -> None:
    publisher = Spinning(Bus(run, "server"))
    subscribers = [Bus(run) for _ in range(3)]
    received: list[list[str]] = [[] for _ in subscribers]
    try:
        publisher.bus.publish(LATEST, Done(note="1", process=0))
        for subscriber, notes in zip(subscribers, received, strict=True):
            subscriber.subscribe(LATEST, lambda done, notes=notes: notes.append(done.note))

            def came(subscriber: Bus = subscriber, notes: list[str] = notes) -> bool:
                subscriber.spin_once(0.02)
                return notes == ["1"]

            eventually(came)
        again: list[str] = []
        subscribers[0].subscribe(LATEST, lambda done: again.append(done.note))
        publisher.bus.publish(LATEST, Done(note="2", process=0))

        def all_came() -> bool:
            for subscriber in subscribers:
                subscriber.spin_once(0.02)
            return all(notes[-1] == "2" for notes in received)

        eventually(all_came)
        assert received == [["1", "2"]] * 3
        assert again == ["1", "2"]
    finally:
        publisher.end()
        for subscriber in subscribers:
            subscriber.close()


def test_callback_that_fails_does_not_stop_the_others(run: Path) -> None:
    bus = Spinning(Bus(run, "server"))
    received: list[str] = []

    def fail(done: Done) -> None:
        raise ValueError(done.note)

    bus.bus.subscribe(LATEST, fail)
    bus.bus.subscribe(LATEST, lambda done: received.append(done.note))
    bus.bus.publish(LATEST, Done(note="1", process=0))
    eventually(lambda: received == ["1"])
    bus.end()


def test_timer_that_fails_does_not_stop_the_node(run: Path) -> None:
    bus = Spinning(Bus(run, "server"))
    published: list[Diagnostic] = []
    times: list[int] = []

    def fail() -> None:
        times.append(1)
        raise OSError("the disk is full")

    bus.bus.subscribe(diagnostics("server"), published.append)
    bus.bus.every(0.01, fail)
    eventually(lambda: len(times) > 1 and bool(published))
    assert "the disk is full" in published[0].message
    bus.end()


def test_only_the_owner_may_serve_or_publish_on_an_endpoint(run: Path, bus: Bus) -> None:
    other = Bus(run, "other")
    with pytest.raises(BusError, match="belongs to the node 'server'"):
        other.serve(DO, lambda do: Done(note=do.note, process=0))
    for publisher in (other, bus):
        with pytest.raises(BusError, match="belongs to the node 'server'"):
            publisher.publish(NEWS, Done(note="", process=0))
    wrong: Any = Do()
    with pytest.raises(CodecError, match="carries Done"):
        Bus.publish(other, Topic("other/news", Done), wrong)
    other.close()


def test_serving_thread_does_not_wait_for_itself(run: Path) -> None:
    bus = Spinning(Bus(run, "server"))

    def call(do: Do) -> Done:
        return bus.bus.call(DO, do)

    bus.bus.serve(DO, call)
    caller = Bus(run)
    with pytest.raises(RemoteError, match="wait for its own reply"):
        caller.call(DO, Do())
    caller.close()
    bus.end()


def test_one_service_whose_calls_all_wait_delays_no_other(run: Path) -> None:
    bus = Spinning(Bus(run, "server"))
    go_on, waiting = threading.Event(), threading.Semaphore(0)

    def wait(do: Do) -> Done:
        waiting.release()
        go_on.wait(PATIENCE)
        return Done(note=do.note, process=0)

    bus.bus.serve(BEHIND, wait, background=True)
    bus.bus.serve(DO, lambda do: Done(note=do.note, process=0), background=True)
    callers = [Bus(run) for _ in range(MAX_WORKERS + 1)]
    threads = [threading.Thread(target=each.call, args=(BEHIND, Do())) for each in callers]
    for thread in threads:
        thread.start()
    for _ in range(MAX_WORKERS):
        assert waiting.acquire(timeout=PATIENCE)
    other = Bus(run)
    assert other.call(DO, Do(note="at once"), timeout=PATIENCE / 2).note == "at once"
    go_on.set()
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive()
    for each in (*callers, other):
        each.close()
    bus.end()


def test_closing_wakes_the_threads_that_wait(run: Path) -> None:
    bus = Bus(run)
    outcome: list[BaseException] = []

    def call() -> None:
        try:
            bus.call(DO, Do())
        except BusError as error:
            outcome.append(error)

    threads = [threading.Thread(target=call) for _ in range(3)]
    for thread in threads:
        thread.start()
    bus.close()
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive()
    assert [type(error) for error in outcome] == [BusClosed] * 3
    with pytest.raises(BusClosed):
        bus.call(DO, Do())


def test_sockets_of_run_folders_with_long_paths_are_in_a_short_private_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / ("deep" * 20) / ("deeper" * 20)
    run.mkdir(parents=True)
    path = socket_path(run, "server", "srv")
    assert len(str(path)) <= UNIX_PATH_MAX
    assert not path.is_relative_to(run)
    assert path != socket_path(run.parent, "server", "srv")
    server = Spinning(Bus(run, "server"))
    server.bus.serve(DO, lambda do: Done(note=do.note, process=1))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    caller = Bus(run)
    assert caller.call(DO, Do(note="far")).note == "far"
    assert path.parent.stat().st_mode & 0o077 == 0
    caller.close()
    lock = run / "server" / "lock"
    lock.parent.mkdir()
    with hold(lock, "server"):  # as its node does
        remove_short_sockets(run)
        assert path.exists()
    server.end()
    remove_short_sockets(run)
    assert not path.parent.exists()


@pytest.mark.parametrize("name", ["", "a/b", "..", "a b", "x" * 65, "ä"])
def test_node_names_that_are_no_file_names_are_rejected(run: Path, name: str) -> None:
    with pytest.raises(AddressError):
        Bus(run, name)


def _need_ipv6() -> None:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError as error:
        pytest.skip(f"this machine has no IPv6: {error}")


@pytest.mark.parametrize("secure", [False, True])
@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "::1"])
def test_tcp_serves_clients_with_known_keys_only(run: Path, host: str, secure: bool) -> None:
    if ":" in host:
        _need_ipv6()
    hosts = {"server": {"host": host, "port": free_port()}}
    if secure:
        make_keys(run / "keys", ["server", "tools"])
    server = Spinning(Bus(run, "server", hosts))
    server.bus.serve(DO, lambda do: Done(note=do.note, process=1))
    server.bus.publish(LATEST, Done(note="latched", process=1))
    caller = Bus(run, hosts=hosts)
    assert caller.call(DO, Do(note="far")).note == "far"
    received: list[Done] = []
    caller.subscribe(LATEST, received.append)

    def came() -> bool:
        caller.spin_once(0.05)
        return bool(received)

    eventually(came)
    if secure:
        strange = run / "strange"
        make_keys(strange, ["tools"])
        (strange / "server.key").write_bytes((run / "keys" / "server.key").read_bytes())
        stranger = Bus(run, hosts=hosts, keys=strange)
        with pytest.raises(BusError):
            stranger.call(DO, Do(note="let me in"), timeout=0.5)
        stranger.close()
        assert caller.call(DO, Do(note="still")).note == "still"
        assert (run / "keys" / "server.key_secret").stat().st_mode & 0o077 == 0
    caller.close()
    server.end()


def test_tcp_off_the_loopback_needs_keys(run: Path) -> None:
    hosts = {"server": {"host": "192.0.2.1", "port": 7000}}
    with pytest.raises(AddressError, match="keys"):
        Bus(run, "server", hosts)
    caller = Bus(run, hosts=hosts)
    with pytest.raises(AddressError, match="keys"):
        caller.call(DO, Do())
    caller.close()


def test_port_that_is_taken_is_reported_in_one_sentence(run: Path) -> None:
    hosts = {"server": {"host": "127.0.0.1", "port": free_port()}}
    first = Bus(run, "server", hosts)
    with pytest.raises(AddressError, match=r"cannot listen on tcp://127\.0\.0\.1"):
        Bus(run, "server", hosts)
    first.close()
    with pytest.raises(AddressError, match=r"hosts\.server"):
        Bus(run, "server", {"server": {"host": "x"}})


def test_each_endpoint_is_described_by_its_kind_types_and_fingerprint(
    server: Process, bus: Bus
) -> None:
    endpoints = {
        endpoint.name: endpoint
        for endpoint in bus.call(describe("server"), Empty(), timeout=PATIENCE).endpoints
    }
    assert endpoints[WORK.name].kind == "action"
    assert endpoints[WORK.name].types == ["Do", "Done", "Done"]
    assert endpoints[DO.name].fingerprint == endpoints[BEHIND.name].fingerprint
    assert endpoints[DO.name].fingerprint != endpoints[DOUBLE.name].fingerprint


def test_an_endpoint_that_is_served_twice_is_refused(run: Path) -> None:
    bus = Bus(run, "server")
    try:
        bus.serve(DO, lambda request: Done(note=request.note, process=0))
        for _ in range(2):
            bus.advertise(NEWS)
        with pytest.raises(BusError, match="server already has the service server/do; serve it on"):
            bus.serve(DO, lambda request: Done(note="", process=1))
        with pytest.raises(BusError, match="server already has the topic server/news"):
            bus.serve(Service(NEWS.name, Do, Done), lambda request: Done(note="", process=1))
    finally:
        bus.close()


def test_service_error_is_a_bus_error() -> None:
    assert issubclass(ServiceError, BusError)
