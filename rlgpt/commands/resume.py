"""``rlgpt resume``: go on with a run that was stopped."""

from argparse import Namespace

from rlgpt.commands.parsing import Commands, without_options
from rlgpt.refused import Refused


def add(commands: Commands) -> None:
    resume = commands.add_parser(
        "resume",
        help="go on with a run that was stopped",
        allow_abbrev=False,
        usage="rlgpt resume [RUN] [-NODE ...]",
    )
    resume.add_argument("run", nargs="?", metavar="RUN", help="default: the newest")
    resume.set_defaults(do=_resume, takes_more=True)


def _resume(given: Namespace, more: list[str]) -> int:
    from rlgpt.launching.launching import resume

    excluded, overrides = without_options(more)
    if overrides:
        raise Refused(f"a resumed run keeps its config.yaml; `{overrides[0]}` cannot change it")
    return resume(given.run, excluded)
