"""python -m benchmarks.training.curves [--seeds 0 1 2] [--ways fused overlap] [--json FILE]: what
samples are worth: success against samples on short tasks, from the same seeds, with the update by
hand (the default), with TorchRL's, and where updates overlap with collecting. In one process, as
the figures are of samples and not of seconds.
"""

import argparse
import json
import logging
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import torch

from benchmarks.arguments import output_file
from benchmarks.options import SETTINGS, training_spec
from benchmarks.training.worlds import LocalSession, options_spec
from messages.training import Trained, TrainingSpec
from nodes.common.parameters.hyperparameters import Hyperparameters
from nodes.learner.training import Training

WAYS: dict[str, dict[str, Any]] = {
    "torchrl": {"update": "torchrl", "overlap": False},
    "fused": {"overlap": False},
    "overlap": {"overlap": True},
}
GOOD = 0.8


def milk(seed: int) -> TrainingSpec:
    """Milk with a bucket in hand, one coded action as an option."""
    return _whole("milk", seed, 6_000)


def dirt(seed: int) -> TrainingSpec:
    """Dirt on a plain, begun by the program that finds it."""
    return _whole("dirt", seed, 30_000)


def wool(seed: int) -> TrainingSpec:
    """Wool with shears in hand, likewise."""
    return _whole("wool", seed, 30_000)


def wool_by_steps(seed: int) -> TrainingSpec:
    """The spec without the coded action."""
    return _whole("wool", seed, 60_000, macros=False)


def _whole(task: str, seed: int, budget: int, macros: bool = True) -> TrainingSpec:
    spec = training_spec(SETTINGS[task], macros, seed, budget)
    return msgspec.structs.replace(spec, stop_at=2.0)


def log(seed: int) -> TrainingSpec:
    """Harvest a log, the example of `rlgpt train`."""
    return options_spec(seed, 60_000)


TASKS: dict[str, Callable[[int], TrainingSpec]] = {
    "milk": milk,
    "dirt": dirt,
    "wool": wool,
    "wool_by_steps": wool_by_steps,
    "log": log,
}


def trained(spec: TrainingSpec, parameters: dict[str, Any]) -> Trained:
    with tempfile.TemporaryDirectory(prefix="curves-") as folder:
        training = Training(
            policy="curve/train",
            spec=spec,
            parameters=msgspec.structs.replace(Hyperparameters(), **parameters),
            learner=Path(folder),
            folder=Path(folder) / "curve+train",
            servers={"env_server": LocalSession().call},
            log=logging.getLogger("curves"),
            warn=logging.getLogger("curves").error,
        )
        return training.run(lambda progress: None)


def main() -> None:
    parser = argparse.ArgumentParser(description="Success against samples, by ways of learning.")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--tasks", nargs="+", default=list(TASKS), choices=list(TASKS))
    parser.add_argument("--ways", nargs="+", default=list(WAYS), choices=list(WAYS))
    parser.add_argument("--json", type=output_file, help="write the curves to this file as well")
    given = parser.parse_args()
    torch.set_num_threads(1)
    rows = []
    print("| task | way | samples to 0.8, by seed | mean success over the curve | at the end |")
    print("|---|---|---|---|---|")
    for task in given.tasks:
        made = TASKS[task]
        found: dict[str, list[Trained]] = {way: [] for way in given.ways}
        for seed in given.seeds:
            for way in given.ways:
                found[way].append(trained(made(seed), WAYS[way]))
                rows.append({"task": task, "seed": seed, "way": way, "curve": found[way][-1].curve})
                if given.json is not None:
                    given.json.write_text(json.dumps(rows) + "\n")
        for way, runs in found.items():
            reached = [next((at for at, r in run.curve if r >= GOOD), None) for run in runs]
            means = [statistics.mean(rate for _, rate in run.curve) for run in runs]
            cells = [
                ", ".join("never" if at is None else f"{at:,}" for at in reached),
                ", ".join(f"{mean:.2f}" for mean in means),
                ", ".join(f"{run.success_rate:.2f}" for run in runs),
            ]
            print(f"| {task} | `{way}` | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
