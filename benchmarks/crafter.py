"""Crafter by coded actions alone: python -m benchmarks.crafter [--episodes 256] [--first 100000]

Plays the rulebook's program `achieve_everything.py` in the checked language, compiled and run as in
a session, and prints Crafter's score beside those that others have published. An episode ends by
death, after 10,000 steps, or when all 22 achievements are unlocked, after which nothing counts.

What the program knows: the rules of the game (who wrote it has read them), and of an episode
what its picture shows (9x7 cells, inventory, vitals) and showed before. It does not learn.
"""

import argparse
import json
import random
import time
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from nodes.env_server.programs import Batch, Run, compile_program
from worlds.crafter.card.names import ACHIEVEMENTS, LENGTH
from worlds.crafter.card.score import SCORE
from worlds.crafter.play.runtime import RUNTIME
from worlds.crafter.play.sight import Sight
from worlds.crafter.play.world import CrafterWorld

PROGRAM = Path(__file__).parents[1] / "worlds/crafter/card/programs/achieve_everything.py"
SIDE = 16  # episodes side by side


def play(seeds: list[int], source: str) -> list[dict[str, Any]]:
    """One episode for each seed."""
    program = compile_program(source, RUNTIME)
    world = CrafterWorld(len(seeds))
    world.reset(np.arange(len(seeds)), np.array(seeds))
    readings = SimpleNamespace(world=world)
    seen = RUNTIME.observe(readings, program.fields)
    runs = {row: Run(program, LENGTH) for row in range(len(seeds))}
    codes = {row: code for row, run in runs.items() if (code := run.start(seen.row(row, 0)))}
    batch = Batch({row: runs[row] for row in codes}, codes)
    running = np.isin(np.arange(len(seeds)), list(codes))
    actions = np.zeros((len(seeds), 1), np.int64)
    while running.any():
        actions[batch.rows] = RUNTIME.vectors[batch.codes]
        world.step(actions, running)
        over = running & np.array([_over(world.sight(row)) for row in range(len(seeds))])
        seen = RUNTIME.observe(readings, program.fields)
        ended = batch.stop(np.flatnonzero(over).tolist()) if over.any() else []
        for row, _ in ended + batch.send(seen):
            running[row] = False
    return [_record(seed, world, row, runs[row]) for row, seed in enumerate(seeds)]


def _over(sight: Sight) -> bool:
    return sight.health <= 0 or sight.time >= LENGTH or len(sight.achievements) == len(ACHIEVEMENTS)


def _record(seed: int, world: CrafterWorld, row: int, run: Run) -> dict[str, Any]:
    sight, ending = world.sight(row), run.ending
    return {
        "seed": seed,
        "steps": sight.time,
        "achievements": sorted(sight.achievements),
        "death": world.cause_of_death(row),
        "ended": ending.status if ending else "",
        "error": ending.error if ending else "",
    }


def _interval(episodes: list[list[str]]) -> tuple[float, float]:
    """Of the score, 95 % by bootstrap over episodes."""
    chance = random.Random(0)
    drawn = (chance.choices(episodes, k=len(episodes)) for _ in range(1000))
    found = sorted(SCORE.of(SCORE.rates(each)) for each in drawn)
    return found[25], found[974]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--episodes", type=int, default=256)
    parser.add_argument("--first", type=int, default=100_000, help="seed of the first episode")
    parser.add_argument("--json", type=Path, help="write every episode there")
    given = parser.parse_args()
    if given.episodes < 1:
        parser.error("--episodes is at least 1")
    began = time.process_time()
    records: list[dict[str, Any]] = []
    for first in range(given.first, given.first + given.episodes, SIDE):
        last = min(first + SIDE, given.first + given.episodes)
        records += play(list(range(first, last)), PROGRAM.read_text("utf-8"))
        print(f"{len(records)} of {given.episodes} episodes", end="\r", flush=True)
    spent = time.process_time() - began
    if given.json:
        given.json.write_text(json.dumps(records, indent=1) + "\n")
    print(report(records, spent))


def report(records: list[dict[str, Any]], spent: float) -> str:
    """Tables as text. ``spent``: seconds of the processor's time."""
    episodes = [record["achievements"] for record in records]
    found = SCORE.rates(episodes)
    low, high = _interval(episodes)
    steps = sum(record["steps"] for record in records)
    deaths = Counter(record["death"] or record["ended"] for record in records)
    mean = sum(map(len, episodes)) / len(episodes)
    lines = [f"| achievement | % of {len(episodes)} episodes |", "|---|---|"]
    lines += [f"| {name} | {100 * found[name]:.1f} |" for name in ACHIEVEMENTS]
    lines += ["", "| score | who | steps | source |", "|---|---|---|---|"]
    ours = (
        SCORE.of(found),
        f"{SCORE.of(found):.1f} [{low:.1f}, {high:.1f}]",
        "this program",
        "0",
        "here",
    )
    rows = [(each.score, f"{each.score}", *each[1:]) for each in SCORE.published]
    lines += [f"| {' | '.join(row[1:])} |" for row in sorted([*rows, ours])]
    lines += [
        "",
        f"{mean:.1f} of 22 achievements an episode, {steps / len(records):.0f} steps; ends: "
        + ", ".join(f"{count} {cause}" for cause, count in deaths.most_common())
        + f"; {steps / spent:.0f} steps a second of the processor's time",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
