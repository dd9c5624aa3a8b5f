"""``rlgpt compare``: runs side by side."""

from argparse import Namespace

from rlgpt.commands.parsing import Commands, example


def add(commands: Commands) -> None:
    compare = commands.add_parser(
        "compare",
        help="show runs side by side: success, samples, time, tokens, settings that differ",
        **example("rlgpt compare harvest_log-20260101-120000 latest"),
    )
    compare.add_argument("runs", nargs="+", metavar="RUN", help="two or more run folders")
    compare.add_argument("--json", action="store_true", help="as one JSON object")
    compare.set_defaults(do=_compare)


def _compare(given: Namespace, _: list[str]) -> int:
    from rlgpt.runs.comparing import compare

    return compare(given.runs, given.json)
