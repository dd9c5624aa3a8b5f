"""How many of MineDojo's tasks the scripted player does: python -m benchmarks.demonstrations

Draws ids at random, without repetition, plays each once from its start, prints id, success, steps,
seconds and what stood in the way, and at the end how many were done. Which ids are drawn follows
from their number and `--draw` alone; each of their worlds, mobs included, from `--seed`.

    python -m benchmarks.demonstrations --ids 131 --keep FILE   # FILE: a line of JSON for each

With `--keep`, ids that FILE already has (of the same seed) are counted and not played again, so the
command can be stopped and goes on. To play some again, take their lines out, or name the ids. With
`--order OTHER`, a file that was kept before, those go first that took the fewest steps there, and
those last that were not done.
"""

import argparse
import random
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

import msgspec

from voxeldojo.demonstrations.demonstrate import SEED, Demonstration, demonstrate
from voxeldojo.tasks import UnknownTask, task_ids, task_spec

DRAW = 131  # of the ids; the count that the documentation names
IDS = 131


def draw(count: int, seed: int) -> list[str]:
    """``count`` programmatic ids, the same ones for the same seed."""
    return random.Random(seed).sample(sorted(task_ids("programmatic")), count)


def sentence(played: Demonstration) -> str:
    """What is printed of one."""
    end = "done" if played.success else f"not done: {played.reason}"
    return f"{played.steps:8d} steps {played.seconds:8.1f} s  {played.task}: {end}."


class UnusableResults(ValueError):
    """A file of results cannot be read or written; the message has which, and why."""


def kept(path: Path, seed: int) -> dict[str, Demonstration]:
    """The results in a file, the last of each id.

    Raises:
        UnusableResults: it cannot be read, or a line of it is no result.
    """
    found: list[Demonstration] = []
    try:
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            try:
                found.append(msgspec.json.decode(line, type=Demonstration))
            except msgspec.DecodeError as error:
                raise UnusableResults(f"{path}, line {number} is no result: {error}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UnusableResults(f"{path} cannot be read: {reason(error)}") from None
    return {played.task: played for played in found if played.seed == seed}


def begin(path: Path) -> None:
    """Make the file that results are added to, before hours are played for it.

    Raises:
        UnusableResults: it cannot be written.
    """
    try:
        path.open("a", encoding="utf-8").close()
    except OSError as error:
        raise UnusableResults(f"{path} cannot be written: {reason(error)}") from None


def reason(error: OSError | UnicodeDecodeError) -> str:
    """Why a file is not to be used, without its name."""
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return "it is not text in UTF-8"


def cheapest_first(tasks: list[str], before: dict[str, Demonstration]) -> list[str]:
    """Tasks that were done before come first, by their steps, then those that were not played, then
    those that were not done."""

    def rank(task: str) -> tuple[int, int]:
        played = before.get(task)
        if played is None:
            return 1, 0
        return (0 if played.success else 2), played.steps

    return sorted(tasks, key=rank)


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0: played; 2: no such task, more ids than there are, or a file of results that
    cannot be used."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.demonstrations", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("tasks", nargs="*", metavar="TASK", help="these ids, none drawn")
    parser.add_argument("--ids", type=int, default=IDS, help="how many are drawn")
    parser.add_argument("--draw", type=int, default=DRAW, help="seed of the draw")
    parser.add_argument("--seed", type=int, default=SEED, help="the worlds' seed")
    parser.add_argument("--limit", type=int, default=0, help="steps; 0: the script's own limit")
    parser.add_argument("--jobs", type=int, default=1, help="processes side by side")
    parser.add_argument("--keep", type=Path, help="append a line of JSON for each to this file")
    parser.add_argument("--order", type=Path, metavar="FILE", help="the cheapest in FILE first")
    given = parser.parse_args(arguments)
    every = len(task_ids("programmatic"))
    if not 1 <= given.ids <= every or given.jobs < 1 or given.limit < 0:
        parser.error(f"--ids is 1 to {every}, --jobs at least 1, --limit at least 0")
    tasks = given.tasks or draw(given.ids, given.draw)
    try:
        for task in tasks:
            task_spec(task)
        before = {} if given.order is None else kept(given.order, given.seed)
        known: dict[str, Demonstration] = {}
        if given.keep is not None:
            begin(given.keep)
            known = {} if given.tasks else kept(given.keep, given.seed)
    except (UnknownTask, UnusableResults) as problem:
        parser.error(str(problem))
    tasks = cheapest_first(tasks, before)
    shown = [known[task] for task in tasks if task in known]
    # A process for each task: what one leaves behind in memory is no other's.
    with ProcessPoolExecutor(given.jobs, get_context("spawn"), max_tasks_per_child=1) as pool:
        running = [
            pool.submit(demonstrate, task, given.seed, given.limit)
            for task in tasks
            if task not in known
        ]
        for future in as_completed(running):
            played = future.result()
            shown.append(played)
            print(sentence(played), flush=True)
            if given.keep is not None:
                with given.keep.open("a", encoding="utf-8") as file:
                    file.write(msgspec.json.encode(played).decode() + "\n")
    print(report(shown))
    return 0


def report(shown: list[Demonstration]) -> str:
    """The count, and a line for each that failed, as in the documentation."""
    failed = sorted((each for each in shown if not each.success), key=lambda each: each.task)
    lines = [f"{len(shown) - len(failed)} of {len(shown)} were done."]
    return "\n".join([*lines, *(f"* `{each.task}`: {each.reason}" for each in failed)])


if __name__ == "__main__":
    sys.exit(main())
