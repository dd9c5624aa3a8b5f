"""``rlgpt node``: the nodes of a run."""

from argparse import Namespace

from rlgpt.commands.parsing import Commands, add_json, add_run, example, group

NAMED = "as `rlgpt node list` names them"


def add(commands: Commands) -> None:
    node = group(commands, "node", "list, look into, pause, restart and kill nodes")
    listed = node.add_parser(
        "list", help="the nodes and their states", **example("rlgpt node list --json")
    )
    add_run(listed)
    add_json(listed)
    listed.set_defaults(do=_list)
    info = node.add_parser(
        "info",
        help="one node: its process, what it offers, what it uses",
        **example("rlgpt node info learner"),
    )
    info.add_argument("name", metavar="NODE", help=NAMED)
    add_run(info)
    add_json(info)
    info.set_defaults(do=_info)
    _add_log(node)
    for what, text in (
        ("restart", "stop a node in order and start it again"),
        ("kill", "end a node at once; it is started again like any that ended by itself"),
    ):
        parser = node.add_parser(what, help=text, **example(f"rlgpt node {what} critic"))
        parser.add_argument("name", metavar="NODE", help=NAMED)
        add_run(parser)
        parser.set_defaults(do=_control)
    _add_pausing(node)


def _add_pausing(node: Commands) -> None:
    for what, text in (
        ("pause", "have a node begin nothing new until it goes on, also over its restart"),
        ("continue", "let a paused node go on"),
    ):
        parser = node.add_parser(what, help=text, **example(f"rlgpt node {what} env_server"))
        parser.add_argument("name", metavar="NODE", help=NAMED)
        add_run(parser)
        parser.set_defaults(do=_pause)
    step = node.add_parser(
        "step",
        help="pause a node, but for so many steps: of the env server, steps of its worlds; of "
        "another node, requests that it begins to work on or sends",
        **example("rlgpt node step env_server --count 10"),
    )
    step.add_argument("name", metavar="NODE", help=NAMED)
    step.add_argument("--count", type=int, default=1, metavar="N", help="default: 1")
    step.add_argument(
        "--timeout", type=float, default=10.0, metavar="S", help="seconds for them; default 10"
    )
    add_run(step)
    step.set_defaults(do=_step)


def _add_log(node: Commands) -> None:
    log = node.add_parser(
        "log",
        help="the logs of nodes, merged by time, also of a run that has ended",
        **example(
            "rlgpt node log --follow",
            "rlgpt node log fast_agent learner --level warning --since 10m",
        ),
    )
    log.add_argument("names", nargs="*", metavar="NODE", help="default: all")
    log.add_argument("-f", "--follow", action="store_true", help="keep printing new entries")
    log.add_argument("-n", "--last", type=int, metavar="N", help="only the last N entries")
    log.add_argument(
        "--level", default="debug", metavar="LEVEL", help="this one or worse: info, warning, error"
    )
    log.add_argument("--grep", metavar="PATTERN", help="a regular expression")
    log.add_argument("--since", metavar="WHEN", help="10m, 2h, or a time: 2026-01-31T12:00")
    add_run(log)
    add_json(log)
    log.set_defaults(do=_log)


def _list(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.node_states import list_nodes

    return list_nodes(given.run, given.json)


def _info(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.node_states import show_node

    return show_node(given.name, given.run, given.json)


def _log(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.node_logs import make_filter, show_logs

    chosen = make_filter(given.level, given.grep, given.since)
    return show_logs(given.names, given.run, chosen, given.last, given.follow, given.json)


def _control(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.node_states import control

    return control(given.what, given.name, given.run)


def _pause(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting import node_pauses

    return (node_pauses.pause if given.what == "pause" else node_pauses.go_on)(
        given.name, given.run
    )


def _step(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.node_pauses import step

    return step(given.name, given.run, given.count, given.timeout)
