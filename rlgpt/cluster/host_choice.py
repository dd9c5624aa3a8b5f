"""What `engine=ray` changes in a launch: the addresses and keys of the env servers, and the command
that starts them."""

from itertools import islice
from pathlib import Path
from typing import Any

from messages.bus.curve import TOOLS, make_keys
from messages.bus.errors import AddressError
from nodes.config import key_folder
from nodes.process import python
from rlgpt.cluster.cluster_joining import PAGE
from rlgpt.cluster.found_cluster import find_cluster
from rlgpt.cluster.free_ports import free_ports
from rlgpt.configuration import Stack
from rlgpt.refused import Refused

RAY = "ray"


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
                f"nodes.{name}.resources: engine=ray places env servers only; all other nodes run "
                f"on the launcher's host ({PAGE})"
            )
    if stack.engine == RAY and stack.mineclip is not None and stack.mineclip.weights:
        raise Refused(f"mineclip.weights are not brought to other hosts by engine=ray ({PAGE})")


def check_unplaced(stack: Stack) -> None:
    """Raises Refused where the launch file itself names the host of a node that Ray places."""
    for name in placed_nodes(stack):
        if name in stack.hosts:
            raise Refused(f"hosts.{name}: engine=ray chooses its host; leave it out ({PAGE})")


def placed_nodes(stack: Stack) -> list[str]:
    """The nodes that Ray places."""
    return stack.env_servers if stack.engine == RAY else []


def cluster_of(stack: Stack) -> str:
    """The address by which the cluster reaches this host; "" where none is needed. Raises Refused
    where there is no cluster that can be used."""
    return find_cluster().host if placed_nodes(stack) else ""


def with_places(data: dict[str, Any], stack: Stack, run: Path, host: str) -> dict[str, Any]:
    """The launch with an address here for each node that Ray places, whose keys are made where they
    are missing."""
    placed = placed_nodes(stack)
    if not placed:
        return data
    folder = key_folder(run, stack.keys) or run / "keys"
    try:
        make_keys(folder, [*stack.nodes, "launcher", TOOLS])
    except (OSError, AddressError) as error:
        raise Refused(f"the keys cannot be made in {folder}: {error}") from None
    ports = list(islice(free_ports(host), len(placed)))
    if len(ports) < len(placed):
        raise Refused(f"no ports are free at {host}, which is how the cluster knows this host")
    hosts = {n: {"host": host, "port": port} for n, port in zip(placed, ports, strict=True)}
    return {**data, "hosts": {**(data.get("hosts") or {}), **hosts}}


def command(stack: Stack, node: str, run: Path) -> list[str]:
    """What the supervisor starts for a node: the node itself, or its process here for one that runs
    on another host."""
    if node not in placed_nodes(stack):
        return stack.command(node, run)
    return python("rlgpt.cluster.remote_process", "--run", str(run), "--name", node)
