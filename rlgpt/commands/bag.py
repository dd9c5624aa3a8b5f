"""``rlgpt bag``: files of recorded messages."""

from argparse import Namespace

from rlgpt.commands.parsing import Commands, add_json, add_run, example, group
from rlgpt.refused import Refused

_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def add(commands: Commands) -> None:
    bag = group(commands, "bag", "record messages to a file, look into it, export it, play it")
    _add_record(bag)
    info = bag.add_parser(
        "info",
        help="what is in a bag, also of one that was cut off",
        **example("rlgpt bag info runs/latest/bags/20260131-120000.mcap"),
    )
    info.add_argument("file", metavar="FILE")
    add_json(info)
    info.set_defaults(do=_info)


def _add_record(bag: Commands) -> None:
    record = bag.add_parser(
        "record",
        help="record topics, and the requests and replies of services and actions",
        **example(
            "rlgpt bag record --all",
            "rlgpt bag record 'critic/*' learner/progress --output mine.mcap",
            "rlgpt bag record --all --exclude '*/heartbeat' --max-size 500M",
            "rlgpt bag record --all --snapshot",
        ),
    )
    record.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="a topic, a service, an action, or NODE/*: all that a node has",
    )
    record.add_argument("--all", action="store_true", help="everything of every node")
    record.add_argument(
        "--exclude", action="append", default=[], metavar="PATTERN", help="but not '*/heartbeat'"
    )
    record.add_argument("--output", metavar="FILE", help="default: RUN/bags/TIME.mcap")
    record.add_argument("--max-size", default="0", metavar="SIZE", help="end after 500M, 2G")
    record.add_argument(
        "--max-duration", type=float, default=0.0, metavar="S", help="end after S seconds"
    )
    record.add_argument(
        "--snapshot",
        nargs="?",
        type=float,
        const=60.0,
        metavar="S",
        help="keep the last S seconds (default 60) in memory; write them when a node crashes, on "
        "SIGUSR1 and at the end",
    )
    add_run(record)
    record.set_defaults(do=_record)


def _record(given: Namespace, _: list[str]) -> int:
    from rlgpt.bags.recording import Limits, record

    limits = Limits(_bytes(given.max_size), given.max_duration)
    return record(
        *(given.names, given.all, given.run, given.output, given.exclude, limits, given.snapshot)
    )


def _info(given: Namespace, _: list[str]) -> int:
    from rlgpt.bags.contents import show_bag

    return show_bag(given.file, given.json)


def _bytes(text: str) -> int:
    number, unit = text.rstrip("kKmMgG"), text.lstrip("0123456789.").lower()
    try:
        return int(float(number) * _UNITS[unit])
    except (ValueError, KeyError, OverflowError):
        raise Refused(f"--max-size {text}: bytes, or 500K, 500M, 2G") from None
