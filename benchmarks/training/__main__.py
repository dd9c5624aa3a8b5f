"""python -m benchmarks.training [--quick] [--json FILE]: how fast policies are trained, beside
peers in the same world, and where a sample's time goes. Prints the tables of docs/speed.md.

The peers take turns with the learner, a few rollouts each, so that whatever else runs on the
machine slows all alike; a figure is the median of the turns. All have the same network, batch and
epochs and, unless it is named, one process with one thread; `across processes` is the stack itself,
on as many cores as there are, and beside it with `learner.overlap`. Its CPU time is that of all its
processes.
"""

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import torch

from benchmarks.arguments import output_file
from benchmarks.options import nodes
from benchmarks.scaling import processors
from benchmarks.training.learners import PARAMETERS, Spent, by_hand, ours, timed
from benchmarks.training.parts import PARTS, Parts, parts
from benchmarks.training.torchrl_example import torchrl_example
from benchmarks.training.worlds import ROOT, fight_spec, options_spec, steps_spec
from messages.bus import Bus
from messages.roll_out import ROLL_OUT
from messages.training import TRAIN, Progress, Train
from rlgpt.profiling import profile

FRAMEWORKS = ROOT / ".venv-frameworks" / "bin" / "python"
SPECS = {"single steps": steps_spec, "with options": options_spec, "a fight": fight_spec}
"""What the table of a sample's time has a column for."""
STACK, OVERLAPPED = "across processes", "across processes, `overlap`"
ELSEWHERE = {
    "Stable-Baselines3 2.9.2": "sb3_player",
    "Sample Factory 2.1.1": "sample_factory_player",
}
"""Peers that have an environment of packages of their own, and their modules here."""
OURS, TWO = "ours, one process", "ours, one process, two threads"
BY_TORCHRL = "ours, `update: torchrl`"
AN_EPISODE = 19
"""Rollouts of 16 steps, in which each environment comes to its horizon of 300 steps once: new
worlds take a third of all time, and each turn of each player has to have the same share of them."""
Turn = Callable[[int], Spent]


def main() -> int:
    parser = argparse.ArgumentParser(description="How fast policies are trained, beside peers.")
    parser.add_argument("--quick", action="store_true", help="only to see that it runs")
    parser.add_argument("--json", type=output_file, help="write the figures to this file as well")
    given = parser.parse_args()
    turns, rollouts = (2, 1) if given.quick else (5, AN_EPISODE)
    torch.set_num_threads(1)
    peers: dict[str, Turn] = {
        OURS: timed(ours("fused")),
        TWO: _on_two_threads(timed(ours("fused"))),
        BY_TORCHRL: timed(ours("torchrl")),
        "a loop by hand": timed(by_hand()),
        "TorchRL as in its examples": timed(torchrl_example()),
    }
    if FRAMEWORKS.exists():
        peers |= {name: _elsewhere(name, module) for name, module in ELSEWHERE.items()}
    else:
        print(f"Without `make frameworks`: {', '.join(ELSEWHERE)}.", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="training-") as folder:
        plain, overlapped = Path(folder) / "plain", Path(folder) / "overlapped"
        with _nodes(plain, overlap=False) as bus, _nodes(overlapped, overlap=True) as other:
            peers |= {STACK: _stack(bus), OVERLAPPED: _stack(other)}
            for turn in peers.values():
                turn(1)  # what is compiled, imported or allocated at first
            found: dict[str, list[Spent]] = {name: [] for name in peers}
            for _ in range(turns):
                for name, turn in peers.items():
                    found[name].append(turn(rollouts))
        print(_rates(found))
        on_the_bus = _on_the_bus(plain / "run")
    print(_overheads(found, on_the_bus))
    shares = {name: parts(made(0, 10**9), rollouts) for name, made in SPECS.items()}
    print(_table(shares))
    if given.json is not None:
        figures = {name: [vars(each) for each in runs] for name, runs in found.items()}
        where = {name: vars(each) for name, each in shares.items()}
        given.json.write_text(json.dumps({"peers": figures, "parts": where}, indent=1) + "\n")
    return 0


def _nodes(folder: Path, overlap: bool) -> AbstractContextManager[Bus]:
    folder.mkdir()
    return nodes(folder, {"target_kl": 0.0, "overlap": overlap})


def _stack(bus: Bus) -> Turn:
    """Trainings by env server and learner. Their first rollout, with the session's opening, is left
    out."""
    numbers = itertools.count()

    def run(rollouts: int) -> Spent:
        number = next(numbers)
        a_rollout = PARAMETERS.environments * PARAMETERS.decisions
        spec = steps_spec(number, (rollouts + 1) * a_rollout)
        at: list[tuple[int, float]] = []
        before = 0.0

        def reported(progress: Progress) -> None:
            nonlocal before
            if not at:  # not each time: all of /proc is read for it
                before = sum(processors(bus).values())
            at.append((progress.samples, time.perf_counter()))

        bus.run_goal(TRAIN, f"bench/{number}", Train(spec=spec), reported)
        spent = sum(processors(bus).values()) - before
        (first, began), (last, ended) = at[0], at[-1]
        return Spent(last - first, spent, ended - began)

    return run


def _on_two_threads(turn: Turn) -> Turn:
    """Whether torch's own threads pay for networks of this size."""

    def run(rollouts: int) -> Spent:
        torch.set_num_threads(2)
        cpu = time.process_time()
        try:
            spent = turn(rollouts)
        finally:
            torch.set_num_threads(1)
        return Spent(spent.samples, time.process_time() - cpu, spent.wall)

    return run


def _elsewhere(name: str, module: str) -> Turn:
    def run(rollouts: int) -> Spent:
        done = subprocess.run(
            [FRAMEWORKS, "-m", f"benchmarks.training.{module}", str(rollouts)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise SystemExit(f"{name} ended with {done.returncode}: {done.stderr[-500:]}")
        return Spent(*json.loads(done.stdout.splitlines()[-1]))

    return run


def _on_the_bus(run: Path) -> float:
    """Seconds a sample that the learner waited for a rollout and the env server did not work on
    it."""
    (rollouts,) = [each for each in profile(run).calls if each.endpoint == ROLL_OUT.name]
    samples = rollouts.calls * PARAMETERS.environments * PARAMETERS.decisions
    return (rollouts.waited - rollouts.served) / samples


def _overheads(found: dict[str, list[Spent]], on_the_bus: float) -> str:
    by_hand, by_torchrl = (
        [each.cpu / each.samples for each in found[name]] for name in (OURS, BY_TORCHRL)
    )
    torchrl = statistics.median(b - a for a, b in zip(by_hand, by_torchrl, strict=True))
    rows = {
        "TorchRL's loss, autograd and Adam, beside the update by hand": torchrl,
        "the bus: a rollout's wait in the learner, less the env server's work on it": on_the_bus,
    }
    lines = [f"| {name} | {seconds * 1e6:.1f} |" for name, seconds in rows.items()]
    return "\n".join(["| overhead | µs a sample |", "|---|---:|", *lines, ""])


def _rates(found: dict[str, list[Spent]]) -> str:
    lines = [
        "| | samples/s | worst to best | µs of CPU a sample | CPU of ours |",
        "|---|---:|---|---:|---:|",
    ]
    ours_now = [each.cpu / each.samples for each in found[OURS]]
    for name, runs in found.items():
        rates = sorted(each.samples / each.wall for each in runs)
        cpu = [each.cpu / each.samples for each in runs]
        share = statistics.median(b / a for a, b in zip(ours_now, cpu, strict=True))
        costs = [f"{statistics.median(cpu) * 1e6:.0f}", f"{share:.2f}"]
        spread = f"{rates[0]:,.0f} to {rates[-1]:,.0f}"
        shown = [name, f"{statistics.median(rates):,.0f}", spread, *costs]
        lines.append(f"| {' | '.join(shown)} |")
    return "\n".join(lines) + "\n"


def _table(shares: dict[str, Parts]) -> str:
    lines = [f"| µs of CPU a sample | {' | '.join(shares)} |", "|---|" + "---:|" * len(shares)]
    totals = [sum(each.spent.values()) for each in shares.values()]
    for name, said in PARTS.items():
        cells = [
            f"{each.spent[name]:.1f} ({each.spent[name] / total:.0%})"
            for each, total in zip(shares.values(), totals, strict=True)
        ]
        lines.append(f"| {said} | {' | '.join(cells)} |")
    lines.append(f"| all | {' | '.join(f'{total:.0f}' for total in totals)} |")
    decisions = " | ".join(f"{each.a_decision:.1f}" for each in shares.values())
    lines.append(f"| samples a decision | {decisions} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
