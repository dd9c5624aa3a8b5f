"""``rlgpt service``: the services and actions of a run."""

from argparse import Namespace

from rlgpt.commands.parsing import Commands, add_run, group


def add(commands: Commands) -> None:
    service = group(commands, "service", "list services and actions")
    listed = service.add_parser("list", help="all services and actions and their types")
    add_run(listed)
    listed.set_defaults(do=_list)


def _list(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting import list_endpoints

    return list_endpoints("service", given.run)
