"""``rlgpt report``: write the report of a run anew."""

from argparse import Namespace

from rlgpt.commands.parsing import Commands


def add(commands: Commands) -> None:
    report = commands.add_parser("report", help="write the report of a run anew")
    report.add_argument("run", nargs="?", metavar="RUN", help="default: the newest")
    report.set_defaults(do=_report)


def _report(given: Namespace, _: list[str]) -> int:
    from rlgpt.reporting import report

    return report(given.run)
