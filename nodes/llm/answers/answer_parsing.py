"""From a model's text to the answer in it, checked against the question's answer type."""

import json

import msgspec

from messages.chat import ANSWERS, Question
from nodes.llm.answers.thinking import split
from nodes.llm.answers.wrappings import candidates


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
            # An error in an object is more helpful than that there is text around it. The likeliest
            # object came first.
            known = isinstance(wrong, msgspec.ValidationError)
            if wrong is None or (isinstance(error, msgspec.ValidationError) and not known):
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
