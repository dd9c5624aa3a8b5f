"""Reasoning models think aloud before they answer; the two are kept apart."""

import re

_TAGS = ("think", "thinking", "reasoning", "thought")
_THOUGHT = re.compile(rf"^(.*?)(?:</(?:{'|'.join(_TAGS)})>|\[/THINK\])\s*", re.DOTALL)
_OPENED = re.compile(rf"^\s*(?:<(?:{'|'.join(_TAGS)})>|\[THINK\])\s*")
BEGINS = re.compile(rf"<(?:{'|'.join(_TAGS)})>|\[THINK\]|<\|channel\|>analysis")
"""Where thinking begins in a text that is being written; ``ENDS``: where it ends."""
ENDS = re.compile(rf"</(?:{'|'.join(_TAGS)})>|\[/THINK\]|<\|channel\|>final")
# Of gpt-oss, where the server leaves the channels in the text.
_FINAL = re.compile(r"<\|channel\|>final(?:[^<]*)<\|message\|>")
_CHANNEL = re.compile(r"<\|(?:start|end|channel|message|return)\|>(?:assistant|analysis)?")


def split(text: str) -> tuple[str, str]:
    """(thinking, answer) of a text that may begin with a ``<think>`` block, or the like. Some
    templates open the block in the prompt, so the text has only its end; a block that never ends is
    all thinking."""
    if final := _FINAL.search(text):
        thought = _CHANNEL.sub("", text[: final.start()]).strip()
        return thought, _CHANNEL.sub("", text[final.end() :]).strip()
    if match := _THOUGHT.match(text):
        return _OPENED.sub("", match[1]).strip(), text[match.end() :]
    if opened := _OPENED.match(text):
        return text[opened.end() :].strip(), ""
    return "", text
