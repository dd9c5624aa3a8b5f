"""``rlgpt task``: the goals that a game has by name."""

from argparse import ArgumentParser, Namespace

from rlgpt.commands.parsing import Commands, example, group


def add(commands: Commands) -> None:
    task = group(commands, "task", "goals by name: MineDojo's 3,142 tasks")
    listing = task.add_parser(
        "list",
        help="all of them, or those of one kind",
        description="List tasks that `rlgpt launch goal task.id=ID` takes: id, kind and prompt.",
        allow_abbrev=False,
        **example("rlgpt task list combat", "rlgpt task list --json"),
    )
    listing.add_argument(
        "kind",
        nargs="?",
        default="",
        metavar="KIND",
        help="harvest, combat, techtree, survival, creative, playthrough, or programmatic (the "
        "first four)",
    )
    _add_common(listing, "as one JSON array")
    listing.set_defaults(do=_list)
    show = task.add_parser(
        "show",
        help="one of them: prompt, start, success, horizon, guidance",
        allow_abbrev=False,
        **example("rlgpt task show survival_sword_food"),
    )
    show.add_argument("id", metavar="ID", help="as `rlgpt task list` names them")
    _add_common(show, "as one JSON object")
    show.set_defaults(do=_show)
    search = task.add_parser(
        "search",
        help="tasks whose id or prompt contains all given words",
        allow_abbrev=False,
        **example("rlgpt task search zombie diamond", "rlgpt task search milk bucket"),
    )
    search.add_argument("words", nargs="+", metavar="WORD", help="of an id or of a prompt")
    _add_common(search, "as one JSON array")
    search.set_defaults(do=_search)


def _add_common(parser: ArgumentParser, form: str) -> None:
    parser.add_argument("--game", default="minecraft", metavar="G", help="default: minecraft")
    parser.add_argument("--json", action="store_true", help=form)


def _list(given: Namespace, _: list[str]) -> int:
    from rlgpt.tools.task_list import list_tasks

    return list_tasks(given.game, given.kind, given.json)


def _show(given: Namespace, _: list[str]) -> int:
    from rlgpt.tools.task_list import show_task

    return show_task(given.game, given.id, given.json)


def _search(given: Namespace, _: list[str]) -> int:
    from rlgpt.tools.task_list import search_tasks

    return search_tasks(given.game, given.words, given.json)
