"""Text from outside, so that a terminal shows it and does not obey it.

A program, a language model, a peer or a file may hold characters that move a terminal's cursor,
rename its window or hide what is written, bidirectional overrides that make code read otherwise
than it runs, and line ends behind which an entry of a log is forged.
"""

import json
import unicodedata

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})  # categories: control, format, line ends


def plain(text: str) -> str:
    """Text whose every character can be seen; others are spelled out (``<U+202E>``), but for line
    feeds and tabs."""
    return _spelled(text, "\n\t")


def plain_line(text: str) -> str:
    """``plain``, in one line."""
    return _spelled(text, "")


def plain_entry(text: str) -> str:
    """``plain``, for a place where entries follow each other: all lines but the first are indented,
    so that none of them passes for an entry."""
    return plain(text).replace("\n", "\n    ")


def plain_json(text: str) -> str:
    """The same JSON, with what cannot be seen as JSON's own escapes. It is in one line."""
    return "".join(json.dumps(each)[1:-1] if _is_hidden(each) else each for each in text)


def _spelled(text: str, kept: str) -> str:
    if text.isprintable():
        return text
    return "".join(
        f"<U+{ord(each):04X}>" if _is_hidden(each) and each not in kept else each for each in text
    )


def _is_hidden(character: str) -> bool:
    return unicodedata.category(character) in _HIDDEN
