"""Answers that come as a stream, from a server that does everything wrong that it can."""

import json
import time
from http.server import BaseHTTPRequestHandler

import msgspec
import pytest

from messages.bus import RemoteError
from messages.chat import PlanAnswer
from nodes.llm.answers.thinking import split
from tests.agent_stack import LOG
from tests.llm.scripted_server import GOOD, HURRY, Answers, Setting, fails, lines


def streams(
    *deltas: dict[str, str], finish: str | None = "stop", done: bool = True, pause: float = 0.0
) -> Answers:
    """Server-sent events with these pieces."""

    def respond(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream; charset=utf-8")
        handler.end_headers()
        events = [{"choices": [{"delta": delta}]} for delta in deltas]
        if finish is not None:
            events.append({"choices": [{"delta": {}, "finish_reason": finish}]})
            events.append({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 5}})
        try:
            for event in events:
                handler.wfile.write(f": a comment\ndata: {json.dumps(event)}\n\n".encode())
                handler.wfile.flush()
                time.sleep(pause)
            if done:
                handler.wfile.write(b"data: [DONE]\n\n")
        except OSError:
            return  # the node has had enough
        handler.close_connection = True

    return respond


def pieces(text: str, size: int = 5) -> list[dict[str, str]]:
    return [{"content": text[start : start + size]} for start in range(0, len(text), size)]


def says_error(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "text/event-stream")
    handler.end_headers()
    handler.wfile.write(b'data: {"error": {"message": "EngineDeadError"}}\n\n')
    handler.close_connection = True


def test_a_stream_is_put_together_and_counted(setting: Setting):
    setting.start(streams(*pieces(GOOD)))
    answered = setting.ask()
    assert msgspec.json.decode(answered.answer, type=PlanAnswer).subtasks[0].success == LOG
    assert (answered.prompt_tokens, answered.completion_tokens) == (7, 5)
    assert setting.server is not None
    assert setting.server.requests[0]["stream"] is True


def test_requests_whose_streams_break_off_or_drip_are_sent_again(setting: Setting):
    setting.start(
        streams(*pieces(GOOD)[:3], finish=None, done=False),
        says_error,
        streams(*pieces(GOOD), pause=0.3),  # each piece is in time, the whole is not
        streams(*pieces(GOOD), finish="length"),
        streams(*pieces(GOOD), finish="abort"),
        streams(*pieces(GOOD)),
        repairs=8,
        timeout=HURRY,
    )
    assert setting.ask().repairs == 0
    failures = lines(setting.run)[0]["failures"]
    words = [
        "broke off",
        "EngineDeadError",
        f"within {HURRY:g} seconds",
        "cut off",
        "ended the answer",
    ]
    for failure, word in zip(failures, words, strict=True):
        assert word in failure


@pytest.mark.parametrize(
    "deltas",
    [
        [{"reasoning_content": "A log "}, {"reasoning_content": "is wood."}, *pieces(GOOD)],
        [{"reasoning": "A log is wood."}, *pieces(GOOD)],
        pieces(f"<think>\nA log is wood.\n</think>\n\n{GOOD}", 4),
    ],
    ids=["reasoning_content", "reasoning", "think"],
)
def test_thinking_goes_into_the_transcript_and_not_into_the_answer(
    setting: Setting, deltas: list[dict[str, str]]
):
    setting.start(streams(*deltas))
    assert "wood" not in setting.ask().answer
    assert lines(setting.run)[0]["attempts"][-1]["thinking"] == "A log is wood."


def test_rejected_answers_are_in_the_transcript(setting: Setting):
    setting.start(streams(*pieces("I would dig.")), streams(*pieces(GOOD)))
    setting.ask()
    first, last = lines(setting.run)[0]["attempts"]
    assert first["text"] == "I would dig."
    assert setting.server is not None
    assert first["reminder"] == setting.server.requests[1]["messages"][-1]["content"]
    assert last["text"] == GOOD


def test_a_question_without_a_valid_answer_is_recorded_with_its_attempts(setting: Setting):
    setting.start(streams(*pieces("I would dig.")), repairs=1)
    with pytest.raises(RemoteError):
        setting.ask()
    text = (setting.run / "llm" / "unanswered.jsonl").read_text()
    noted = [json.loads(line) for line in text.splitlines()]
    assert [entry["id"] for entry in noted] == ["q"]
    assert [attempt["text"] for attempt in noted[0]["attempts"]] == ["I would dig."] * 2


def too_long(handler: BaseHTTPRequestHandler) -> None:
    said = b'{"error": {"message": "maximum context length is 2048 tokens"}}'
    handler.send_response(400)
    handler.send_header("Content-Length", str(len(said)))
    handler.end_headers()
    handler.wfile.write(said)


def test_a_wrong_answer_too_long_to_be_shown_again_is_left_out(setting: Setting):
    setting.start(streams(*pieces("I would dig. " * 40)), too_long, streams(*pieces(GOOD)))
    assert msgspec.json.decode(setting.ask().answer, type=PlanAnswer).subtasks[0].success == LOG
    assert setting.server is not None
    asked = [request["messages"] for request in setting.server.requests]
    assert len(asked[1]) == len(asked[0]) + 2
    assert asked[2] == asked[0]


def test_a_prompt_that_is_too_long_is_reported_with_what_to_change(setting: Setting):
    setting.start(too_long)
    with pytest.raises(RemoteError, match=r"raise llm\.context"):
        setting.ask()
    assert setting.server is not None
    assert len(setting.server.requests) == 1


def test_a_server_that_does_not_listen_is_waited_for(setting: Setting):
    setting.start(fails(500), repairs=0, patience=1.0)
    assert setting.server is not None
    setting.server.close()
    with pytest.raises(
        RemoteError, match=r"cannot be asked, after \d s of waiting: .* was not reached"
    ) as refused:
        setting.ask()
    assert refused.value.code == "no_model"


@pytest.mark.parametrize(
    ("text", "thinking", "answer"),
    [
        ("{}", "", "{}"),
        ("<think>\nHm.\n</think>\n{}", "Hm.", "{}"),
        ("Hm.</think>{}", "Hm.", "{}"),
        ("<think>Hm. And so on", "Hm. And so on", ""),
        ('{"thoughts": "x"}', "", '{"thoughts": "x"}'),
    ],
)
def test_thinking_is_separated_from_the_answer(text: str, thinking: str, answer: str):
    assert split(text) == (thinking, answer)
