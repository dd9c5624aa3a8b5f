"""Counts in sentences."""


def counted(number: int, what: str, *verb: str) -> str:
    """``1 message``, ``2 messages``; with a verb in both forms, ``1 message is``."""
    one = number == 1
    words = [f"{number:,}", what if one else f"{what}s", *([verb[0 if one else 1]] if verb else [])]
    return " ".join(words)
