"""What `engine=ray` changes in a launch: which nodes a cluster places, their addresses and keys,
and the command that starts them."""

from collections.abc import Collection, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from messages.bus.errors import AddressError
from messages.bus.network.curve import TOOLS, make_keys
from nodes.common.running.process import python
from nodes.config import key_folder
from rlgpt.cluster.cluster_joining import PAGE
from rlgpt.cluster.cluster_room import check_room
from rlgpt.cluster.found_cluster import find_cluster
from rlgpt.cluster.free_ports import free_ports
from rlgpt.composing.configuration import Resources, Stack
from rlgpt.launching.child import GRACE
from rlgpt.refused import Refused

RAY = "ray"
BRINGING = 120.0
"""Seconds for which the last files of a placed node may come, after it has ended."""
MOVABLE = ("learner", "llm")
"""Nodes, beside the env servers, that are placed where the launch file has resources for them."""


def check_engine(stack: Stack) -> None:
    """Raises Refused for what an engine cannot do. Nothing is started for it."""
    placed = placed_nodes(stack)
    for name, plan in stack.nodes.items():
        if plan.resources is None:
            continue
        if stack.engine != RAY:
            raise Refused(f"nodes.{name}.resources are for engine=ray ({PAGE})")
        if name not in placed:
            raise Refused(
                f"nodes.{name}.resources: {name} runs on the launcher's host, since what it "
                f"remembers of its goals must outlive any other host ({PAGE})"
            )
    if stack.engine == RAY and stack.mineclip is not None and stack.mineclip.weights:
        raise Refused(f"mineclip.weights are not brought to other hosts by engine=ray ({PAGE})")
    if "learner" in placed and stack.skills is not None:
        raise Refused(
            "nodes.learner.resources: the learner and the fast agent share the skill library, "
            f"which is a folder of one host; set skills=null, or leave the learner here ({PAGE})"
        )


def check_unplaced(stack: Stack) -> None:
    """Raises Refused where the launch file itself names the host of a node that Ray places."""
    for name in placed_nodes(stack):
        if name in stack.hosts:
            raise Refused(f"hosts.{name}: engine=ray chooses its host; leave it out ({PAGE})")


def placed_nodes(stack: Stack) -> list[str]:
    """The nodes that Ray places."""
    if stack.engine != RAY:
        return []
    others = [n for n in MOVABLE if n in stack.nodes and stack.nodes[n].resources is not None]
    return [*stack.env_servers, *others]


def cluster_of(stack: Stack, excluded: Collection[str] = ()) -> str:
    """The address by which the cluster reaches this host; "" where none is needed. Raises Refused
    where there is no cluster that can be used, or its hosts have not what the nodes want, but for
    those that are ``excluded`` from the launch."""
    placed = placed_nodes(stack)
    if not placed:
        return ""
    cluster = find_cluster()
    check_room({n: resources(stack, n) for n in placed if n not in excluded}, cluster)
    return cluster.host


def resources(stack: Stack, node: str) -> Resources:
    """What a placed node takes of its host."""
    return stack.nodes[node].resources or Resources()


def with_places(data: dict[str, Any], stack: Stack, run: Path, host: str) -> dict[str, Any]:
    """The launch with an address here for each node that Ray places, and for those that these call.
    Keys are made where they are missing. Raises Refused, mostly before that."""
    reached = [*placed_nodes(stack), *_called_from_there(stack)]
    if not reached:
        return data
    ports = list(islice(free_ports(host), len(reached)))
    if len(ports) < len(reached):
        raise Refused(f"no ports are free at {host}, which is how the cluster knows this host")
    folder = key_folder(run, stack.keys) or run / "keys"
    try:
        make_keys(folder, [*stack.nodes, "launcher", TOOLS])
    except (OSError, AddressError) as error:
        raise Refused(f"the keys cannot be made in {folder}: {error}") from None
    hosts = {n: {"host": host, "port": port} for n, port in zip(reached, ports, strict=True)}
    known: Mapping[str, Any] = data.get("hosts") or {}
    return {**data, "hosts": {**known, **hosts}}


def _called_from_there(stack: Stack) -> list[str]:
    """Nodes here that a placed learner calls: the language model, for turns on a GPU."""
    placed = placed_nodes(stack)
    called = "learner" in placed and "llm" in stack.nodes
    return ["llm"] if called and "llm" not in placed else []


def command(stack: Stack, node: str, run: Path) -> list[str]:
    """What the supervisor starts for a node: the node itself, or its process here for one that runs
    on another host."""
    if node not in placed_nodes(stack):
        return stack.command(node, run)
    return python("rlgpt.cluster.remote_process", "--run", str(run), "--name", node)


def grace(stack: Stack, node: str) -> float:
    """Seconds between a node's SIGTERM and its SIGKILL. That of a placed node is the end of the
    process here: the node itself has no longer than others, and then its files come."""
    return GRACE if node not in placed_nodes(stack) else GRACE + BRINGING
