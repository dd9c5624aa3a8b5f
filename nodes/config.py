"""The configuration of a node in its run folder: the resolved launch, and its own parameters."""

import math
import os
import re
import reprlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import msgspec
import yaml

from messages.system import ParameterValue
from messages.world import MOST_ENVIRONMENTS
from nodes.common.checks.type_paths import options, type_at
from nodes.common.storage.yaml_numbers import read_yaml
from nodes.common.storage.yaml_problem import yaml_problem
from voxeldojo.names import near

_Parameters = TypeVar("_Parameters", bound=msgspec.Struct)


ENV_SERVER = "env_server"
_ENV_SERVER = re.compile(rf"{ENV_SERVER}(?:_(\d+))?")


def env_server_number(node: str) -> int:
    """1 of ``env_server``, 2 of ``env_server_2``; 0: the node is no env server."""
    match = _ENV_SERVER.fullmatch(node)
    return int(match[1] or 1) if match else 0


class ConfigError(Exception):
    """The configuration is invalid; the text is one sentence for the user."""


def read_config(run: Path) -> dict[str, Any]:
    """The resolved configuration of a run, ``<run>/config.yaml``.

    Raises:
        ConfigError: there is none, or it is invalid.
    """
    if not run.is_dir():
        raise ConfigError(f"there is no run folder {run}; `rlgpt launch` makes one")
    path = run / "config.yaml"
    try:
        config = read_yaml(path.read_text("utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{run} is no run folder: it has no config.yaml") from None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    except (yaml.YAMLError, ValueError) as error:  # a nonexistent date is no YAMLError
        raise ConfigError(
            f"{path} is not valid YAML ({yaml_problem(error)}); restore it or launch into a new "
            "run folder"
        ) from error
    except RecursionError as error:
        raise ConfigError(f"{path} is nested too deeply to be a launch") from error
    if not isinstance(config, dict):
        raise ConfigError(
            f"{path}: it is no launch: it should be a mapping of names to values; restore it or "
            "launch into a new run folder"
        )
    return cast("dict[str, Any]", config)


def key_folder(run: Path, keys: object) -> Path | None:
    """Where the keys for other machines are: ``keys`` of the configuration, seen from the run
    folder. None: in its ``keys``."""
    if not keys:
        return None
    return Path(os.path.normpath(run.resolve() / Path(os.path.expanduser(str(keys)))))


def node_values(config: Mapping[str, Any], node: str) -> dict[str, Any]:
    """``nodes.<node>.parameters`` of a configuration; empty if there are none. Where the node is
    another one of a kind (``kind_of``), its own come on top of those of the first one, which is
    written so by hand too: it must play the same world."""
    first = _plan(config, node).get("kind_of")
    inherited = {} if first is None else _parameters(config, str(first))
    return {**inherited, **_parameters(config, node)}


def _parameters(config: Mapping[str, Any], node: str) -> dict[str, Any]:
    found = _plan(config, node).get("parameters")
    if found is None:
        return {}
    if not isinstance(found, Mapping):
        raise ConfigError(f"nodes.{node}.parameters must be a mapping of names to values")
    return dict(cast("Mapping[str, Any]", found))


def _plan(config: Mapping[str, Any], node: str) -> Mapping[str, Any]:
    values = config
    for key in ("nodes", node):
        found = values.get(key)
        if found is None:
            return {}
        if not isinstance(found, Mapping):
            raise ConfigError(f"nodes.{node}.parameters must be a mapping of names to values")
        values = cast("Mapping[str, Any]", found)
    return values


def check_session_size(config: Mapping[str, Any], name: str, size: int) -> None:
    """Raises ConfigError: the env server would reject each session of so many environments."""
    limit = node_values(config, "env_server").get("most_environments")
    most = limit if isinstance(limit, int) else MOST_ENVIRONMENTS
    if size > most:
        raise ConfigError(
            f"{name} is {size}, and a session has at most {most} environments: take fewer, or "
            "raise nodes.env_server.parameters.most_environments"
        )


def env_servers(config: Mapping[str, Any]) -> list[str]:
    """The names of the env servers of a configuration, the first one, ``env_server``, always among
    them."""
    nodes = config.get("nodes")
    plans: Mapping[str, Any] = {}
    if isinstance(nodes, Mapping):
        plans = cast("Mapping[str, Any]", nodes)
    more = [
        name
        for name, plan in plans.items()
        if isinstance(plan, Mapping)
        and cast("Mapping[str, Any]", plan).get("kind_of") == ENV_SERVER
    ]
    return [ENV_SERVER, *more]


def check_batch(config: Mapping[str, Any], name: str, size: int) -> None:
    """`check_session_size` of the largest share of a batch that all env servers play together."""
    check_session_size(config, name, -(-size // len(env_servers(config))))


def override(values: dict[str, Any], arguments: Sequence[str]) -> dict[str, Any]:
    """Apply ``key=value`` and ``key.inner=value``, the values in YAML."""
    changed = msgspec.to_builtins(values)
    for argument in arguments:
        key, equals, text = argument.partition("=")
        if not equals or not key:
            raise ConfigError(f"{argument!r} must be key=value")
        try:
            value = read_yaml(text)
        except (yaml.YAMLError, ValueError) as error:
            raise ConfigError(f"the value of {argument!r} is not YAML") from error
        *outer, last = key.split(".")
        place = changed
        for name in outer:
            inner = place.setdefault(name, {})
            if not isinstance(inner, dict):
                raise ConfigError(f"{argument!r}: {name} is a value and has no {last}")
            place = cast("dict[str, Any]", inner)
        place[last] = value
    return changed


def read_parameters(kind: type[_Parameters], values: Mapping[str, Any], where: str) -> _Parameters:
    """Check values by a parameter struct.

    Raises:
        ConfigError: a name is unknown or a value is of the wrong type; the text names it.
    """
    known = {field.encode_name for field in msgspec.structs.fields(kind)}
    unknown = sorted(set(map(str, values)) - known)
    if unknown:
        names = ", ".join(sorted(known)) or "none"
        hint = near(unknown[0], known)
        absent = f"there is no parameter {unknown[0]!r}{hint}"
        raise ConfigError(f"{where}: {absent} (there are: {names})")
    for name, value in _numbers(values):
        if not math.isfinite(value):  # most bounds let infinity pass, and name no fault of NaN
            raise ConfigError(f"{where}.{name} is {value}: expected a finite number")
    try:
        return msgspec.convert(values, kind)
    except (msgspec.ValidationError, ValueError, TypeError) as error:
        raise ConfigError(_wrong_value(str(error), kind, values, where)) from error


def _numbers(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, float]]:
    """The floats of nested mappings, by ``outer.inner`` names."""
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from _numbers(cast("Mapping[str, Any]", value), f"{prefix}{key}.")
        elif isinstance(value, float):
            yield f"{prefix}{key}", value


def _wrong_value(error: str, kind: type[Any], values: Mapping[str, Any], where: str) -> str:
    """msgspec's error (``Expected `int` >= 0 - at `$.repairs```) with the parameter's name and
    value."""
    message, _, place = error.partition(" - at ")
    path = place.strip("`").removeprefix("$").lstrip(".")
    expected = f"{message[:1].lower()}{message[1:]}"
    if message.startswith("Invalid enum value") and (those := options(type_at(kind, path))):
        expected = f"expected one of {', '.join(those)}"
    if not path:
        return f"{where}: {error}"
    value: Any = values
    for name in path.split("."):
        if not isinstance(value, Mapping) or name not in value:  # a place in a list
            return f"{where}.{path}: {expected}"
        value = cast("Mapping[str, Any]", value)[name]
    return f"{where}.{path} is {reprlib.repr(value)}: {expected}"


def flatten(values: Any, prefix: str = "") -> dict[str, ParameterValue]:
    """Nested values as ``outer.inner`` names; what is nested in a list as JSON text."""
    flat: dict[str, ParameterValue] = {}
    for key, value in cast("dict[str, Any]", values).items():
        if isinstance(value, dict) and value:
            flat.update(flatten(value, f"{prefix}{key}."))
        else:
            try:
                flat[f"{prefix}{key}"] = msgspec.convert(value, ParameterValue)
            except msgspec.ValidationError:
                flat[f"{prefix}{key}"] = msgspec.json.encode(value).decode()
    return flat
