"""The lines in which two prompts differ."""

import difflib
from collections.abc import Sequence

from messages.chat import ChatMessage


def differing_lines(then: Sequence[ChatMessage], now: Sequence[ChatMessage]) -> list[str]:
    """``user: -what went``, ``user: +what came``: message by message, without what is the same.
    Messages that only one of the two has are left out."""
    found: list[str] = []
    for was, new in zip(then, now, strict=False):
        lines = difflib.unified_diff(
            was.content.splitlines(), new.content.splitlines(), lineterm="", n=0
        )
        found += [f"{new.role}: {line}" for line in list(lines)[2:] if not line.startswith("@@")]
    return found
