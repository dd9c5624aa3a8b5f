"""The page of messages: every endpoint and every type that messages/ declares."""

import importlib
import inspect
import pkgutil
from collections import defaultdict
from types import ModuleType

import messages
from docs.site.fields import document, prose, table
from messages.interface import Action, Service, Topic
from messages.system import (
    describe,
    description,
    diagnostics,
    get_parameters,
    heartbeat,
    set_parameters,
)
from rlgpt.interfaces import message_types

_OF_EVERY_NODE = (heartbeat, diagnostics, description, describe, get_parameters, set_parameters)
Declared = Topic | Service | Action


def modules() -> list[ModuleType]:
    found = pkgutil.iter_modules(messages.__path__, "messages.")
    return [importlib.import_module(each.name) for each in found if not each.ispkg]


def endpoints() -> dict[str, list[Declared]]:
    """The endpoints, by the module that declares them."""
    found: dict[str, list[Declared]] = defaultdict(list)
    for module in modules():
        for value in vars(module).values():
            if isinstance(value, Topic | Service | Action):
                found[module.__name__].append(value)
    found["messages.system"] += [each("<node>") for each in _OF_EVERY_NODE]
    found["messages.files"] = _of_every_node("messages.files")
    return {name: each for name, each in found.items() if each}


def _of_every_node(name: str) -> list[Declared]:
    """What a module makes for a node's name."""
    module = importlib.import_module(name)
    made = [
        function("<node>")
        for function in vars(module).values()
        if inspect.isfunction(function) and list(inspect.signature(function).parameters) == ["node"]
    ]
    return [each for each in made if isinstance(each, Topic | Service | Action)]


def page() -> str:
    """Markdown."""
    types = message_types()
    for each in [each for declared in endpoints().values() for each in declared]:
        for kind in _types(each):
            types.setdefault(kind.__name__, (kind, set()))
    by_module: dict[str, list[str]] = defaultdict(list)
    for name, (kind, _) in types.items():
        by_module[kind.__module__].append(name)
    declared = endpoints()
    parts = [
        "# Messages\n",
        "Every topic, service and action, and every type that they carry, made from `messages/`. "
        "`rlgpt interface show TYPE` prints one, `--json` its JSON schema. `<node>` stands for any "
        "node's name.\n",
    ]
    for module in sorted(by_module.keys() | declared.keys()):
        parts.append(f"## {module.removeprefix('messages.')}\n")
        parts.append(_first_paragraph(module))
        if module in declared:
            parts.append("| endpoint | kind | carries | |\n|---|---|---|---|")
            parts.append("\n".join(_row(each) for each in declared[module]) + "\n")
        for name in sorted(by_module.get(module, [])):
            kind = types[name][0]
            parts.append(f"### {name}\n")
            parts += [document(kind), table(kind)]
    return "\n".join(parts)


def _first_paragraph(module: str) -> str:
    text = inspect.getdoc(importlib.import_module(module)) or ""
    return prose(text.split("\n\n")[0]) + "\n"


def _types(each: Declared) -> list[type]:
    if isinstance(each, Topic):
        return [each.message]
    if isinstance(each, Service):
        return [each.request, each.reply]
    return [each.goal, each.feedback, each.result]


def _row(each: Declared) -> str:
    carries = ", ".join(f"`{kind.__name__}`" for kind in _types(each))
    note = ""
    if isinstance(each, Topic):
        note = "latched" if each.latched else ""
    elif isinstance(each, Service):
        note = f"{'idempotent, ' if each.idempotent else ''}{each.timeout:g} s"
    return f"| `{each.name}` | {type(each).__name__.lower()} | {carries} | {note} |"
