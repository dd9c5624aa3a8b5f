"""What one peer may take of a node: ids, time and memory. All that is refused is answered."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from messages import codec
from messages.bus import Bus, RemoteError
from messages.bus.actions import MAX_GOALS
from messages.bus.admission import MAX_OPEN_EACH
from messages.bus.services import MAX_CLIENT
from messages.bus.topics import MAX_EACH, MAX_NAME, REFUSED
from messages.codec import CodecError, encode
from tests.bus.asking import notes
from tests.bus.bus_server import DO, WORK, Batch, Do, Done
from tests.bus.raw_peer import RawPeer, answer, request
from tests.bus_processes import PATIENCE, Process, eventually


@pytest.fixture
def raw(run: Path, surviving: Process) -> Iterator[RawPeer]:
    raw = RawPeer(run)
    yield raw
    raw.close()


# ---- ids


def test_id_that_another_connection_uses_as_well_costs_nobody_an_answer(raw: RawPeer) -> None:
    ours, theirs = raw.connect(), raw.connect()
    ours.send_multipart(request(1))
    assert answer(ours).kind == "reply"
    theirs.send_multipart(request(2**62))
    assert answer(theirs).kind == "reply"
    ours.send_multipart(request(2))
    again = answer(ours)
    assert (again.id, again.kind) == (2, "reply")


def test_request_that_comes_too_late_is_answered(raw: RawPeer) -> None:
    dealer = raw.connect()
    dealer.send_multipart(request(2**62))
    assert answer(dealer).kind == "reply"
    dealer.send_multipart(request(2))
    refused = answer(dealer)
    assert (refused.id, refused.kind, refused.code) == (2, "error", "out_of_order")
    assert "comes after" in refused.text


@pytest.mark.parametrize("kind", ["request", "check"])
def test_question_that_is_put_again_by_a_new_connection_is_done_once(
    run: Path, raw: RawPeer, kind: str
) -> None:
    first, second = raw.connect(), raw.connect()
    slow = Do(note="slow", seconds=0.5)
    first.send_multipart(request(1, slow, door="server/behind"))
    eventually(lambda: notes(run) == ["slow"])
    second.send_multipart(request(1, slow, door="server/behind", kind=kind, again=""))
    assert answer(second).kind == "working"
    # A thief would have it, too; but who asked first is not robbed of it.
    assert answer(first).kind == answer(second).kind == "reply"
    assert notes(run) == ["slow"]


def test_check_of_a_request_that_never_came(raw: RawPeer) -> None:
    dealer = raw.connect()
    dealer.send_multipart(request(5, kind="check"))
    assert answer(dealer).code == "unknown_request"


# ---- size and number


def test_answer_that_is_not_kept_any_more_is_not_made_twice(
    run: Path, bus: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("messages.bus.services.KEPT", -1.0)
    node = Bus(run, "server")
    done: list[str] = []

    def do(request: Do) -> Done:
        done.append(request.note)
        return Done(note=request.note, life=0)

    node.serve(DO, do)
    raw = RawPeer(run)
    try:
        dealer, later = raw.connect(), raw.connect()
        dealer.send_multipart(request(1, door="server/do"))
        eventually(lambda: (node.spin_once(0.05), bool(done))[1])
        node._services.expire(1e12)  # pyright: ignore[reportPrivateUsage, reportOptionalMemberAccess]
        later.send_multipart(request(1, door="server/do", again=node.epoch))
        eventually(lambda: (node.spin_once(0.05), bool(later.poll(0)))[1])
        assert answer(later).code == "restarted"
        assert done == ["fuzz"]
    finally:
        raw.close()
        node.close()


def test_id_of_a_line_has_its_length(raw: RawPeer) -> None:
    dealer = raw.connect()
    dealer.send_multipart(request(1, client="x" * (MAX_CLIENT + 1)))
    assert answer(dealer).code == "malformed"


def test_message_has_a_size_in_all(raw: RawPeer, monkeypatch: pytest.MonkeyPatch) -> None:
    dealer = raw.connect()
    part = bytes(codec.MAX_MESSAGE // 8)
    dealer.send_multipart([*request(1, door="server/double"), *[part] * 9])
    refused = answer(dealer)
    assert (refused.id, refused.code) == (1, "too_large")
    assert f"at most {codec.MAX_MESSAGE}" in refused.text
    monkeypatch.setattr("messages.codec.MAX_MESSAGE", 100)
    with pytest.raises(CodecError, match="at most 100 can be sent"):
        encode(Batch(values=np.zeros(100)))


def test_one_connection_asks_so_much_at_a_time(run: Path, raw: RawPeer, bus: Bus) -> None:
    dealer = raw.connect()
    slow = Do(note="slow", seconds=1.0)
    for number in range(1, MAX_OPEN_EACH + 2):
        dealer.send_multipart(request(number, slow, door="server/behind"))
    refused = answer(dealer)
    assert (refused.id, refused.code) == (MAX_OPEN_EACH + 1, "overloaded")
    assert bus.call(DO, Do(note="others"), PATIENCE).note == "others"


def test_flood_of_goals_is_refused(run: Path, surviving: Process, bus: Bus) -> None:
    bus.send_goal(WORK, "first", Do(note="x", seconds=600.0), PATIENCE)
    for number in range(1, MAX_GOALS):
        bus.send_goal(WORK, f"g{number}", Do(note="x"), PATIENCE)
    with pytest.raises(RemoteError, match=f"{MAX_GOALS} goals have not ended") as error:
        bus.send_goal(WORK, "one too many", Do(note="x"), PATIENCE)
    assert error.value.code == "overloaded"
    assert error.value.mishap
    # One that is known is asked after as ever, and there is room again when one ends.
    assert bus.send_goal(WORK, "first", Do(note="x", seconds=600.0), PATIENCE) == "running"
    bus.cancel_goal(WORK, "first", PATIENCE)
    assert bus.run_goal(WORK, "g1", Do(note="x"), timeout=PATIENCE).note == "x"
    bus.send_goal(WORK, "room", Do(note="x"), PATIENCE)


# ---- subscriptions


def refusal(dealer: Any) -> str:
    while (frames := dealer.recv_multipart())[0] != REFUSED:
        continue
    return frames[1].decode()


def test_subscription_has_its_length(raw: RawPeer) -> None:
    dealer = raw.connect("pub")
    dealer.send(b"\1" + b"x" * (MAX_NAME + 1))
    assert f"at most {MAX_NAME} bytes" in refusal(dealer)


def test_subscriptions_have_a_number(raw: RawPeer) -> None:
    dealer = raw.connect("pub")
    for number in range(MAX_EACH + 1):
        dealer.send(b"\1none/%d" % number)
    assert f"at most {MAX_EACH} subscriptions" in refusal(dealer)


def test_subscribers_have_a_number_and_those_who_left_do_not_count(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("messages.bus.topics.MAX_SUBSCRIBERS", 2)
    monkeypatch.setattr("messages.bus.bus._PRUNED", 0.05)
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
                if dealers[2].recv_multipart()[0] != REFUSED:
                    return True
            return False

        eventually(admitted)
    finally:
        raw.close()
        node.close()
