"""Operators of numbers and of what is added, multiplied or joined."""

import operator
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

from nodes.env_server.programs.language_guards.measures import (
    LONG,
    MAX_SIZE,
    NUMBERS,
    SEQUENCES,
    VIEWS,
    Measures,
    too_large,
)

MAX_BITS = 1024  # of an integer

MAPPINGS = (dict, MappingProxyType)
HASHED = (set, *MAPPINGS, VIEWS[0])


def check_bits(number: Any) -> Any:
    """``number``. Raises OverflowError: it is an integer that is too large."""
    if type(number) is int and number.bit_length() > MAX_BITS:
        raise OverflowError(f"an integer of more than {MAX_BITS} bits")
    return number


def operators_for(measures: Measures) -> dict[str, Any]:
    """By the names that the rewriter gives them."""
    return {
        "_mod": _mod, "_pow": _power, "_lshift": _lshift, **_sums(measures), **_sets(measures),
    }  # fmt: skip


def _sums(measures: Measures) -> dict[str, Any]:
    charge, items = measures.charge, measures.items

    def add(a: Any, b: Any) -> Any:
        if type(a) in NUMBERS:
            return check_bits(a + b)
        if isinstance(a, SEQUENCES) and isinstance(b, SEQUENCES):
            if len(a) + len(b) > MAX_SIZE:
                raise too_large("the sum")
            charge(len(a) + len(b))
        first: Any = a
        return first + b

    def iadd(a: Any, b: Any) -> Any:
        if type(a) is list:
            more = items(b)
            if len(a) + len(more) > MAX_SIZE:
                raise too_large("the list")
            a += more
            return a
        return add(a, b)

    def mul(a: Any, b: Any) -> Any:
        if type(a) in NUMBERS and type(b) in NUMBERS:
            if type(a) is int and type(b) is int and a.bit_length() + b.bit_length() > MAX_BITS:
                raise OverflowError(f"an integer of more than {MAX_BITS} bits")
            return a * b
        many, sequence = (a, b) if type(a) in NUMBERS else (b, a)
        if type(many) in (int, bool) and isinstance(sequence, SEQUENCES):
            size = max(many, 0) * len(sequence)
            if size > MAX_SIZE:
                raise too_large("the product")
            charge(size)
        return a * b

    def imul(a: Any, b: Any) -> Any:
        if type(a) is list and type(b) in (int, bool):
            a[:] = mul(a, b)
            return a
        return mul(a, b)

    return {"_add": add, "_iadd": iadd, "_mul": mul, "_imul": imul}


def _sets(measures: Measures) -> dict[str, Any]:
    charge, small, items = measures.charge, measures.small, measures.items
    as_key, as_keys = measures.as_key, measures.as_keys

    def sides(a: Any, b: Any) -> tuple[Any, Any]:
        """Both, small enough to be taken together. Views take anything that can be gone through,
        which need not have an end, and make sets of it."""
        if type(a) in VIEWS or type(b) in VIEWS:
            a, b = (each if type(each) in HASHED else set(as_keys(each)) for each in (a, b))
        return small(a), small(b)

    def sub(a: Any, b: Any) -> Any:
        if type(a) in NUMBERS:
            return check_bits(a - b)
        if type(a) in VIEWS or type(b) in VIEWS:
            a, b = sides(a, b)
        elif type(a) is set:
            charge(len(a))
        return a - b

    def isub(a: Any, b: Any) -> Any:
        if type(a) is set and type(b) is set:
            charge(len(a) + len(b))
            a -= b
            return a
        return sub(a, b)

    def joined(operate: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        def guarded(a: Any, b: Any) -> Any:
            if type(a) not in NUMBERS:
                a, b = sides(a, b)
                if type(a) in LONG and type(b) in LONG and len(a) + len(b) > MAX_SIZE:
                    raise too_large("the union")
            return operate(a, b)

        return guarded

    def in_place(change: Callable[[Any, Any], Any], plain: Callable[[Any, Any], Any]) -> Any:
        changed = joined(change)

        def guarded(a: Any, b: Any) -> Any:
            if type(a) not in (set, dict) or type(b) in VIEWS:
                return plain(a, b)
            if type(a) is dict and type(b) not in MAPPINGS:  # pairs, which ``a | b`` does not take
                b = {as_key(key): value for key, value in items(b)}
            return changed(a, b)

        return guarded

    joined_with, common, either = map(joined, (operator.or_, operator.and_, operator.xor))
    return {
        "_sub": sub, "_isub": isub,
        "_or": joined_with, "_ior": in_place(operator.ior, joined_with),
        "_and": common, "_iand": in_place(operator.iand, common),
        "_xor": either, "_ixor": in_place(operator.ixor, either),
    }  # fmt: skip


def _mod(a: Any, b: Any) -> Any:
    if type(a) is str:
        raise TypeError("write an f-string instead of %")
    return a % b


def _power(a: Any, b: Any) -> Any:
    if type(a) not in NUMBERS or type(b) not in NUMBERS:
        raise TypeError("** takes numbers")
    if type(a) is not float and type(b) is not float and abs(b) * int(a).bit_length() > MAX_BITS:
        raise OverflowError(f"an integer of more than {MAX_BITS} bits")
    result = a**b
    if type(result) is complex:
        raise ValueError("the root of a negative number")
    return result


def _lshift(a: Any, b: Any) -> Any:
    if type(b) is int and b > MAX_BITS:
        raise OverflowError(f"an integer of more than {MAX_BITS} bits")
    return check_bits(a << b)
