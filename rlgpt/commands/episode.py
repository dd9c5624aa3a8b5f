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
    played = episode.add_parser(
        "play",
        help="film an episode again, from what was done in it",
        description="Play an episode of a run again, alone, with the same programs and the same "
        "choices of its policies, film it, and print whether it went as recorded.",
        usage="%(prog)s [-h] [--out FILE] [--of GOAL] [RUN] SEED",
        **example("rlgpt episode play runs/latest 950003 --of goal/0-log/iteration-3"),
    )
    # One word alone is the seed.
    played.add_argument("run", nargs="?", metavar="RUN", help="default: the newest")
    played.add_argument(
        "seed", nargs="?", metavar="SEED", help="as `rlgpt episode list` shows them"
    )
    played.add_argument("--out", metavar="FILE", help="the film; default: RUN/films/...mp4")
    played.set_defaults(do=_play)
    for parser in (listed, played):
        parser.add_argument("--of", metavar="GOAL", help="of this goal, by its id")


def _list(given: Namespace, _: list[str]) -> int:
    from rlgpt.runs.episode import list_episodes

    return list_episodes(given.run, given.of, given.ended, given.json)


def _play(given: Namespace, _: list[str]) -> int:
    from rlgpt.single_runs.playing_again import play_again

    words = [word for word in (given.run, given.seed) if word is not None]
    *run, seed = words or [""]
    try:
        number = int(seed)
    except ValueError:
        what = f"`{seed}` is no SEED" if run else "SEED is missing"
        given.parser.error(f"{what}: `rlgpt episode list` has those of a run")
    return play_again(run[0] if run else None, number, given.of, given.out)
