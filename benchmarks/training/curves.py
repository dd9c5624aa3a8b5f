"""python -m benchmarks.training.curves [--seeds 0 1 2] [--json FILE]: whether the update by hand
learns as TorchRL's does: success against samples on two short tasks, either way, from the same
seeds. In one process, as the figures are of samples and not of seconds.
"""

import argparse
import json
import logging
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path

import msgspec
import torch

from benchmarks.options import SETTINGS, training_spec
from benchmarks.training.worlds import LocalSession, options_spec
from messages.training import Trained, TrainingSpec
from nodes.learner.parameters import Hyperparameters
from nodes.learner.training import Training

UPDATES = ("torchrl", "fused")
GOOD = 0.8


def milk(seed: int) -> TrainingSpec:
    """Milk with a bucket in hand, one coded action as an option."""
    spec = training_spec(SETTINGS["milk"], True, seed, 6_000)
    return msgspec.structs.replace(spec, stop_at=2.0)


def log(seed: int) -> TrainingSpec:
    """Harvest a log, the example of `rlgpt train`."""
    return options_spec(seed, 30_000)


TASKS: dict[str, Callable[[int], TrainingSpec]] = {"milk": milk, "log": log}


def trained(spec: TrainingSpec, update: str) -> Trained:
    with tempfile.TemporaryDirectory(prefix="curves-") as folder:
        training = Training(
            policy="curve/train",
            spec=spec,
            parameters=msgspec.structs.replace(Hyperparameters(), update=update),
            learner=Path(folder),
            folder=Path(folder) / "curve+train",
            servers={"env_server": LocalSession().call},
            log=logging.getLogger("curves"),
            warn=logging.getLogger("curves").error,
        )
        return training.run(lambda progress: None)


def main() -> None:
    parser = argparse.ArgumentParser(description="Success against samples, by either update.")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--tasks", nargs="+", default=list(TASKS), choices=list(TASKS))
    parser.add_argument("--json", type=Path, help="write the curves to this file as well")
    given = parser.parse_args()
    torch.set_num_threads(1)
    rows = []
    print("| task | update | samples to 0.8, by seed | mean success over the curve | at the end |")
    print("|---|---|---|---|---|")
    for task in given.tasks:
        made = TASKS[task]
        found: dict[str, list[Trained]] = {update: [] for update in UPDATES}
        for seed in given.seeds:
            for update in UPDATES:
                found[update].append(trained(made(seed), update))
                rows.append(
                    {"task": task, "seed": seed, "update": update, "curve": found[update][-1].curve}
                )
                if given.json is not None:
                    given.json.write_text(json.dumps(rows) + "\n")
        for update, runs in found.items():
            reached = [next((at for at, r in run.curve if r >= GOOD), None) for run in runs]
            means = [statistics.mean(rate for _, rate in run.curve) for run in runs]
            cells = [
                ", ".join("never" if at is None else f"{at:,}" for at in reached),
                ", ".join(f"{mean:.2f}" for mean in means),
                ", ".join(f"{run.success_rate:.2f}" for run in runs),
            ]
            print(f"| {task} | `{update}` | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
