"""``rlgpt report``: write the report of a run."""

from argparse import Namespace

from rlgpt.commands.parsing import Commands, example


def add(commands: Commands) -> None:
    report = commands.add_parser(
        "report",
        help="write the report of a run, also of one that goes on or was interrupted",
        description="Write summary.json and report.html of a run from its folder, as far as the "
        "run has come: it may be running, interrupted, failed, or driven from Python.",
        **example("rlgpt report runs/latest"),
    )
    report.add_argument("run", nargs="?", metavar="RUN", help="default: the newest")
    report.add_argument(
        "--goal", metavar="GOAL", help="the id of one of several goals; default: the newest"
    )
    report.set_defaults(do=_report)


def _report(given: Namespace, _: list[str]) -> int:
    from rlgpt.runs.reporting import report

    return report(given.run, given.goal)
