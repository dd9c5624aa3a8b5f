"""``rlgpt param``: the nodes' parameters."""

from argparse import Namespace

from rlgpt.commands.parsing import Commands, add_run, group


def add(commands: Commands) -> None:
    param = group(commands, "param", "read and set parameters")
    listed = param.add_parser("list", help="the parameters of a node, or of all")
    listed.add_argument("node", nargs="?", metavar="NODE")
    listed.set_defaults(do=_show, name=None)
    got = param.add_parser("get", help="one parameter of a node")
    got.add_argument("node", metavar="NODE")
    got.add_argument("name", metavar="PARAMETER")
    got.set_defaults(do=_show)
    put = param.add_parser("set", help="set a parameter of a running node")
    put.add_argument("node", metavar="NODE")
    put.add_argument("assignment", metavar="key=value")
    put.set_defaults(do=_set)
    for parser in (listed, got, put):
        add_run(parser)


def _show(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting import show_parameters

    return show_parameters(given.node, given.name, given.run)


def _set(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting import set_parameter

    return set_parameter(given.node, given.assignment, given.run)
