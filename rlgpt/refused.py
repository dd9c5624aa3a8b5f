"""Why a command cannot be done, as the one sentence that the user is told."""

import difflib
from collections.abc import Iterable


class Refused(Exception):
    """Ends a command. The sentence goes to stderr; nobody is shown a traceback for it.

    ``code`` is the exit code: 2 for something that the user can set right in the command or the
    files, 1 for a launch that failed on its way.
    """

    def __init__(self, sentence: str, code: int = 2) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.code = code


def near(word: str, known: Iterable[str]) -> str:
    """``"; did you mean `seed`?"`` where one of ``known`` is near ``word``, else ``""``."""
    matches = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"; did you mean `{matches[0]}`?" if matches else ""
