"""``rlgpt launch``: start a whole stack."""

from argparse import Namespace

from rlgpt.commands.parsing import Commands, add_overrides, example, note_repeated, without_options
from rlgpt.refused import Refused


def add(commands: Commands) -> None:
    launch = commands.add_parser(
        "launch",
        help="start a whole stack",
        allow_abbrev=False,
        usage="rlgpt launch NAME [-NODE ...] [key=value ...]\n       rlgpt launch --list [--json]",
        description="Start the stack of a launch file: ./launch/NAME.yaml, one of ours, or a "
        "path. -NODE leaves a node out, to be run by hand. key=value overrides the launch file.",
        **example("rlgpt launch harvest_log seed=3 limits.iterations=6", "rlgpt launch --list"),
    )
    launch.add_argument(
        "name", nargs="?", metavar="NAME", help="a launch file: its name, or its path"
    )
    launch.add_argument("--list", action="store_true", help="list the launch files, and end")
    launch.add_argument("--json", action="store_true", help="of the list: as one JSON array")
    launch.add_argument(
        "--bag", action="store_true", help="record all messages in the run folder: bag=true"
    )
    add_overrides(launch, "changes of the launch file")
    launch.set_defaults(do=_launch, takes_more=True)


def _launch(given: Namespace, more: list[str]) -> int:
    if given.list:
        if given.name is not None or given.overrides or more:
            raise Refused("--list lists all launch files and takes no name; leave one of them out")
        from rlgpt.composing.launch_files import list_launch_files

        return list_launch_files(given.json)
    if given.name is None:
        raise Refused("which launch file? `rlgpt launch --list` has them")
    if given.json:
        raise Refused("--json goes with --list")
    from rlgpt.launching.launching import launch

    excluded, overrides = without_options([*given.overrides, *more])
    note_repeated(overrides)
    recorded = ["bag=true"] if given.bag else []
    return launch(given.name, [*overrides, *recorded], excluded)
