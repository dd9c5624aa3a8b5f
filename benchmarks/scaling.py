"""python -m benchmarks.scaling [--options] [--each-sent] [--quick] [--json FILE]: samples a second
against env servers, environments and cores, and which node all others wait for.

For each row a launch of a learner and so many env servers trains *harvest log* by single steps
(``--options``: with two coded actions). Beside the rate of the clock stands what does not depend on
other work on the machine: the CPU time of a sample, in the learner and in the env servers with
their workers. Their ratio is how many env servers one learner can use, where each has a core.
"""

import argparse
import os
import sys
import tempfile
import time
from itertools import product
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.arguments import output_file, positive
from benchmarks.options import nodes
from benchmarks.training.worlds import options_spec, steps_spec
from messages.bus import Bus
from messages.empty import Empty
from messages.system import LIST
from messages.training import TRAIN, Progress, Train

DECISIONS = 16  # of each environment in a rollout


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One training. Seconds are CPU time, but for ``wall``."""

    cores: int
    servers: int
    environments: int
    samples: int
    wall: float
    learner: float
    env_servers: list[float]

    @property
    def rate(self) -> float:
        """Samples a second."""
        return self.samples / self.wall

    def cost(self, seconds: float) -> float:
        """Microseconds a sample."""
        return seconds / self.samples * 1e6


def main() -> int:
    parser = argparse.ArgumentParser(description="Samples a second against env servers.")
    parser.add_argument("--quick", action="store_true", help="only to see that it runs")
    parser.add_argument("--servers", type=positive, nargs="+", default=[1, 2, 4, 8], metavar="N")
    parser.add_argument(
        "--environments", type=positive, nargs="+", default=[1, 16, 64, 256, 1024], metavar="N"
    )
    parser.add_argument(
        "--cores", type=positive, nargs="+", metavar="N", help="run on so many; default: all"
    )
    parser.add_argument(
        "--rollouts", type=positive, default=20, help="timed in each row; default: 20"
    )
    parser.add_argument("--options", action="store_true", help="with coded actions as options")
    parser.add_argument(
        "--each-sent", action="store_true", help="the learner makes each decision and sends it"
    )
    parser.add_argument("--json", type=output_file, help="write the figures to this file as well")
    given = parser.parse_args()
    if given.quick:
        given.servers, given.environments, given.rollouts = [1, 2], [64], 2
    there = sorted(os.sched_getaffinity(0))
    wanted = given.cores or [len(there)]
    if max(wanted) > len(there):
        parser.error(f"--cores: there are 1 to {len(there)}")
    rows: list[Row] = []
    for cores, servers, environments in product(wanted, given.servers, given.environments):
        if environments < servers:
            continue
        print(f"{cores} cores, {servers} env servers, {environments} environments", file=sys.stderr)
        os.sched_setaffinity(0, there[:cores])  # the nodes have those of this process
        rows.append(row(cores, servers, environments, given))
    print(f"{len(there)} cores, load {os.getloadavg()[0]:.1f}")
    print(table(rows))
    if given.json is not None:
        given.json.write_bytes(msgspec.json.format(msgspec.json.encode(rows)) + b"\n")
    return 0


def row(cores: int, servers: int, environments: int, given: argparse.Namespace) -> Row:
    """Train for as many rollouts as are given; the first one, with the sessions' opening, is left
    out."""
    rollouts: int = given.rollouts
    samples = (rollouts + 1) * environments * DECISIONS * (30 if given.options else 1)
    spec = (options_spec if given.options else steps_spec)(0, samples)
    changes: dict[str, Any] = {
        "target_kl": 0.0,  # every epoch is done, so that rows compare
        "environments": environments,
        "decisions": DECISIONS,
        "rollout_samples": 10**9,
        "rollouts": "learner" if given.each_sent else "session",
    }
    at: list[tuple[int, float, dict[str, float]]] = []
    with (
        tempfile.TemporaryDirectory(prefix="scaling-") as folder,
        nodes(Path(folder), changes, servers) as bus,
    ):

        def reported(progress: Progress) -> None:
            if len(at) <= rollouts:
                at.append((progress.samples, time.perf_counter(), processors(bus)))

        bus.run_goal(TRAIN, "bench", Train(spec=spec), reported)
    (first, began, before), (last, ended, after) = at[0], at[-1]
    spent = {node: after[node] - before[node] for node in after}
    return Row(
        cores=cores,
        servers=servers,
        environments=environments,
        samples=last - first,
        wall=ended - began,
        learner=spent.pop("learner"),
        env_servers=[spent[node] for node in sorted(spent)],
    )


def processors(bus: Bus) -> dict[str, float]:
    """Seconds of CPU time that each node has had, with the processes below it, those that have
    ended included."""
    parents: dict[int, list[int]] = {}
    seconds: dict[int, float] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            stat = path.read_text()
        except OSError:
            continue  # it has ended
        fields = stat.rpartition(")")[2].split()
        pid = int(path.parent.name)
        parents.setdefault(int(fields[1]), []).append(pid)
        # Its own in user and kernel mode, and those of children that it has waited for.
        seconds[pid] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")

    def below(pid: int) -> float:
        return seconds.get(pid, 0.0) + sum(below(child) for child in parents.get(pid, []))

    return {node.node: below(node.pid) for node in bus.call(LIST, Empty()).nodes}


def table(rows: list[Row]) -> str:
    lines = [
        "| cores | env servers | environments | samples/s | s a million "
        "| learner busy | busiest env server "
        "| µs of CPU a sample: learner | env servers | env servers that one learner can use |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for each in rows:
        worlds = sum(each.env_servers)
        cells = [
            str(each.cores),
            str(each.servers),
            str(each.environments),
            f"{each.rate:,.0f}",
            f"{1e6 / each.rate:,.0f}",
            f"{each.learner / each.wall:.0%}",
            f"{max(each.env_servers) / each.wall:.0%}",
            f"{each.cost(each.learner):.0f}",
            f"{each.cost(worlds):.0f}",
            f"{worlds / each.learner:.2f}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
