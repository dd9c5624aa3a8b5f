"""python -m benchmarks.training.cores [--rollouts 200] [--no-overlap] [--each-sent] [--json FILE]:
how long each thread of the stack runs, and how long it waits for a core, for each sample of a
training with single steps. Linux only, as it reads /proc.
"""

import argparse
import json
import os
import tempfile
import time
from pathlib import Path

from benchmarks.arguments import output_file, positive
from benchmarks.options import nodes
from benchmarks.training.learners import PARAMETERS
from benchmarks.training.worlds import steps_spec
from messages.training import TRAIN, Progress, Train

ROLES = {  # by words of a process's name and command line
    "rlgpt session": "session",
    "nodes.env_server --run": "env server",
    "nodes.learner --run": "learner",
}
LEAST = 0.5  # microseconds a sample; rows below are left out
ENDED = "threads that ended"  # such as those of the updates
TICK = 1_000_000_000 // os.sysconf("SC_CLK_TCK")  # nanoseconds of a process's own count

Thread = tuple[str, str]
"""The role of its process, and its own name."""
Times = dict[Thread, tuple[int, int]]
"""Nanoseconds that it has run, and that it has waited for a core."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Which thread runs, and which waits for a core.")
    parser.add_argument("--rollouts", type=positive, default=200)
    parser.add_argument("--no-overlap", action="store_true")
    parser.add_argument(
        "--each-sent", action="store_true", help="the learner makes each decision and sends it"
    )
    parser.add_argument("--json", type=output_file, help="write the figures to this file as well")
    given = parser.parse_args()
    size = PARAMETERS.environments * PARAMETERS.decisions
    budget = (given.rollouts + 4) * size
    at: list[tuple[int, float, Times]] = []

    def reported(progress: Progress) -> None:
        first, last = len(at) == 0 and progress.samples > 2 * size, progress.samples > budget - size
        if first or (last and len(at) == 1):
            at.append((progress.samples, time.perf_counter(), _times()))

    with tempfile.TemporaryDirectory(prefix="cores-") as folder:
        learner = {
            "target_kl": 0.0,
            "overlap": not given.no_overlap,
            "rollouts": "learner" if given.each_sent else "session",
        }
        with nodes(Path(folder), learner, env_server={"worlds_ahead": 64}) as bus:
            bus.run_goal(TRAIN, "cores", Train(spec=steps_spec(0, budget)), reported)
    (began, start, before), (ended, end, after) = at
    samples = ended - began
    rows = {
        f"{role}: {thread}": [
            (now - then) / samples / 1e3
            for now, then in zip(times, before.get((role, thread), (0, 0)), strict=True)
        ]
        for (role, thread), times in after.items()
    }
    print(
        f"{samples / (end - start):,.0f} samples/s, of each {1e6 * (end - start) / samples:.0f} µs"
    )
    print("| µs a sample | runs | waits for a core |\n|---|---:|---:|")
    for name, (runs, waits) in sorted(rows.items(), key=lambda row: -row[1][0]):
        if runs >= LEAST or waits >= LEAST:
            print(f"| {name} | {runs:.1f} | {waits:.1f} |")
    print(f"| all | {sum(row[0] for row in rows.values()):.1f} | |")
    if given.json is not None:
        given.json.write_text(json.dumps(rows, indent=1) + "\n")


def _times() -> Times:
    """Of the threads of all processes below this one that have a role."""
    found: Times = {}
    left = [os.getpid()]
    while left:
        process = Path(f"/proc/{left.pop()}")
        line = (process / "comm").read_text() + (process / "cmdline").read_text()
        role = next((r for words, r in ROLES.items() if words in line.replace("\0", " ")), "")
        threads: dict[str, tuple[int, int]] = {}
        for place in sorted(process.glob("task/*"), key=lambda each: int(each.name)):
            try:
                left += map(int, (place / "children").read_text().split())
                runs, waits, _ = map(int, (place / "schedstat").read_text().split())
                zeromq = (place / "comm").read_text().startswith("ZMQbg")
            except FileNotFoundError:  # it has just ended
                continue
            kind = "ZeroMQ's" if zeromq else f"thread {len(threads)}"
            threads["main" if place.name == process.name else f"{kind}, {place.name}"] = runs, waits
        if role:
            of_process = (process / "stat").read_text().rpartition(")")[2].split()
            ended = TICK * (int(of_process[11]) + int(of_process[12]))
            ended -= sum(runs for runs, _ in threads.values())
            found |= {(role, name): times for name, times in threads.items()}
            found[role, ENDED] = max(0, ended), 0
    return found


if __name__ == "__main__":
    main()
