"""Servers that never come to an end: a request has a deadline and a size, whatever they send."""

import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from nodes.llm.backend import BackendError
from nodes.llm.requests.completions import post
from nodes.llm.vllm.http import request
from tests.bus_processes import PATIENCE

OK = b"HTTP/1.1 200 OK\r\n"
STREAM = OK + b"Content-Type: text/event-stream\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"


@contextmanager
def server(first: bytes, again: bytes, pause: float, reads: bool = True) -> Iterator[int]:
    """Answers each connection with ``first``, then ``again`` for ever; its port."""
    over = threading.Event()
    listening = socket.create_server(("127.0.0.1", 0))
    threads: list[threading.Thread] = []

    def answer(connection: socket.socket) -> None:
        with connection:
            try:
                if reads:
                    connection.recv(65536)
                connection.sendall(first)
                # A caller that waits on gets another answer in the end, and not a test that hangs.
                for _ in range(int(PATIENCE / (pause or 0.001))):
                    if over.wait(pause):
                        return
                    connection.sendall(again)
            except OSError:
                return  # the client has had enough

    def listen() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            threads.append(threading.Thread(target=answer, args=(connection,)))
            threads[-1].start()

    threads.append(threading.Thread(target=listen))
    threads[0].start()
    try:
        yield listening.getsockname()[1]
    finally:
        over.set()
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        for thread in threads:
            thread.join(PATIENCE)


def refused(port: int, timeout: float, body: bytes = b"{}", scheme: str = "http") -> str:
    headers = {"Content-Type": "application/json"}
    with pytest.raises(BackendError) as error:
        post(f"{scheme}://127.0.0.1:{port}/v1", body, headers, timeout, lambda _text, _mind: None)
    return str(error.value)


DRIPS = {
    "continue after continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "a status line by letters": (b"HTTP/1.1 ", b"2"),
    "a header by letters": (OK + b"X: ", b"x"),
    "a header after the other": (OK, b"X: x\r\n"),
    "an event by letters": (STREAM + b"\r\ndata: ", b"x"),
    "comments": (STREAM + b"\r\n", b": still here\n\n"),
    "white space": (OK + b"Content-Type: application/json\r\n\r\n", b" "),
    "a chunk's extension": (CHUNKED + b"5;", b"x"),
    "trailers": (CHUNKED + b"0\r\n", b"X: x\r\n"),
    "an error": (b"HTTP/1.1 500 Oh\r\nContent-Length: 400\r\n\r\n", b"x"),
    "a redirection": (b"HTTP/1.1 307 There\r\nLocation: /\r\nContent-Length: 400\r\n\r\n", b"x"),
}


@pytest.mark.parametrize("drip", DRIPS)
def test_a_request_ends_in_time_however_slow_the_reply(drip: str) -> None:
    first, again = DRIPS[drip]
    with server(first, again, pause=0.02) as port:
        assert "did not answer within 0.3 seconds" in refused(port, 0.3)


def test_a_request_that_is_not_read_and_a_tls_handshake_without_reply_end_in_time() -> None:
    with server(b"", b"", pause=0.05, reads=False) as port:
        assert "did not answer within 0.3 seconds" in refused(port, 0.3, body=b" " * 2**26)
        assert "was not reached (TimeoutError" in refused(port, 0.3, scheme="https")


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_deadline_that_passes_before_the_connection_is_made_is_told_as_any(scheme: str) -> None:
    """As where a busy machine takes long to read the certificates."""
    with server(b"", b"", pause=0.05, reads=False) as port:
        assert "was not reached (TimeoutError" in refused(port, 1e-9, scheme=scheme)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
def test_a_certificate_that_is_not_trusted_is_named_and_the_server_is_not_waited_for(
    tmp_path: Path,
) -> None:
    both = tmp_path / "both.pem"
    words = ("-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-keyout", str(both))
    made = subprocess.run(["openssl", "req", "-x509", *words], capture_output=True, check=True)
    both.write_bytes(both.read_bytes() + made.stdout)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(both)

    def greet() -> None:
        with listening.accept()[0] as connection, suppress(OSError):
            context.wrap_socket(connection, server_side=True)  # fails, as the other side ends it

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=greet)
        thread.start()
        url = f"https://127.0.0.1:{listening.getsockname()[1]}/v1"
        with pytest.raises(
            BackendError, match=r"self.signed.*: name a file with .* SSL_CERT_FILE"
        ) as said:
            post(url, b"{}", {}, PATIENCE, lambda _text, _thinking: None)
        thread.join(PATIENCE)
    assert (said.value.permanent, said.value.lost, said.value.no_model) == (True, False, True)


FLOODS: dict[str, tuple[bytes, bytes, str]] = {
    "continue after continue": (b"", b"HTTP/1.1 100 On\r\n\r\n" * 999, "longer than 1,048,576"),
    "headers": (OK, b"X: x\r\n" * 999, "more than 100 headers"),
    "a long header": (OK + b"X: ", b"x" * 65536, "header line"),
    "events": (
        STREAM + b"\r\n",
        b'data: {"x": "' + b"x" * 60_000 + b'"}\n\n',
        "longer than 16 MiB",
    ),
    "one event": (STREAM + b"\r\n", b"x" * 65536, "longer than 16 MiB"),
    "chunks": (CHUNKED, b"1;" + b"x" * 60_000 + b"\r\n \r\n", "longer than 34,603,008"),
}


@pytest.mark.parametrize("flood", FLOODS)
def test_an_answer_without_end_is_refused_by_its_size(flood: str) -> None:
    first, again, words = FLOODS[flood]
    with server(first, again, pause=0.0) as port:
        assert words in refused(port, PATIENCE)


@pytest.mark.parametrize("answer", [b'{"model": "\xff"}', b'{"error": ' + b"[" * 100_000])
@pytest.mark.parametrize("head", [OK, STREAM])
def test_an_answer_that_cannot_be_decoded_is_refused(head: bytes, answer: bytes) -> None:
    length = b"Content-Length: %d\r\n\r\n"
    body = b"data: " + answer + b"\n\n" if head is STREAM else answer
    with server(head + length % len(body) + body, b"", pause=0.02) as port:
        assert "did not answer with a chat completion" in refused(port, PATIENCE)


@pytest.mark.parametrize("drip", ["a header by letters", "white space", "trailers"])
def test_a_request_to_the_nodes_own_server_ends_in_time_however_slow_the_reply(drip: str) -> None:
    first, again = DRIPS[drip]
    with server(first, again, pause=0.02) as port, pytest.raises(TimeoutError):
        request(port, "GET", "/health", 0.3)
