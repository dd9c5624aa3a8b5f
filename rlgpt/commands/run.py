"""``rlgpt run``: one node of a run, in the foreground."""

from argparse import Namespace

from rlgpt.commands.parsing import Commands, add_overrides, add_run, without_options
from rlgpt.refused import Refused


def add(commands: Commands) -> None:
    run = commands.add_parser(
        "run",
        help="run one node of a run in the foreground, in place of the launcher's",
        allow_abbrev=False,
    )
    run.add_argument("node", metavar="NODE")
    add_overrides(run)
    add_run(run)
    run.set_defaults(do=_run, takes_more=True)


def _run(given: Namespace, more: list[str]) -> int:
    from rlgpt.foreground_node import run

    options, overrides = without_options([*given.overrides, *more])
    if options:
        raise Refused(f"`-{options[0]}` is no option of this command; see --help")
    return run(given.node, given.run, overrides)
