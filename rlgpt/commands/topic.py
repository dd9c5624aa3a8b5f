"""``rlgpt topic``: the topics of a run and their messages."""

from argparse import Namespace

from rlgpt.commands.parsing import Commands, add_json, add_run, add_until, example, group

NAMED = "as `rlgpt topic list` names them"


def add(commands: Commands) -> None:
    topic = group(commands, "topic", "list, echo, measure and publish on topics")
    listed = topic.add_parser(
        "list", help="all topics and their types", **example("rlgpt topic list")
    )
    add_run(listed)
    add_json(listed)
    listed.set_defaults(do=_list)
    info = topic.add_parser(
        "info",
        help="one topic: its type, its publisher, its subscribers",
        **example("rlgpt topic info learner/progress"),
    )
    info.add_argument("name", metavar="TOPIC", help=NAMED)
    add_run(info)
    add_json(info)
    info.set_defaults(do=_info)
    _add_echo(topic)
    for what, text in (
        ("hz", "how often topics are published on, with gaps, delays and missed messages"),
        ("bw", "bandwidth of topics, in bytes/s"),
    ):
        rates = topic.add_parser(
            what,
            help=text,
            **example(f"rlgpt topic {what}", f"rlgpt topic {what} learner/progress --seconds 10"),
        )
        rates.add_argument("names", nargs="*", metavar="TOPIC", help="default: all")
        rates.add_argument("--seconds", type=float, default=5.0, metavar="S", help="default: 5")
        add_run(rates)
        add_json(rates)
        rates.set_defaults(do=_rates)
    pub = topic.add_parser(
        "pub",
        help="publish in place of a node that is not running",
        **example(
            "rlgpt interface show Progress --template > progress.json",
            "rlgpt topic pub learner/progress - --count 3 < progress.json",
        ),
    )
    pub.add_argument("name", metavar="TOPIC", help=NAMED)
    pub.add_argument("message", nargs="?", metavar="JSON", help="-: standard input")
    pub.add_argument("--count", type=int, default=1, metavar="N", help="0: until Ctrl-C")
    pub.add_argument("--rate", type=float, default=1.0, metavar="HZ", help="default: 1 a second")
    add_run(pub)
    pub.set_defaults(do=_pub)


def _add_echo(topic: Commands) -> None:
    echo = topic.add_parser(
        "echo",
        help="print the messages of a topic, one JSON object a line",
        **example(
            "rlgpt topic echo learner/progress --field samples", "rlgpt topic echo 'critic/*'"
        ),
    )
    echo.add_argument("name", metavar="TOPIC", help="NODE/* is every topic of a node")
    add_until(echo)
    echo.add_argument(
        "--field",
        action="append",
        default=[],
        metavar="NAME",
        help="only this field; a.b is a field of a field; may be given several times",
    )
    echo.add_argument(
        "--latched", action="store_true", help="only the last value of a latched topic"
    )
    add_run(echo)
    echo.set_defaults(do=_echo)


def _list(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.endpoint_list import list_endpoints

    return list_endpoints(("topic",), given.run, given.json)


def _info(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.endpoint_list import show_endpoint

    return show_endpoint("topic", given.name, given.run, given.json)


def _echo(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.echoing import echo

    return echo(given.name, given.run, given.count, given.timeout, given.field, given.latched)


def _rates(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.rates import measure_rates

    return measure_rates(given.names, given.run, given.seconds, given.json)


def _pub(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.calls import publish

    return publish(given.name, given.message, given.run, given.count, given.rate)
