"""Servers that take no question for a while, or are lost: they are waited for within
``llm.patience``, and no longer."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from types import SimpleNamespace

import pytest

from messages.chat import ChatMessage
from nodes.llm.answers.checked_answers import NoValidAnswer, Valid, answer
from nodes.llm.profiles import OpenAI
from nodes.llm.requests.openai import OpenAIBackend
from tests.bus_processes import PATIENCE
from tests.llm.scripted_server import GOOD, QUESTION, Answers, Server, breaks_off, fails, says


class Clock:
    """Counts seconds without any going by. ``pauses``: what was slept."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of what waits, and not of the sockets."""
    clock = Clock()
    known = SimpleNamespace(monotonic=clock.monotonic, sleep=clock.sleep)
    monkeypatch.setattr("nodes.llm.answers.checked_answers.time", known)
    monkeypatch.setattr("nodes.llm.requests.openai.time", known)
    return clock


@contextmanager
def serving(*script: Answers) -> Iterator[Server]:
    server = Server(*script)
    try:
        yield server
    finally:
        server.close()


def ask(
    server: Server, patience: float = 30.0, repairs: int = 0, starting: Clock | None = None
) -> Valid:
    """``starting``: the server is our own, and takes a minute to be started before each request."""

    def url() -> str:
        if starting is not None:
            starting.now += 60.0
        return server.url

    profile = OpenAI(url=server.url, model="toy", timeout=PATIENCE)
    prompt = [ChatMessage(role="user", content="A log.")]
    return answer(OpenAIBackend(profile, "toy", url), QUESTION, prompt, repairs, patience)


@pytest.mark.parametrize("status", [408, 425, 429, 502, 503, 504])
def test_a_server_that_takes_no_question_now_is_asked_again_until_it_does(
    clock: Clock, status: int
):
    with serving(fails(status), fails(status), says(GOOD)) as server:
        assert len(ask(server).asked.failures) == 2
    assert clock.pauses == [0.25, 0.5]


@pytest.mark.parametrize(
    ("said", "pauses"),
    [
        ("7", [7.0]),
        ("Fri, 01 Jan 2100 00:00:00 GMT", [30.0]),
        ("86401", [30.0]),
        ("0", [0.25]),
        ("soon", [0.25]),
        ("Mon, 01 Jan 2001 00:00:00 GMT", [0.25]),
    ],
)
def test_a_server_is_left_alone_for_as_long_as_it_asks_for_within_the_patience(
    clock: Clock, said: str, pauses: list[float]
):
    with serving(fails(429, Retry_After=said), says(GOOD)) as server:
        ask(server, patience=30.0)
    assert clock.pauses == pauses


def test_a_server_that_takes_no_question_for_too_long_ends_the_question(clock: Clock):
    with (
        serving(fails(503, Retry_After="20")) as server,
        pytest.raises(NoValidAnswer, match=r"cannot be asked, after 30 s of waiting: .* 503"),
    ):
        ask(server, repairs=3)
    assert clock.pauses == [20.0, 10.0]
    assert len(server.requests) == 3


def test_the_time_of_requests_that_fail_is_of_the_patience(clock: Clock):
    def breaks_off_late(handler: BaseHTTPRequestHandler) -> None:
        clock.now += 120.0
        breaks_off(handler)

    with serving(breaks_off_late) as server, pytest.raises(NoValidAnswer, match="cannot be asked"):
        ask(server, repairs=3)
    assert len(server.requests) == 2  # the first, by which it was lost, and one within 30 s


def test_the_start_of_a_server_of_our_own_is_not_of_the_patience(clock: Clock):
    with serving(breaks_off, breaks_off, breaks_off, says(GOOD)) as server:
        ask(server, patience=2.0, starting=clock)
    assert len(server.requests) == 4


@pytest.mark.parametrize("between", [says("{}"), fails(500)])
def test_a_server_that_was_there_again_is_waited_for_as_long_as_the_first_time(
    clock: Clock, between: Answers
):
    with serving(breaks_off, between, breaks_off, says(GOOD)) as server:
        ask(server, patience=0.25, repairs=1)
    assert clock.pauses == [0.25, 0.25]
