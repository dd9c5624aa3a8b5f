"""``rlgpt episode``: the episodes of a run."""

from argparse import Namespace

from rlgpt.commands.parsing import Commands, example, group


def add(commands: Commands) -> None:
    episode = group(commands, "episode", "list the episodes of a run, and play one again")
    listed = episode.add_parser(
        "list",
        help="every episode: seed, what it was for, how it ended",
        **example("rlgpt episode list", "rlgpt episode list runs/latest --ended death --json"),
    )
    listed.add_argument("run", nargs="?", metavar="RUN", help="default: the newest")
    listed.add_argument(
        "--ended", choices=["success", "death", "horizon", "stopped", "cut_off"], help="only these"
    )
    listed.add_argument("--json", action="store_true", help="as one JSON object")
    listed.set_defaults(do=_list)
    for parser in (listed,):
        parser.add_argument("--of", metavar="GOAL", help="only those of a goal, by its id")


def _list(given: Namespace, _: list[str]) -> int:
    from rlgpt.episode import list_episodes

    return list_episodes(given.run, given.of, given.ended, given.json)
