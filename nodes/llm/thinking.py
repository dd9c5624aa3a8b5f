"""Reasoning models think aloud before they answer; the two are kept apart."""

import re

_THOUGHT = re.compile(r"^(.*?)</think>\s*", re.DOTALL)
_OPENED = re.compile(r"^\s*<think>\s*")


def split(text: str) -> tuple[str, str]:
    """(thinking, answer) of a text that may begin with a ``<think>`` block. Some templates open the
    block in the prompt, so the text has only its end; a block that never ends is all thinking."""
    if match := _THOUGHT.match(text):
        return _OPENED.sub("", match[1]).strip(), text[match.end() :]
    if opened := _OPENED.match(text):
        return text[opened.end() :].strip(), ""
    return "", text
