"""The conditions of guards as programs: ``def when(obs)`` in the language of coded actions, without
primitives, called after each primitive step with the observation then.

Such a condition never ends a run: where it fails, or gives what is neither true nor false, it does
not hold, and what was wrong is counted in words.
"""

from typing import Any

from nodes.env_server.programs.looking_functions import (
    FAILED,
    Compiled,
    Form,
    Looking,
    compile_looking,
)
from nodes.env_server.programs.pulse import PULSE, mark_of
from worlds.language import Language
from worlds.runtime import Runtime

WHEN = Form("when", ("obs",), "a guard's condition")


def compile_condition(source: str, language: Language) -> Compiled:
    """The code of a condition and the observation's fields that it reads.

    Raises:
        ProgramRefused: with all problems and their lines in ``source``.
    """
    return compile_looking(source, language, WHEN)


class CodeCondition:
    """One condition. ``fields``: those of observations that it reads; ``mistakes``: what was wrong,
    in words, and how often.

    Raises:
        ProgramRefused: the source may not run.
    """

    def __init__(self, source: str, runtime: Runtime) -> None:
        compiled = compile_condition(source, runtime.language)
        self.fields = compiled.fields
        self._function = Looking(compiled, runtime, WHEN)
        self._mark = mark_of(source)
        self.mistakes = self._function.mistakes

    def holds(self, obs: Any) -> bool:
        with PULSE.inside(self._mark):
            value = self._function.call(obs)
        if value is FAILED:
            return False
        if type(value) not in (bool, int, float):
            self._function.wrong(f"it returned {type(value).__name__}, not True or False")
            return False
        return bool(value)
