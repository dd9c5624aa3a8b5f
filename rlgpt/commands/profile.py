"""``rlgpt profile``: where the time of a run goes."""

from argparse import Namespace

from rlgpt.commands.parsing import Commands, add_json, example


def add(commands: Commands) -> None:
    profile = commands.add_parser(
        "profile",
        help="where the time of a run goes, also of one that goes on",
        description="Share out the time of a run among the world, programs, networks, the language "
        "model, the bus and so on, in all and for each training, as far as the nodes have written "
        "it down.",
        **example("rlgpt profile", "rlgpt profile runs/latest --calls", "rlgpt profile --json"),
    )
    profile.add_argument("run", nargs="?", metavar="RUN", help="default: the newest")
    profile.add_argument(
        "--nodes", action="store_true", help="also each node, with what it waited for"
    )
    profile.add_argument(
        "--calls", action="store_true", help="also services and actions: the waits for each"
    )
    add_json(profile)
    profile.set_defaults(do=_profile)


def _profile(given: Namespace, _: list[str]) -> int:
    from rlgpt.profiling.time_tables import print_profile

    return print_profile(given.run, given.calls, given.nodes, given.json)
