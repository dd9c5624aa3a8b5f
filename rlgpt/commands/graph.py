"""``rlgpt graph``: which node uses what of which other."""

from argparse import Namespace

from rlgpt.commands.parsing import Commands, add_run, example


def add(commands: Commands) -> None:
    text = "print which node uses which topics, services and actions of which other"
    parser = commands.add_parser(
        "graph",
        help=text,
        description=text,
        **example("rlgpt graph", "rlgpt graph --format dot | dot -Tsvg > graph.svg"),
    )
    parser.add_argument(
        "--format", default="text", metavar="FORMAT", help="text, mermaid, dot or json"
    )
    parser.add_argument(
        "--all", action="store_true", help="include the endpoints that every node has"
    )
    add_run(parser)
    parser.set_defaults(do=_graph)


def _graph(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.node_graph import show_graph

    return show_graph(given.run, given.format, given.all)
