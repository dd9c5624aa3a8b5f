"""Which topics, services and actions there are: declared in messages/, and described by nodes."""

import importlib
import pkgutil
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import msgspec
from msgspec import inspect

import messages
from messages.bus import Bus, BusError, DeadlineExceeded
from messages.bus.actions.goal_store import feedback_topic
from messages.calling import calls
from messages.empty import Empty
from messages.files import list_files, read_file
from messages.interface import Action, Reply, Service, Topic
from messages.pausing import get_pause, pause, set_pause
from messages.system import (
    Description,
    describe,
    description,
    diagnostics,
    get_parameters,
    heartbeat,
    set_parameters,
)

AWAY = 2.0  # seconds after which an absent node counts as not running

Interface = Topic | Service | Action

_EVERY_NODE = (
    *(heartbeat, diagnostics, description, calls),
    *(describe, get_parameters, set_parameters),
    *(pause, get_pause, set_pause),
    *(list_files, read_file),
)


@cache
def _declared() -> dict[str, Interface]:
    found: dict[str, Interface] = {}
    for module in pkgutil.iter_modules(messages.__path__, "messages."):
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, Topic | Service | Action):
                found[value.name] = value
            if isinstance(value, Action):
                found[f"{value.name}/feedback"] = feedback_topic(value)
    return found


def declared(node: str) -> dict[str, Interface]:
    """What messages/ declares for a node, by name, and what every node has."""
    found = {name: each for name, each in _declared().items() if each.node == node}
    for each in _EVERY_NODE:
        found[each(node).name] = each(node)
    return found


def declared_actions(node: str) -> list[str]:
    """The names of the actions that messages/ declares for a node."""
    return [n for n, each in _declared().items() if isinstance(each, Action) and each.node == node]


def declared_nodes() -> set[str]:
    """The nodes that messages/ declares endpoints for."""
    return {each.node for each in _declared().values()}


def message_types() -> dict[str, tuple[type[Any], set[str]]]:
    """Every type of message that is declared for an endpoint, and those in them, by its name, and
    the endpoints that use it; those of every node's endpoints as ``<node>/...``."""
    found: dict[str, tuple[type[Any], set[str]]] = {}
    for each in [*_declared().values(), *(endpoint("<node>") for endpoint in _EVERY_NODE)]:
        for message in _types_of(each):
            for kind in structs_in(inspect.type_info(message)):
                found.setdefault(kind.__name__, (kind, set()))[1].add(each.name)
    return found


def structs_in(info: Any) -> set[type[Any]]:
    """The structs that a type (as `msgspec.inspect` has it) is made of, itself among them."""
    seen: set[type[Any]] = set()
    left = [info]
    while left:
        info = left.pop()
        if isinstance(info, inspect.StructType):
            if info.cls in seen:
                continue
            seen.add(info.cls)
            left += [field.type for field in info.fields]
        else:
            for part in ("type", "types", "item_type", "item_types", "key_type", "value_type"):
                inner = getattr(info, part, ())
                left += inner if isinstance(inner, tuple | list) else [inner]
    return seen


def _types_of(each: Interface) -> list[type[Any]]:
    if isinstance(each, Topic):
        return [each.message]
    if isinstance(each, Service):
        return [each.request, each.reply]
    return [each.goal, each.feedback, each.result]


def ask_nodes(
    bus: Bus, service: Callable[[str], Service[Empty, Reply]], nodes: Iterable[str]
) -> tuple[dict[str, Reply], list[BusError]]:
    """The replies of the nodes that run, all asked at once. The errors are those of nodes that are
    there and give no such reply: they reject the connection, hang, or are of another version."""

    def ask(name: str) -> Reply | BusError:
        try:
            return bus.call(service(name), Empty(), absence=AWAY)
        except BusError as error:
            return error

    names = list(nodes)
    with ThreadPoolExecutor(len(names)) as pool:
        replies = list(zip(names, pool.map(ask, names), strict=True))
    errors = [each for _, each in replies if isinstance(each, BusError) and not is_absent(each)]
    return {name: each for name, each in replies if not isinstance(each, BusError)}, errors


def is_absent(error: BusError) -> bool:
    """Whether a call failed as the node does not run, or cannot be reached."""
    return isinstance(error, DeadlineExceeded) and error.absent


def descriptions(bus: Bus, nodes: Iterable[str]) -> list[Description]:
    """The descriptions of the nodes that answer."""
    return as_called(ask_nodes(bus, describe, nodes)[0])


def as_called(replies: dict[str, Description]) -> list[Description]:
    """Descriptions by the names that their nodes were called by, and not by those in them."""
    return [msgspec.structs.replace(each, node=node) for node, each in replies.items()]
