"""Where the answer is in what a model wrote: in fences, in a call of a tool, in prose.

Servers and models that were trained on tools write an answer as a call: ``tool_calls`` of the
message, a ``<tool_call>`` block, or an object with a name and ``arguments``. What is in it counts.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

_FENCED = re.compile(r"```(?:json|tool_call)?\s*\n(.*?)```", re.DOTALL)
_CALLED = re.compile(r"<tool_call>\s*(.*?)\s*(?:</tool_call>|$)", re.DOTALL)
_ARGUMENTS = ("arguments", "parameters", "input")


def candidates(text: str, fields: frozenset[str]) -> Iterator[str]:
    """What may be the answer, the likeliest first; nothing twice. ``fields``: those of the answer's
    type, which a wrapping does not have."""
    seen: set[str] = set()
    for body in _bodies(text.strip()):
        for each in (_unwrapped(body, fields), body):
            if each and each not in seen:
                seen.add(each)
                yield each


def _bodies(text: str) -> Iterator[str]:
    if called := _CALLED.search(text):
        yield called[1]
    if fenced := _FENCED.search(text):
        yield fenced[1].strip()
    else:
        yield text
    if (first := _object_in(text)) is not None:
        yield first


def _object_in(text: str) -> str | None:
    """The first JSON object that stands in prose."""
    start = text.find("{")
    if start < 0:
        return None
    try:
        _, end = json.JSONDecoder(strict=False).raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return text[start:end]


def _unwrapped(body: str, fields: frozenset[str]) -> str:
    """What a call or an outer object holds; empty where there is no such wrapping."""
    try:
        value = json.loads(body, strict=False)
    except (ValueError, RecursionError):
        return ""
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
        try:
            inner = json.loads(inner, strict=False)
        except (ValueError, RecursionError):
            return None
    return inner
