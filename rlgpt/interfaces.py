"""Which topics, services and actions there are: declared in messages/, and described by nodes."""

import importlib
import pkgutil
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import messages
from messages.bus import Bus, BusError
from messages.bus.goals import feedback_topic
from messages.empty import Empty
from messages.interface import Action, Service, Topic
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
    for each in (heartbeat, diagnostics, description, describe, get_parameters, set_parameters):
        found[each(node).name] = each(node)
    return found


def descriptions(bus: Bus, nodes: Iterable[str]) -> list[Description]:
    """The descriptions of the nodes that answer."""

    def ask(name: str) -> Description | None:
        try:
            return bus.call(describe(name), Empty(), absence=AWAY)
        except BusError:
            return None

    names = list(nodes)
    with ThreadPoolExecutor(len(names)) as pool:
        return [each for each in pool.map(ask, names) if each is not None]
