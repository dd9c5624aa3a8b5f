"""``rlgpt interface``: the types of messages."""

from argparse import Namespace

from rlgpt.commands.parsing import Commands, add_json, example, group


def add(commands: Commands) -> None:
    interface = group(commands, "interface", "list and show the types of messages")
    listed = interface.add_parser(
        "list", help="all types, and which endpoints use them", **example("rlgpt interface list")
    )
    add_json(listed)
    listed.set_defaults(do=_list)
    show = interface.add_parser(
        "show",
        help="the fields of a type; --json: its JSON schema",
        **example("rlgpt interface show Train", "rlgpt interface show PursueGoal --template"),
    )
    show.add_argument("name", metavar="TYPE", help="as `rlgpt interface list` names them")
    show.add_argument("--template", action="store_true", help="a JSON value to fill in")
    add_json(show)
    show.set_defaults(do=_show)


def _list(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.message_types import list_types

    return list_types(given.json)


def _show(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.message_types import show_type

    return show_type(given.name, given.json, given.template)
