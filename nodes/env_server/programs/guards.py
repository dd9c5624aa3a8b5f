"""What a running program meets instead of Python's builtins and operators.

Every operation that can be made to take long, or grow, charges fuel by the size of what it touches
and refuses beyond ``MAX_SIZE``. Fuel is refilled by the host at each primitive; once exhausted it
stays so, whatever the program catches.
"""

import math
from collections.abc import Callable, Iterable
from itertools import islice
from reprlib import Repr
from types import GeneratorType, MappingProxyType
from typing import Any

from nodes.env_server.programs import language
from nodes.env_server.programs.fuel import Fuel
from nodes.env_server.programs.keys import Keys, hash_can_be_chosen
from nodes.env_server.programs.observation import Observation, Ray, find, nearest, nearest_mob
from nodes.env_server.programs.primitives import ARGUMENT, Code

MAX_SIZE = 10_000  # elements of a container, characters of a text
MAX_BITS = 1024  # of an integer

_NEAREST = 1_000  # what looking for a block costs, in elements
_MISTAKE = 8_000  # what a refusal costs that looks for names alike

_SCALARS = frozenset({int, float, bool, str, type(None), Ray, Observation})
_NUMBERS = frozenset({int, float, bool})
_VIEWS = (type({}.keys()), type({}.values()), type({}.items()))
_HASHED = (set, dict, MappingProxyType, _VIEWS[0])
_LONG = (list, tuple, set, dict, MappingProxyType, *_VIEWS)
_SEQUENCES = (str, list, tuple)  # with rays, which are tuples: none of theirs grows unseen either
_LAZY = (enumerate, zip)
_GROWING = frozenset({"append", "extend", "insert", "add", "setdefault", "update"})
_STRIPPING = frozenset({"strip", "lstrip", "rstrip"})
_SEARCHING = frozenset({"index", "count", "remove"})
_GOING_THROUGH = frozenset({"copy", "insert", "reverse"})

_FEW = 8  # keys of one hash: three coordinates of -1 and -2
_COLLISION = 16  # what comparing with another key of the same hash costs, in elements
_TEXT_SHIFT = 9
"""Comparing so many bits of a text's length costs as much as one element."""


class _Short(Repr):
    """``repr``, cut short. ``charge`` is told of what has to be sorted for it."""

    def __init__(self, charge: Callable[[int], None]) -> None:
        super().__init__()
        self._charge = charge
        self.maxlevel, self.maxdict, self.maxlist, self.maxtuple = 3, 12, 12, 12
        self.maxset, self.maxstring, self.maxother, self.maxlong = 12, 200, 80, 80

    def repr_set(self, x: Any, level: int) -> str:
        self._charge(len(x))
        return super().repr_set(x, level)

    def repr_dict(self, x: Any, level: int) -> str:
        self._charge(len(x))
        return super().repr_dict(x, level)


_free = _Short(lambda size: None)


def text(value: Any, short: Repr = _free) -> str:
    """``str(value)``, cut short for containers."""
    kind = type(value)
    if kind in _SCALARS:
        return str(value)
    if isinstance(value, Exception):
        return _plain_error(value, short)
    return represented(value, short)


def represented(value: Any, short: Repr = _free) -> str:
    """``repr(value)``, cut short."""
    if type(value) is MappingProxyType:
        value = dict(value)
    if type(value) in _SCALARS or type(value) in _LONG:
        return short.repr(value)
    return f"<{type(value).__name__}>"


def _plain_error(error: Exception, short: Repr) -> str:
    if all(type(argument) in _SCALARS for argument in error.args):
        return str(error)[:MAX_SIZE]
    return ", ".join(text(argument, short) for argument in error.args[:3])


def _too_large(what: str) -> ValueError:
    return ValueError(f"{what} is larger than {MAX_SIZE}")


def _check_bits(number: Any) -> Any:
    if type(number) is int and number.bit_length() > MAX_BITS:
        raise OverflowError(f"an integer of more than {MAX_BITS} bits")
    return number


def make_guards(fuel: Fuel) -> dict[str, Any]:
    """The guards of one run, by the names that the rewriter gives them."""
    charge = fuel.charge
    short = _Short(charge)
    keys = Keys()

    def small(value: Any) -> Any:
        """``value``, if it is small enough to be compared or hashed."""
        if type(value) not in _SCALARS:
            measured(value)
        return value

    def measured(value: Any) -> int:
        """How many elements are reached from ``value``, which are charged."""
        count, level, texts = 0, [value], 0
        while level:
            item = level.pop()
            kind = type(item)
            if kind is range:
                count += len(item)
            elif kind in _LONG:
                count += 1 + len(item)
                if count <= MAX_SIZE:
                    level.extend(item)
                    if kind is dict or kind is MappingProxyType:
                        level.extend(item.values())
            elif kind is str:
                texts += len(item) >> _TEXT_SHIFT
            if count > MAX_SIZE:
                raise _too_large("what is compared or used as a key")
        charge(count + texts)
        return count

    def as_key(value: Any) -> Any:
        """``value``, if it may be put into a set or a dict as a key."""
        kind = type(value)
        size = 0 if kind in _SCALARS else measured(value)
        if hash_can_be_chosen(value):
            alike = keys.add(value, size)
            if alike > _FEW or kind is int or kind is float:
                charge(_COLLISION * (1 + alike))
        return value

    def as_keys(values: Iterable[Any]) -> list[Any]:
        return [as_key(value) for value in items(values)]

    def items(values: Iterable[Any]) -> list[Any]:
        found = list(islice(values, MAX_SIZE + 1))
        if len(found) > MAX_SIZE:
            raise _too_large("the sequence")
        charge(len(found))
        return found

    def add(a: Any, b: Any) -> Any:
        if type(a) in _NUMBERS:
            return _check_bits(a + b)
        if isinstance(a, _SEQUENCES) and isinstance(b, _SEQUENCES):
            if len(a) + len(b) > MAX_SIZE:
                raise _too_large("the sum")
            charge(len(a) + len(b))
        first: Any = a
        return first + b

    def iadd(a: Any, b: Any) -> Any:
        if type(a) is list:
            more = items(b)
            if len(a) + len(more) > MAX_SIZE:
                raise _too_large("the list")
            a += more
            return a
        return add(a, b)

    def sides(a: Any, b: Any) -> tuple[Any, Any]:
        """Both, small enough to be taken together. Views take anything that can be gone through,
        which need not have an end, and make sets of it."""
        if type(a) in _VIEWS or type(b) in _VIEWS:
            a, b = (each if type(each) in _HASHED else set(as_keys(each)) for each in (a, b))
        return small(a), small(b)

    def sub(a: Any, b: Any) -> Any:
        if type(a) in _NUMBERS:
            return _check_bits(a - b)
        if type(a) in _VIEWS or type(b) in _VIEWS:
            a, b = sides(a, b)
        elif type(a) is set:
            charge(len(a))
        return a - b

    def mul(a: Any, b: Any) -> Any:
        if type(a) in _NUMBERS and type(b) in _NUMBERS:
            if type(a) is int and type(b) is int and a.bit_length() + b.bit_length() > MAX_BITS:
                raise OverflowError(f"an integer of more than {MAX_BITS} bits")
            return a * b
        many, sequence = (a, b) if type(a) in _NUMBERS else (b, a)
        if type(many) in (int, bool) and isinstance(sequence, _SEQUENCES):
            size = max(many, 0) * len(sequence)
            if size > MAX_SIZE:
                raise _too_large("the product")
            charge(size)
        return a * b

    def mod(a: Any, b: Any) -> Any:
        if type(a) is str:
            raise TypeError("write an f-string instead of %")
        return a % b

    def power(a: Any, b: Any) -> Any:
        if type(a) not in _NUMBERS or type(b) not in _NUMBERS:
            raise TypeError("** takes numbers")
        if (
            type(a) is not float
            and type(b) is not float
            and abs(b) * int(a).bit_length() > MAX_BITS
        ):
            raise OverflowError(f"an integer of more than {MAX_BITS} bits")
        result = a**b
        if type(result) is complex:
            raise ValueError("the root of a negative number")
        return result

    def lshift(a: Any, b: Any) -> Any:
        if type(b) is int and b > MAX_BITS:
            raise OverflowError(f"an integer of more than {MAX_BITS} bits")
        return _check_bits(a << b)

    def joined(operator: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        def guarded(a: Any, b: Any) -> Any:
            if type(a) not in _NUMBERS:
                a, b = sides(a, b)
                if type(a) in _LONG and type(b) in _LONG and len(a) + len(b) > MAX_SIZE:
                    raise _too_large("the union")
            return operator(a, b)

        return guarded

    def contains(item: Any, holder: Any) -> bool:
        small(item)
        kind = type(holder)
        if kind in _HASHED:
            return item in holder
        if kind is range:
            return type(item) in (int, bool) and item in holder
        if kind is str:
            charge(len(holder))
            return item in holder
        found = holder if kind is list or kind is tuple else items(holder)
        searched(found, item)
        return item in found

    def searched(holder: Any, item: Any) -> None:
        """``item`` is compared with each element."""
        length = len(item) if type(item) is str else 0
        charge(len(holder) * (1 + (length >> _TEXT_SHIFT)))
        if type(item) not in _SCALARS:
            small(holder)

    def long(holder: Any) -> Any:
        if type(holder) in (str, list, tuple):
            charge(len(holder))
        return holder

    def room(holder: Any) -> Any:
        if type(holder) is dict and len(holder) >= MAX_SIZE:
            raise _too_large("the dict")
        return holder

    def ordered(values: Any, *, key: Any = None, reverse: Any = False) -> list[Any]:
        found = items(values)
        keys = found if key is None else [key(value) for value in found]
        small(keys)
        if key is None:
            return sorted(found, reverse=bool(reverse))
        order = sorted(range(len(found)), key=keys.__getitem__, reverse=bool(reverse))
        return [found[index] for index in order]

    nothing = object()

    def best(choose: Callable[..., int]) -> Callable[..., Any]:
        def guarded(*values: Any, key: Any = None, default: Any = nothing) -> Any:
            if len(values) == 2 and key is None:
                a, b = values
                if type(a) in _NUMBERS and type(b) in _NUMBERS:
                    return choose(a, b)
            found = items(values[0] if len(values) == 1 else values)
            if not found and default is not nothing:
                return default
            keys = found if key is None else [key(value) for value in found]
            small(keys)
            return found[choose(range(len(found)), key=keys.__getitem__)]

        return guarded

    def total(values: Any, start: Any = 0) -> Any:
        if type(start) not in _NUMBERS:
            raise TypeError("sum adds numbers")
        for value in values if type(values) is GeneratorType else items(values):
            if type(value) not in _NUMBERS:
                raise TypeError(f"sum adds numbers, not {type(value).__name__}")
            start += value
        return _check_bits(start)

    def over(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda values: function(values if type(values) is GeneratorType else items(values))

    def make_list(values: Any = ()) -> list[Any]:
        return items(values)

    def make_tuple(values: Any = ()) -> tuple[Any, ...]:
        return tuple(items(values))

    def make_set(values: Any = ()) -> set[Any]:
        return set(as_keys(values))

    def make_dict(values: Any = (), **more: Any) -> dict[Any, Any]:
        if type(values) in (dict, MappingProxyType):
            charge(len(values))
            return dict(values, **more)
        return {as_key(key): value for key, value in items(values)} | more

    def make_str(value: Any = "") -> str:
        return text(value, short)

    def make_int(*arguments: Any) -> int:
        return _check_bits(int(*map(long, arguments)))

    def make_float(value: Any = 0.0) -> float:
        return float(long(value))

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

    def shown(value: Any) -> str:
        return represented(value, short)

    def fstring(*parts: str) -> str:
        if sum(map(len, parts)) > MAX_SIZE:
            raise _too_large("the text")
        charge(sum(map(len, parts)))
        return "".join(parts)

    def formatted(value: Any, spec: str) -> str:
        if type(value) not in _SCALARS or type(value) in (Ray, Observation):
            value = text(value, short)
        return format(value, spec)

    def replace(value: str, old: str, new: str, count: int = -1) -> str:
        if len(value) + value.count(old) * len(new) > MAX_SIZE:
            raise _too_large("the text")
        return value.replace(old, new, count)

    def join(value: str, parts: Any) -> str:
        found = items(parts)
        if sum(len(p) if type(p) is str else 0 for p in found) + len(value) * len(found) > MAX_SIZE:
            raise _too_large("the text")
        return value.join(found)

    def method(value: Any, name: str, /, *args: Any, **keywords: Any) -> Any:
        kind = type(value)
        if kind is Observation and name == "block":
            return value.block(*args, **keywords)
        known = dict if kind is MappingProxyType else kind
        if name not in language.METHODS.get(known, ()) or not hasattr(value, name):
            raise AttributeError(f"{kind.__name__} has no method .{name}()")
        if name == "sort":
            value[:] = ordered(value, *args, **keywords)
            return None
        if kind is str:
            charge(len(value))
            if name == "replace":
                return replace(value, *args, **keywords)
            if name == "join":
                return join(value, *args)
            if name in _STRIPPING and args and type(args[0]) is str:
                charge(len(value) * len(args[0]) >> 4)
        if name in _GROWING:
            if name in ("extend", "update"):
                if type(value) is dict:
                    args = (make_dict(*args),)
                else:
                    args = tuple(items(arg) for arg in args)
            more = len(args[0]) if name in ("extend", "update") and args else 1
            if len(value) + more > MAX_SIZE:
                raise _too_large(f"the {kind.__name__}")
            if name in ("add", "setdefault"):
                args = (as_key(args[0]), *args[1:]) if args else args
        if name not in ("append", "extend", "update"):
            for arg in args:
                small(arg)
        if name in _SEARCHING and kind in (list, tuple) and args:
            searched(value, args[0])
        elif len(value) > 64 and name in _GOING_THROUGH:
            charge(len(value))
        return getattr(value, name)(*args, **keywords)

    def looking(look: Callable[..., Any]) -> Callable[..., Any]:
        def guarded(*arguments: Any) -> Any:
            charge(_NEAREST)
            try:
                return look(*arguments)
            except ValueError:
                charge(_MISTAKE)
                raise

        return guarded

    def careful(check: Callable[[Any], Code]) -> Callable[[Any], Code]:
        def guarded(argument: Any) -> Code:
            try:
                return check(argument)
            except ValueError:
                charge(_MISTAKE)
                raise

        return guarded

    return {
        **{name: careful(check) for name, check in ARGUMENT.items()},
        "nearest": looking(nearest), "nearest_mob": looking(nearest_mob), "find": looking(find),
        "_long": long,
        "_small": small, "_key": as_key, "_in": contains, "_room": room, "_method": method,
        "_add": add, "_iadd": iadd, "_sub": sub, "_mul": mul, "_mod": mod, "_pow": power,
        "_lshift": lshift, "_or": joined(lambda a, b: a | b), "_and": joined(lambda a, b: a & b),
        "_xor": joined(lambda a, b: a ^ b), "_text": make_str, "_repr": shown,
        "_format": formatted, "_fstring": fstring, "_list": make_list, "_tuple": make_tuple,
        "_set": make_set, "_dict": make_dict, "_str": make_str, "_int": make_int,
        "_float": make_float,
        "enumerate": numbered, "zip": zipped, "sorted": ordered,
        "min": best(min), "max": best(max), "sum": total, "any": over(any), "all": over(all),
    }  # fmt: skip


def _rounded(number: Any, digits: Any = None) -> Any:
    if digits is None:
        return round(number)
    return round(number, min(max(digits, -20), 20))


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
