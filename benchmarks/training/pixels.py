"""python -m benchmarks.training.pixels [--tasks milk wool tree] [--servers N] [--device cuda]
[--json FILE]: what a policy learns that sees pictures of 64 x 64 and nothing else, as success
against samples.

The stack trains: env servers, which each draw on one core, and a learner. Milk and wool are those
of `benchmarks.options`: bucket or shears are in hand, and a program has walked up to the mob, or
with ``--from-the-start`` has not. A tree is always to be found from the start. Rewards know the
world; what the policy sees does not. With ``--uniform`` choices are drawn evenly and nothing is
learned, which is what success is to be compared with.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.arguments import device, output_file, positive
from benchmarks.options import SETTINGS, nodes, training_spec
from messages.training import TRAIN, Progress, Train, Trained, TrainingSpec
from messages.world import Condition, Interface, RewardTerm, SeedRange, Task

BUDGET = 2_000_000
LEARNER: dict[str, Any] = {
    "environments": 128,
    "decisions": 32,
    "minibatch": 1024,
    "epochs": 4,
    "learning_rate": 5e-4,
}


def in_hand(task: str, seed: int, budget: int) -> TrainingSpec:
    """Milk with a bucket in hand, or wool with shears, by what is seen alone."""
    spec = training_spec(SETTINGS[task], False, seed, budget)
    interface = msgspec.structs.replace(spec.interface, observations=["rgb"])
    return msgspec.structs.replace(spec, interface=interface)


def tree(seed: int, budget: int) -> TrainingSpec:
    """A trunk under the crosshair, within reach, from a start in a forest."""
    success = Condition(kind="facing", name="wood")
    return TrainingSpec(
        name="tree",
        task=Task(id="tree", prompt="Face a tree.", success=success, biome="forest"),
        interface=Interface(
            observations=["rgb"],
            actions=[
                *("forward", "jump", "attack"),
                *("turn_left_15", "turn_right_15", "look_up_15", "look_down_15"),
            ],
            rewards=[
                RewardTerm(kind="success", weight=10.0),
                RewardTerm(kind="step", weight=-0.01),
                RewardTerm(kind="approach", weight=0.2, name="wood"),
            ],
            success=success,
            horizon=300,
        ),
        seeds=SeedRange(first=seed * 1_000_000, count=900_000),
        budget=budget,
    )


TASKS: dict[str, Callable[[int, int], TrainingSpec]] = {
    "milk": partial(in_hand, "milk"),
    "wool": partial(in_hand, "wool"),
    "tree": tree,
}


def main() -> None:
    parser = argparse.ArgumentParser(description="What a policy learns from pictures alone.")
    parser.add_argument("--tasks", nargs="+", default=list(TASKS), choices=list(TASKS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--budget", type=positive, default=BUDGET, help="samples; default: 2 million"
    )
    parser.add_argument("--good", type=float, default=0.85, help="success that ends it early")
    parser.add_argument("--servers", type=positive, default=1, help="env servers; default: 1")
    parser.add_argument("--device", type=device, default="cpu", help="of the learner: cpu or cuda")
    parser.add_argument("--from-the-start", action="store_true", help="no program runs before")
    parser.add_argument("--uniform", action="store_true", help="draw evenly, learn nothing")
    parser.add_argument("--json", type=output_file, help="write the curves to this file as well")
    given = parser.parse_args()
    found: dict[str, Any] = {}
    for task in given.tasks:
        spec = TASKS[task](given.seed, given.budget)
        spec = msgspec.structs.replace(spec, stop_at=given.good)
        if given.from_the_start:
            spec = msgspec.structs.replace(spec, prefix=[])
        began = time.perf_counter()
        changes = {**LEARNER, "device": given.device, "uniform": given.uniform}
        trained = _trained(task, spec, given.servers, changes)
        seconds = time.perf_counter() - began
        found[task] = {"curve": trained.curve, "seconds": seconds, "reason": trained.reason}
        print(
            f"{task}: {trained.success_rate:.2f} of the last training episodes after "
            f"{trained.samples:,} samples in {seconds:.0f} s ({trained.reason})",
            flush=True,
        )
        if given.json is not None:
            given.json.write_text(json.dumps(found) + "\n")


def _trained(task: str, spec: TrainingSpec, servers: int, learner: dict[str, Any]) -> Trained:
    began = time.perf_counter()

    def reported(progress: Progress) -> None:
        passed = time.perf_counter() - began
        print(f"{task} {passed:.0f} s: {progress}", file=sys.stderr, flush=True)

    with (
        tempfile.TemporaryDirectory(prefix="pixels-") as folder,
        nodes(Path(folder), learner, servers) as bus,
    ):
        return bus.run_goal(TRAIN, f"{task}/pixels", Train(spec=spec), reported)


if __name__ == "__main__":
    main()
