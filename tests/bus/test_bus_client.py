"""A client of a node whose connection is lost and made again while the client does not look."""

import gc
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import zmq

from messages.bus.network.connection import Connection
from messages.bus.network.header import VERSION, Header, decode_header, encode_header
from messages.bus.services.client import Client
from messages.bus.services.waiting import RequestLimits
from tests.bus_processes import PATIENCE


@pytest.fixture
def context() -> Iterator["zmq.Context[Any]"]:
    with zmq.Context() as context:
        yield context


class Server:
    """One epoch of a node, as a bare socket."""

    def __init__(self, context: "zmq.Context[Any]", address: str) -> None:
        self.socket = context.socket(zmq.ROUTER)
        self.socket.setsockopt(zmq.LINGER, 1000)
        self.socket.setsockopt(zmq.RCVTIMEO, int(PATIENCE * 1000))
        self.monitor = self.socket.get_monitor_socket(zmq.EVENT_HANDSHAKE_SUCCEEDED)
        self.monitor.setsockopt(zmq.RCVTIMEO, int(PATIENCE * 1000))
        self.socket.bind(address)

    def request(self) -> tuple[bytes, Header]:
        route, header, _ = self.socket.recv_multipart()
        return route, decode_header(header)

    def close(self) -> None:
        self.socket.disable_monitor()
        self.monitor.close()
        self.socket.close()


@pytest.mark.parametrize("looks", ["while it is away", "when it is back"])
def test_request_is_sent_again_however_late_the_client_notices_the_restart(
    tmp_path: Path, context: "zmq.Context[Any]", looks: str
) -> None:
    address = f"ipc://{tmp_path}/srv"
    tired, asleep, awake = threading.Event(), threading.Event(), threading.Event()

    def tick() -> None:
        if tired.is_set():
            asleep.set()
            awake.wait(PATIENCE)

    replies: list[Any] = []
    client = Client(Connection(context, address, None), "server", "client.1", "epoch")
    limits = RequestLimits.by_the_clock(PATIENCE)
    thread = threading.Thread(
        target=lambda: replies.append(client.request("server/do", [b"body"], limits, tick=tick)[1])
    )
    thread.start()
    first = Server(context, address)
    original = first.request()[1]
    tired.set()
    assert asleep.wait(PATIENCE)
    first.close()
    if looks == "while it is away":
        awake.set()
    second = Server(context, address)
    second.monitor.recv_multipart()
    awake.set()
    route, again = second.request()
    assert (again.id, again.again) == (original.id, "")
    reply = Header(VERSION, "reply", again.endpoint, again.client, again.id, "second", 0.0)
    second.socket.send_multipart([route, encode_header(reply), b"reply"])
    thread.join(PATIENCE)
    assert replies == [[b"reply"]]
    client.close()
    second.close()


def test_a_reply_that_came_while_the_caller_was_held_up_past_its_deadline_counts(
    tmp_path: Path, context: "zmq.Context[Any]"
) -> None:
    address = f"ipc://{tmp_path}/srv"
    asleep, sent = threading.Event(), threading.Event()
    limits = RequestLimits.by_the_clock(2.0)

    def tick() -> None:
        if not asleep.is_set():
            asleep.set()
            sent.wait(PATIENCE)
            time.sleep(limits.total)

    replies: list[Any] = []
    client = Client(Connection(context, address, None), "server", "client.1", "epoch")
    server = Server(context, address)
    thread = threading.Thread(
        target=lambda: replies.append(client.request("server/do", [b"body"], limits, tick=tick)[1])
    )
    thread.start()
    route, request = server.request()
    assert asleep.wait(PATIENCE)
    reply = Header(VERSION, "reply", request.endpoint, request.client, request.id, "one", 0.0)
    server.socket.send_multipart([route, encode_header(reply), b"reply"])
    sent.set()
    thread.join(PATIENCE)
    assert replies == [[b"reply"]]
    client.close()
    server.close()


def test_a_client_in_a_cycle_closes_its_sockets_before_they_are_collected(
    tmp_path: Path, context: "zmq.Context[Any]"
) -> None:
    """As the traceback of a failed call holds one: its thread has ended, and it is never closed."""
    connection = Connection(context, f"ipc://{tmp_path}/srv", None)
    client: Any = Client(connection, "server", "me", "epoch")
    # The sockets are older in the cycle than the client, and their finalisers are called first.
    client.cycle = [connection.socket, connection.monitor, client]
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        del client, connection
        gc.collect()
    assert not warned
