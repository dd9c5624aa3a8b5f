"""``rlgpt keys``: keys for nodes on several machines."""

from argparse import Namespace

from rlgpt.commands.parsing import Commands, add_overrides


def add(commands: Commands) -> None:
    keys = commands.add_parser(
        "keys",
        help="make the keys of a launch on several machines",
        allow_abbrev=False,
        usage="rlgpt keys NAME [key=value ...]",
        description="Make a key pair for every node of a launch file whose `hosts` are on several "
        "machines, and print which of them to copy where. No key is ever overwritten. "
        "Example: rlgpt keys far keys=../keys",
    )
    keys.add_argument("name", metavar="NAME", help="a launch file: its name, or its path")
    add_overrides(keys, "changes of the launch file")
    keys.set_defaults(do=_keys)


def _keys(given: Namespace, _: list[str]) -> int:
    from rlgpt.tools.keys import keys

    return keys(given.name, given.overrides)
