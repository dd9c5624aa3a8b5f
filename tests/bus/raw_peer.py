"""A peer that ignores the bus's rules: plain sockets, requests made by hand."""

from pathlib import Path
from typing import Any

import zmq

from messages.bus.network.address import Side, socket_path
from messages.bus.network.header import VERSION, Header, decode_header, encode_header
from messages.codec import encode, snapshot
from tests.bus.bus_server import Do
from tests.bus_processes import PATIENCE


class RawPeer:
    """Makes DEALER sockets to the sockets of ``server``, and closes them."""

    def __init__(self, run: Path) -> None:
        self._run = run
        self._context: zmq.Context[Any] = zmq.Context()
        self._made: list[Any] = []

    def connect(self, side: Side = "srv") -> Any:
        dealer = self._context.socket(zmq.DEALER)
        dealer.setsockopt(zmq.LINGER, 0)
        dealer.setsockopt(zmq.RCVTIMEO, int(PATIENCE * 1000))
        dealer.connect(f"ipc://{socket_path(self._run, 'server', side)}")
        self._made.append(dealer)
        return dealer

    def close(self) -> None:
        for each in self._made:
            each.close()
        self._context.term()


def request(number: int, message: Any = None, **changes: Any) -> list[bytes]:
    """The frames of a request to ``server``."""
    fields: dict[str, Any] = {
        "version": VERSION,
        "kind": "request",
        "endpoint": "server/do_again",
        "client": "fuzz.1",
        "id": number,
        "epoch": "fuzz",
        "time": 0.0,
        **changes,
    }
    body = snapshot(encode(message or Do(note="fuzz")))
    return [encode_header(Header(**fields)), *body]


def reply(dealer: Any) -> Header:
    """The header of the next reply."""
    return decode_header(dealer.recv_multipart()[0])
