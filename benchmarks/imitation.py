"""What self-imitation is worth, where success is rare and where it is not:

    python -m benchmarks.imitation [--every 0 4] [--seeds 0 1 2] [--tasks rare log milk wool dirt]

`rare` is milk by a training spec as a small language model wrote it: a macro that walks up to the
cow and hits it, and among the actions one that drops the bucket. It is trained for its whole
budget, and its figure is the success rate of the last 100 training episodes. The others are the
tasks of `benchmarks.options` with their macros: the samples to 80 %.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks.arguments import positive
from benchmarks.options import GOOD, MOBS, SETTINGS, nodes, training_spec
from messages.bus import Bus
from messages.program import Program
from messages.training import TRAIN, Train, TrainingSpec
from messages.world import Condition, Interface, RewardTerm, SeedRange, Task
from nodes.llm.rulebook.rules import Book

RARE = "rare"
MILK = Condition(kind="have", name="milk_bucket")
START = {"bucket": 1, "crafting_table": 1}
TURNS = ["turn_left_15", "turn_right_15", "look_up_15", "look_down_15", "turn_around"]
ATTACKS = ["attack", "forward_attack", "jump_attack", "sprint_attack"]


def rare_spec(seed: int, budget: int) -> TrainingSpec:
    """The spec as Qwen2.5-Coder-0.5B wrote it on 2026-11-26, without repeated names."""
    hit = Program(
        name="gather_milk_bucket",
        source=Book().program("chase_and_hit.py", Condition(kind="have", name="beef"), {}),
        max_steps=40,
    )
    return TrainingSpec(
        name=RARE,
        task=Task(
            id="milk_bucket",
            prompt="Milk a cow.",
            success=MILK,
            biome="plains",
            inventory=START,
            horizon=3000,
            world=MOBS,
        ),
        interface=Interface(
            observations=[
                *("compass", "voxels", "rays", "facing", "target", "inventory"),
                *("previous_choice", "under_way"),
            ],
            actions=[
                *("forward", "jump", *TURNS, "use", "drop", *ATTACKS),
                *("look_up_attack", "look_down_attack", "turn_left", "turn_right"),
            ],
            macros=[hit],
            rewards=[
                RewardTerm(kind="success", weight=10.0),
                RewardTerm(kind="step", weight=-0.01),
                RewardTerm(kind="approach", weight=0.2, name="cow"),
            ],
            success=MILK,
            horizon=1000,
            targets=["cow"],
        ),
        seeds=SeedRange(first=seed * 1_000_000, count=900_000),
        budget=budget,
        stop_at=2.0,  # the whole budget
    )


def measure(bus: Bus, task: str, seed: int, budget: int) -> str:
    """The figure of one training, as it is printed."""
    if task == RARE:
        spec = rare_spec(seed, budget)
    else:
        spec = training_spec(SETTINGS[task], True, seed, budget)
    trained = bus.run_goal(TRAIN, f"{task}/{seed}", Train(spec=spec))
    if task == RARE:
        return f"{trained.success_rate:.2f}"
    at = next((samples for samples, rate in trained.curve if rate >= GOOD), None)
    return f"{at:,}" if at is not None else f"not in {trained.samples:,}"


def main() -> int:
    parser = argparse.ArgumentParser(description="What self-imitation is worth.")
    parser.add_argument("--every", type=int, nargs="+", default=[0, 4], metavar="ITERATIONS")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--tasks", nargs="+", default=[RARE, *SETTINGS], choices=[RARE, *SETTINGS])
    parser.add_argument(
        "--budget", type=positive, default=250_000, help="samples; default: 250,000"
    )
    given = parser.parse_args()
    rows: dict[str, list[str]] = {task: [] for task in given.tasks}
    for every in given.every:
        changes = {"imitation_every": every}
        with (
            tempfile.TemporaryDirectory(prefix="imitation-") as folder,
            nodes(Path(folder), changes) as bus,
        ):
            for task in given.tasks:
                found = [measure(bus, task, seed, given.budget) for seed in given.seeds]
                print(f"every {every}: {task} {', '.join(found)}", file=sys.stderr, flush=True)
                rows[task].append(", ".join(found))
    heads = [f"every {every}" if every else "off" for every in given.every]
    print(f"| task, seeds {', '.join(map(str, given.seeds))} | {' | '.join(heads)} |")
    print("|---" * (1 + len(heads)) + "|")
    for task, cells in rows.items():
        print(f"| {task} | {' | '.join(cells)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
