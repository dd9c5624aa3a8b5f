"""What it costs to write a message to a bag, beside the mcap package: python -m benchmarks.bags

CPU time (user and system) of one message, in blocks that take turns, so that whatever else runs on
the machine slows all alike; and how many messages are lost when the writing process is killed, as a
share of those that it was given. The arms: ours, with what the recorder does to a message of the
bus before; the mcap package's writer without chunks; and with chunks of 1 MiB, its default, each
compressed. The same message is written again and again, which flatters compression.
"""

import argparse
import json
import multiprocessing
import os
import signal
import statistics
import tempfile
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from mcap.writer import CompressionType, Writer

from benchmarks.arguments import positive
from messages.bus.network.header import VERSION, Header
from messages.codec import encode, snapshot
from messages.training import PROGRESS, Progress
from messages.world import Step
from rlgpt.bags.bag_reader import BagReader
from rlgpt.bags.bag_writer import BagWriter
from rlgpt.bags.choice import Choice
from rlgpt.bags.message_maps import joined
from rlgpt.bags.recorder import Recorder

ARMS = ("ours", "mcap, no chunks", "mcap, lz4", "mcap, zstd")
Write = Callable[[int], None]

SMALL = Progress(
    policy="harvest log", samples=1000, prefix_samples=0, decisions=900, budget=60_000,
    success_rate=0.5, mean_return=0.1, entropy=1.2, kl=0.01, steps_per_second=8000.0,
)  # fmt: skip
_COLOURS = np.random.default_rng(0).integers(0, 256, (160, 256, 3), dtype=np.uint8)
PICTURE = Step(session="session", choices=_COLOURS // 4 * 4)
MESSAGES = {"small message": SMALL, "picture of 120 KB": PICTURE}


def _ours(path: Path, message: Any) -> tuple[Write, Callable[[], None]]:
    writer = BagWriter(path, {})
    choice = Choice()
    choice.add_node("learner")
    recorder, frames = Recorder(writer, choice), snapshot(encode(message))
    epoch = "0" * 16

    def write(number: int) -> None:
        recorder.take(
            Header(VERSION, "message", PROGRESS.name, epoch, number, epoch, time.time()), frames
        )

    return write, writer.finish


def _mcap(path: Path, message: Any, **options: Any) -> tuple[Write, Callable[[], None]]:
    writer = Writer(str(path), **options)
    writer.start()
    schema = writer.register_schema("Message", "jsonschema", b'{"type": "object"}')
    channel = writer.register_channel(PROGRESS.name, "msgpack", schema)
    body = b"".join(joined(snapshot(encode(message)), ""))

    def write(number: int) -> None:
        now = time.time_ns()
        writer.add_message(channel, now, body, now, number)

    return write, writer.finish


def _open(arm: str, path: Path, message: Any) -> tuple[Write, Callable[[], None]]:
    if arm == "ours":
        return _ours(path, message)
    if arm == "mcap, no chunks":
        return _mcap(path, message, use_chunking=False)
    compression = CompressionType[arm.rpartition(" ")[2].upper()]
    return _mcap(path, message, compression=compression)


def measure_cost(folder: Path, message: Any, blocks: int, count: int) -> dict[str, Any]:
    """Microseconds of CPU time a message, and bytes of the file a message, of each arm."""
    opened = {
        arm: _open(arm, folder / f"{number}.mcap", message) for number, arm in enumerate(ARMS)
    }
    times: dict[str, list[float]] = {arm: [] for arm in ARMS}
    written = 0
    for block in range(blocks):
        turn = block % len(ARMS)
        for arm in ARMS[turn:] + ARMS[:turn]:
            write = opened[arm][0]
            began = time.process_time()
            for number in range(written, written + count):
                write(number)
            times[arm].append((time.process_time() - began) / count * 1e6)
        written += count
    found: dict[str, Any] = {}
    for number, (arm, (_, finish)) in enumerate(opened.items()):
        finish()
        path = folder / f"{number}.mcap"
        found[arm] = {
            "cpu_us": round(statistics.median(times[arm]), 1),
            "over_ours": round(
                statistics.median(
                    theirs / ours for theirs, ours in zip(times[arm], times["ours"], strict=True)
                ),
                2,
            ),
            "bytes": round(path.stat().st_size / written),
        }
        path.unlink()
    return found


def _write_until_killed(arm: str, path: str, given: "Connection[int, int]") -> None:
    write, _ = _open(arm, Path(path), SMALL)
    number = 0
    while True:
        write(number)
        number += 1
        given.send(number)
        time.sleep(0.0003)


def measure_loss(folder: Path, arm: str, kills: int) -> list[float]:
    """The share of messages that is lost, of each kill."""
    found: list[float] = []
    for kill in range(kills):
        path = folder / f"killed-{kill}.mcap"
        receiver, sender = multiprocessing.Pipe(duplex=False)
        process = multiprocessing.Process(target=_write_until_killed, args=(arm, str(path), sender))
        process.start()
        sender.close()
        given, until = receiver.recv(), time.monotonic() + 0.8 + 0.2 * kill
        while time.monotonic() < until:
            given = receiver.recv()
        os.kill(process.pid or 0, signal.SIGKILL)
        process.join()
        try:
            while True:
                given = receiver.recv()
        except EOFError:
            receiver.close()
        there = sum(1 for _ in BagReader(path).messages())
        found.append(max(0.0, 1.0 - there / given))
        path.unlink()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bags", description=__doc__)
    parser.add_argument("--blocks", type=positive, default=12, help="blocks of each (%(default)s)")
    parser.add_argument(
        "--count", type=positive, default=2000, help="messages a block (%(default)s)"
    )
    parser.add_argument("--kills", type=positive, default=5, help="kills of each (%(default)s)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # Pictures are a thousand times larger.
        counts = dict(zip(MESSAGES, (options.count, max(1, options.count // 20)), strict=True))
        cost = {
            what: measure_cost(folder, message, options.blocks, counts[what])
            for what, message in MESSAGES.items()
        }
        lost = {arm: measure_loss(folder, arm, options.kills) for arm in ARMS}
    if options.json:
        print(msgspec.json.format(json.dumps({"cost": cost, "lost": lost})))
        return
    print(
        "| writer | small: CPU us | over ours | bytes "
        "| picture: CPU us | over ours | bytes | lost |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for arm in ARMS:
        cells = [str(cost[what][arm][key]) for what in MESSAGES for key in cost[what][arm]]
        share = f"{statistics.median(lost[arm]):.1%} (at most {max(lost[arm]):.1%})"
        print(f"| {arm} | {' | '.join(cells)} | {share} |")


if __name__ == "__main__":
    main()
