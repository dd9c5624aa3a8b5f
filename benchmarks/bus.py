"""A service's round trip between two processes, beside plain pyzmq's: python -m benchmarks.bus

Both answer with the array that they were asked with, over a Unix socket, ROUTER to DEALER. The
plain one sends ``[array]`` without a header, a type, a deadline or a monitor. The two take turns in
short blocks, so that whatever else runs on the machine slows both alike.
"""

import argparse
import json
import multiprocessing
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import zmq

from messages.array import Array
from messages.bus import Bus
from messages.interface import Service

SIZES = {"100 B": 100, "10 KB": 10_000, "120 KB": 120_000, "1 MB": 1_000_000}


class Batch(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    values: Array


ECHO = Service("echo/echo", Batch, Batch, idempotent=True, timeout=60.0)


def _serve_bus(run: str) -> None:
    bus = Bus(Path(run), "echo")
    bus.serve(ECHO, lambda batch: batch)
    bus.spin(threading.Event())


def _serve_plain(address: str) -> None:
    socket: zmq.Socket[Any] = zmq.Context().socket(zmq.ROUTER)
    socket.bind(address)
    while True:
        route, frame = socket.recv_multipart(copy=False)
        values = np.frombuffer(frame.buffer, "u1")
        socket.send_multipart([route, values], copy=False)


def _block(ask: Callable[[], object], count: int) -> list[float]:
    times: list[float] = []
    for _ in range(count):
        began = time.perf_counter()
        ask()
        times.append(time.perf_counter() - began)
    return times


def measure(blocks: int, count: int) -> list[dict[str, Any]]:
    """Rows of size, p50 and p99 in microseconds of ours and of plain pyzmq's, and their ratio.

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

                def ask_plain(values: Any = values) -> object:
                    plain.send_multipart([values], copy=False)
                    (frame,) = plain.recv_multipart(copy=False)
                    return np.frombuffer(frame.buffer, "u1")

                rows.append({"size": name, **_compare(ask_bus, ask_plain, blocks, count)})
        finally:
            plain.close()
            context.term()
            bus.close()
            for server in servers:
                server.kill()
                server.join()
    return rows


def _compare(
    ours: Callable[[], object], plain: Callable[[], object], blocks: int, count: int
) -> dict[str, float]:
    asks = (ours, plain)
    for ask in asks:
        _block(ask, 50)
    found: tuple[list[list[float]], list[list[float]]] = ([], [])
    for number in range(blocks):
        for which in ((0, 1), (1, 0))[number % 2]:
            found[which].append(_block(asks[which], count))
    row: dict[str, float] = {}
    for title, times in zip(("ours", "plain"), found, strict=True):
        for percent in (50, 99):
            each = [float(np.percentile(block, percent)) for block in times]
            row[f"{title}_p{percent}"] = statistics.median(each) * 1e6
    row["ratio"] = statistics.median(
        statistics.median(one) / statistics.median(two) for one, two in zip(*found, strict=True)
    )
    return row


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bus", description=__doc__)
    parser.add_argument("--blocks", type=int, default=20, help="blocks of each (%(default)s)")
    parser.add_argument("--count", type=int, default=100, help="round trips a block (%(default)s)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    rows = measure(options.blocks, options.count)
    if options.json:
        print(json.dumps(rows, indent=1))
        return
    print("Round trip in microseconds, p50 / p99")
    print("| array | service | plain pyzmq | ratio of p50 |\n|---|---|---|---|")
    for row in rows:
        print(
            f"| {row['size']} | {row['ours_p50']:.0f} / {row['ours_p99']:.0f} "
            f"| {row['plain_p50']:.0f} / {row['plain_p99']:.0f} | {row['ratio']:.2f} |"
        )


if __name__ == "__main__":
    main()
