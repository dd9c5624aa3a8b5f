"""Python's own functions, for programs."""

from collections.abc import Callable, Iterable
from types import GeneratorType, MappingProxyType
from typing import Any

from nodes.env_server.programs.language_guards.measures import NUMBERS, Measures
from nodes.env_server.programs.language_guards.operators import check_bits

_LAZY = (enumerate, zip)
_NOTHING = object()


def builtins_for(measures: Measures) -> dict[str, Any]:
    """By the names that programs use, or that the rewriter gives them."""
    return {**_choosing(measures), **_going_through(measures), **_making(measures)}


def _choosing(measures: Measures) -> dict[str, Any]:
    items, small = measures.items, measures.small

    def ordered(values: Any, *, key: Any = None, reverse: Any = False) -> list[Any]:
        found = items(values)
        keys = found if key is None else [key(value) for value in found]
        small(keys)
        if key is None:
            return sorted(found, reverse=bool(reverse))
        order = sorted(range(len(found)), key=keys.__getitem__, reverse=bool(reverse))
        return [found[index] for index in order]

    def best(choose: Callable[..., int]) -> Callable[..., Any]:
        def guarded(*values: Any, key: Any = None, default: Any = _NOTHING) -> Any:
            if len(values) == 2 and key is None:
                a, b = values
                if type(a) in NUMBERS and type(b) in NUMBERS:
                    return choose(a, b)
            found = items(values[0] if len(values) == 1 else values)
            if not found and default is not _NOTHING:
                return default
            keys = found if key is None else [key(value) for value in found]
            small(keys)
            return found[choose(range(len(found)), key=keys.__getitem__)]

        return guarded

    return {"sorted": ordered, "min": best(min), "max": best(max)}


def _going_through(measures: Measures) -> dict[str, Any]:
    items = measures.items

    def total(values: Any, start: Any = 0) -> Any:
        if type(start) not in NUMBERS:
            raise TypeError("sum adds numbers")
        for value in values if type(values) is GeneratorType else items(values):
            if type(value) not in NUMBERS:
                raise TypeError(f"sum adds numbers, not {type(value).__name__}")
            start += value
        return check_bits(start)

    def over(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda values: function(values if type(values) is GeneratorType else items(values))

    def source(values: Any) -> Any:
        """``values``, or a list of it where going through it goes through an iterator of an
        iterator: C recurses along them, and has an end."""
        if type(values) in _LAZY and any(type(v) in _LAZY for v in values.__reduce__()[1]):
            return items(values)
        return values

    def numbered(values: Any, start: Any = 0) -> Iterable[Any]:
        return enumerate(source(values), start)

    def zipped(*values: Any, strict: Any = False) -> Iterable[Any]:
        return zip(*map(source, values), strict=bool(strict))

    return {
        "enumerate": numbered, "zip": zipped, "sum": total, "any": over(any), "all": over(all),
    }  # fmt: skip


def _making(measures: Measures) -> dict[str, Any]:
    charge, items, as_key, as_keys = (
        measures.charge, measures.items, measures.as_key, measures.as_keys,
    )  # fmt: skip

    def long(text: Any) -> Any:
        if type(text) in (str, list, tuple):
            charge(len(text))
        return text

    def make_list(values: Any = (), /) -> list[Any]:
        return items(values)

    def make_tuple(values: Any = (), /) -> tuple[Any, ...]:
        return tuple(items(values))

    def make_set(values: Any = (), /) -> set[Any]:
        return set(as_keys(values))

    def make_dict(values: Any = (), /, **more: Any) -> dict[Any, Any]:
        if type(values) in (dict, MappingProxyType):
            charge(len(values))
            return dict(values, **more)
        return {as_key(key): value for key, value in items(values)} | more

    def make_int(*arguments: Any, **named: Any) -> int:
        return check_bits(int(*map(long, arguments), **named))

    def make_float(value: Any = 0.0, /) -> float:
        return float(long(value))

    return {
        "_list": make_list, "_tuple": make_tuple, "_set": make_set, "_dict": make_dict,
        "_int": make_int, "_float": make_float,
    }  # fmt: skip
