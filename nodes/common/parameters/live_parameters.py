"""The parameters of a running node: they are read, set, kept over a restart, and reset."""

import json
import logging
import math
from collections.abc import Collection, Mapping, Set
from pathlib import Path
from typing import Any, ClassVar, Protocol

import msgspec

from messages.bus import ServiceError
from messages.empty import Empty
from messages.system import Parameters, SetParameters
from nodes.common.parameters.kept_parameters import KeptParameters
from nodes.common.running.logs import set_level
from nodes.config import ConfigError, flatten, read_parameters
from voxeldojo.names import near

LOG_LEVEL = "log_level"
"""The parameter that every node has, and that may always be set."""


class Owner(Protocol):
    """What is used of the node."""

    name: ClassVar[str]
    live: ClassVar[Set[str]]
    folder: Path
    parameters: Any
    Parameters: Any
    log: logging.Logger

    def check_parameters(self, wanted: Any) -> None: ...
    def parameters_changed(self, names: set[str]) -> None: ...


class LiveParameters:
    """The live parameters of one node, whose ``parameters`` are those of its configuration so far.
    What was set before the node was restarted is set again, but for what this process was given on
    its command line (``fixed``)."""

    def __init__(self, node: Owner, fixed: Mapping[str, Any]) -> None:
        self._node = node
        known = {field.name for field in msgspec.structs.fields(node.Parameters)}
        self._names = {*node.live, *known.intersection({LOG_LEVEL})}
        self._configured = {n: getattr(node.parameters, n) for n in self._names}
        self._kept = KeptParameters(node.folder)
        self._set: set[str] = set()
        for name, value in self._kept.values().items():
            if name not in self._names or name in fixed:
                continue
            try:
                self._take(self._checked({name: value}), {name})
            except ConfigError as error:
                node.log.warning("%s is no longer as it was set: %s", name, error)
                continue
            self._set.add(name)
            node.log.info("%s is %s, as it was set before", name, value)

    def read(self, _: Empty) -> Parameters:
        return Parameters(
            values=flatten(msgspec.to_builtins(self._node.parameters)),
            live=sorted(self._names),
            configured=self._flat({name: self._configured[name] for name in self._set}),
        )

    def change(self, request: SetParameters) -> Parameters:
        """Set all of them or none."""
        node = self._node
        names = [*request.values, *request.reset]
        fixed = sorted(name for name in names if name not in self._names)
        if fixed:
            raise ServiceError(self._cannot_be_set(fixed[0]))
        reset = {name: msgspec.to_builtins(self._configured[name]) for name in request.reset}
        try:
            checked = self._checked({**request.values, **reset})
            node.check_parameters(checked)
        except ConfigError as error:
            raise ServiceError(str(error)) from error
        changes = {
            name: (before, after)
            for name in dict.fromkeys(names)
            if (before := self._plain(node.parameters, name))
            != (after := self._plain(checked, name))
            or (name in reset) is (name in self._set)
        }
        self._note(changes, request.by, reset)
        self._take(checked, set(names))
        self._set = (self._set | set(request.values)) - set(reset)
        if request.values:
            node.log.info("parameters set: %s", _listed(request.values))
        if reset:
            node.log.info("parameters reset: %s", _listed(reset))
        if LOG_LEVEL in names:
            set_level(node.parameters.log_level)
        node.parameters_changed(set(names))
        return self.read(Empty())

    def _cannot_be_set(self, name: str) -> str:
        """Why not: it is read once when the node starts, or the node has no such parameter."""
        can = ", ".join(sorted(self._names))
        known = msgspec.to_builtins(self._node.parameters)
        if name in known or name in flatten(known):
            return f"{name!r} cannot be set while {self._node.name} runs; these can: {can}"
        nearest = near(name, dict.fromkeys([*known, *self._names]))
        return (
            f"{self._node.name} has no parameter {name!r}{nearest} "
            f"(these can be set while it runs: {can})"
        )

    def _checked(self, values: Mapping[str, Any]) -> Any:
        """All parameters with these values. Raises ConfigError."""
        where = f"nodes.{self._node.name}.parameters"
        for name, value in values.items():
            if isinstance(value, float) and not math.isfinite(value):
                raise ConfigError(f"{where}: {name} has to be finite")
        whole = {**msgspec.to_builtins(self._node.parameters), **values}
        return read_parameters(self._node.Parameters, whole, where)

    def _take(self, checked: Any, names: set[str]) -> None:
        for name in names:
            setattr(self._node.parameters, name, getattr(checked, name))

    def _note(
        self, changes: Mapping[str, tuple[Any, Any]], by: str, reset: Collection[str]
    ) -> None:
        if not changes:
            return
        try:
            self._kept.note(changes, by, reset)
        except OSError as error:
            raise ServiceError(
                f"nothing is set: {error.filename or 'the record of changes'} cannot be written: "
                f"{error.strerror}",
                code="disk",
            ) from None

    @staticmethod
    def _plain(parameters: Any, name: str) -> Any:
        return msgspec.to_builtins(getattr(parameters, name))

    @staticmethod
    def _flat(values: Mapping[str, Any]) -> Any:
        return flatten(msgspec.to_builtins(values))


def _listed(values: Mapping[str, Any]) -> str:
    """As a user sets them: ``clip=0.1 vision=true``."""
    return " ".join(f"{name}={json.dumps(value)}" for name, value in values.items())
