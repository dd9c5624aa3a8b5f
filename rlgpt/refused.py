"""Why a command cannot be done, as one sentence for the user."""

from collections.abc import Iterable

from nodes.common.running.exit_codes import REFUSED
from voxeldojo.names import similar

_NAMED = 60
"""Words that one sentence names."""


class Refused(Exception):
    """Ends a command. The sentence goes to stderr, without a traceback.

    ``code`` is the exit code: ``REFUSED`` for something that the user can fix in the command or the
    files, ``FAILED`` for a failure after the command has begun.
    """

    def __init__(self, sentence: str, code: int = REFUSED) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.code = code


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``"; did you mean `seed`?"`` where one of ``known`` is similar to ``word``, else ``""``."""
    found = similar(word, known, most=1)
    return f"; did you mean `{found[0]}`?" if found else ""


def instead(word: str, known: Iterable[str]) -> str:
    """``did_you_mean``, and all of ``known``: ``"; did you mean `seed`? (there are: run, seed)"``.
    Of very many only the last ones, which are the newest where they are goals."""
    known = list(known)
    left = len(known) - _NAMED
    before = f"{left} others, ..., " if left > 0 else ""
    return (
        f"{did_you_mean(word, known)} (there are: {before}{', '.join(known[-_NAMED:]) or 'none'})"
    )


def unreadable(error: OSError | UnicodeDecodeError) -> str:
    """Why a file that should be a text cannot be read, without its name."""
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return "it is not text in UTF-8"
