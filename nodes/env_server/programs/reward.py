"""Rewards as programs: ``def reward(before, after)`` in the language of coded actions, without
primitives, called for each primitive step with the observations before and after it.

A reward never ends a run: where it fails, or gives what is no plain number, it counts as 0, and
what was wrong is counted in words.
"""

from collections import Counter
from typing import Any

import numpy as np

from nodes.env_server.programs.looking_functions import (
    FAILED,
    Compiled,
    Form,
    Looking,
    compile_looking,
)
from nodes.env_server.programs.pulse import PULSE, mark_of
from worlds.language import Language
from worlds.play import Bools, Floats
from worlds.runtime import Observations, Runtime

MOST = 1e6  # what one step may pay or cost
REWARD = Form("reward", ("before", "after"), "a reward")


def compile_reward(source: str, language: Language) -> Compiled:
    """The code of a reward and the observation's fields that it reads.

    Raises:
        ProgramRefused: with all problems and their lines in ``source``.
    """
    return compile_looking(source, language, REWARD)


class CodeReward:
    """One reward in a batch of ``size`` environments.

    Raises:
        ProgramRefused: the source may not run.
    """

    def __init__(self, source: str, runtime: Runtime, size: int) -> None:
        compiled = compile_reward(source, runtime.language)
        self._fields = compiled.fields
        self._function = Looking(compiled, runtime, REWARD)
        self._observe = runtime.observe
        self._mark = mark_of(source)
        self._before: list[Any] = [None] * size
        self._seen: list[Observations] = []

    @property
    def mistakes(self) -> Counter[str]:
        """What was wrong, in words, and how often."""
        return self._function.mistakes

    def begin(self, readings: Any, rows: Bools) -> None:
        """Episodes or stages begin in ``rows`` (B,)."""
        seen = self._observe(readings, self._fields)
        self._seen.append(seen)
        for row in np.flatnonzero(rows).tolist():
            self._before[row] = seen.row(row, 0)

    def pay(self, readings: Any, active: Bools) -> Floats:
        """What the last step pays, (B,)."""
        for old in self._seen:
            old.expire()
        seen = self._observe(readings, self._fields)
        self._seen = [seen]
        paid = np.zeros(len(active), np.float32)
        with PULSE.inside(self._mark):
            for row in np.flatnonzero(active).tolist():
                before = self._before[row]
                if before is not None:
                    PULSE.turn()
                    after = seen.row(row, before.steps + 1)
                    paid[row] = self._one(before, after)
                    self._before[row] = after
        return paid

    def _one(self, before: Any, after: Any) -> float:
        value = self._function.call(before, after)
        if value is FAILED:
            return 0.0
        if type(value) not in (int, float, bool):
            return self._nothing(f"it returned {type(value).__name__}, not a number")
        if not abs(value) <= MOST:  # nor is NaN; an integer may be larger than any float
            shown = f"{value:g}" if isinstance(value, float) else "a huge integer"
            return self._nothing(f"it returned {shown}: at most {MOST:g} either way")
        return float(value)

    def _nothing(self, mistake: str) -> float:
        self._function.wrong(mistake)
        return 0.0
