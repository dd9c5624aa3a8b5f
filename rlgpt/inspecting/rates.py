"""How often topics are published on, how much, and how late: from headers alone, no body is
decoded, so that measuring costs no node anything. A header counts the messages of its topic, so
what was missed is known exactly."""

import threading
import time
from statistics import quantiles
from typing import Any

from messages.bus.network.header import Header
from messages.codec import Frames
from nodes.common.running.exit_codes import FAILED
from rlgpt.inspecting.echoing import check_topic, spinning
from rlgpt.inspecting.opening import described, opened
from rlgpt.inspecting.output import print_rows
from rlgpt.refused import Refused

_COLUMNS = {
    "topic": "topic",
    "messages": "messages",
    "Hz": "hz",
    "KiB/s": "kib_per_second",
    "bytes each": "bytes_each",
    "gap p50 ms": "gap_p50_ms",
    "p95": "gap_p95_ms",
    "delay p50 ms": "delay_p50_ms",
    "p95 ": "delay_p95_ms",
    "missed": "missed",
}


class _Counted:
    """The messages of one topic. For the thread that serves the bus."""

    def __init__(self) -> None:
        self.times: list[float] = []
        self.delays: list[float] = []
        self.size = 0
        self.missed = 0
        self._last: tuple[str, int] | None = None

    def add(self, header: Header, frames: Frames) -> None:
        if header.kind == "latched":  # what was published before
            self._last = (header.epoch, header.id)
            return
        self.times.append(time.monotonic())
        self.delays.append(time.time() - header.time)
        self.size += sum(memoryview(frame).nbytes for frame in frames)
        if self._last is not None and self._last[0] == header.epoch:
            self.missed += max(0, header.id - self._last[1] - 1)
        self._last = (header.epoch, header.id)

    def row(self, topic: str, seconds: float) -> dict[str, Any]:
        gaps = [b - a for a, b in zip(self.times, self.times[1:], strict=False)]
        count = len(self.times)
        return {
            "topic": topic,
            "messages": count,
            "hz": round(count / seconds, 2),
            "kib_per_second": round(self.size / seconds / 1024, 2),
            "bytes_each": self.size // count if count else None,
            **_percentiles("gap", gaps),
            **_percentiles("delay", self.delays),
            "missed": self.missed,
        }


def measure_rates(
    topics: list[str], wanted: str | None, seconds: float = 5.0, as_json: bool = False
) -> int:
    """Count the messages of these topics (none: of all) for so many seconds, and print rates,
    sizes, gaps between messages, the delay from the sender's clock, and how many were missed.
    Ends with exit code 1 where named topics were silent."""
    if not 0.0 < seconds <= 3600.0:
        raise Refused(f"--seconds {seconds:g}: more than 0, at most an hour")
    with opened(wanted) as (run, stack, bus):
        found = described(run, stack, bus)
        for topic in topics:
            check_topic(topic, run, found)
        counted: dict[str, _Counted] = {}
        lock = threading.Lock()

        def add(header: Header, frames: Frames) -> None:
            with lock:
                counted.setdefault(header.endpoint, _Counted()).add(header, frames)

        for topic in topics or [f"{one.node}/*" for one in found]:
            bus.subscribe_frames(topic, add)
        began = time.monotonic()
        with spinning(bus):
            time.sleep(seconds)
            took = time.monotonic() - began
            with lock:
                rows = [each.row(name, took) for name, each in sorted(counted.items())]
    print_rows([row for row in rows if row["messages"]], _COLUMNS, as_json)
    if topics and not any(row["messages"] for row in rows):
        raise Refused(f"nothing was published on {', '.join(topics)} for {seconds:g} s", FAILED)
    return 0


def _percentiles(what: str, values: list[float]) -> dict[str, float | None]:
    """The 50th and the 95th, in milliseconds."""
    if not values:
        return {f"{what}_p50_ms": None, f"{what}_p95_ms": None}
    # Between the values that were measured: of a few, the default goes beyond the largest.
    cuts = quantiles(values, n=20, method="inclusive") if len(values) > 1 else [values[0]] * 19
    return {f"{what}_p50_ms": round(cuts[9] * 1e3, 2), f"{what}_p95_ms": round(cuts[18] * 1e3, 2)}
