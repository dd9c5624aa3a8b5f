"""``rlgpt break``: answers of the language model that wait for a person."""

from argparse import ArgumentParser, Namespace

from rlgpt.commands.parsing import Commands, add_json, add_run, example, group


def add(commands: Commands) -> None:
    breaks = group(commands, "break", "stop before an answer of the language model is used")
    for what, text in (
        ("set", "hold answers to such questions, over restarts too"),
        ("clear", "remove a breakpoint; held answers stay held"),
    ):
        parser = breaks.add_parser(what, help=text, **example(f"rlgpt break {what} planner/plan"))
        parser.add_argument(
            "at", metavar="AGENT/KIND", help="as planner/plan; * stands for any: fast_agent/*"
        )
        add_run(parser)
        parser.set_defaults(do=_set)
    listed = breaks.add_parser(
        "list", help="the breakpoints, and the answers that wait", **example("rlgpt break list")
    )
    add_run(listed)
    add_json(listed)
    listed.set_defaults(do=_list)
    show = breaks.add_parser(
        "show",
        help="print a waiting answer, its prompt and what is wrong with it",
        **example("rlgpt break show 1"),
    )
    _add_answer(show)
    add_json(show)
    show.set_defaults(do=_show)
    edit = breaks.add_parser(
        "edit",
        help="give another answer in place of it, which is checked as a model's answer is",
        **example("rlgpt break edit", "rlgpt break edit 1 --file better.py"),
    )
    _add_answer(edit)
    edit.add_argument(
        "--file",
        metavar="FILE",
        help="the answer as JSON or YAML, or a program's source (.py); default: edit in $EDITOR",
    )
    edit.set_defaults(do=_edit)
    go_on = breaks.add_parser(
        "continue",
        help="let a waiting answer be used as it is",
        **example("rlgpt break continue", "rlgpt break continue --all"),
    )
    _add_answer(go_on)
    go_on.add_argument("--all", action="store_true", help="all that wait")
    go_on.set_defaults(do=_continue)


def _add_answer(parser: ArgumentParser) -> None:
    parser.add_argument(
        "question",
        nargs="?",
        metavar="QUESTION",
        help="its number in the list, its id or the id's end; default: the only one",
    )
    add_run(parser)


def _set(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.held_answers import set_break

    return set_break(given.at, given.what == "set", given.run)


def _list(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.held_answers import list_breaks

    return list_breaks(given.run, given.json)


def _show(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.held_answers import show_held

    return show_held(given.question, given.run, given.json)


def _edit(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.held_answers import edit

    return edit(given.question, given.file, given.run)


def _continue(given: Namespace, _: list[str]) -> int:
    from rlgpt.inspecting.held_answers import go_on

    return go_on(given.question, given.all, given.run)
