"""Text from outside, made safe to print to a terminal or a log.

A program, a language model, a peer or a file may contain characters that move a terminal's cursor,
rename its window or hide text, bidirectional overrides that make code look different from what it
runs, and line ends behind which an entry of a log is forged.
"""

import json
import re
import unicodedata

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})  # categories: control, format, line ends


_LONG_WORD = re.compile(r"\S{1001,}")  # longer than a path that someone uses
_LONGEST = 20_000  # letters of a sentence, with the lists and errors that it may quote


def plain(text: str) -> str:
    """Text of visible characters, line feeds and tabs; other characters are spelled out
    (``<U+202E>``)."""
    return _spelled(text, "\n\t")


def plain_line(text: str) -> str:
    """``plain``, in one line."""
    return _spelled(text, "")


def plain_entry(text: str) -> str:
    """``plain``, for lists of entries: all lines but the first are indented, so that none of them
    looks like an entry."""
    return plain(text).replace("\n", "\n    ")


def plain_sentence(text: str) -> str:
    """``plain_entry``, short enough to be read: a sentence quotes what a user or a file gave, which
    may be a million letters long. Their middle is left out."""
    text = _LONG_WORD.sub(lambda word: _ends(word[0], 100), text)
    return plain_entry(text if len(text) <= _LONGEST else _ends(text, 2_000))


def plain_json(text: str) -> str:
    """JSON in one line, with invisible characters as JSON's own escapes."""
    return "".join(json.dumps(each)[1:-1] if _is_hidden(each) else each for each in text)


def _ends(text: str, kept: int) -> str:
    return f"{text[:kept]} ... ({len(text) - 2 * kept:,} characters) ... {text[-kept:]}"


def _spelled(text: str, kept: str) -> str:
    if text.isprintable():
        return text
    return "".join(
        f"<U+{ord(each):04X}>" if _is_hidden(each) and each not in kept else each for each in text
    )


def _is_hidden(character: str) -> bool:
    return unicodedata.category(character) in _HIDDEN
