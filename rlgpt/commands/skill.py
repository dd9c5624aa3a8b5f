"""``rlgpt skill``: what was learned and is kept."""

from argparse import ArgumentParser, Namespace

from rlgpt.commands.parsing import Commands, group


def add(commands: Commands) -> None:
    skill = group(commands, "skill", "list, show, run and remove the skills of the library")
    listed = skill.add_parser("list", help="every skill, its aim and its success rate")
    listed.set_defaults(do=_list)
    show = skill.add_parser("show", help="all that is known of a skill")
    show.set_defaults(do=_show)
    run = skill.add_parser("run", help="play a skill in new episodes of its task")
    run.set_defaults(do=_run)
    remove = skill.add_parser("remove", help="forget a skill and delete its files")
    remove.set_defaults(do=_remove)
    for parser in (show, run, remove):
        parser.add_argument("name", metavar="NAME", help="as `rlgpt skill list` names them")
    run.add_argument("--episodes", type=int, default=10, metavar="N", help="default: 10")
    run.add_argument(
        "--seed", type=int, default=0, metavar="S", help="another one plays others; default: 0"
    )
    for parser in (listed, show, run, remove):
        _add_library(parser)


def _add_library(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--library", default=None, metavar="FOLDER", help="default: skills/ beside the runs"
    )


def _list(given: Namespace, _: list[str]) -> int:
    from rlgpt.single_runs import skill_tools

    return skill_tools.listed(given.library)


def _show(given: Namespace, _: list[str]) -> int:
    from rlgpt.single_runs import skill_tools

    return skill_tools.show(given.name, given.library)


def _run(given: Namespace, _: list[str]) -> int:
    from rlgpt.single_runs import skill_tools

    return skill_tools.play(given.name, given.library, given.episodes, given.seed)


def _remove(given: Namespace, _: list[str]) -> int:
    from rlgpt.single_runs import skill_tools

    return skill_tools.remove(given.name, given.library)
