"""The env servers that a training's batch is spread over, and how each of them is called."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Protocol

from messages.interface import Call, Reply, Request, Service
from messages.world import OPEN
from nodes.config import env_servers

TO_COME = 2.0
"""Seconds that a server which is to open a session may be absent."""
TO_COME_BACK = 1.0
"""Seconds that one may be absent in a step: over TCP a connection may be made again meanwhile."""


class CallPresent(Protocol):
    """The type of `Node.call`."""

    def __call__(
        self,
        service: Service[Request, Reply],
        request: Request,
        timeout: float | None = None,
        *,
        absence: float | None = None,
    ) -> Reply: ...


def servers_of(config: Mapping[str, Any], call: CallPresent) -> dict[str, Call]:
    """The env servers by name, in the order of the configuration. The only one is waited for while
    it is absent; of several, a call of one that is absent ends soon, and the others go on."""
    names = env_servers(config)
    if len(names) == 1:
        return {names[0]: call}
    return {name: partial(_call_present, call, name) for name in names}


def _call_present(
    call: CallPresent,
    node: str,
    service: Service[Request, Reply],
    request: Request,
    timeout: float | None = None,
) -> Reply:
    absence = TO_COME if service.name == OPEN.name else TO_COME_BACK
    return call(service.at(node), request, timeout, absence=absence)
