"""The limits of one peer: ids, time and memory. Each rejected request gets a reply."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from messages import codec
from messages.bus import Bus, RemoteError
from messages.bus.actions.action_server import MAX_GOALS
from messages.bus.services.admission import MAX_OPEN_EACH
from messages.bus.services.service_server import MAX_CLIENT_ID
from messages.bus.topics.topic_sockets import MAX_EACH, MAX_NAME, REJECTED
from messages.codec import CodecError, encode
from messages.interface import Service
from tests.bus.bus_server import DO, DO_AGAIN, WORK, Batch, Do, Done
from tests.bus.callers import notes
from tests.bus.raw_peer import RawPeer, reply, request
from tests.bus_processes import PATIENCE, Process, eventually


@pytest.fixture
def raw(run: Path, surviving: Process) -> Iterator[RawPeer]:
    raw = RawPeer(run)
    yield raw
    raw.close()


# ---- ids


def test_id_that_two_connections_use_gets_a_reply_in_both(raw: RawPeer) -> None:
    ours, theirs = raw.connect(), raw.connect()
    ours.send_multipart(request(1))
    assert reply(ours).kind == "reply"
    theirs.send_multipart(request(2**62))
    assert reply(theirs).kind == "reply"
    ours.send_multipart(request(2))
    again = reply(ours)
    assert (again.id, again.kind) == (2, "reply")


def test_request_that_comes_too_late_gets_an_error(raw: RawPeer) -> None:
    dealer = raw.connect()
    dealer.send_multipart(request(2**62))
    assert reply(dealer).kind == "reply"
    dealer.send_multipart(request(2))
    rejected = reply(dealer)
    assert (rejected.id, rejected.kind, rejected.code) == (2, "error", "out_of_order")
    assert "comes after" in rejected.text


@pytest.mark.parametrize("kind", ["request", "check"])
def test_request_that_is_repeated_by_a_new_connection_is_done_once(
    run: Path, raw: RawPeer, kind: str
) -> None:
    first, second = raw.connect(), raw.connect()
    slow = Do(note="slow", seconds=0.5)
    first.send_multipart(request(1, slow, endpoint="server/behind"))
    eventually(lambda: notes(run) == ["slow"])
    second.send_multipart(request(1, slow, endpoint="server/behind", kind=kind, again=""))
    assert reply(second).kind == "working"
    # A forged repetition would get the reply too, but it does not take it from the first client.
    assert reply(first).kind == reply(second).kind == "reply"
    assert notes(run) == ["slow"]


def test_check_of_a_request_that_never_came_gets_an_error(raw: RawPeer) -> None:
    dealer = raw.connect()
    dealer.send_multipart(request(5, kind="check"))
    assert reply(dealer).code == "unknown_request"


def test_request_that_was_lost_on_its_way_is_done_when_it_comes_again(
    run: Path, raw: RawPeer
) -> None:
    """The node's epoch is that it was sent to first: nothing was done of it before a restart."""
    dealer = raw.connect()
    dealer.send_multipart(request(1, kind="check", endpoint="server/do"))
    epoch = reply(dealer).epoch
    dealer.send_multipart(request(1, Do(note="lost"), endpoint="server/do", again=epoch))
    assert reply(dealer).kind == "reply"
    dealer.send_multipart(request(2, Do(note="done"), endpoint="server/do", again="another"))
    assert reply(dealer).code == "restarted"
    assert notes(run) == ["lost"]


# ---- size and number


@pytest.mark.parametrize("service", [DO, DO_AGAIN])
def test_request_whose_reply_is_no_longer_stored_is_done_twice_only_if_it_may_be(
    run: Path, bus: Bus, monkeypatch: pytest.MonkeyPatch, service: Service[Do, Done]
) -> None:
    monkeypatch.setattr("messages.bus.services.service_server.KEPT", -1.0)
    node = Bus(run, "server")
    done: list[str] = []

    def do(request: Do) -> Done:
        done.append(request.note)
        return Done(note=request.note, process=0)

    node.serve(service, do)
    raw = RawPeer(run)
    try:
        dealer, later = raw.connect(), raw.connect()
        dealer.send_multipart(request(1, endpoint=service.name))
        eventually(lambda: (node.spin_once(0.05), bool(done))[1])
        node._own.services.expire(1e12)  # pyright: ignore[reportPrivateUsage, reportOptionalMemberAccess]
        later.send_multipart(request(1, endpoint=service.name, again=node.epoch))
        eventually(lambda: (node.spin_once(0.05), bool(later.poll(0)))[1])
        assert reply(later).code == ("" if service.idempotent else "restarted")
        assert done == ["fuzz"] * (2 if service.idempotent else 1)
    finally:
        raw.close()
        node.close()


def test_client_id_that_is_too_long_is_rejected(raw: RawPeer) -> None:
    dealer = raw.connect()
    dealer.send_multipart(request(1, client="x" * (MAX_CLIENT_ID + 1)))
    assert reply(dealer).code == "malformed"


def test_message_that_is_too_large_in_all_is_rejected(
    raw: RawPeer, monkeypatch: pytest.MonkeyPatch
) -> None:
    dealer = raw.connect()
    part = bytes(codec.MAX_MESSAGE // 8)
    dealer.send_multipart([*request(1, endpoint="server/double"), *[part] * 9])
    rejected = reply(dealer)
    assert (rejected.id, rejected.code) == (1, "too_large")
    assert f"at most {codec.MAX_MESSAGE}" in rejected.text
    monkeypatch.setattr("messages.codec.MAX_MESSAGE", 100)
    with pytest.raises(CodecError, match="at most 100 can be sent"):
        encode(Batch(values=np.zeros(100)))


def test_one_connection_with_too_many_open_requests_is_rejected(
    run: Path, raw: RawPeer, bus: Bus
) -> None:
    dealer = raw.connect()
    slow = Do(note="slow", seconds=1.0)
    for number in range(1, MAX_OPEN_EACH + 2):
        dealer.send_multipart(request(number, slow, endpoint="server/behind"))
    rejected = reply(dealer)
    assert (rejected.id, rejected.code) == (MAX_OPEN_EACH + 1, "overloaded")
    assert bus.call(DO, Do(note="others"), PATIENCE).note == "others"


def test_flood_of_goals_is_rejected(run: Path, surviving: Process, bus: Bus) -> None:
    bus.send_goal(WORK, "first", Do(note="x", seconds=600.0), PATIENCE)
    for number in range(1, MAX_GOALS):
        bus.send_goal(WORK, f"g{number}", Do(note="x"), PATIENCE)
    with pytest.raises(RemoteError, match=f"{MAX_GOALS} goals have not ended") as error:
        bus.send_goal(WORK, "one too many", Do(note="x"), PATIENCE)
    assert error.value.code == "overloaded"
    assert error.value.retryable
    # A known goal can still be queried, and there is room again when one ends.
    assert bus.send_goal(WORK, "first", Do(note="x", seconds=600.0), PATIENCE) == "running"
    bus.cancel_goal(WORK, "first", PATIENCE)
    assert bus.run_goal(WORK, "g1", Do(note="x"), timeout=PATIENCE).note == "x"
    bus.send_goal(WORK, "room", Do(note="x"), PATIENCE)


# ---- subscriptions


def refusal(dealer: Any) -> str:
    while (frames := dealer.recv_multipart())[0] != REJECTED:
        continue
    return frames[1].decode()


def test_subscription_that_is_too_long_is_rejected(raw: RawPeer) -> None:
    dealer = raw.connect("pub")
    dealer.send(b"\1" + b"x" * (MAX_NAME + 1))
    assert f"at most {MAX_NAME} bytes" in refusal(dealer)


def test_subscriptions_beyond_the_limit_are_rejected(raw: RawPeer) -> None:
    dealer = raw.connect("pub")
    for number in range(MAX_EACH + 1):
        dealer.send(b"\1none/%d" % number)
    assert f"at most {MAX_EACH} subscriptions" in refusal(dealer)


def test_subscribers_beyond_the_limit_are_rejected_and_departed_ones_do_not_count(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("messages.bus.topics.topic_sockets.MAX_SUBSCRIBERS", 2)
    monkeypatch.setattr("messages.bus.node_endpoints._PRUNED", 0.05)
    node, raw = Bus(run, "server"), RawPeer(run)
    try:
        dealers = [raw.connect("pub") for _ in range(3)]
        for dealer in dealers:
            dealer.send(b"\1none/")
            eventually(lambda dealer=dealer: (node.spin_once(0.05), dealer.poll(0))[1])
        assert "at most 2 subscribers" in refusal(dealers[2])
        dealers[0].close()

        def admitted() -> bool:
            node.spin_once(0.05)
            dealers[2].send(b"\1none/")
            node.spin_once(0.05)
            while dealers[2].poll(0):
                if dealers[2].recv_multipart()[0] != REJECTED:
                    return True
            return False

        eventually(admitted)
    finally:
        raw.close()
        node.close()
