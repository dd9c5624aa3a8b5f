"""``rlgpt launch``: start a whole stack."""

from argparse import Namespace

from rlgpt.commands.parsing import Commands, add_overrides, without_options


def add(commands: Commands) -> None:
    launch = commands.add_parser(
        "launch",
        help="start a whole stack",
        allow_abbrev=False,
        usage="rlgpt launch NAME [-NODE ...] [key=value ...]",
        description="Start the stack of a launch file: ./launch/NAME.yaml, one of ours, or a "
        "path. -NODE leaves a node out, to be run by hand. key=value overrides the launch file.",
    )
    launch.add_argument("name", metavar="NAME")
    add_overrides(launch)
    launch.set_defaults(do=_launch, takes_more=True)


def _launch(given: Namespace, more: list[str]) -> int:
    from rlgpt.launching import launch

    excluded, overrides = without_options([*given.overrides, *more])
    return launch(given.name, overrides, excluded)
