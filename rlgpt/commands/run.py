"""``rlgpt run``: one node of a run, in the foreground."""

from argparse import Namespace

from rlgpt.commands.parsing import Commands, add_overrides, add_run, example, without_options
from rlgpt.refused import Refused


def add(commands: Commands) -> None:
    run = commands.add_parser(
        "run",
        help="run one node of a run in the foreground, in place of the launcher's",
        allow_abbrev=False,
        **example("rlgpt run critic", "rlgpt run critic --debug --port 5678"),
    )
    run.add_argument("node", metavar="NODE", help="as `rlgpt node list` names them")
    run.add_argument(
        "--debug",
        action="store_true",
        help="wait for a debugger before it begins: debugpy's client, or pdb where there is none",
    )
    run.add_argument(
        "--port", type=int, metavar="PORT", help="of debugpy on this machine; default: 5678"
    )
    add_overrides(run, "parameters of the node, and their values")
    add_run(run)
    run.set_defaults(do=_run, takes_more=True)


def _run(given: Namespace, more: list[str]) -> int:
    from rlgpt.single_runs.foreground_node import run

    options, overrides = without_options([*given.overrides, *more])
    if options:
        raise Refused(f"`-{options[0]}` is no option of this command; see --help")
    if given.port is not None and not given.debug:
        raise Refused("--port sets the debugger's port: write --debug --port PORT")
    return run(given.node, given.run, overrides, given.debug, given.port)
