"""``rlgpt service``: the services of a run."""

from argparse import Namespace

from rlgpt.commands.parsing import Commands, add_json, add_run, add_until, example, group

NAMED = "as `rlgpt service list` names them"


def add(commands: Commands) -> None:
    service = group(commands, "service", "list, call and watch services")
    listed = service.add_parser(
        "list", help="all services and actions and their types", **example("rlgpt service list")
    )
    add_run(listed)
    add_json(listed)
    listed.set_defaults(do=_list)
    info = service.add_parser(
        "info",
        help="one service: its types, its node, who has called it",
        **example("rlgpt service info critic/judge"),
    )
    info.add_argument("name", metavar="SERVICE", help=NAMED)
    add_run(info)
    add_json(info)
    info.set_defaults(do=_info)
    call = service.add_parser(
        "call",
        help="call a service and print its reply",
        **example(
            "rlgpt service call learner/describe",
            """rlgpt service call env_server/look '{"session": "NAME"}'""",
        ),
    )
    call.add_argument("name", metavar="SERVICE", help=NAMED)
    call.add_argument("request", nargs="?", metavar="JSON", help="-: standard input")
    call.add_argument(
        "--timeout", type=float, default=30.0, metavar="S", help="seconds for the reply; default 30"
    )
    add_run(call)
    call.set_defaults(do=_call)
    echo = service.add_parser(
        "echo",
        help="print the requests of a service and the replies to them, one JSON object a line",
        **example("rlgpt service echo critic/judge", "rlgpt service echo 'env_server/*'"),
    )
    echo.add_argument("name", metavar="SERVICE", help="NODE/* is every service of a node")
    add_until(echo)
    add_run(echo)
    echo.set_defaults(do=_echo)


def _list(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.endpoint_list import list_endpoints

    return list_endpoints(("service", "action"), given.run, given.json)


def _info(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.endpoint_list import show_endpoint

    return show_endpoint("service", given.name, given.run, given.json)


def _call(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.calls import call_service

    return call_service(given.name, given.request, given.run, given.timeout)


def _echo(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.call_echoing import echo_service

    return echo_service(given.name, given.run, given.count, given.timeout)
