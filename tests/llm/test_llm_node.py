"""The llm node as a real process: a wayward HTTP server, lasting answers, refused profiles."""

import json
import threading
from typing import Any

import msgspec
import pytest

from messages.bus import RemoteError
from messages.chat import (
    ASK,
    EXCHANGES,
    Exchange,
    PlanAnswer,
    SpecQuestion,
)
from messages.plan import SubAction
from messages.verdict import JUDGE
from nodes.common.running.exit_codes import UNUSABLE_FILE
from nodes.config import ConfigError, read_parameters
from nodes.llm.answers.answer_bounds import without_prose_bounds
from nodes.llm.answers.answer_parsing import parse
from nodes.llm.answers.answer_schema import answer_schema
from nodes.llm.backend import BackendError
from nodes.llm.llm import Llm
from nodes.llm.profiles import OpenAI, Replay, Requests, read_profile
from nodes.llm.recording.replay import Recording
from nodes.llm.requests.completions import post
from tests.agent_stack import LOG, TASK
from tests.bus_processes import PATIENCE, eventually
from tests.llm.composed_profiles import PROFILES, composed
from tests.llm.scripted_server import (
    GOOD,
    HURRY,
    QUESTION,
    Setting,
    breaks_off,
    fails,
    hangs,
    lines,
    refusal,
    says,
    send,
    sends,
)


def test_requests_are_repeated_and_answers_repaired_until_one_is_valid(setting: Setting):
    truncated, wrong = GOOD[:-20], '{"subtasks": [{"name": 7}]}'
    setting.start(
        fails(500),
        breaks_off,
        sends("no JSON"),
        says(GOOD, finish="length"),
        hangs,
        says(truncated),
        says(wrong),
        says(GOOD),
        repairs=8,
        timeout=HURRY,
    )
    answered = setting.ask()
    assert answered.repairs == 2  # what else failed was no answer of the model
    assert msgspec.json.decode(answered.answer, type=PlanAnswer).subtasks[0].success == LOG
    assert answered.prompt_tokens == 28  # of the three completions, and of what was cut off
    assert setting.server is not None
    requests = setting.server.requests
    strict = requests[0]["response_format"]["json_schema"]
    assert strict["strict"] is True
    assert strict["schema"] == without_prose_bounds(answer_schema(QUESTION))
    # The model was told what was wrong, and shown only its last answer.
    assert [message["role"] for message in requests[0]["messages"]] == ["system", "user"]
    told = requests[7]["messages"]
    assert [message["role"] for message in told] == ["system", "user", "assistant", "user"]
    assert told[2]["content"] == wrong
    assert "$.subtasks[0]" in told[3]["content"]
    entry = lines(setting.run)[0]
    assert len(entry["failures"]) == 7
    assert entry["prompt"][1]["content"] == "A log."
    assert entry["question"]["task"]["id"] == "harvest_log"


def test_a_server_that_bounds_prose_gets_the_whole_schema(setting: Setting):
    setting.start(says(GOOD), bound_prose=True)
    setting.ask()
    assert setting.server is not None
    sent = setting.server.requests[0]["response_format"]["json_schema"]["schema"]
    assert sent == answer_schema(QUESTION) != without_prose_bounds(sent)


def test_a_question_without_a_valid_answer_fails_and_does_not_affect_the_next(setting: Setting):
    setting.start(says("{}"), says("{}"), says(GOOD), repairs=1)
    with pytest.raises(RemoteError, match="no valid answer in 2 tries") as refused:
        setting.ask()
    assert refused.value.code == "no_answer"
    assert setting.ask("another").repairs == 0


def test_a_refused_key_is_not_tried_again(setting: Setting):
    setting.start(fails(401), api_key_variable="TOY_KEY")
    with pytest.raises(RemoteError, match=r"cannot be asked: .* 401") as refused:
        setting.ask()
    assert refused.value.code == "no_model"  # it would refuse every question
    assert setting.server is not None
    assert len(setting.server.requests) == 1
    assert setting.server.headers[0]["Authorization"] == "Bearer secret"


def test_a_key_that_the_server_repeats_is_not_recorded(setting: Setting):
    setting.start(
        lambda handler: send(handler, 401, f"no such key: {handler.headers['Authorization']}"),
        api_key_variable="TOY_KEY",
    )
    with pytest.raises(RemoteError, match=r"no such key: Bearer \(the key\)"):
        setting.ask()
    assert "secret" not in (setting.run / "llm" / "unanswered.jsonl").read_text()
    assert "secret" not in (setting.run / "llm" / "node.log").read_text()


def test_a_redirection_is_named_and_says_nothing_about_the_question(setting: Setting):
    setting.start(fails(301, Location="https://elsewhere/v1"))
    with pytest.raises(RemoteError, match="redirects to https://elsewhere/v1, which") as refused:
        setting.ask()
    assert refused.value.code == "no_model"
    assert setting.server is not None
    assert len(setting.server.requests) == 1


def test_what_a_server_reports_is_one_line_whatever_its_status(setting: Setting):
    page = "<html>\n<title>out of\n   order</title>\n</html>"
    setting.start(
        lambda handler: send(handler, 500, page),
        sends('{"error": {"message": "no credit is left"}}'),
        repairs=1,
    )
    with pytest.raises(RemoteError, match="no credit is left"):
        setting.ask()
    failures = json.loads((setting.run / "llm" / "unanswered.jsonl").read_text())["failures"]
    assert failures[0].endswith("answered 500: <html> <title>out of order</title> </html>")


@pytest.mark.parametrize(
    "values",
    [
        {"temperature": float("nan")},
        {"temperature": -1.0},
        {"temperature": float("inf")},
        {"patience": float("nan")},
        {"patience": -1.0},
        {"timeout": float("nan")},
    ],
)
def test_numbers_of_a_profile_that_nothing_can_be_done_with_are_refused(values: dict[str, float]):
    with pytest.raises(ValueError, match=next(iter(values))):
        read_profile({"kind": "openai", "url": "http://x/v1", "model": "m", **values})


def test_an_answer_outlives_the_node_that_gave_it(setting: Setting):
    llm = setting.start(says(GOOD))
    first = setting.ask()
    llm.kill()
    # A line that was being written when the node was killed: its answer was never sent.
    with (setting.run / "llm" / "transcript.jsonl").open("a") as file:
        file.write('{"time": 1, "agent": "planner", "answ')
    llm.start()
    assert setting.ask() == first
    assert setting.ask("another").answer == first.answer
    assert setting.server is not None
    assert len(setting.server.requests) == 2
    assert [line["answered"]["id"] for line in lines(setting.run)] == ["q", "another"]


@pytest.mark.parametrize(
    "damage",
    [b"\0\0\0\0", b"", b'{"time": 1}', b'{"answered": {"id": "\xff', b"[" * 100_000],
    ids=["zeros", "empty", "unanswered", "bytes", "deep"],
)
def test_a_damaged_transcript_is_reported_in_one_sentence(setting: Setting, damage: bytes):
    llm = setting.start(says(GOOD))
    setting.ask()
    setting.ask("another")
    llm.kill()
    path = setting.run / "llm" / "transcript.jsonl"
    first, second = path.read_bytes().splitlines(keepends=True)
    damaged = first + damage + b"\n" + second
    path.write_bytes(damaged + second[:40])
    said = refusal(setting.run, UNUSABLE_FILE)
    assert f"{path}, line 2 is no recorded question" in said
    assert "remove that line, and its question is asked again" in said
    assert path.read_bytes() == damaged + second[:40]  # it is kept for the user to look at
    with pytest.raises(ValueError, match="line 2 is no recorded question"):
        Recording(Replay(transcript=str(path)), setting.run)


def test_the_same_question_twice_at_once_is_put_once(setting: Setting):
    setting.start(says(GOOD))
    answers: list[Any] = []
    threads = [threading.Thread(target=lambda: answers.append(setting.ask())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert len(answers) == 4
    assert all(answer == answers[0] for answer in answers)
    assert setting.server is not None
    assert len(setting.server.requests) == 1


def test_each_exchange_is_published(setting: Setting):
    setting.start(says(GOOD))
    heard: list[Exchange] = []
    listening = threading.Event()
    setting.bus.subscribe(EXCHANGES, heard.append)
    thread = threading.Thread(target=setting.bus.spin, args=(listening,))
    thread.start()
    try:
        asked = 0

        def came() -> bool:
            # Listening begins at some moment after this: ask until one is heard.
            nonlocal asked
            asked += 1
            setting.ask(f"q{asked}")
            return bool(heard)

        eventually(came)
        assert heard[0].agent == "planner"
        assert heard[0].asked == "PlanQuestion"
    finally:
        listening.set()
        setting.bus.wake()
        thread.join(PATIENCE)


@pytest.mark.parametrize(
    ("profile", "said"),
    [
        (
            {"kind": "vllm", "model": "Qwen/Qwen3-8B-AWQ", "command": ["/no/such/vllm", "serve"]},
            "vllm serve Qwen/Qwen3-8B-AWQ",
        ),
        (
            {"kind": "vllm", "model": "Qwen/Qwen3-8B-AWQ", "command": ["sh"], "path": "/no/such"},
            "hf download Qwen/Qwen3-8B-AWQ",
        ),
        ({"kind": "replay", "transcript": "/no/such/run"}, "name a run folder"),
        ({"kind": "oracle"}, "not valid"),
        ({"kind": "openai", "url": "ftp://x", "model": "m"}, "http://"),
        ({"kind": "openai", "url": "http://x:80a/v1", "model": "m"}, "no address: Port could not"),
        ({"kind": "openai", "url": "http://[::1/v1", "model": "m"}, "no address: Invalid IPv6"),
        ({"kind": "openai", "url": "http://a b/v1", "model": "m"}, "which is no address; one is"),
        ({"kind": "openai", "url": "http:///v1", "model": "m"}, "which is no address; one is"),
        (
            {"kind": "openai", "url": "http://x", "model": "m", "api_key_variable": "CUT_KEY"},
            "$CUT_KEY holds no key",
        ),
        (
            {"kind": "openai", "url": "http://x", "model": "m", "api_key_variable": "NO_SUCH_KEY"},
            r"export it",
        ),
    ],
)
def test_an_invalid_profile_is_refused(setting: Setting, profile: dict[str, Any], said: str):
    setting.configure(profile)
    assert said in refusal(setting.run)


@pytest.mark.parametrize(
    "url",
    [
        "http://me:hunter2@127.0.0.1:8000/v1",
        "https://hunter2@host/v1",
        "http://me:hunter2/3@host/v1",
        "http://me:hunter2 @host/v1",
        "me:hunter2@host/v1",
        "http://host/v1?api-key=hunter2",
        "http://host/v1#hunter2",
        "http://host:80a/v1?api-key=hunter2",
        "http://host/v1?",
    ],
)
def test_an_address_with_what_would_not_be_sent_is_refused_without_repeating_it(url: str):
    with pytest.raises(ValueError, match=r"what stands (before|after)") as refused:
        read_profile({"kind": "openai", "url": url, "model": "m"})
    assert "hunter2" not in str(refused.value)
    assert ("llm.api_key_variable" in str(refused.value)) == ("@" in url)


def test_an_at_sign_in_the_path_of_an_address_is_accepted():
    url = "http://[::1]:8000/@cf/v1"
    profile = read_profile({"kind": "openai", "url": url, "model": "m"})
    assert isinstance(profile, OpenAI)
    assert profile.url == url


def test_negative_repairs_are_refused():
    """A question would not be asked even once."""
    with pytest.raises(ConfigError, match="repairs"):
        read_parameters(Llm.Parameters, {"repairs": -1}, "nodes.llm.parameters")


@pytest.mark.parametrize("name", PROFILES)
def test_every_profile_is_valid_and_answers_within_the_callers_deadline(name: str):
    """Who asks waits for longer than the llm node may try; the critic asks in its turn."""
    profile = read_profile(composed(name))
    if isinstance(profile, Requests):
        # Before each try a server may be lost, at the end of a request, until patience is over.
        longest = (1 + Llm.Parameters().repairs) * (2 * profile.timeout + profile.patience)
        assert longest < ASK.timeout <= JUDGE.timeout


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"<think>\nA log {{...}}\n</think>\n{GOOD}",
        GOOD.replace('"quantity": 1', '"quantity": "1"'),
    ],
)
def test_an_answer_is_found_in_fences_after_thinking_and_with_numbers_as_text(text: str):
    assert msgspec.json.decode(parse(QUESTION, text), type=PlanAnswer).subtasks[0].success == LOG


GOES_ROUND = '{"subtasks": [], "more": ' + "[" * 100_000


@pytest.mark.parametrize(
    "text", ["", "I would dig.", GOOD[:30], '{"subtasks": 3}', "[]", GOES_ROUND, "[" * 100_000]
)
def test_replies_that_are_no_answer_are_refused(text: str):
    with pytest.raises(ValueError, match=r"."):
        parse(QUESTION, text)


SPEC = """{"thoughts": "", "observations": ["compass"], "actions": ["forward"], "macros": [],
"rewards": [{"kind": "success", "weight": %s}], "horizon": %s, "targets": [], "budget": 1000}"""


@pytest.mark.parametrize(
    ("weight", "horizon", "said"),
    [
        ("NaN", "100", "finite"),
        ("-Infinity", "100", "finite"),
        ('"inf"', "100", "finite"),
        ("1e999", "100", "out of range"),
        ("1", "100000000000000000000", "64 bits"),
        ("1", '"100000000000000000000"', "64 bits"),
    ],
)
def test_answers_with_infinite_or_huge_numbers_are_refused(weight: str, horizon: str, said: str):
    """Kept in the transcript, such an answer would end the run each time it is resumed."""
    question = SpecQuestion(task=TASK, sub_action=SubAction(name="dig", method="rl", success=LOG))
    with pytest.raises(ValueError, match=said):
        parse(question, SPEC % (weight, horizon))
    assert parse(question, SPEC % ("1.5", "100"))


def test_an_infinite_timeout_is_accepted():
    with pytest.raises(BackendError, match="was not reached"):
        post("http://127.0.0.1:1/v1", b"{}", {}, float("inf"), lambda _text, _thinking: None)
