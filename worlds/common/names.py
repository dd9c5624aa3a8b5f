"""The sentence about an unknown name: that there is none such, and the names nearest to it."""

import difflib
from collections.abc import Iterable


def near(name: str, known: Iterable[str]) -> str:
    """``; did you mean ...?`` with at most three names that come near, or nothing."""
    known = list(known)
    close = difflib.get_close_matches(name, known, n=3)
    close = close or difflib.get_close_matches(name.lower(), known, n=3)
    return f"; did you mean {' or '.join(close)}?" if close else ""
