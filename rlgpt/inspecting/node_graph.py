"""Which node uses what of which other: as text, or as a picture's source."""

from typing import Any

from messages.system import Description
from rlgpt.inspecting.opening import described, opened
from rlgpt.inspecting.output import json_line
from rlgpt.refused import Refused, instead

FORMATS = ("text", "mermaid", "dot", "json")
_OF_EVERY_NODE = (
    "heartbeat", "diagnostics", "description", "describe", "get_parameters", "set_parameters",
    "list_files", "read_file",
)  # fmt: skip

Edge = tuple[str, str, str]
"""Who uses it, whose it is, its name."""


def show_graph(wanted: str | None, form: str = "text", everything: bool = False) -> int:
    """Print the graph of the nodes that run: a service or an action points from its caller to the
    node that serves it, a topic from its publisher to its subscriber. ``everything``: also what
    every node has, and the launcher."""
    if form not in FORMATS:
        raise Refused(f"there is no format `{form}`{instead(form, FORMATS)}")
    with opened(wanted) as (run, stack, bus):
        found = described(run, stack, bus)
    nodes = [one.node for one in found if everything or one.node in stack.nodes]
    uses = [edge for edge in _uses(found) if everything or _is_own(edge, nodes)]
    kinds = {each.name: each.kind for one in found for each in one.endpoints}
    print(_WRITERS[form](nodes, uses, kinds))
    return 0


def _uses(found: list[Description]) -> list[Edge]:
    return sorted(
        (one.node, name.partition("/")[0], name)
        for one in found
        for name in one.uses
        if name.partition("/")[0] != one.node
    )


def _is_own(edge: Edge, nodes: list[str]) -> bool:
    user, owner, name = edge
    return {user, owner} <= set(nodes) and name.partition("/")[2] not in _OF_EVERY_NODE


def _text(nodes: list[str], uses: list[Edge], kinds: dict[str, str]) -> str:
    lines: list[str] = []
    for node in nodes:
        lines.append(node)
        lines += [f"    {kinds.get(n, 'endpoint'):8} {n}" for user, _, n in uses if user == node]
    return "\n".join(lines)


def _mermaid(nodes: list[str], uses: list[Edge], kinds: dict[str, str]) -> str:
    lines = ["flowchart LR", *(f"    {node}" for node in nodes)]
    for start, end, names in _arrows(uses, kinds):
        lines.append(f'    {start} -->|"{"<br/>".join(names)}"| {end}')
    return "\n".join(lines)


def _dot(nodes: list[str], uses: list[Edge], kinds: dict[str, str]) -> str:
    lines = ["digraph stack {", "    rankdir=LR; node [shape=box];"]
    lines += [f'    "{node}";' for node in nodes]
    for start, end, names in _arrows(uses, kinds):
        label = "\\n".join(names)
        lines.append(f'    "{start}" -> "{end}" [label="{label}"];')
    return "\n".join([*lines, "}"])


def _json(nodes: list[str], uses: list[Edge], kinds: dict[str, str]) -> str:
    edges: list[dict[str, Any]] = [
        {"user": user, "owner": owner, "name": name, "kind": kinds.get(name, "")}
        for user, owner, name in uses
    ]
    return json_line({"nodes": nodes, "edges": edges})


def _arrows(uses: list[Edge], kinds: dict[str, str]) -> list[tuple[str, str, list[str]]]:
    """What goes from one node to another, together."""
    found: dict[tuple[str, str], list[str]] = {}
    for user, owner, name in uses:
        ends = (owner, user) if kinds.get(name) == "topic" else (user, owner)
        found.setdefault(ends, []).append(name.partition("/")[2])
    return [(start, end, names) for (start, end), names in sorted(found.items())]


_WRITERS = {"text": _text, "mermaid": _mermaid, "dot": _dot, "json": _json}
