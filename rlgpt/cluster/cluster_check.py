"""``python -m rlgpt.cluster.cluster_check``: can a launch use the cluster? Prints one JSON object:
``refused``, a sentence, or what was ``found``."""

import sys
from typing import Any

from nodes.common.running.commit import current_commit
from rlgpt.cluster.cluster_joining import PAGE, address_of, check_cluster, join
from rlgpt.cluster.found_cluster import Cluster, HostFound, answer
from rlgpt.cluster.host_process import HostProcess
from rlgpt.refused import Refused

PATIENCE = 60.0  # seconds for the hosts' answers


def look() -> Cluster:
    """Look at the cluster and at the checkout of each of its hosts. Raises Refused."""
    address = check_cluster()
    ray = join(address)
    here = current_commit()
    hosts = [host for host in ray.nodes() if host["Alive"]]
    actors = [_on(ray, host["NodeID"]) for host in hosts]
    for host, actor in zip(hosts, actors, strict=True):
        name = host["NodeManagerAddress"]
        try:
            there = ray.get(actor.commit.remote(), timeout=PATIENCE)
        except ray.exceptions.RayError as error:
            raise Refused(
                f"rlgpt cannot be run on the host {name}: {str(error).strip().splitlines()[-1]} "
                f"({PAGE})"
            ) from None
        if there != here:
            raise Refused(
                f"the host {name} has another commit of the checkout, {there or 'none'}; "
                f"here it is {here or 'none'} ({PAGE})"
            )
        ray.get(actor.discard.remote(), timeout=PATIENCE)
    own = ray.get_runtime_context().get_node_id()
    return Cluster(host=address_of(ray, own), hosts=[_found(host) for host in hosts])


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
