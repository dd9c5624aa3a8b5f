"""What a coded macro is worth to PPO: python -m benchmarks.macros [--seeds 0 1 2] [--json FILE]

Each seed is one whole launch of harvest_log. Its iterations 1 to 3 are the three rows: code alone,
RL on primitive actions, and RL on the same spec with the coded macro in the action space. Budget,
seeds and start (the coded "find a tree") are the same for both. Takes about two minutes a seed.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.arguments import output_file
from messages.plan import GoalReport, Iteration
from rlgpt.report import curves

GOOD = 0.8
"""The training success rate (last 100 episodes) whose price in samples is compared."""

ROWS = ("code alone", "RL, primitive actions", "RL, with the coded macro")


def measure(seed: int, runs: Path) -> list[dict[str, Any]]:
    """One launch; a row for each of its implementations of harvesting."""
    run = runs / f"seed-{seed}"
    command = [sys.executable, "-m", "rlgpt.main", "launch", "harvest_log", "llm=paper_example"]
    overrides = [
        *(f"seed={seed}", f"run={run}"),
        "limits.success_rate=1",  # all three rows are wanted, also where the first is good
        "nodes.fast_agent.parameters.better_of=false",  # a policy, also where a program is better
        "skills=null",  # nothing that an earlier seed learned
    ]
    subprocess.run([*command, *overrides], check=True, stdout=sys.stderr)
    report = msgspec.json.decode((run / "goal_report.json").read_bytes(), type=GoalReport)
    if len(report.iterations) <= len(ROWS):
        done = len(report.iterations)
        sys.exit(
            f"seed {seed} has {done} iterations, all episodes of the last succeeded: leave it out"
        )
    found = curves.read(run / "learner" / "tensorboard")
    return [_row(seed, name, report.iterations[i], found) for i, name in enumerate(ROWS, start=1)]


def _row(seed: int, name: str, iteration: Iteration, found: list[curves.Curve]) -> dict[str, Any]:
    row: dict[str, Any] = {
        "seed": seed,
        "row": name,
        "decomposition": [
            f"{line.sub_action.name}: {' + '.join([line.sub_action.method, *line.macros])}"
            for line in iteration.lines
        ],
        "success_rate": iteration.success_rate,
        "episodes": iteration.episodes,
        "training_samples": iteration.samples.training,
        "samples_to_good": None,
    }
    for stage in iteration.stages:
        if stage.policy is not None:
            curve = curves.of_policy(found, stage.policy.id)
            points = [] if curve is None else curve.points
            row["samples_to_good"] = next((at for at, rate in points if rate >= GOOD), None)
    return row


def table(rows: list[dict[str, Any]]) -> str:
    """The rows as a Markdown table: one line for each way, all seeds."""
    seeds = sorted({row["seed"] for row in rows})
    lines = [
        f"| | samples to {GOOD:g} (seeds {', '.join(map(str, seeds))}) | median "
        "| success on unseen seeds | training samples |",
        "|---|---|---|---|---|",
    ]
    for name in ROWS:
        mine = [row for row in rows if row["row"] == name]
        reached = [row["samples_to_good"] for row in mine]
        spent = [row["training_samples"] for row in mine]
        shown = ", ".join("never" if at is None else f"{at:,}" for at in reached)
        median = statistics.median(at if at is not None else float("inf") for at in reached)
        rates = ", ".join(f"{row['success_rate']:.2f}" for row in mine)
        if name == ROWS[0]:
            shown = middle = "-"
        else:
            middle = "never" if median == float("inf") else f"{median:,.0f}"
        lines.append(f"| {name} | {shown} | {middle} | {rates} | {max(spent):,} at most |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="What a coded macro is worth to PPO.")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--json", type=output_file, help="write the rows to this file, too")
    arguments = parser.parse_args()
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="macros-") as runs:
        for seed in arguments.seeds:
            rows += measure(seed, Path(runs))
    print(table(rows))
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
