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
from typing import Any

import msgspec

from benchmarks.arguments import output_file, positive
from messages.program import Program
from messages.world import Condition, Guard, GuardReport, OpenSession, SeedRange, Task
from nodes.common.goals.guard_counts import in_words, together
from nodes.env_server.session import Session
from nodes.llm.rulebook.rules import Book
from worlds.crafter.card.crafter_names import ACHIEVEMENTS, LENGTH
from worlds.crafter.card.score import SCORE
from worlds.crafter.play.crafter_world import CrafterWorld

PROGRAM = Path(__file__).parents[1] / "worlds/crafter/card/programs/achieve_everything.py"
SIDE = 16  # episodes side by side
TASK = Task(
    id="crafter",
    prompt="unlock all achievements",
    game="crafter",
    success=Condition(kind="have", name="achievements", quantity=len(ACHIEVEMENTS)),
    horizon=LENGTH,
)


def play(seeds: list[int], source: str, guards: list[Guard]) -> list[dict[str, Any]]:
    """One episode for each of these consecutive seeds."""
    world = CrafterWorld(len(seeds))
    session = Session(
        OpenSession(
            session="benchmark",
            task=TASK,
            size=len(seeds),
            seeds=SeedRange(first=seeds[0], count=len(seeds)),
        ),
        world,
    )
    program = Program(name="achieve", source=source, max_steps=LENGTH)
    _, reports = session.run_program(program, guards=guards)
    ended = {row: report for report in reports for row in report.environments}
    done = [msgspec.to_builtins(report) for report in session.guards()]
    return [
        {
            "seed": seed,
            "steps": world.sight(row).time,
            "achievements": sorted(world.sight(row).achievements),
            "death": world.cause_of_death(row),
            "ended": ended[row].status,
            "error": ended[row].error,
            "guards": done if not row else [],
        }
        for row, seed in enumerate(seeds)
    ]


def stock(names: list[str]) -> list[Guard]:
    """Guards of the rulebook, by their names, in this order."""
    book = Book("crafter")
    found: list[Guard] = []
    for name in names:
        rule = book.guard(name)
        when, source = (
            book.guard_source(f"{rule.file}{part}.py", TASK.success) for part in ("_when", "")
        )
        program = Program(name=rule.file, source=source, max_steps=rule.max_steps)
        guard = Guard(name=rule.file, when=when, program=program, max_steps=rule.max_steps)
        found.append(guard)
    return found


def interval(episodes: list[list[str]]) -> tuple[float, float]:
    """Of the score, 95 % by bootstrap over episodes."""
    chance = random.Random(0)
    drawn = (chance.choices(episodes, k=len(episodes)) for _ in range(1000))
    found = sorted(SCORE.of(SCORE.rates(each)) for each in drawn)
    return found[25], found[974]


def measured(unlocked: list[list[str]], ends: list[str]) -> dict[str, Any]:
    """The score of episodes by what each unlocked, with its interval, and what they ended by."""
    return {
        "score": SCORE.of(SCORE.rates(unlocked)),
        "interval": interval(unlocked),
        "achievements": sum(map(len, unlocked)) / len(unlocked),
        "ends": {end: ends.count(end) for end in sorted(set(ends))},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--episodes", type=positive, default=256)
    parser.add_argument("--first", type=int, default=100_000, help="seed of the first episode")
    parser.add_argument("--json", type=output_file, help="write every episode there")
    parser.add_argument("--program", type=Path, default=PROGRAM, help="another one")
    parser.add_argument(
        "--guards", default="", help="names of the rulebook's guards, by commas, or all"
    )
    given = parser.parse_args()
    known = list(Book("crafter").rules.guards)
    names = known if given.guards == "all" else [n for n in given.guards.split(",") if n]
    if unknown := [name for name in names if name not in known]:
        parser.error(f"there is no guard {unknown[0]!r}; there are {', '.join(known)}")
    guards = stock(names)
    began = time.process_time()
    records: list[dict[str, Any]] = []
    for first in range(given.first, given.first + given.episodes, SIDE):
        last = min(first + SIDE, given.first + given.episodes)
        records += play(list(range(first, last)), given.program.read_text("utf-8"), guards)
        print(f"{len(records)} of {given.episodes} episodes", end="\r", flush=True)
    spent = time.process_time() - began
    print(report(records, spent))
    if given.json:
        given.json.write_text(json.dumps(records, indent=1) + "\n")


def report(records: list[dict[str, Any]], spent: float) -> str:
    """Tables as text. ``spent``: seconds of CPU time."""
    episodes = [record["achievements"] for record in records]
    found = SCORE.rates(episodes)
    low, high = interval(episodes)
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
        *(f"guard {each.name}: {in_words(each)}" for each in _guards(records)),
        "",
        f"{mean:.1f} of 22 achievements an episode, {steps / len(records):.0f} steps; ends: "
        + ", ".join(f"{count} {cause}" for cause, count in deaths.most_common())
        + f"; {steps / spent:.0f} steps a second of CPU time",
    ]
    return "\n".join(lines)


def _guards(records: list[dict[str, Any]]) -> list[GuardReport]:
    reports = [report for record in records for report in record["guards"]]
    return together(msgspec.convert(report, GuardReport) for report in reports)


if __name__ == "__main__":
    main()
