"""What to say of a name that there is not."""

import difflib
from collections.abc import Iterable


def near(name: str, known: Iterable[str]) -> str:
    """``; did you mean ...?`` with at most three names that come near, or nothing."""
    close = difflib.get_close_matches(name, list(known), n=3)
    return f"; did you mean {' or '.join(close)}?" if close else ""
