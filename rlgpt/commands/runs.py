"""``rlgpt runs``: the run folders."""

from argparse import Namespace

from rlgpt.commands.parsing import Commands, example


def add(commands: Commands) -> None:
    runs = commands.add_parser(
        "runs",
        help="list the runs: state, goal, success, samples, age, size",
        **example("rlgpt runs", "rlgpt runs runs/cells --json"),
    )
    runs.add_argument("folder", nargs="?", default="runs", metavar="FOLDER", help="default: runs")
    runs.add_argument("--json", action="store_true", help="as one JSON array")
    runs.set_defaults(do=_runs)


def _runs(given: Namespace, _: list[str]) -> int:
    from rlgpt.runs.runs import list_runs

    return list_runs(given.folder, given.json)
