"""Where the answer is in what a model wrote: in fences, in a call of a tool, in prose.

Servers and models that were trained on tools write an answer as a call: ``tool_calls`` of the
message, a ``<tool_call>`` block, or an object with a name and ``arguments``. What is in it counts.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

# No two parts of a pattern match the same spaces: a model that writes spaces without end would take
# the time of their number squared.
_FENCED = re.compile(r"```(?:json|tool_call)?[^\S\n]*\n(.*?)```", re.DOTALL)
_CALLED = re.compile(r"<tool_call>(.*?)(?:</tool_call>|$)", re.DOTALL)
_MOST_TRIES = 100  # braces that begin no object; each may be read to the end of the text
_ARGUMENTS = ("arguments", "parameters", "input")


def candidates(text: str, fields: frozenset[str]) -> Iterator[str]:
    """What may be the answer, the likeliest first; nothing twice. ``fields``: those of the answer's
    type, which a wrapping does not have. Before the answer may stand an example, or prose with
    braces in it: what has such a field comes before what has none."""
    bodies = list(dict.fromkeys(_bodies(text.strip())))
    found = [(_unwrapped(body, fields), body) for body in bodies]
    likely = [each for unwrapped, body in found for each in (unwrapped or _with(fields, body),)]
    yield from dict.fromkeys(each for each in (*likely, *bodies) if each)


def _with(fields: frozenset[str], body: str) -> str:
    """``body`` where it is an object with one of the fields, else empty."""
    value = _loaded(body)
    return body if isinstance(value, dict) and fields & value.keys() else ""


def _bodies(text: str) -> Iterator[str]:
    for called in _CALLED.finditer(text):
        yield called[1].strip()
    fences = [fenced[1].strip() for fenced in _FENCED.finditer(text)]
    yield from fences or [text]
    yield from _objects_in(text)


def _objects_in(text: str) -> Iterator[str]:
    """The JSON objects that stand in prose, none of them inside another."""
    decoder = json.JSONDecoder(strict=False)
    start, tries = text.find("{"), 0
    while start >= 0 and tries < _MOST_TRIES:
        end = start + 1
        try:
            _, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):  # a brace in prose
            tries += 1
        else:
            yield text[start:end]
        start = text.find("{", end)


def _loaded(text: str) -> Any:
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None


def _unwrapped(body: str, fields: frozenset[str]) -> str:
    """What a call or an outer object holds; empty where there is no such wrapping."""
    value = _loaded(body)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    for _ in range(3):
        if not isinstance(value, dict) or fields & value.keys():
            break
        value = _inner(value)
    if not isinstance(value, dict) or not fields & value.keys():
        return ""
    text = json.dumps(value)
    return "" if text == body else text


def _inner(value: dict[str, Any]) -> Any:
    inner: Any = None
    for name in _ARGUMENTS:
        if name in value:
            inner = value[name]
            break
    else:
        inner = next(iter(value.values())) if len(value) == 1 else value.get("function")
    if isinstance(inner, str):  # arguments are JSON in a string, where servers answer as OpenAI's
        inner = _loaded(inner)
    return inner
