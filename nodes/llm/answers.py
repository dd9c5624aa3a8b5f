"""From text to a checked answer: schema, parsing, and repairs of invalid answers."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from messages.chat import ANSWERS, ChatMessage, Question, game_of
from messages.world import REWARDS
from nodes.common.questions.prompt_parts import without_next
from nodes.llm.answer_bounds import bounded, narrowed
from nodes.llm.backend import Backend, BackendError
from nodes.llm.thinking import split
from nodes.llm.wrappings import candidates
from worlds import card

_REPAIR = """That answer cannot be used: {error}
Answer the same question again, with one JSON object by this schema and nothing else:
{schema}"""

_PAUSES = (0.25, 5.0)  # seconds before a lost server is tried again: doubling from, at most


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """One text of the model, unchanged."""

    text: str
    thinking: str = ""
    problem: str = ""  # why it is invalid
    reminder: str = ""  # the message about it that the model got


@dataclass
class Asked:
    """What it cost to get an answer, or to fail to get one."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    failures: list[str] = field(default_factory=list)  # what was wrong with each earlier try
    attempts: list[Attempt] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)  # of the prompt
    version: str = ""  # of what gave the answer


class NoValidAnswer(Exception):
    """The model gave no valid answer, although it was sent the errors each time."""

    def __init__(self, message: str, asked: Asked) -> None:
        super().__init__(message)
        self.asked = asked


@dataclass(frozen=True)
class Valid:
    """A checked answer."""

    answer: str  # JSON
    asked: Asked


def answer_schema(question: Question) -> dict[str, Any]:
    """JSON schema of the answer, in the dialect of strict structured output: one object at the
    root, every property required, no others, no defaults, lists and prose bounded."""
    schema = msgspec.json.schema(ANSWERS[type(question)])
    definitions = {name: _strict(body) for name, body in schema["$defs"].items()}
    game = card(game_of(question))
    kinds = {"Condition": game.conditions.kinds, "RewardTerm": {**game.specs.rewards, **REWARDS}}
    for name, known in kinds.items():
        if name in definitions:
            definitions[name] = _of_kinds(definitions[name], known)
    root = definitions.pop(schema["$ref"].rpartition("/")[2])
    schema = {**root, "$defs": definitions} if definitions else root
    return narrowed(bounded(schema), question)


def _of_kinds(schema: dict[str, Any], kinds: Mapping[str, str]) -> dict[str, Any]:
    """A type whose ``kind`` is one of the game's kinds, each with its meaning."""
    meanings = " ".join(f"``{kind}``: {meaning}." for kind, meaning in kinds.items())
    # The first clause of the type's docstring; the rest of it is for readers of the code.
    intro = schema["description"].partition(":")[0].partition(". ")[0].rstrip(".")
    properties = {**schema["properties"], "kind": {"enum": sorted(kinds)}}
    return {**schema, "description": f"{intro}. {meanings}", "properties": properties}


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
    """The answer in ``text`` as normalised JSON, checked against the question's answer type.

    Reasoning before ``</think>``, Markdown fences, prose around it and tool calls are removed;
    numbers and booleans that are written as strings are converted, control characters in strings
    are accepted.

    Raises:
        ValueError: the text holds no such answer; the message says where it differs.
    """
    thinking, body = split(text)
    if not body.strip():
        raise ValueError(
            "there is thinking and no answer after it" if thinking else "the answer is empty"
        )
    answer_type = ANSWERS[type(question)]
    wrong: ValueError | None = None
    for each in candidates(body, frozenset(answer_type.__struct_fields__)):
        try:
            return _decoded(each, answer_type)
        except RecursionError:  # a model in a loop writes [[[[ until it is cut off
            wrong = wrong or ValueError("it is nested too deeply to be read")
        except ValueError as error:  # msgspec's decoding errors are ValueErrors too
            # An error in an object is more helpful than that there is text around it.
            if wrong is None or isinstance(error, msgspec.ValidationError):
                wrong = error
    if "{" not in body:
        raise ValueError("it is prose: there is no JSON object in it")
    raise wrong or ValueError("the answer is empty")


def _decoded(body: str, answer_type: type[msgspec.Struct]) -> str:
    try:
        answer = msgspec.json.decode(body, type=answer_type)
    except msgspec.ValidationError:
        answer = msgspec.json.decode(body, type=answer_type, strict=False)
    except msgspec.DecodeError as error:
        try:
            values = json.loads(body, strict=False)
        except ValueError:
            raise error from None
        answer = msgspec.convert(values, type=answer_type, strict=False)
    return _as_agents_read(answer)


def _as_agents_read(answer: msgspec.Struct) -> str:
    """The answer's JSON, once it is known that the caller can decode it and send it on the bus."""
    text = msgspec.json.encode(answer).decode()
    try:
        msgspec.json.decode(text, type=type(answer))
        msgspec.msgpack.encode(answer)
    except msgspec.ValidationError as error:  # NaN and Infinity are null in JSON
        raise ValueError(f"its numbers have to be finite: {error}") from None
    except OverflowError:
        raise ValueError("an integer in it is too large: 64 bits have to hold it") from None
    return text


def answer(
    backend: Backend,
    question: Question,
    prompt: list[ChatMessage],
    repairs: int,
    patience: float = 0.0,
) -> Valid:
    """Ask until the answer fits, at most ``1 + repairs`` times. A server that was lost is not the
    answer's fault: the question is sent again for ``patience`` seconds before that counts.

    Raises:
        NoValidAnswer: none fitted; the message has the last reason.
    """
    schema = answer_schema(question)
    conversation = list(prompt)
    asked = Asked()
    tries = 0
    away = False
    pause, waited = _PAUSES[0], 0.0
    while tries <= repairs:
        try:
            completion = backend.complete(question, conversation, schema)
        except BackendError as error:
            asked.failures.append(str(error))
            away = error.lost
            if error.too_long and len(conversation) > len(prompt):
                # The wrong answer that was shown is what does not fit: the question does. This was
                # no try, since the model was not asked.
                conversation = list(prompt)
                continue
            if error.too_long and (shorter := without_next(prompt)) is not None:
                # How long it may be was not known: parts that it can do without are left out bit by
                # bit. That is no try either.
                prompt, name = shorter
                asked.left_out.append(name)
                conversation = list(prompt)
                continue
            if error.permanent:
                break
            if error.lost and waited < patience:
                time.sleep(pause)
                waited += pause
                pause = min(2 * pause, _PAUSES[1])
            else:
                tries += 1
            continue
        tries += 1
        away = False
        asked.prompt_tokens += completion.prompt_tokens
        asked.completion_tokens += completion.completion_tokens
        asked.version = completion.version
        try:
            valid = parse(question, completion.text)
        except ValueError as error:  # msgspec's decoding errors are ValueErrors too
            asked.failures.append(f"not valid: {error}")
            # Only the latest wrong answer is shown: a growing pile of them crowds out the question.
            reminder = _REPAIR.format(error=error, schema=msgspec.json.encode(schema).decode())
            asked.attempts.append(_attempt(completion.text, completion.thinking, error, reminder))
            conversation = [
                *prompt,
                ChatMessage(role="assistant", content=completion.text),
                ChatMessage(role="user", content=reminder),
            ]
            continue
        asked.attempts.append(Attempt(text=completion.text, thinking=completion.thinking))
        return Valid(valid, asked)
    failures = asked.failures
    if away:
        raise NoValidAnswer(
            f"{backend.model} cannot be asked, after {waited:.0f} s of waiting: {failures[-1]}",
            asked,
        )
    count = "1 try" if len(failures) == 1 else f"{len(failures)} tries"
    raise NoValidAnswer(
        f"{backend.model} gave no valid answer in {count}; the last: {failures[-1]}", asked
    )


def _attempt(text: str, thinking: str, error: ValueError, reminder: str) -> Attempt:
    return Attempt(text=text, thinking=thinking, problem=str(error), reminder=reminder)
