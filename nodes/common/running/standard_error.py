"""What a command says beside its output: the one form of its errors and notes."""

import sys
from contextlib import suppress

from nodes.common.running.plain_text import plain_sentence

PREFIX = "rlgpt: "


def to_stderr(text: str) -> None:
    """Print ``rlgpt: TEXT`` on standard error, if it is still read."""
    if sys.stderr is None:  # it was closed; `print` would take standard output in its place
        return
    with suppress(OSError):
        print(f"{PREFIX}{plain_sentence(text)}", file=sys.stderr, flush=True)
