"""``rlgpt action``: the actions of a run and their goals."""

from argparse import Namespace

from rlgpt.commands.parsing import Commands, add_json, add_run, add_until, example, group


def add(commands: Commands) -> None:
    action = group(commands, "action", "list and watch actions, send and cancel goals")
    listed = action.add_parser(
        "list",
        help="the actions, how many goals each has had, how they ended; also of a run that has "
        "ended",
        **example("rlgpt action list"),
    )
    add_run(listed)
    add_json(listed)
    listed.set_defaults(do=_list)
    info = action.add_parser(
        "info",
        help="the goals of an action, or one of them",
        **example("rlgpt action info learner/train", "rlgpt action info planner/pursue goal"),
    )
    info.add_argument("name", metavar="ACTION", help="as `rlgpt action list` names them")
    info.add_argument(
        "goal", nargs="?", metavar="GOAL_ID", help="one of its goals; default: all of them"
    )
    add_run(info)
    add_json(info)
    info.set_defaults(do=_info)
    _add_goals(action)
    echo = action.add_parser(
        "echo",
        help="print the goals of an action, their feedback and their ends, one JSON object a line",
        **example("rlgpt action echo learner/train", "rlgpt action echo 'planner/*'"),
    )
    echo.add_argument("name", metavar="ACTION", help="NODE/* is every action of a node")
    add_until(echo)
    add_run(echo)
    echo.set_defaults(do=_echo)


def _add_goals(action: Commands) -> None:
    send = action.add_parser(
        "send_goal",
        help="send a goal and wait for its result",
        **example("rlgpt action send_goal planner/pursue - --feedback < goal.json"),
    )
    send.add_argument("name", metavar="ACTION", help="as `rlgpt action list` names them")
    send.add_argument("message", nargs="?", metavar="JSON", help="the goal; -: standard input")
    send.add_argument(
        "--id", metavar="GOAL_ID", help="a goal with the same id is picked up, not done again"
    )
    send.add_argument("-f", "--feedback", action="store_true", help="print feedback, too")
    send.add_argument(
        "--timeout", type=float, default=None, metavar="S", help="stop waiting; the goal goes on"
    )
    add_run(send)
    send.set_defaults(do=_send)
    cancel = action.add_parser(
        "cancel", help="cancel a goal", **example("rlgpt action cancel planner/pursue goal")
    )
    cancel.add_argument("name", metavar="ACTION", help="as `rlgpt action list` names them")
    cancel.add_argument("goal", metavar="GOAL_ID", help="as `rlgpt action info` names them")
    add_run(cancel)
    cancel.set_defaults(do=_cancel)


def _list(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.goal_list import list_actions

    return list_actions(given.run, given.json)


def _info(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.goal_list import show_action

    return show_action(given.name, given.run, given.goal, given.json)


def _send(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.calls import send_goal

    return send_goal(given.name, given.message, given.run, given.id, given.feedback, given.timeout)


def _cancel(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.calls import cancel_goal

    return cancel_goal(given.name, given.goal, given.run)


def _echo(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.call_echoing import echo_action

    return echo_action(given.name, given.run, given.count, given.timeout)
