"""python -m benchmarks.training.stack [--turns 5] [--rollouts 3] [--json FILE]: what the stack
gains with worlds made ahead, with updates that overlap with collecting, and with decisions that the
session makes, in place of a message for each. Each way has a stack of its own; they take turns, so
that whatever else runs on the machine slows all alike.
"""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks.arguments import output_file, positive
from benchmarks.options import nodes
from benchmarks.training.learners import PARAMETERS
from benchmarks.training.worlds import options_spec, steps_spec
from messages.bus import Bus
from messages.training import TRAIN, Progress, Train, TrainingSpec

WAYS: dict[str, tuple[bool, int, str]] = {  # overlap, worlds ahead, who decides
    "none": (False, 0, "learner"),
    "worlds ahead": (False, 64, "learner"),
    "session decides": (False, 0, "session"),
    "overlap": (True, 0, "learner"),
    "worlds ahead, session decides": (False, 64, "session"),
    "worlds ahead, overlap": (True, 64, "learner"),
    "all": (True, 64, "session"),
}
KINDS: dict[str, Callable[[int, int], TrainingSpec]] = {
    "single steps": steps_spec,
    "with options": options_spec,
}
LONGEST = 16_384
"""Samples of a rollout with options, at most."""


def main() -> None:
    parser = argparse.ArgumentParser(description="The stack with and without waiting.")
    parser.add_argument("--turns", type=positive, default=5)
    parser.add_argument(
        "--rollouts", type=positive, default=3, help="of options; eightfold of steps"
    )
    parser.add_argument("--ways", nargs="+", default=list(WAYS), choices=list(WAYS))
    parser.add_argument("--kinds", nargs="+", default=list(KINDS), choices=list(KINDS))
    parser.add_argument("--json", type=output_file, help="write the figures to this file as well")
    given = parser.parse_args()
    found: dict[str, dict[str, list[float]]] = {
        kind: {way: [] for way in given.ways} for kind in given.kinds
    }
    with tempfile.TemporaryDirectory(prefix="stack-") as folder, ExitStack() as stacks:
        buses = {way: stacks.enter_context(_stack(Path(folder), way)) for way in given.ways}
        for turn in range(given.turns):
            for kind in given.kinds:
                for way, bus in buses.items():
                    found[kind][way].append(_rate(bus, kind, turn, given.rollouts))
                    print(f"{turn} {kind} {way}: {found[kind][way][-1]:,.0f} samples/s", flush=True)
    print(_table(found))
    if given.json is not None:
        given.json.write_text(json.dumps(found, indent=1) + "\n")


def _stack(folder: Path, way: str) -> Any:
    overlap, ahead, rollouts = WAYS[way]
    own = folder / way.replace(" ", "_").replace(",", "")
    own.mkdir()
    learner = {"target_kl": 0.0, "overlap": overlap, "rollouts": rollouts}
    return nodes(own, learner, env_server={"worlds_ahead": ahead})


def _rate(bus: Bus, kind: str, turn: int, rollouts: int) -> float:
    """Samples a second of a training, without its opening and its first rollout."""
    if kind == "single steps":
        budget = (8 * rollouts + 1) * PARAMETERS.environments * PARAMETERS.decisions
    else:
        budget = (rollouts + 1) * LONGEST
    at: list[tuple[int, float]] = []

    def reported(progress: Progress) -> None:
        at.append((progress.samples, time.perf_counter()))

    name = f"{kind.replace(' ', '-')}/{turn}"
    bus.run_goal(TRAIN, name, Train(spec=KINDS[kind](turn, budget)), reported)
    (first, began), (last, ended) = at[0], at[-1]
    return (last - first) / (ended - began)


def _table(found: dict[str, dict[str, list[float]]]) -> str:
    lines = ["| samples/s | " + " | ".join(found) + " |", "|---|" + "---:|" * len(found)]
    for way in next(iter(found.values())):
        cells = []
        for rates in found.values():
            ordered = sorted(rates[way])
            base = rates[next(iter(rates))]
            share = statistics.median(
                mine / its for mine, its in zip(rates[way], base, strict=True)
            )
            median = statistics.median(ordered)
            cells.append(f"{median:,.0f} ({ordered[0]:,.0f} to {ordered[-1]:,.0f}), {share:.2f}")
        lines.append(f"| {way} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
