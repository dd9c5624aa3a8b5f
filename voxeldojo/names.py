"""Names and values in sentences: how one that a user gave is quoted, and which known names are most
similar to an unknown one."""

import re
from collections.abc import Iterable
from difflib import get_close_matches

LONGEST_QUOTE = 120  # letters; more of it hides the sentence around it
_LINE_ENDS = re.compile(r"\s*\n\s*")


def similar(name: str, known: Iterable[str], most: int = 3) -> list[str]:
    """The known names that are most similar to an unknown one, at most ``most``."""
    known = list(known)
    # A name that is far longer than all of them is similar to none, and slow to compare.
    if len(name) > 3 * max(map(len, known), default=0):
        return []
    return get_close_matches(name, known, n=most) or get_close_matches(name.lower(), known, n=most)


def near(name: object, known: Iterable[str]) -> str:
    """``; did you mean ...?`` with at most three similar names, or ""."""
    found = similar(name, known) if isinstance(name, str) else []
    return f"; did you mean {' or '.join(found)}?" if found else ""


def quoted(value: object) -> str:
    """A value as in Python, on one line, its middle left out where it is long."""
    try:
        text = repr(value)
    except ValueError:  # Python writes no whole number of more than 4,300 digits
        return "a number of thousands of digits"
    return shortened(_LINE_ENDS.sub(" ", text))  # NumPy writes an array on several lines


def shortened(text: str) -> str:
    """A text, its middle left out where it is long."""
    if len(text) <= LONGEST_QUOTE:
        return text
    begin, end = text[: LONGEST_QUOTE * 2 // 3], text[-LONGEST_QUOTE // 4 :]
    return f"{begin}...{end} ({len(text):,} characters)"
