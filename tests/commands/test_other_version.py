"""A node that speaks another version of the protocol, or answers with what is no reply."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
import zmq

import rlgpt
from messages.bus import Bus, MalformedReply
from messages.bus.network.address import prepare, socket_path
from messages.bus.network.header import VERSION, Header, decode_header, encode_header
from messages.empty import Empty
from messages.system import describe
from rlgpt.connecting import StackError
from tests.launch_toys.launched import PATIENCE, launched
from tests.launch_toys.launched import rlgpt as command

NEWER = "talker answers in version 2 of the protocol, and this process reads version 1; both ends"


class Stranger:
    """A socket in the place of ``talker``, which answers each request by ``header``."""

    def __init__(self, run: Path, header: Callable[[Header], Header]) -> None:
        prepare(run, "talker")
        self._context: zmq.Context[Any] = zmq.Context()
        self._socket = self._context.socket(zmq.ROUTER)
        self._socket.setsockopt(zmq.LINGER, 0)
        self._socket.setsockopt(zmq.RCVTIMEO, 100)
        self._socket.bind(f"ipc://{socket_path(run, 'talker', 'srv')}")
        self._header = header
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._answer)
        self._thread.start()

    def _answer(self) -> None:
        while not self._over.is_set():
            try:
                route, header, *_ = self._socket.recv_multipart()
            except zmq.Again:
                continue
            answer = encode_header(self._header(decode_header(header)))
            self._socket.send_multipart([route, answer, b"\x80"])

    def __enter__(self) -> "Stranger":
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(PATIENCE)
        self._socket.close()
        self._context.term()


def newer(header: Header) -> Header:
    return msgspec.structs.replace(header, kind="reply", version=VERSION + 1)


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Path]:
    nodes = {name: {"module": f"tests.launch_toys.{name}"} for name in ("talker", "planner")}
    (tmp_path / "launch").mkdir()
    (tmp_path / "launch" / "toys.yaml").write_text(yaml.safe_dump({"seed": 0, "nodes": nodes}))
    run = tmp_path / "runs" / "it"
    with launched("launch", "toys", "-talker", "run=runs/it", cwd=tmp_path, run=run) as launch:
        launch.wait_for("planner is ready")
        yield run


def test_a_node_of_another_version_is_named_by_every_look_into_the_run(run: Path) -> None:
    place = run.parents[1]
    with Stranger(run, newer):
        listed = command("topic", "list", cwd=place)
        assert listed.returncode == 0
        assert "planner/plan" in listed.stdout
        assert NEWER in listed.stderr
        parameters = command("param", "list", cwd=place)
        assert "planner" in parameters.stdout
        assert NEWER in parameters.stderr
        assert NEWER in command("param", "list", "talker", cwd=place).stderr
        assert NEWER in command("service", "call", "talker/describe", cwd=place).stderr
        with rlgpt.connect(run) as stack, pytest.raises(StackError, match=NEWER):
            stack.subscribe("talker/chatter")


@pytest.mark.parametrize("kind", ["request", "message"])
def test_what_is_no_reply_is_refused(tmp_path: Path, kind: Any) -> None:
    with Stranger(tmp_path, lambda header: msgspec.structs.replace(header, kind=kind)):
        bus = Bus(tmp_path)
        try:
            with pytest.raises(MalformedReply, match=f"a {kind} came in place of the reply"):
                bus.call(describe("talker"), Empty())
        finally:
            bus.close()
