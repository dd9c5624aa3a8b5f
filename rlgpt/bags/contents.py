"""`rlgpt bag info`: what is in a bag."""

import os
import time
from pathlib import Path
from typing import Any

from rlgpt.bags.bag_reader import BagReader, Channel, Recorded
from rlgpt.inspecting.output import print_facts, print_rows

_COLUMNS = {
    "topic": "topic",
    "type": "type",
    "messages": "messages",
    "Hz": "hz",
    "KiB": "kib",
    "missed": "missed",
}


class _Topic:
    """What is counted of one topic."""

    def __init__(self, channel: Channel) -> None:
        self.type = channel.schema
        self.messages = 0
        self.bytes = 0
        self.held: list[int] = []  # when what it held before was recorded, one for each channel
        self.missed: int | None = None if "service" in channel.metadata else 0


class _Counts:
    """What is counted of a bag."""

    def __init__(self) -> None:
        self.topics: dict[str, _Topic] = {}
        self.messages = 0
        self.first = self.last = 0
        self._met: set[int] = set()  # channels
        self._last: dict[tuple[str, str], int] = {}  # by topic and epoch
        self._calls: dict[tuple[str, str], int] = {}
        self.missed_calls = 0

    def add(self, message: Recorded) -> None:
        channel = message.channel
        topic = self.topics.get(channel.topic)
        if topic is None:
            topic = self.topics[channel.topic] = _Topic(channel)
        self.messages += 1
        topic.messages += 1
        topic.bytes += len(message.data)
        # A snapshot begins with the last message of each latched topic, maybe hours older.
        if channel.latched and channel.number not in self._met:
            topic.held.append(message.logged)
        else:
            self.first = self.first or message.logged
        self._met.add(channel.number)
        self.last = max(self.last, message.logged)
        epoch = channel.metadata.get("epoch", "")
        counted = channel.metadata.get("counted")
        if topic.missed is not None:
            topic.missed += _gap(self._last, (channel.topic, epoch), message.sequence)
        elif counted:
            self.missed_calls += _gap(self._calls, (counted, epoch), message.sequence)

    def ended(self) -> None:
        """All messages were added."""
        self.first = self.first or self.last

    def row(self, name: str) -> dict[str, Any]:
        topic, seconds = self.topics[name], (self.last - self.first) / 1e9
        before = sum(logged < self.first for logged in topic.held)
        return {
            "topic": name,
            "type": topic.type,
            "messages": topic.messages,
            "hz": round((topic.messages - before) / seconds, 2) if seconds else None,
            "kib": round(topic.bytes / 1024, 1),
            "missed": topic.missed,
        }


def _gap(last: dict[tuple[str, str], int], key: tuple[str, str], number: int) -> int:
    before, last[key] = last.get(key, number), number
    return max(0, number - before - 1)


def show_bag(file: str, as_json: bool = False) -> int:
    """Print how long a bag is, how it ended, and what it has of each topic."""
    path = Path(os.path.expanduser(file))
    reader, counts = BagReader(path), _Counts()
    for message in reader.messages():
        counts.add(message)
    counts.ended()
    rows = [counts.row(name) for name in sorted(counts.topics)]
    facts: dict[str, Any] = {
        "file": str(path),
        "bytes": path.stat().st_size,
        "run": reader.notes.get("run"),
        "recorded": reader.notes.get("recorded"),
        **({"excluded": reader.notes["excluded"]} if reader.notes.get("excluded") else {}),
        **({"why": reader.notes["why"]} if "why" in reader.notes else {}),
        "from": _clock(counts.first),
        "to": _clock(counts.last),
        "seconds": round((counts.last - counts.first) / 1e9, 3),
        "messages": counts.messages,
        "missed calls": counts.missed_calls,
        "dropped": reader.dropped,
        **({"damaged chunks": reader.damaged_chunks} if reader.damaged_chunks else {}),
        "ended": "in order" if reader.ended else _unended(reader),
    }
    if as_json:
        print_facts({**facts, "topics": rows}, True)
        return 0
    print_facts({name: value for name, value in facts.items() if value not in (None, "")}, False)
    print()
    print_rows(rows, _COLUMNS, False)
    return 0


def _clock(nanoseconds: int) -> str | None:
    if not nanoseconds:
        return None
    seconds = nanoseconds // 10**9
    milliseconds = nanoseconds // 10**6 % 1000
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds)) + f".{milliseconds:03}"


def _unended(reader: BagReader) -> str:
    words = "not in order: the recorder was killed or is still writing, or the file is damaged"
    if reader.unread:
        words += f"; the last {reader.unread:,} bytes are no whole record"
    return words
