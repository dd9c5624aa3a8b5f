"""From text to a checked answer: schema, parsing, and telling the model what was wrong."""

import re
from dataclasses import dataclass
from typing import Any

import msgspec

from messages.chat import ANSWERS, ChatMessage, Question
from nodes.llm.backend import Backend, BackendError

_THOUGHT = re.compile(r"^.*</think>", re.DOTALL)
_FENCED = re.compile(r"```(?:json)?\s*\n(.*?)```", re.DOTALL)

_REPAIR = """That answer cannot be used: {error}
Answer the same question again, with one JSON object by this schema and nothing else:
{schema}"""


class NoAnswer(Exception):
    """No valid answer came, however often the model was told what was wrong."""


@dataclass(frozen=True)
class Valid:
    """A checked answer and what it took to get it."""

    answer: str  # JSON
    prompt_tokens: int
    completion_tokens: int
    failures: list[str]  # what was wrong with each earlier try


def answer_schema(question: Question) -> dict[str, Any]:
    """JSON schema of the answer, in the dialect that strict structured output takes: one object at
    the root, every property required, no further ones, no defaults."""
    schema = msgspec.json.schema(ANSWERS[type(question)])
    definitions = {name: _strict(body) for name, body in schema["$defs"].items()}
    root = definitions.pop(schema["$ref"].rpartition("/")[2])
    return {**root, "$defs": definitions} if definitions else root


def _strict(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    strict = {key: _strict(value) for key, value in schema.items() if key != "default"}
    if isinstance(strict.get("properties"), dict):
        strict["required"] = list(strict["properties"])
        strict["additionalProperties"] = False
    return strict


def parse(question: Question, text: str) -> str:
    """The answer in ``text`` as JSON in one form, checked against the question's answer type.

    Reasoning before ``</think>`` and Markdown fences are taken off; numbers and booleans written
    as strings are taken for what they mean.

    Raises:
        ValueError: the text holds no such answer; the message says where it differs.
    """
    body = _THOUGHT.sub("", text).strip()
    if fenced := _FENCED.search(body):
        body = fenced.group(1).strip()
    if not body:
        raise ValueError("the answer is empty")
    answer_type = ANSWERS[type(question)]
    try:
        answer = msgspec.json.decode(body, type=answer_type)
    except msgspec.ValidationError:
        answer = msgspec.json.decode(body, type=answer_type, strict=False)
    return msgspec.json.encode(answer).decode()


def answer(backend: Backend, question: Question, prompt: list[ChatMessage], repairs: int) -> Valid:
    """Ask until the answer fits, at most ``1 + repairs`` times.

    Raises:
        NoAnswer: none fitted; the message has the last reason.
    """
    schema = answer_schema(question)
    conversation = list(prompt)
    prompt_tokens = completion_tokens = 0
    failures: list[str] = []
    for _ in range(1 + repairs):
        try:
            completion = backend.complete(question, conversation, schema)
        except BackendError as error:
            failures.append(str(error))
            if error.permanent:
                break
            continue
        prompt_tokens += completion.prompt_tokens
        completion_tokens += completion.completion_tokens
        try:
            valid = parse(question, completion.text)
        except ValueError as error:  # msgspec's decoding errors are ValueErrors too
            failures.append(f"not valid: {error}")
            # Only the latest wrong answer is shown: a growing pile of them crowds out the question.
            reminder = _REPAIR.format(error=error, schema=msgspec.json.encode(schema).decode())
            conversation = [
                *prompt,
                ChatMessage(role="assistant", content=completion.text),
                ChatMessage(role="user", content=reminder),
            ]
            continue
        return Valid(valid, prompt_tokens, completion_tokens, failures)
    tries = "1 try" if len(failures) == 1 else f"{len(failures)} tries"
    raise NoAnswer(f"{backend.model} gave no valid answer in {tries}; the last: {failures[-1]}")
