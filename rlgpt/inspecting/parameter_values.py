"""The nodes' parameters: reading, setting, saving and loading them."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import yaml

from messages.bus import Bus, BusError, RemoteError
from messages.codec import CodecError
from messages.empty import Empty
from messages.system import (
    Parameters,
    ParameterValue,
    SetParameters,
    get_parameters,
)
from messages.system import set_parameters as setting
from messages.undecodable import UNDECODABLE
from nodes.common.running.counted import counted
from nodes.common.storage.yaml_numbers import read_yaml, written_yaml
from nodes.common.storage.yaml_problem import yaml_problem
from rlgpt.composing.configuration import Stack
from rlgpt.composing.conversion import convert
from rlgpt.composing.user_files import read_user_text
from rlgpt.inspecting.node_pauses import user
from rlgpt.inspecting.opening import answered, not_answering, opened
from rlgpt.inspecting.output import json_line, print_rows
from rlgpt.interfaces import AWAY
from rlgpt.refused import Refused, instead

_COLUMNS = {"node": "node", "parameter": "parameter", "value": "shown", "": "mark"}


def show_parameters(
    node: str | None, name: str | None, wanted: str | None, as_json: bool = False
) -> int:
    """Print the parameters of one node or of all, or the value of one parameter."""
    with opened(wanted) as (run, stack, bus):
        found = parameters_of(node, run, stack, bus)
    if name is not None and node is not None:
        values = found[node].values
        if name not in values:
            raise Refused(f"{node} has no parameter `{name}`{instead(name, values)}")
        print(json_line(values[name]))
        return 0
    rows = [
        {
            "node": each,
            "parameter": key,
            "value": value,
            "live": key in parameters.live,
            "configured": parameters.configured.get(key, value),
            **({} if as_json else {"shown": json_line(value), "mark": _mark(key, parameters)}),
        }
        for each, parameters in found.items()
        for key, value in parameters.values.items()
    ]
    print_rows(rows, _COLUMNS, as_json)
    return 0


def dump_parameters(node: str | None, wanted: str | None) -> int:
    """Print the parameters of one node or of all as YAML, ``node: {parameter: value}``."""
    with opened(wanted) as (run, stack, bus):
        found = parameters_of(node, run, stack, bus)
    values = {each: parameters.values for each, parameters in found.items() if parameters.values}
    print(written_yaml(values), end="")
    return 0


def _by_node(read: object) -> dict[str, dict[str, ParameterValue]]:
    """The parameters that a file has, by node. Raises ValueError, which names the place."""
    asked: dict[str, dict[str, ParameterValue]] = {}
    for node, values in convert(read, dict[str, Any]).items():
        if not isinstance(values, dict):
            raise ValueError(f"`{node}` has no mapping of parameters to values")
        asked[node] = {}
        for name, value in convert(values, dict[str, Any]).items():
            try:
                asked[node][name] = msgspec.convert(value, ParameterValue)
            except msgspec.ValidationError:
                kinds = "a number, a text, true, false, null, or a list of these"
                raise ValueError(f"`{node}.{name}` is none of {kinds}") from None
    return asked


def load_parameters(path: str, wanted: str | None) -> int:
    """Set the live parameters that a file of `dump_parameters` has. Those that are not live must be
    as they are: nothing is set where one is not, or where the file names what there is not."""
    text = read_user_text(Path(os.path.expanduser(path)))
    try:
        asked = _by_node(read_yaml(text))
    except RecursionError:
        raise Refused(f"{path} is nested too deeply") from None
    except (yaml.YAMLError, ValueError) as error:
        reason = yaml_problem(error)
        raise Refused(f"{path}: write node: {{parameter: value}} ({reason})") from None
    with opened(wanted) as (run, stack, bus):
        changes: dict[str, dict[str, ParameterValue]] = {}
        for node, values in asked.items():
            changes[node] = _changes(path, node, values, parameters_of(node, run, stack, bus)[node])
        for node, values in changes.items():
            if values:
                change_parameters(node, values, run, bus)
    changed = sum(len(values) for values in changes.values())
    print(f"{counted(changed, 'parameter')} set")
    return 0


def _changes(
    path: str, node: str, values: dict[str, ParameterValue], now: Parameters
) -> dict[str, ParameterValue]:
    changed: dict[str, ParameterValue] = {}
    for name, value in values.items():
        if name not in now.values:
            raise Refused(f"{path}: {node} has no parameter `{name}`{instead(name, now.values)}")
        if value == now.values[name]:
            continue
        if name not in now.live:
            raise Refused(
                f"{path}: {node}: `{name}` cannot be set while {node} runs; set it in the launch "
                f"file, or leave it at {json_line(now.values[name])}"
            )
        changed[name] = value
    return changed


def set_parameters(node: str, assignments: list[str], wanted: str | None) -> int:
    """Set parameters of a running node, all or none. Values are read as JSON, else as text."""
    values: dict[str, ParameterValue] = {}
    for assignment in assignments:
        key, equals, text = assignment.partition("=")
        if not equals:
            raise Refused(f"`{assignment}` sets nothing; write {assignment}=VALUE")
        values[key] = value_of(text)
    with opened(wanted) as (run, stack, bus):
        stack.check_node(node)
        change_parameters(node, values, run, bus)
    for key, value in values.items():
        print(f"{node}: {key} = {json_line(value)}")
    return 0


def reset_parameters(node: str, names: list[str], wanted: str | None) -> int:
    """Set parameters of a running node back to what its configuration has: those that are named, or
    all that were set."""
    with opened(wanted) as (run, stack, bus):
        known = parameters_of(node, run, stack, bus)[node]
        for name in names:
            if name not in known.configured:
                raise Refused(f"{node}: `{name}` was not set{instead(name, known.configured)}")
        chosen = names or list(known.configured)
        if chosen:
            change_parameters(node, {}, run, bus, chosen)
    for name in chosen:
        print(f"{node}: {name} = {json_line(known.configured[name])}, as configured")
    if not chosen:
        print(f"{node}: no parameter was set")
    return 0


def value_of(text: str) -> ParameterValue:
    """A value as a person writes it: JSON, else text."""
    try:
        return msgspec.json.decode(text, type=ParameterValue)
    except UNDECODABLE:
        return text


def parameters_of(node: str | None, run: Path, stack: Stack, bus: Bus) -> dict[str, Parameters]:
    """The parameters of one node, or of all that answer. Raises Refused where none does."""
    if node is not None:
        stack.check_node(node)
        try:
            return {node: bus.call(get_parameters(node), Empty(), absence=AWAY)}
        except BusError as error:
            raise Refused(not_answering(node, run, error)) from None
    return answered(run, bus, get_parameters, list(stack.nodes))


def change_parameters(
    node: str,
    values: dict[str, ParameterValue],
    run: Path,
    bus: Bus,
    reset: Sequence[str] = (),
    by: str = "",
) -> None:
    """Set some and reset others, all or none. Raises Refused."""
    request = SetParameters(values=values, reset=list(reset), by=by or user())
    try:
        bus.call(setting(node), request, absence=AWAY)
    except RemoteError as error:
        raise Refused(error.message) from None
    except CodecError as error:
        shown: Any = ", ".join(values)
        raise Refused(f"`{shown}` cannot be sent: {error}") from None
    except BusError as error:
        raise Refused(not_answering(node, run, error)) from None


def _mark(name: str, parameters: Parameters) -> str:
    if name in parameters.configured:
        return f"live, set (configured: {json_line(parameters.configured[name])})"
    return "live" if name in parameters.live else ""
