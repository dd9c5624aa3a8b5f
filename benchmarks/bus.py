"""A service's round trip between two processes, beside plain pyzmq's: python -m benchmarks.bus

All answer with the array that they were asked with, over a Unix socket, ROUTER to DEALER. The peers
are plain pyzmq without types, deadlines or a monitor: once as multipart, with frames of the same
number and sizes as ours (header, body, array) that are neither encoded nor read, and once with the
array as the only frame. They take turns in short blocks, so that whatever else runs on the machine
slows all alike.
"""

import argparse
import json
import multiprocessing
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import zmq

from benchmarks.arguments import positive
from messages.array import Array
from messages.bus import Bus
from messages.bus.network.header import VERSION, Header, encode_header
from messages.codec import encode
from messages.interface import Service

SIZES = {"100 B": 100, "10 KB": 10_000, "120 KB": 120_000, "1 MB": 1_000_000}


class Batch(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    values: Array


NAMES = ("ours", "multipart", "one_frame")

_HEADER = encode_header(
    Header(VERSION, "request", "echo/echo", "0" * 18, 1000, "0" * 16, time.time(), "")
)

ECHO = Service("echo/echo", Batch, Batch, idempotent=True, timeout=60.0)


def _serve_bus(run: str) -> None:
    bus = Bus(Path(run), "echo")
    bus.serve(ECHO, lambda batch: batch)
    bus.spin(threading.Event())


def _serve_plain(address: str) -> None:
    socket: zmq.Socket[Any] = zmq.Context().socket(zmq.ROUTER)
    socket.bind(address)
    while True:
        *front, frame = socket.recv_multipart(copy=False)
        values = np.frombuffer(frame.buffer, "u1")
        reply: list[Any] = [*front, values]
        socket.send_multipart(reply, copy=False)


def _block(ask: Callable[[], object], count: int) -> list[float]:
    times: list[float] = []
    for _ in range(count):
        began = time.perf_counter()
        ask()
        times.append(time.perf_counter() - began)
    return times


def measure(blocks: int, count: int) -> list[dict[str, Any]]:
    """Rows of size, p50 and p99 in microseconds of ours and of the peers, and ours over each.

    The percentiles are medians over ``blocks`` blocks of ``count`` round trips each; the ratio is
    the median of the ratios of neighbouring blocks' p50.
    """
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="rlgpt-") as run:
        address = f"ipc://{run}/plain"
        spawn = multiprocessing.get_context("spawn")
        servers = [
            spawn.Process(target=_serve_bus, args=(run,), daemon=True),
            spawn.Process(target=_serve_plain, args=(address,), daemon=True),
        ]
        for server in servers:
            server.start()
        bus = Bus(Path(run))
        context: zmq.Context[Any] = zmq.Context()
        plain: zmq.Socket[Any] = context.socket(zmq.DEALER)
        plain.setsockopt(zmq.LINGER, 0)
        plain.connect(address)
        try:
            for name, size in SIZES.items():
                values = np.zeros(size, "u1")
                batch = Batch(values=values)

                def ask_bus(batch: Batch = batch) -> object:
                    return bus.call(ECHO, batch).values

                def ask_plain(frames: list[Any]) -> object:
                    plain.send_multipart(frames, copy=False)
                    frame = plain.recv_multipart(copy=False)[-1]
                    return np.frombuffer(frame.buffer, "u1")

                asks = {
                    "ours": ask_bus,
                    "multipart": partial(ask_plain, [_HEADER, encode(batch)[0], values]),
                    "one_frame": partial(ask_plain, [values]),
                }
                rows.append({"size": name, **_compare(asks, blocks, count)})
        finally:
            plain.close()
            context.term()
            bus.close()
            for server in servers:
                server.kill()
                server.join()
    return rows


def _compare(asks: dict[str, Callable[[], object]], blocks: int, count: int) -> dict[str, float]:
    names = list(asks)
    found: dict[str, list[list[float]]] = {name: [] for name in names}
    for ask in asks.values():
        _block(ask, 50)
    for number in range(blocks):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            found[name].append(_block(asks[name], count))
    row: dict[str, float] = {}
    for name, times in found.items():
        for percent in (50, 99):
            each = [float(np.percentile(block, percent)) for block in times]
            row[f"{name}_p{percent}"] = statistics.median(each) * 1e6
        row[f"over_{name}"] = statistics.median(
            statistics.median(ours) / statistics.median(theirs)
            for ours, theirs in zip(found["ours"], times, strict=True)
        )
    return row


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bus", description=__doc__)
    parser.add_argument("--blocks", type=positive, default=20, help="blocks of each (%(default)s)")
    parser.add_argument(
        "--count", type=positive, default=100, help="round trips a block (%(default)s)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    rows = measure(options.blocks, options.count)
    if options.json:
        print(json.dumps(rows, indent=1))
        return
    print("Round trip in microseconds, p50 / p99")
    print("| array | service | pyzmq multipart | ratio | pyzmq, one frame | ratio |")
    print("|---|---|---|---|---|---|")
    for row in rows:
        cells = [f"{row[f'{name}_p50']:.0f} / {row[f'{name}_p99']:.0f}" for name in NAMES]
        print(
            f"| {row['size']} | {cells[0]} | {cells[1]} | {row['over_multipart']:.2f} "
            f"| {cells[2]} | {row['over_one_frame']:.2f} |"
        )


if __name__ == "__main__":
    main()
