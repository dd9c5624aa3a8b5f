"""``rlgpt launch`` and ``rlgpt resume``: start a whole stack, or go on with one."""

from argparse import Namespace

from rlgpt.commands.parsing import Commands, add_overrides, without_options
from rlgpt.refused import Refused


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

    resume = commands.add_parser(
        "resume",
        help="go on with a run that was stopped",
        allow_abbrev=False,
        usage="rlgpt resume [RUN] [-NODE ...]",
    )
    resume.add_argument("run", nargs="?", metavar="RUN", help="default: the newest")
    resume.set_defaults(do=_resume, takes_more=True)


def _launch(given: Namespace, more: list[str]) -> int:
    from rlgpt.launching import launch

    excluded, overrides = without_options([*given.overrides, *more])
    return launch(given.name, overrides, excluded)


def _resume(given: Namespace, more: list[str]) -> int:
    from rlgpt.launching import resume

    excluded, overrides = without_options(more)
    if overrides:
        raise Refused(f"a resumed run keeps its config.yaml; `{overrides[0]}` cannot change it")
    return resume(given.run, excluded)
