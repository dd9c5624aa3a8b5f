"""Replies that come later: their requests wait without a thread, and not for a client that left."""

import contextlib
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from messages.bus import Bus, BusError, Later, RemoteError, ServiceError
from messages.interface import Service
from tests.bus.bus_server import DO, DO_AGAIN, Do, Done
from tests.bus.raw_peer import RawPeer, reply, request
from tests.bus_processes import PATIENCE, eventually


class Holder:
    """A node that holds its replies."""

    def __init__(self, run: Path) -> None:
        self.bus = Bus(run, "server")
        self.held: list[Later[Done]] = []
        self.left: list[str] = []
        self.bus.serve(DO, self.hold)
        self.bus.serve(DO_AGAIN, self.hold, background=True)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self.bus.spin, args=(self._over,), daemon=True)
        self._thread.start()

    def hold(self, request: Do) -> Later[Done]:
        later: Later[Done] = Later(lambda: self.left.append(request.note))
        if request.note == "at once":
            later.reply(Done(note="early", process=0))
        self.held.append(later)
        return later

    def close(self) -> None:
        self._over.set()
        self.bus.wake()
        self._thread.join(PATIENCE)
        self.bus.close()


@pytest.fixture
def holder(run: Path) -> Iterator[Holder]:
    made = Holder(run)
    yield made
    made.close()


@pytest.mark.parametrize("service", [DO, DO_AGAIN])
def test_a_reply_or_an_error_may_be_sent_after_the_handler_returned(
    holder: Holder, bus: Bus, service: Service[Do, Done]
) -> None:
    with ThreadPoolExecutor(3) as pool:
        first = pool.submit(bus.call, service, Do(note="first"))
        eventually(lambda: len(holder.held) == 1)
        second = pool.submit(bus.call, service, Do(note="second"))
        eventually(lambda: len(holder.held) == 2)
        assert bus.call(service, Do(note="at once"), PATIENCE).note == "early"
        assert not first.done()
        holder.held[1].reply(Done(note="later", process=0))
        assert second.result(PATIENCE).note == "later"
        holder.held[0].reply(ServiceError("not today", code="because"))
        holder.held[0].reply(Done(note="too late", process=0))  # one reply is sent
        with pytest.raises(RemoteError, match="not today"):
            first.result(PATIENCE)
    assert holder.left == []


def test_a_client_that_disconnected_is_reported_and_others_still_get_replies(
    holder: Holder, bus: Bus, run: Path
) -> None:
    killed = Bus(run)
    with ThreadPoolExecutor(2) as pool:
        lost = pool.submit(killed.call, DO, Do(note="lost"))
        kept = pool.submit(bus.call, DO, Do(note="kept"))
        eventually(lambda: len(holder.held) == 2)
        killed.close()
        with pytest.raises(BusError):
            lost.result(PATIENCE)
        eventually(lambda: holder.left == ["lost"])
        for later in holder.held:
            later.reply(Done(note="now", process=0))  # to the one that is left
        assert kept.result(PATIENCE).note == "now"
    assert holder.left == ["lost"]
    # Neither of them is counted among the requests that are not answered yet.
    services = holder.bus._own.services  # pyright: ignore[reportPrivateUsage, reportOptionalMemberAccess]
    admission = services._admission  # pyright: ignore[reportPrivateUsage]
    eventually(lambda: (admission._count, admission._bytes, admission._each) == (0, 0, {}))


def test_a_client_whose_call_timed_out_is_reported_as_having_left(holder: Holder, bus: Bus) -> None:
    with pytest.raises(BusError):
        bus.call(DO, Do(note="given up"), timeout=0.3)
    with ThreadPoolExecutor(1) as pool:
        # The same thread's next request, by the same connection.
        with pytest.raises(BusError):
            bus.call(DO, Do(note="another"), timeout=0.3)
        eventually(lambda: holder.left == ["given up"])
        again = pool.submit(bus.call, DO, Do(note="again"))
        eventually(lambda: len(holder.held) == 3)
        holder.held[2].reply(Done(note="now", process=0))
        assert again.result(PATIENCE).note == "now"


def test_a_request_that_outlives_many_connections_is_answered_and_the_node_goes_on(
    holder: Holder, bus: Bus, run: Path
) -> None:
    """As over a link that breaks again and again: only the last connections are remembered."""
    with contextlib.closing(RawPeer(run)) as peer:
        for number in range(7):
            dealer = peer.connect()
            again = None if number == 0 else ""
            dealer.send_multipart(request(1, Do(note="long"), again=again))
            if number == 0:
                eventually(lambda: len(holder.held) == 1)
            else:
                assert reply(dealer).kind != "reply"  # it is confirmed: it is worked on
        holder.held[0].reply(Done(note="done", process=0))
        while reply(dealer).kind != "reply":
            pass  # confirmed once more
        assert bus.call(DO, Do(note="at once"), PATIENCE).note == "early"
