"""``nodes.env_server.replicas: N`` in a launch file: N env servers, of which the further ones
become nodes of their own, ``env_server_2`` to ``env_server_N``."""

from typing import Any

from nodes.config import ENV_SERVER
from rlgpt.refused import Refused

KEY = "replicas"
MOST = 64


def with_replicas(composed: dict[str, Any], source: str) -> dict[str, Any]:
    """The composed launch with a node for each env server. What the launch file has under the name
    of a further one, as other parameters, comes on top of the first one's. Raises Refused."""
    nodes = composed.get("nodes")
    if not isinstance(nodes, dict):
        return composed
    expanded: dict[str, Any] = {}
    for name, plan in nodes.items():
        if not isinstance(plan, dict) or KEY not in plan:
            expanded.setdefault(name, plan)
            continue
        if name != ENV_SERVER:
            raise Refused(
                f"{source}: nodes.{name}.{KEY}: only {ENV_SERVER} may be started more than once"
            )
        count = plan[KEY]
        if not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= MOST:
            raise Refused(f"{source}: nodes.{name}.{KEY} is {count!r}; it is a number, 1 to {MOST}")
        first = {key: value for key, value in plan.items() if key != KEY}
        expanded[name] = first
        for number in range(2, count + 1):
            other = f"{name}_{number}"
            expanded[other] = _another(first, nodes.get(other), f"{source}: nodes.{other}")
    return {**composed, "nodes": expanded}


def _another(first: dict[str, Any], own: Any, where: str) -> dict[str, Any]:
    if own is None:
        own = {}
    if not isinstance(own, dict):
        raise Refused(f"{where} should be a mapping")
    parameters = {**(first.get("parameters") or {}), **(own.get("parameters") or {})}
    another = {**first, **own, "kind_of": ENV_SERVER}
    if parameters:
        another["parameters"] = parameters
    return another
