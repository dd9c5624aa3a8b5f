"""Names and values in sentences: how one that a user gave is quoted, and which known names are most
similar to an unknown one."""

import difflib
from collections.abc import Iterable

LONGEST_QUOTE = 120  # letters; more of it hides the sentence around it


def near(name: object, known: Iterable[str]) -> str:
    """``; did you mean ...?`` with at most three similar names, or ""."""
    # A long one is similar to none, and comparing it takes long.
    if not isinstance(name, str) or len(name) > LONGEST_QUOTE:
        return ""
    known = list(known)
    close = difflib.get_close_matches(name, known, n=3)
    close = close or difflib.get_close_matches(name.lower(), known, n=3)
    return f"; did you mean {' or '.join(close)}?" if close else ""


def quoted(value: object) -> str:
    """A value as in Python, its middle left out where it is long."""
    try:
        text = repr(value)
    except ValueError:  # Python writes no whole number of more than 4,300 digits
        return "a number of thousands of digits"
    return shortened(text)


def shortened(text: str) -> str:
    """A text, its middle left out where it is long."""
    if len(text) <= LONGEST_QUOTE:
        return text
    begin, end = text[: LONGEST_QUOTE * 2 // 3], text[-LONGEST_QUOTE // 4 :]
    return f"{begin}...{end} ({len(text):,} characters)"
