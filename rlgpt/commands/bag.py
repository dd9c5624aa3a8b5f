"""``rlgpt bag``: files of recorded messages."""

import math
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
    info.add_argument("file", metavar="FILE", help="a bag, as `rlgpt bag record` writes it")
    add_json(info)
    info.set_defaults(do=_info)
    _add_export(bag)
    _add_play(bag)


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
        "--exclude",
        action="append",
        default=[],
        metavar="PATTERN",
        help="leave these out, for example '*/heartbeat'",
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


def _add_export(bag: Commands) -> None:
    export = bag.add_parser(
        "export",
        help="write a bag for Foxglove, as JSON or as tables",
        **example(
            "rlgpt bag export mine.mcap -o foxglove.mcap",
            "rlgpt bag export mine.mcap --json --topics 'learner/*' > learner.jsonl",
            "rlgpt bag export mine.mcap --csv -o tables",
        ),
    )
    export.add_argument("file", metavar="FILE", help="a bag, as `rlgpt bag record` writes it")
    export.add_argument("-o", "--output", metavar="OUT", help="a new file; of --csv a folder")
    kinds = export.add_mutually_exclusive_group()
    for kind, text in (
        ("json", "a JSON object a line, to standard output without --output"),
        ("csv", "a table for each topic, in a folder"),
        ("msgpack", "an MCAP file with the messages as they are and their schemas"),
    ):
        kinds.add_argument(f"--{kind}", action="store_const", dest="kind", const=kind, help=text)
    export.add_argument(
        "--topics", action="append", default=[], metavar="PATTERN", help="only these: 'critic/*'"
    )
    export.add_argument(
        "--compression",
        choices=["zstd", "lz4", "none"],
        default="zstd",
        help="of an MCAP file; default: zstd",
    )
    export.add_argument(
        "--pictures",
        choices=["jpeg", "png", "none"],
        default="jpeg",
        help="how arrays of colours become pictures, in channels of their own",
    )
    export.set_defaults(do=_export, kind="foxglove")


def _add_play(bag: Commands) -> None:
    play = bag.add_parser(
        "play",
        help="publish and reply as recorded nodes did, in their place",
        **example(
            "rlgpt bag play mine.mcap --replace critic --replace llm",
            "rlgpt bag play mine.mcap --rate 0 --topics 'learner/*'",
        ),
    )
    play.add_argument("file", metavar="FILE", help="a bag, as `rlgpt bag record` writes it")
    play.add_argument(
        "--replace",
        action="append",
        default=[],
        metavar="NODE",
        help="take its place, also from the launcher; default: the bag's nodes that do not run",
    )
    play.add_argument(
        "--topics", action="append", default=[], metavar="PATTERN", help="publish only these"
    )
    play.add_argument(
        "--rate", type=float, default=1.0, metavar="R", help="2: twice as fast; 0: at once"
    )
    play.add_argument(
        "--start-offset", type=float, default=0.0, metavar="S", help="begin S seconds in"
    )
    play.add_argument("--loop", action="store_true", help="again and again, until Ctrl-C")
    play.add_argument(
        "--once", action="store_true", help="end with the last message; default: go on answering"
    )
    add_run(play)
    play.set_defaults(do=_play)


def _play(given: Namespace, _: list[str]) -> int:
    from rlgpt.bags.bag_player import Pace, play

    pace = Pace(given.rate, given.start_offset, given.loop, given.once)
    return play(given.file, given.run, given.replace, given.topics, pace)


def _export(given: Namespace, _: list[str]) -> int:
    from rlgpt.bags.bag_export import export

    return export(
        file=given.file,
        output=given.output,
        kind=given.kind,
        topics=given.topics,
        compression=given.compression,
        pictures=given.pictures,
    )


def _record(given: Namespace, _: list[str]) -> int:
    from rlgpt.bags.recording import Limits, record

    return record(
        names=given.names,
        everything=given.all,
        wanted=given.run,
        output=given.output,
        exclude=given.exclude,
        limits=Limits(_bytes(given.max_size), given.max_duration),
        snapshot=given.snapshot,
    )


def _info(given: Namespace, _: list[str]) -> int:
    from rlgpt.bags.contents import show_bag

    return show_bag(given.file, given.json)


def _bytes(text: str) -> int:
    number, unit = text.rstrip("kKmMgG"), text.lstrip("0123456789.").lower()
    try:
        return math.ceil(float(number) * _UNITS[unit])  # 0 would be no limit
    except (ValueError, KeyError, OverflowError):
        raise Refused(f"--max-size {text}: bytes, or 500K, 500M, 2G") from None
