"""Why a command cannot be done, as the one sentence that the user is told."""

import difflib
from collections.abc import Iterable

from nodes.exit_codes import REFUSED


class Refused(Exception):
    """Ends a command. The sentence goes to stderr; nobody is shown a traceback for it.

    ``code`` is the exit code: ``REFUSED`` for something that the user can set right in the command
    or the files, ``FAILED`` for what failed on its way.
    """

    def __init__(self, sentence: str, code: int = REFUSED) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.code = code


def near(word: str, known: Iterable[str]) -> str:
    """``"; did you mean `seed`?"`` where one of ``known`` is near ``word``, else ``""``."""
    matches = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"; did you mean `{matches[0]}`?" if matches else ""
