"""``rlgpt prompt``: what the language model was asked."""

from argparse import Namespace

from rlgpt.commands.parsing import Commands, add_run, group
from rlgpt.refused import Refused


def add(commands: Commands) -> None:
    prompt = group(commands, "prompt", "see what the language model was asked")
    show = prompt.add_parser("show", help="print exactly what was sent")
    show.add_argument(
        "agent", metavar="AGENT", help="who asked: planner, slow_agent, fast_agent, critic"
    )
    show.add_argument("--id", metavar="ID", help="of a question, or its end; default: the newest")
    show.add_argument("--list", action="store_true", help="only the ids of the agent's questions")
    show.add_argument("--schema", action="store_true", help="the schema of the answer as well")
    add_run(show)
    show.set_defaults(do=_show)


def _show(given: Namespace, _: list[str]) -> int:
    from rlgpt.single_runs.prompts import show

    if given.list and (given.id is not None or given.schema):
        other = "--schema" if given.id is None else "--id"
        raise Refused(f"--list prints ids alone: leave it out, or {other}")
    return show(given.agent, given.run, given.id, given.list, given.schema)
