"""Prompts by the model's own tokenizer, what is left out of them, and answers in odd wrappings."""

import json
import shutil
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from messages.bus import RemoteError
from messages.chat import (
    ASK,
    Answered,
    Ask,
    ChatMessage,
    LookQuestion,
    Part,
    PictureNote,
    PlanAnswer,
    PlanQuestion,
    ProgramAnswer,
    ProgramQuestion,
    digest,
)
from messages.plan import SubAction
from messages.verdict import Evidence
from nodes.llm.answers.answer_parsing import parse
from nodes.llm.answers.thinking import split
from nodes.llm.requests.fitting import fit
from nodes.llm.requests.measuring import Meter, estimated
from nodes.llm.rulebook.rulebook_backend import RulebookBackend
from nodes.llm.rulebook.rules import version_of
from rlgpt.single_runs.prompts import show
from tests.agent_stack import LOG, TASK
from tests.bus_processes import PATIENCE
from tests.llm.scripted_server import (
    GOOD,
    Answers,
    Server,
    Setting,
    fails,
    lines,
    says,
    send,
    sends,
)
from voxeldojo.viewing.png import png
from worlds.minecraft.card.rule_fillings import RULEBOOK, MinecraftRulebook

QUESTION = PlanQuestion(task=TASK)


def prompt() -> list[ChatMessage]:
    """A hundred words, of which two parts of forty can be left out."""
    old, skills = "old " * 40, "skill " * 40
    text = f"Plan. {old}{skills}{'word ' * 19}"
    return [
        ChatMessage(
            role="user",
            content=text,
            parts=[
                Part(name="the old", turn=4, start=6, end=6 + len(old)),
                Part(name="the skills", turn=2, start=6 + len(old), end=6 + len(old + skills)),
            ],
        )
    ]


def words(messages: list[ChatMessage]) -> int:
    return sum(len(message.content.split()) for message in messages)


@pytest.mark.parametrize(
    ("room", "left_out"),
    [(None, []), (100, []), (99, ["the skills"]), (50, ["the skills", "the old"]), (5, 2)],
)
def test_optional_parts_of_a_prompt_are_left_out_in_the_order_of_their_turns(
    room: int | None, left_out: Any
):
    fitted = fit(prompt(), room, words)
    if isinstance(left_out, int):  # nothing else is ever cut
        assert len(fitted.left_out) == left_out
        assert fitted.prompt[0].content.endswith("word " * 19)
        return
    assert fitted.left_out == left_out
    text = fitted.prompt[0].content
    for name, word in (("the old", "old old"), ("the skills", "skill skill")):
        assert (word in text) == (name not in left_out)
        assert (f"(Left out, as the prompt would be too long: {name}.)" in text) == (
            name in left_out
        )


class Tokenizer:
    """A server that counts words as tokens, as vLLM or llama.cpp do, or not at all."""

    def __init__(self, kind: str, most: int | None = None) -> None:
        self.kind, self.most = kind, most
        self.prompts: list[str] = []
        self.measured = 0
        self.bodies: list[dict[str, Any]] = []

    def __call__(self, handler: BaseHTTPRequestHandler) -> None:
        body = self.bodies[-1]
        if handler.path == "/tokenize":
            self.measured += 1
            self.tokenize(handler, body)
            return
        text = " ".join(message["content"] for message in body["messages"])
        self.prompts.append(text)
        if self.most is not None and len(text.split()) > self.most:
            send(handler, 400, "the request exceeds the available context size")
            return
        says(GOOD)(handler)

    def tokenize(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        if self.kind == "vllm" and "messages" in body:
            count = len(" ".join(message["content"] for message in body["messages"]).split())
            send(handler, 200, json.dumps({"count": count, "max_model_len": 120, "tokens": []}))
        elif self.kind == "llama" and "content" in body:
            send(handler, 200, json.dumps({"tokens": [1] * len(body["content"].split())}))
        else:
            send(handler, 404, "no such thing")


def asked(setting: Setting, server: Tokenizer, **profile: Any) -> Answered:
    setting.start(lambda handler: None, **profile)
    assert setting.server is not None
    server.bodies = setting.server.requests
    setting.server.script = server
    return put(setting, "q")


def put(setting: Setting, id: str) -> Answered:
    request = Ask(id=id, agent="planner", question=QUESTION, prompt=prompt())
    return setting.bus.call(ASK, request, timeout=PATIENCE)


@pytest.mark.parametrize(
    ("kind", "profile"),
    [("vllm", {"max_tokens": 60}), ("llama", {"max_tokens": 60, "context": 128})],
)
def test_a_prompt_is_measured_by_the_models_own_tokenizer(
    setting: Setting, kind: str, profile: dict[str, int], capsys: pytest.CaptureFixture[str]
):
    """vLLM also says how long prompts can be."""
    server = Tokenizer(kind)
    answered = asked(setting, server, **profile)
    assert answered.left_out == ["the skills", "the old"]
    (sent,) = server.prompts
    assert "the prompt would be too long: the old." in sent
    assert "old old" not in sent
    assert lines(setting.run)[0]["answered"]["left_out"] == ["the skills", "the old"]
    # What is shown of it later is what was sent; what is recorded is what a replay compares with.
    assert show("planner", str(setting.run), None, False, False) == 0
    assert sent in capsys.readouterr().out
    assert "old old" in lines(setting.run)[0]["prompt"][0]["content"]


def test_a_server_without_a_tokenizer_is_sent_one_part_less_after_each_rejection(setting: Setting):
    server = Tokenizer("none", most=80)
    answered = asked(setting, server, repairs=0)
    assert answered.left_out == ["the skills"]
    assert len(server.prompts) == 2
    put(setting, "another")
    assert server.measured == 2  # as vLLM does, as llama.cpp does, and then no more
    assert answered.repairs == 0  # no answer of the model was refused


def measured(*script: Answers) -> tuple[list[int], int]:
    """What is measured of one prompt, twice, and how many requests that took."""
    server = Server(*script)
    meter = Meter("toy", None, {})
    try:
        found = [meter.tokens(server.url, prompt()) for _ in range(2)]
    finally:
        server.close()
    return found, len(server.requests)


@pytest.mark.parametrize("status", [429, 503])
def test_a_server_that_cannot_count_now_is_asked_to_count_the_next_time(status: int):
    found, requests = measured(fails(status), sends('{"count": 3}'))
    assert (found, requests) == ([estimated(prompt()), 3], 2)


@pytest.mark.parametrize("status", [403, 500])
def test_an_error_of_counting_does_not_show_that_a_server_cannot_count(status: int):
    found, requests = measured(fails(status), fails(status), sends('{"count": 3}'))
    assert (found, requests) == ([estimated(prompt()), 3], 3)


@pytest.mark.parametrize("lacks", [fails(404), fails(405), fails(501), sends("<html>")])
def test_a_server_that_lacks_the_path_is_not_asked_to_count_again(lacks: Answers):
    found, requests = measured(lacks, lacks, sends('{"count": 3}'))
    assert (found, requests) == ([estimated(prompt())] * 2, 2)


def test_a_prompt_that_is_still_too_long_is_reported(setting: Setting):
    with pytest.raises(RemoteError, match=r"raise llm\.context"):
        asked(setting, Tokenizer("none", most=5))


@pytest.mark.parametrize(("height", "width", "context"), [(224, 352, 400), (448, 704, 700)])
def test_pictures_count_with_the_words_by_their_size_and_go_with_their_episode(
    setting: Setting, height: int, width: int, context: int
):
    """The tokenizer is sent the text alone, in which a picture leaves no mark."""
    files = [png(np.full((3, height, width), shade, np.uint8)) for shade in (0, 1)]
    marks = [f"First:\n<picture {digest(file)}>\n" for file in files]
    text = "".join(marks) + "Which?\n"
    start = len(marks[0])
    part = Part(name="the second", turn=1, start=start, end=start + len(marks[1]))
    shown = [digest(file) for file in files]
    prompt = [ChatMessage(role="user", content=text, pictures=shown, parts=[part])]
    evidence = Evidence(
        id="e", sub_action="dig", description="", method="code", success=LOG, required_rate=0.9,
        episodes=[],
    )  # fmt: skip
    notes = [PictureNote(environment=0, step=0, digest=name) for name in shown]
    question = LookQuestion(evidence=evidence, success_rate=0.0, pictures=notes)
    answer = '{"seen": "", "success": false, "reason": "", "suggestion": ""}'
    counted: list[str] = []

    def respond(handler: BaseHTTPRequestHandler) -> None:
        assert setting.server is not None
        body = setting.server.requests[-1]
        if handler.path == "/tokenize":
            counted.append(body["messages"][0]["content"])
            send(handler, 200, json.dumps({"count": len(counted[-1].split())}))
        else:
            says(answer)(handler)

    # A picture takes 106 or 418 tokens (13 by 8 or 26 by 16, begun and ended), and there are a few
    # words.
    setting.start(respond, vision=True, context=context, max_tokens=200)
    request = Ask(id="q", agent="critic", question=question, prompt=prompt, pictures=files)
    answered = setting.bus.call(ASK, request, timeout=PATIENCE)
    assert answered.left_out == ["the second"]
    assert answered.pictures == 1
    assert "<picture" not in "".join(counted)
    assert setting.server is not None
    parts = setting.server.requests[-1]["messages"][0]["content"]
    assert [each["type"] for each in parts] == ["text", "image_url", "text"]
    assert "too long: the second" in parts[2]["text"]


def test_the_version_of_what_answered_is_on_every_answer(setting: Setting):
    def respond(handler: BaseHTTPRequestHandler) -> None:
        body = {
            "model": "toy-2026-11",
            "system_fingerprint": "fp_7",
            "choices": [{"message": {"content": GOOD}, "finish_reason": "stop"}],
        }
        send(handler, 200, json.dumps(body))

    setting.start(respond)
    assert setting.ask().weights == "toy-2026-11, fp_7"


def test_the_rulebooks_answers_have_a_fixed_version():
    version = RulebookBackend().complete(QUESTION, [], {}).version
    assert len(version) == 12
    assert RulebookBackend().complete(QUESTION, [], {}).version == version


@pytest.mark.parametrize(
    "file", ["rules/rules.yaml", "programs/climb.py", "guards/come_up_for_air.py"]
)
def test_all_that_the_rulebook_answers_from_is_in_its_version(tmp_path: Path, file: str):
    def version() -> str:
        rulebook = MinecraftRulebook()
        rulebook.files, rulebook.programs = tmp_path / "rules", tmp_path / "programs"
        return version_of(rulebook)

    ours = RULEBOOK.files.parent
    for folder in ("rules", "programs", "guards"):
        shutil.copytree(ours / folder, tmp_path / folder)
    assert version() == version_of(RULEBOOK)
    (tmp_path / file).write_text((tmp_path / file).read_text() + "\n")
    assert version() != version_of(RULEBOOK)


def test_a_tool_call_of_the_model_is_taken_as_its_answer(setting: Setting):
    def respond(handler: BaseHTTPRequestHandler) -> None:
        call = {"type": "function", "function": {"name": "PlanAnswer", "arguments": GOOD}}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
        send(handler, 200, json.dumps({"choices": [{"message": message}]}))

    setting.start(respond, stream=False)
    answer = msgspec.json.decode(setting.ask().answer, type=PlanAnswer)
    assert answer.subtasks[0].success == LOG


CALL = json.dumps({"name": "PlanAnswer", "arguments": json.loads(GOOD)})


@pytest.mark.parametrize(
    "text",
    [
        f"<tool_call>\n{CALL}\n</tool_call>",
        f"<think>So.</think>\n<tool_call>\n{CALL}\n</tool_call>",
        CALL,
        f"[{CALL}]",
        json.dumps({"name": "PlanAnswer", "parameters": json.loads(GOOD)}),
        json.dumps({"type": "function", "function": {"name": "x", "arguments": GOOD}}),
        json.dumps({"PlanAnswer": json.loads(GOOD)}),
        f"Here is the plan:\n{GOOD}\nGood luck!",
        f"Here is the plan:\n```json\n{GOOD}\n```\nGood luck!",
    ],
)
def test_an_answer_is_found_in_a_tool_call_a_fence_or_prose(text: str):
    assert msgspec.json.decode(parse(QUESTION, text), type=PlanAnswer).subtasks[0].success == LOG


def test_a_program_that_holds_a_fence_or_braces_is_left_whole():
    source = "def action(obs):\n    seen = {}\n    attack()  # ```\n"
    answer = json.dumps({"thoughts": "", "source": source})
    question = ProgramQuestion(
        task=TASK, sub_action=SubAction(name="dig", method="code", success=LOG)
    )
    found = msgspec.json.decode(parse(question, answer), type=ProgramAnswer)
    assert found.source == source


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("I would dig.", "it is prose"),
        ("<think>I would dig.", "thinking and no answer"),
        ('Take {"this": 1} then.', "missing required field"),
    ],
)
def test_texts_without_an_answer_are_rejected_with_what_they_are(text: str, said: str):
    with pytest.raises(ValueError, match=said):
        parse(QUESTION, text)


@pytest.mark.parametrize(
    "text",
    [
        "<thinking>Hm.</thinking>{}",
        "<reasoning>\nHm.\n</reasoning>\n{}",
        "[THINK]Hm.[/THINK]{}",
        "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>{}",
    ],
)
def test_thinking_in_other_tags_is_separated_from_the_answer_too(text: str):
    assert split(text) == ("Hm.", "{}")


def test_an_answer_that_was_cut_off_in_its_thinking_is_reported_as_that(setting: Setting):
    setting.start(says("<think>Well, ", "length"), repairs=0)
    with pytest.raises(RemoteError, match=r"still thinking; raise llm\.max_tokens or set"):
        setting.ask()


def test_thinking_can_be_turned_off(setting: Setting):
    setting.start(says(GOOD), thinking=False)
    setting.ask()
    assert setting.server is not None
    asked = setting.server.requests[0]
    assert asked["chat_template_kwargs"] == {"enable_thinking": False}


def test_what_a_question_without_an_answer_went_without_is_recorded(setting: Setting):
    """The server refuses the prompt without its parts, too."""
    with pytest.raises(RemoteError):
        asked(setting, Tokenizer("none", most=1), repairs=0)
    text = (setting.run / "llm" / "unanswered.jsonl").read_text()
    assert json.loads(text)["left_out"] == ["the skills", "the old"]
