"""The topics, services and actions of the nodes that run."""

from typing import Any

from messages.interface import Service
from rlgpt.inspecting.opening import described, find_endpoint, opened
from rlgpt.inspecting.output import print_facts, print_rows
from rlgpt.interfaces import declared

_COLUMNS = {"name": "name", "kind": "kind", "types": "types", "fingerprint": "fingerprint"}


def list_endpoints(kinds: tuple[str, ...], wanted: str | None, as_json: bool = False) -> int:
    """Print every endpoint of these kinds: ``topic``, ``service``, ``action``."""
    with opened(wanted) as (run, stack, bus):
        found = described(run, stack, bus)
    rows: list[dict[str, Any]] = [
        {
            "name": endpoint.name,
            "kind": endpoint.kind,
            "types": endpoint.types if as_json else " -> ".join(endpoint.types),
            "fingerprint": endpoint.fingerprint,
            "node": one.node,
        }
        for one in found
        for endpoint in sorted(one.endpoints, key=lambda each: each.name)
        if endpoint.kind in kinds
    ]
    print_rows(rows, _COLUMNS, as_json)
    return 0


def show_endpoint(kind: str, name: str, wanted: str | None, as_json: bool = False) -> int:
    """Print one endpoint: its types, its node, who uses it, and its declaration."""
    with opened(wanted) as (run, stack, bus):
        found = described(run, stack, bus)
    endpoint = find_endpoint(kind, name, run, found)
    owner = next(one.node for one in found if endpoint in one.endpoints)
    facts: dict[str, Any] = {
        "name": endpoint.name,
        "kind": endpoint.kind,
        "node": owner,
        "types": endpoint.types,
        "fingerprint": endpoint.fingerprint,
        "used_by": sorted(one.node for one in found if name in one.uses),
    }
    declaration = declared(owner).get(name)
    if endpoint.kind == "topic":
        facts["latched"] = endpoint.latched
    elif isinstance(declaration, Service):
        facts |= {"timeout": declaration.timeout, "idempotent": declaration.idempotent}
    print_facts(facts, as_json)
    return 0
