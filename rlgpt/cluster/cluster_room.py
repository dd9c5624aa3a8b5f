"""Whether the hosts of a cluster have room for the nodes that it is to place, all at once."""

from collections.abc import Collection, Iterator

from rlgpt.cluster.cluster_joining import PAGE
from rlgpt.cluster.found_cluster import Cluster, HostFound
from rlgpt.composing.configuration import Resources
from rlgpt.refused import Refused


def check_room(wanted: dict[str, Resources], cluster: Cluster) -> None:
    """``wanted``: what each node takes. Raises Refused for resources that no host has, and for
    nodes that do not fit together, be the hosts' resources free or not."""
    for name, resources in wanted.items():
        _check_alone(name, resources, cluster.hosts)
    _check_together(wanted, cluster.hosts)


def _check_alone(name: str, wanted: Resources, hosts: Collection[HostFound]) -> None:
    if any(_fits(wanted, host) for host in hosts):
        return
    most: dict[str, float] = {}
    for host in hosts:
        for what, _, has in _compared(wanted, host):
            most[what] = max(most.get(what, 0.0), has)
    for what, number, _ in _compared(wanted, HostFound(address="")):
        if most.get(what, 0.0) < number:
            raise Refused(
                f"nodes.{name}.resources: no host of the cluster has {number:g} {what}; the "
                f"most is {most.get(what, 0.0):g} ({PAGE})"
            )
    raise Refused(
        f"nodes.{name}.resources: no one host of the cluster has all of them: {_words(wanted)} "
        f"({PAGE})"
    )


def _check_together(wanted: dict[str, Resources], hosts: Collection[HostFound]) -> None:
    """First fit, the largest first. It may miss a way that there is; Ray, which takes nodes as they
    come, would find it even less."""
    left = list(hosts)
    without: list[str] = []
    for name in sorted(wanted, key=lambda each: _size(wanted[each]), reverse=True):
        resources = wanted[name]
        place = next((at for at, host in enumerate(left) if _fits(resources, host)), None)
        if place is None:
            without.append(name)
        else:
            left[place] = _without(left[place], resources)
    if without:
        names = [f"{name} ({_words(wanted[name])})" for name in wanted if name in without]
        raise Refused(
            f"the hosts of the cluster have no room for all {len(wanted)} nodes that it is to "
            f"place: once the largest have theirs, none is left for {', '.join(names)}; take "
            "fewer env servers or smaller `resources`, leave nodes out, or start Ray on one more "
            f"host ({PAGE})"
        )


def _size(wanted: Resources) -> tuple[float, float, float]:
    return wanted.gpus, sum(wanted.others.values()), wanted.cpus


def _fits(wanted: Resources, host: HostFound) -> bool:
    return all(has >= number for _, number, has in _compared(wanted, host))


def _without(host: HostFound, taken: Resources) -> HostFound:
    others = {name: has - taken.others.get(name, 0.0) for name, has in host.others.items()}
    return HostFound(
        address=host.address,
        cpus=host.cpus - taken.cpus,
        gpus=host.gpus - taken.gpus,
        memory=host.memory,
        others=others,
    )


def _compared(wanted: Resources, host: HostFound) -> Iterator[tuple[str, float, float]]:
    """Names of resources, how much is wanted, and what a host has."""
    for what, number, has in [
        ("CPUs", wanted.cpus, host.cpus),
        ("GPUs", wanted.gpus, host.gpus),
        *((name, n, host.others.get(name, 0.0)) for name, n in wanted.others.items()),
    ]:
        if number:
            yield what, number, has


def _words(wanted: Resources) -> str:
    return ", ".join(f"{n:g} {what}" for what, n, _ in _compared(wanted, HostFound(address="")))
