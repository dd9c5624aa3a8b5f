"""``rlgpt param``: the nodes' parameters."""

from argparse import Namespace

from rlgpt.commands.parsing import Commands, add_json, add_run, example, group

NODE = "as `rlgpt node list` names them"


def add(commands: Commands) -> None:
    param = group(commands, "param", "read, set, reset, save and load parameters")
    listed = param.add_parser(
        "list", help="the parameters of a node, or of all", **example("rlgpt param list critic")
    )
    listed.add_argument("node", nargs="?", metavar="NODE", help="default: all nodes")
    add_json(listed)
    listed.set_defaults(do=_show, name=None)
    got = param.add_parser(
        "get", help="one parameter of a node", **example("rlgpt param get critic required_rate")
    )
    got.add_argument("node", metavar="NODE", help=NODE)
    got.add_argument("name", metavar="PARAMETER", help="as `rlgpt param list` names them")
    got.set_defaults(do=_show, json=False)
    put = param.add_parser(
        "set",
        help="set parameters of a running node, all or none",
        **example(
            "rlgpt param set critic required_rate=0.8", "rlgpt param set learner clip=0.1 epochs=4"
        ),
    )
    put.add_argument("node", metavar="NODE", help=NODE)
    put.add_argument(
        "assignments", nargs="+", metavar="key=value", help="parameters and their new values"
    )
    put.set_defaults(do=_set)
    reset = param.add_parser(
        "reset",
        help="set parameters back to what config.yaml has",
        **example("rlgpt param reset learner learning_rate"),
    )
    reset.add_argument("node", metavar="NODE", help=NODE)
    reset.add_argument("names", nargs="*", metavar="PARAMETER", help="default: all that were set")
    reset.set_defaults(do=_reset)
    changes = param.add_parser(
        "changes",
        help="who set which parameter when, also of a run that has ended",
        **example("rlgpt param changes"),
    )
    add_json(changes)
    changes.set_defaults(do=_changes)
    dump = param.add_parser(
        "dump", help="print parameters as YAML", **example("rlgpt param dump > parameters.yaml")
    )
    dump.add_argument("node", nargs="?", metavar="NODE", help="default: all nodes")
    dump.set_defaults(do=_dump)
    load = param.add_parser(
        "load",
        help="set the live parameters that a file of `dump` has",
        **example("rlgpt param load parameters.yaml"),
    )
    load.add_argument("file", metavar="FILE", help="as `rlgpt param dump` writes it")
    load.set_defaults(do=_load)
    for parser in (listed, got, put, reset, changes, dump, load):
        add_run(parser)


def _show(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.parameter_values import show_parameters

    return show_parameters(given.node, given.name, given.run, given.json)


def _set(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.parameter_values import set_parameters

    return set_parameters(given.node, given.assignments, given.run)


def _reset(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.parameter_values import reset_parameters

    return reset_parameters(given.node, given.names, given.run)


def _changes(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.parameter_changes import show_changes

    return show_changes(given.run, given.json)


def _dump(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.parameter_values import dump_parameters

    return dump_parameters(given.node, given.run)


def _load(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.parameter_values import load_parameters

    return load_parameters(given.file, given.run)
