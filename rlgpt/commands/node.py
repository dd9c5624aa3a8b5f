"""``rlgpt node``: the nodes of a run."""

from argparse import Namespace

from rlgpt.commands.parsing import Commands, add_run, group


def add(commands: Commands) -> None:
    node = group(commands, "node", "list, restart and kill nodes")
    listed = node.add_parser("list", help="the nodes and their states")
    add_run(listed)
    listed.set_defaults(do=_list)
    for what, text in (
        ("restart", "stop a node in order and start it again"),
        ("kill", "end a node at once; it is started again like any that ended by itself"),
    ):
        parser = node.add_parser(what, help=text)
        parser.add_argument("name", metavar="NODE")
        add_run(parser)
        parser.set_defaults(do=_control)


def _list(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting import list_nodes

    return list_nodes(given.run)


def _control(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting import control

    return control(given.what, given.name, given.run)
