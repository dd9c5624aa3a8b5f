"""Containers: looking into them, putting into them, and the methods of values."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from nodes.env_server.programs import grammar
from nodes.env_server.programs.language_guards.measures import MAX_SIZE, Measures, too_large
from nodes.env_server.programs.language_guards.operators import HASHED

_GROWING = frozenset({"append", "extend", "insert", "add", "setdefault", "update"})
_EACH_WITH_ALL = frozenset({"strip", "lstrip", "rstrip", "rfind", "rindex", "rpartition", "rsplit"})
"""Methods of a text that may compare each of its characters with all of another text."""
_OF_KEYS = frozenset(
    {"update", "union", "intersection", "difference", "symmetric_difference",
     "intersection_update", "difference_update", "symmetric_difference_update", "issubset",
     "issuperset", "isdisjoint"}
)  # fmt: skip
"""Methods of a set that take the elements of others as keys."""
_UNITING = frozenset({"update", "union", "symmetric_difference", "symmetric_difference_update"})
_LEFT_ALONE = frozenset({"update", "difference_update"})  # the set's own elements
_SEARCHING = frozenset({"index", "count", "remove"})
_GOING_THROUGH = frozenset({"copy", "insert", "reverse"})


def containers_for(
    measures: Measures,
    builtins: Mapping[str, Any],
    methods: Mapping[type, frozenset[str]],
) -> dict[str, Any]:
    """By the names that the rewriter gives them. ``methods``: of the game's own types."""
    call = _method(measures, builtins)

    def method(value: Any, name: str, /, *args: Any, **keywords: Any) -> Any:
        if name in methods.get(type(value), ()):
            return getattr(value, name)(*args, **keywords)
        return call(value, name, *args, **keywords)

    return {"_method": method, **_looking_in(measures)}


def _looking_in(measures: Measures) -> dict[str, Any]:
    charge, small, items, searched = (
        measures.charge, measures.small, measures.items, measures.searched,
    )  # fmt: skip

    def contains(item: Any, holder: Any) -> bool:
        small(item)
        kind = type(holder)
        if kind in HASHED:
            return item in holder
        if kind is range:  # compared in one go with integers only, and one by one with others
            if type(item) is float and item.is_integer():
                item = int(item)
            return type(item) in (int, bool) and item in holder
        if kind is str:
            charge(len(holder))
            return item in holder
        found = holder if kind is list or kind is tuple else items(holder)
        searched(found, item)
        return item in found

    def long(holder: Any) -> Any:
        if type(holder) in (str, list, tuple):
            charge(len(holder))
        return holder

    def room(holder: Any) -> Any:
        if type(holder) is dict and len(holder) >= MAX_SIZE:
            raise too_large("the dict")
        return holder

    return {
        "_in": contains, "_long": long, "_room": room, "_small": small, "_key": measures.as_key,
    }  # fmt: skip


def _method(measures: Measures, builtins: Mapping[str, Any]) -> Callable[..., Any]:
    charge, small, items, searched = (
        measures.charge, measures.small, measures.items, measures.searched,
    )  # fmt: skip
    as_key, as_keys = measures.as_key, measures.as_keys
    ordered, make_dict = builtins["sorted"], builtins["_dict"]

    def replace(value: str, old: str, new: str, count: int = -1) -> str:
        if len(value) + value.count(old) * len(new) > MAX_SIZE:
            raise too_large("the text")
        return value.replace(old, new, count)

    def join(value: str, parts: Any) -> str:
        found = items(parts)
        if sum(len(p) if type(p) is str else 0 for p in found) + len(value) * len(found) > MAX_SIZE:
            raise too_large("the text")
        return value.join(found)

    def of_keys(value: set[Any], name: str, /, *others: Any, **keywords: Any) -> Any:
        keys = [as_keys(other) for other in others]
        if name not in _LEFT_ALONE:
            charge(len(value))
        if name in _UNITING and len(value) + sum(map(len, keys)) > MAX_SIZE:
            raise too_large("the set")
        return getattr(value, name)(*keys, **keywords)

    def method(value: Any, name: str, /, *args: Any, **keywords: Any) -> Any:
        kind = type(value)
        known = dict if kind is MappingProxyType else kind
        if name not in grammar.METHODS.get(known, ()) or not hasattr(value, name):
            raise AttributeError(f"{kind.__name__} has no method .{name}()")
        if name == "sort":
            value[:] = ordered(value, *args, **keywords)
            return None
        if kind is set and name in _OF_KEYS:
            return of_keys(value, name, *args, **keywords)
        if kind is str:
            charge(len(value))
            if name == "replace":
                return replace(value, *args, **keywords)
            if name == "join":
                return join(value, *args)
            if name in _EACH_WITH_ALL:
                for other in (*args, *keywords.values()):
                    charge(len(value) * len(other) >> 4 if type(other) is str else 0)
        if name in _GROWING:
            if name in ("extend", "update"):
                args = (make_dict(*args),) if kind is dict else tuple(map(items, args))
            more = len(args[0]) if name in ("extend", "update") and args else 1
            more += len(keywords)
            if len(value) + more > MAX_SIZE:
                raise too_large(f"the {kind.__name__}")
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

    return method
