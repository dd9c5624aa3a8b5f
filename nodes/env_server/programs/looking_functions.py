"""Functions in the language of coded actions that look and do not act: a reward, the condition of a
guard. They may call the helpers that do not act.

A mistake in one never ends a run: what was wrong is counted in words.
"""

import ast
import warnings
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType
from typing import Any, NamedTuple

from messages.program import Problem
from nodes.env_server.programs import library
from nodes.env_server.programs.checker import check_looking
from nodes.env_server.programs.compiler import (
    ProgramRefused,
    file_name,
    helpers_of,
    problem_before_parsing,
)
from nodes.env_server.programs.fuel import Fuel
from nodes.env_server.programs.language_guards import SHARED, Measures, guards_of, text
from nodes.env_server.programs.pulse import PULSE, mark_of
from nodes.env_server.programs.rewriter import rewrite
from nodes.env_server.programs.running import innermost
from worlds.language import Language
from worlds.runtime import Runtime
from worlds.syntax_problems import syntax_problem

_KINDS = 20  # of mistakes that are counted apart
FAILED = object()
_TOO_MUCH = "it turned its loops too often, or did as much work"


class Form(NamedTuple):
    """What such a function looks like: its name, its arguments, and what it is called."""

    name: str
    arguments: tuple[str, ...]
    what: str


@dataclass(frozen=True)
class Compiled:
    """``code`` and, if any are called, ``helpers`` are executed again for each call, the helpers
    first. ``fields``: those of observations that they read."""

    code: CodeType
    helpers: CodeType | None
    fields: frozenset[str]


@lru_cache(maxsize=128)
def _compiled(source: str, language: Language, form: Form) -> Compiled | tuple[Problem, ...]:
    problem = problem_before_parsing(source)
    if problem is not None:
        return (problem,)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
            signatures, acting = library.signatures(language), library.acting(language)
            problems = check_looking(tree, language, signatures, acting, *form)
            if problems:
                return tuple(problems)
            fields = frozenset(n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute))
            called, helpers = helpers_of(tree, language), None
            if called:
                helpers, read = library.compiled(language, called)
                fields |= read
                library.rename(tree, called)
            code = compile(
                rewrite(tree, language, frozenset()),
                file_name(source),
                "exec",
                dont_inherit=True,
                optimize=0,
            )
    except SyntaxError as error:
        return (syntax_problem(error, source),)
    except (ValueError, MemoryError, RecursionError, OverflowError) as error:
        mistake = str(error) or type(error).__name__
        return (Problem(line=1, message=f"{form.what} cannot be read: {mistake[:200]}"),)
    return Compiled(code, helpers, fields & (language.fields | language.methods))


def compile_looking(source: str, language: Language, form: Form) -> Compiled:
    """Check and compile a function of this form.

    Raises:
        ProgramRefused: with all problems and their lines in ``source``.
    """
    with PULSE.inside(mark_of(source)):
        found = _compiled(source, language, form)
    if isinstance(found, Compiled):
        return found
    raise ProgramRefused(list(found))


class Looking:
    """A compiled function, to be called. ``mistakes`` counts what was wrong, in words."""

    def __init__(self, compiled: Compiled, runtime: Runtime, form: Form) -> None:
        self._compiled = compiled
        self._name = form.name
        self._values = runtime.values
        self._fuel = Fuel()
        self._measures = Measures(self._fuel, runtime.values)
        self._names: dict[str, Any] = {**SHARED, **guards_of(self._measures, runtime)}
        self.mistakes: Counter[str] = Counter()

    def call(self, *observations: Any) -> Any:
        """What it returns; FAILED where it failed, which is counted."""
        fuel, names = self._fuel, self._names.copy()
        self._measures.begin()
        names["_tick"] = fuel.tick
        try:
            # The code was checked and rewritten by compile_looking; it is executed again for each
            # call, so that nothing is left over from the last one.
            if self._compiled.helpers is not None:
                exec(self._compiled.helpers, names)
            exec(self._compiled.code, names)
            value = names[self._name](*observations)
        except Exception as error:
            mistake = f"{type(error).__name__}: {text(error, self._values)}"[:200]
            if fuel.exhausted:
                mistake = _TOO_MUCH
            return self.wrong(f"line {innermost(error)}: {mistake}")
        if fuel.exhausted:
            return self.wrong(_TOO_MUCH)
        return value

    def wrong(self, mistake: str) -> object:
        """Count a mistake; returns FAILED."""
        if mistake in self.mistakes or len(self.mistakes) < _KINDS:
            self.mistakes[mistake] += 1
        else:
            self.mistakes["other mistakes"] += 1
        return FAILED
