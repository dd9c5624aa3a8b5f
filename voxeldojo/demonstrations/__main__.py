"""``voxeldojo demonstrate [TASK ...] [--seeds N] [--json] [--write] [--table]``"""

import argparse
import sys

import msgspec

from voxeldojo.command_name import called, refuse
from voxeldojo.demonstrations.demonstrate import (
    RESULTS,
    SEED,
    Demonstration,
    demonstrate,
    easiest,
    keep,
    table,
)
from voxeldojo.exit_codes import FAILED, REFUSED
from voxeldojo.tasks import UnknownTask, task_spec, templates


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0: all succeeded; 1: some did not; 2: there is no such task, or a result cannot be
    written."""
    parser = argparse.ArgumentParser(
        prog=called("demonstrate"),
        description="Plays tasks by script; without a TASK, one of each template.",
        allow_abbrev=False,
    )
    parser.add_argument("tasks", nargs="*", metavar="TASK", help="a task id")
    parser.add_argument("--seed", type=int, default=SEED, help="the first world's seed")
    parser.add_argument("--seeds", type=int, default=1, help="worlds for each task")
    parser.add_argument("--limit", type=int, default=0, help="steps; 0: the script's own limit")
    parser.add_argument("--json", action="store_true", help="a line of JSON for each")
    parser.add_argument(
        "--write", action="store_true", help=f"keep each result in {RESULTS.name}, for coverage"
    )
    parser.add_argument(
        "--table", action="store_true", help="play nothing: print the kept results as Markdown"
    )
    given = parser.parse_args(arguments)
    if given.table:
        if given.tasks or given.json or given.write:
            parser.error("--table plays nothing: leave out TASK, --json and --write")
        print(table())
        return 0
    if given.seeds < 1 or given.limit < 0 or given.seed < 0:
        parser.error("--seeds is at least 1, --seed and --limit at least 0 (the script's own)")
    if given.write and given.limit:
        parser.error("--write keeps results of whole scripts: leave out --limit")
    tasks = given.tasks or [easiest(template) for template in templates()]
    try:
        for task in tasks:
            task_spec(task)
    except UnknownTask as unknown:
        refuse("demonstrate", unknown)
        return REFUSED
    shown = []
    for task in tasks:
        for seed in range(given.seed, given.seed + given.seeds):
            played = demonstrate(task, seed, given.limit)
            shown.append(played)
            print(_line(played, given.json), flush=True)
            if not given.write:
                continue
            try:
                keep(played)
            except OSError as error:
                refuse(
                    "demonstrate",
                    f"--write cannot keep a result in {RESULTS}: {error.strerror}",
                )
                return REFUSED
    done = sum(played.success for played in shown)
    print(f"{done} of {len(shown)} done", file=sys.stderr)
    return 0 if done == len(shown) else FAILED


def _line(played: Demonstration, as_json: bool) -> str:
    if as_json:
        return msgspec.json.encode(played).decode()
    how = "done" if played.success else f"not done: {played.reason}"
    return f"{played.steps:8d} steps  {played.seconds:7.1f} s  {played.task}: {how}"


if __name__ == "__main__":
    sys.exit(main())
