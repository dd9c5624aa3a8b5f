"""``python -m rlgpt.cluster.cluster_check``: can a launch use the cluster? Prints one JSON object:
``refused``, a sentence, or what was ``found``."""

import contextlib
import sys
from typing import Any

from nodes.common.running.commit import current_commit
from rlgpt.cluster.cluster_joining import (
    PAGE,
    address_of,
    check_cluster,
    join,
    last_line,
)
from rlgpt.cluster.found_cluster import Cluster, HostFound, answer
from rlgpt.cluster.host_process import HostProcess
from rlgpt.cluster.same_checkout import other_checkout
from rlgpt.refused import Refused

PATIENCE = 60.0  # seconds for the hosts' answers
DISCARDING = 10.0  # seconds


def look() -> Cluster:
    """Look at the cluster and at the checkout of each of its hosts. Raises Refused."""
    address = check_cluster()
    ray = join(address)
    hosts = [host for host in ray.nodes() if host["Alive"]]
    check_checkouts(ray, [(host["NodeManagerAddress"], _on(ray, host["NodeID"])) for host in hosts])
    own = ray.get_runtime_context().get_node_id()
    found = [_found(host) for host in hosts]
    return Cluster(address=address, host=address_of(ray, own), hosts=found)


def check_checkouts(ray: Any, actors: list[tuple[str, Any]]) -> None:
    """Raises Refused where a host, of which there are the address and an actor, cannot run what is
    here. None of the actors leaves files on its host."""
    here = current_commit()
    try:
        for name, actor in actors:
            try:
                there = ray.get(actor.commit.remote(), timeout=PATIENCE)
            except ray.exceptions.RayError as error:
                raise Refused(
                    f"rlgpt cannot be run on the host {name}: {last_line(str(error))} ({PAGE})"
                ) from None
            if sentence := other_checkout(name, there, here):
                raise Refused(sentence)
    finally:
        for done in [actor.discard.remote() for _, actor in actors]:
            with contextlib.suppress(ray.exceptions.RayError):
                ray.get(done, timeout=DISCARDING)


def _found(host: dict[str, Any]) -> HostFound:
    has = dict(host["Resources"])
    return HostFound(
        address=host["NodeManagerAddress"],
        cpus=has.pop("CPU", 0.0),
        gpus=has.pop("GPU", 0.0),
        memory=has.pop("memory", 0.0),
        others=has,
    )


def _on(ray: Any, host: str) -> Any:
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy  # pyright: ignore

    there = NodeAffinitySchedulingStrategy(host, soft=False)
    return ray.remote(HostProcess).options(num_cpus=0, scheduling_strategy=there).remote()


def main() -> None:
    """Print what was found."""
    try:
        found = look()
    except Refused as refused:
        found = refused
    print(answer(found), flush=True)


if __name__ == "__main__":
    main()
    sys.exit(0)
