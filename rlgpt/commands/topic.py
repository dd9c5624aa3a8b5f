"""``rlgpt topic``: the topics of a run and their messages."""

from argparse import Namespace

from rlgpt.commands.parsing import Commands, add_run, group


def add(commands: Commands) -> None:
    topic = group(commands, "topic", "list and echo topics")
    listed = topic.add_parser("list", help="all topics and their types")
    add_run(listed)
    listed.set_defaults(do=_list)
    echo = topic.add_parser("echo", help="print the messages of a topic")
    echo.add_argument("name", metavar="TOPIC")
    echo.add_argument("--count", type=int, default=0, metavar="N", help="end after N messages")
    echo.add_argument(
        "--timeout", type=float, default=None, metavar="S", help="end after S seconds of silence"
    )
    add_run(echo)
    echo.set_defaults(do=_echo)


def _list(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting import list_endpoints

    return list_endpoints("topic", given.run)


def _echo(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting import echo

    return echo(given.name, given.run, given.count, given.timeout)
