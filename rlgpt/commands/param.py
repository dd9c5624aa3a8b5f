"""``rlgpt param``: the nodes' parameters."""

from argparse import Namespace

from rlgpt.commands.parsing import Commands, add_json, add_run, example, group


def add(commands: Commands) -> None:
    param = group(commands, "param", "read, set, save and load parameters")
    listed = param.add_parser(
        "list", help="the parameters of a node, or of all", **example("rlgpt param list critic")
    )
    listed.add_argument("node", nargs="?", metavar="NODE")
    add_json(listed)
    listed.set_defaults(do=_show, name=None)
    got = param.add_parser(
        "get", help="one parameter of a node", **example("rlgpt param get critic required_rate")
    )
    got.add_argument("node", metavar="NODE")
    got.add_argument("name", metavar="PARAMETER")
    got.set_defaults(do=_show, json=False)
    put = param.add_parser(
        "set",
        help="set a parameter of a running node",
        **example("rlgpt param set critic required_rate=0.8"),
    )
    put.add_argument("node", metavar="NODE")
    put.add_argument("assignment", metavar="key=value")
    put.set_defaults(do=_set)
    dump = param.add_parser(
        "dump", help="print parameters as YAML", **example("rlgpt param dump > parameters.yaml")
    )
    dump.add_argument("node", nargs="?", metavar="NODE")
    dump.set_defaults(do=_dump)
    load = param.add_parser(
        "load",
        help="set the live parameters that a file of `dump` has",
        **example("rlgpt param load parameters.yaml"),
    )
    load.add_argument("file", metavar="FILE")
    load.set_defaults(do=_load)
    for parser in (listed, got, put, dump, load):
        add_run(parser)


def _show(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.parameter_values import show_parameters

    return show_parameters(given.node, given.name, given.run, given.json)


def _set(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.parameter_values import set_parameter

    return set_parameter(given.node, given.assignment, given.run)


def _dump(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.parameter_values import dump_parameters

    return dump_parameters(given.node, given.run)


def _load(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.parameter_values import load_parameters

    return load_parameters(given.file, given.run)
