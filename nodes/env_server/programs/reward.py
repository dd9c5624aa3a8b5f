"""Rewards as programs: ``def reward(before, after)`` in the language of coded actions, without
primitives, called for each primitive step with the observations before and after it.

A reward never ends a run: where it fails, or gives what is no plain number, it pays nothing, and
what was wrong is counted in words.
"""

import ast
import math
import warnings
from collections import Counter
from functools import lru_cache
from types import CodeType
from typing import Any

import numpy as np

from messages.program import Problem
from nodes.env_server.programs.checker import check_reward
from nodes.env_server.programs.compiler import ProgramRefused, file_name, limits
from nodes.env_server.programs.fuel import Fuel
from nodes.env_server.programs.guards import SHARED, make_guards, text
from nodes.env_server.programs.pulse import PULSE, mark_of
from nodes.env_server.programs.rewriter import rewrite
from nodes.env_server.programs.running import innermost
from worlds.language import Language
from worlds.play import Bools, Floats
from worlds.runtime import Observations, Runtime

MOST = 1e6  # what one step may pay or cost
_KINDS = 20  # of mistakes that are told apart


@lru_cache(maxsize=64)
def _compiled(
    source: str, language: Language
) -> tuple[CodeType, frozenset[str]] | tuple[Problem, ...]:
    problem = limits(source)
    if problem is not None:
        return (problem,)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
            problems = check_reward(tree, language)
            if problems:
                return tuple(problems)
            fields = frozenset(n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute))
            code = compile(
                rewrite(tree, language, frozenset()),
                file_name(source),
                "exec",
                dont_inherit=True,
                optimize=0,
            )
    except SyntaxError as error:
        return (Problem(line=error.lineno or 1, message=f"syntax error: {error.msg}"),)
    except (ValueError, MemoryError, RecursionError, OverflowError) as error:
        said = str(error) or type(error).__name__
        return (Problem(line=1, message=f"the reward cannot be read: {said[:200]}"),)
    return code, fields & language.fields


def compile_reward(source: str, language: Language) -> tuple[CodeType, frozenset[str]]:
    """The code of a reward and the observation's fields that it reads.

    Raises:
        ProgramRefused: with all problems and their lines in ``source``.
    """
    with PULSE.inside(mark_of(source)):
        found = _compiled(source, language)
    if len(found) == 2 and isinstance(found[0], CodeType):
        return found  # type: ignore[return-value]
    raise ProgramRefused([each for each in found if isinstance(each, Problem)])


class CodeReward:
    """One reward in a batch of ``size`` environments. ``mistakes`` counts what was wrong, in words.

    Raises:
        ProgramRefused: the source may not run.
    """

    def __init__(self, source: str, runtime: Runtime, size: int) -> None:
        self._code, self._fields = compile_reward(source, runtime.language)
        self._observe = runtime.observe
        self._values = runtime.values
        self._mark = mark_of(source)
        self._fuel = Fuel()
        self._names: dict[str, Any] = {**SHARED, **make_guards(self._fuel, runtime)}
        self._before: list[Any] = [None] * size
        self._seen: list[Observations] = []
        self.mistakes: Counter[str] = Counter()

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
        fuel, names = self._fuel, self._names.copy()
        fuel.begin()
        names["_tick"] = fuel.tick
        try:
            # The code was checked and rewritten by compile_reward; it is executed anew for each
            # step, so that nothing is left over from the last one.
            exec(self._code, names)
            value = names["reward"](before, after)
        except Exception as error:
            said = f"{type(error).__name__}: {text(error, self._values)}"[:200]
            if fuel.exhausted:
                said = "it turned its loops too often, or did as much work"
            return self._wrong(f"line {innermost(error)}: {said}")
        if fuel.exhausted:
            return self._wrong("it turned its loops too often, or did as much work")
        if type(value) not in (int, float, bool):
            return self._wrong(f"it returned {type(value).__name__}, not a number")
        if not math.isfinite(value) or abs(value) > MOST:
            return self._wrong(f"it returned {float(value):g}: at most {MOST:g} either way")
        return float(value)

    def _wrong(self, said: str) -> float:
        if said in self.mistakes or len(self.mistakes) < _KINDS:
            self.mistakes[said] += 1
        else:
            self.mistakes["other mistakes"] += 1
        return 0.0
