"""What a running program meets instead of Python's builtins and operators.

Every operation that can be made to take long, or grow, charges fuel by the size of what it touches
and refuses beyond ``MAX_SIZE``. Fuel is refilled by the host at each primitive; once exhausted it
stays so, whatever the program catches.
"""

import math
from collections.abc import Callable
from typing import Any

from nodes.env_server.programs.fuel import Fuel
from nodes.env_server.programs.language_guards.builtins import builtins_for
from nodes.env_server.programs.language_guards.containers import containers_for
from nodes.env_server.programs.language_guards.measures import Measures
from nodes.env_server.programs.language_guards.operators import operators_for
from nodes.env_server.programs.language_guards.texts import text, texts_for
from worlds.runtime import Runtime, Worked

__all__ = ["SHARED", "Measures", "guards_of", "make_guards", "text"]

_NEAREST = 1_000  # what looking for a block costs at least, in elements
_MISTAKE = 8_000  # what a refusal costs that looks for names alike


def make_guards(fuel: Fuel, runtime: Runtime) -> dict[str, Any]:
    """The guards of one run, by the names that the rewriter gives them, and the game's own."""
    return guards_of(Measures(fuel, runtime.values), runtime)


def guards_of(measures: Measures, runtime: Runtime) -> dict[str, Any]:
    """The same, where many runs have them one after the other: ``measures`` begins again with
    each."""
    builtins = builtins_for(measures)
    containers = containers_for(measures, builtins, runtime.methods)
    guards = {
        **_the_games_own(measures, runtime),
        **operators_for(measures),
        **texts_for(measures),
        **builtins,
        **containers,
    }
    for name, guard in guards.items():
        guard.__qualname__ = name.lstrip("_")  # by which errors about its arguments call it
    return guards


def _the_games_own(measures: Measures, runtime: Runtime) -> dict[str, Any]:
    charge = measures.charge

    def looking(look: Callable[..., Any]) -> Callable[..., Any]:
        def guarded(*arguments: Any, **named: Any) -> Any:
            charge(_NEAREST)
            try:
                found = look(*arguments, **named)
            except ValueError:
                charge(_MISTAKE)
                raise
            if type(found) is not Worked:
                return found
            charge(max(found.elements - _NEAREST, 0))
            return found.found

        return guarded

    def careful(check: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def guarded(argument: Any) -> Any:
            try:
                return check(argument)
            except ValueError:
                charge(_MISTAKE)
                raise

        return guarded

    return {
        **{f"_{name}": careful(check) for name, check in runtime.arguments.items()},
        **{name: looking(look) for name, look in runtime.functions.items()},
    }


def _rounded(number: Any, ndigits: Any = None) -> Any:
    if ndigits is None:
        return round(number)
    return round(number, min(max(ndigits, -20), 20))


_rounded.__qualname__ = "round"

SHARED: dict[str, Any] = {
    "__builtins__": {}, "_bool": bool, "abs": abs, "divmod": divmod,
    "len": len, "range": range, "reversed": reversed,
    "round": _rounded, "isinstance": isinstance, "sqrt": math.sqrt,
    "hypot": math.hypot, "sin": math.sin, "cos": math.cos, "atan2": math.atan2,
    "degrees": math.degrees, "radians": math.radians, "floor": math.floor, "ceil": math.ceil,
    "int": int, "float": float, "bool": bool, "str": str, "list": list, "tuple": tuple,
    "dict": dict, "set": set,
    "Exception": Exception, "ArithmeticError": ArithmeticError, "AssertionError": AssertionError,
    "AttributeError": AttributeError, "IndexError": IndexError, "KeyError": KeyError,
    "LookupError": LookupError, "NotImplementedError": NotImplementedError,
    "OverflowError": OverflowError, "RuntimeError": RuntimeError, "TypeError": TypeError,
    "ValueError": ValueError, "ZeroDivisionError": ZeroDivisionError,
}  # fmt: skip
"""Names that are the same in every run. A program cannot change any of them."""
