"""launches.json of a run folder: when it was launched and resumed, and how each of these ended.

The launcher writes it when it begins, when a node was restarted and when it ends. So the report of
a run knows whether it still goes on, was interrupted, or its launcher was killed.
"""

import socket
import time
from collections.abc import Callable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from messages.undecodable import UNDECODABLE
from nodes.common.running.standard_error import to_stderr
from nodes.common.storage.whole_files import write_whole
from nodes.times import FILE as TIMES
from nodes.times import lines_in, steady_clock
from rlgpt.report.words import LONGEST
from rlgpt.runs import run_folder

FILE = "launches.json"
_Time = Annotated[float, msgspec.Meta(ge=0, le=LONGEST)]  # others are of a damaged file: no date


class LaunchRecord(msgspec.Struct, kw_only=True):
    """One launch of a run folder, the first or a resumed one. Times are seconds since the epoch."""

    began: _Time
    ready: _Time | None = None  # when all nodes were ready for the first time
    ended: _Time | None = None  # None: it goes on, or its launcher was killed
    how: Literal["", "finished", "interrupted", "failed"] = ""  # "": the same
    text: str = ""  # the signal, or why it failed
    seconds: _Time | None = None  # it took, also where the clock was set meanwhile; None: not known
    restarts: dict[str, int] = {}  # by node
    host: str = ""  # the machine of the launcher


class Launches:
    """What the launcher writes. Where the disk is full, it goes on without. ``report`` is given a
    sentence where the file that was there cannot be read."""

    def __init__(self, run: Path, report: Callable[[str], None] = to_stderr) -> None:
        self._path = run / FILE
        self._records = read(run)
        if not self._records and (aside := _put_aside(self._path)):
            report(f"{FILE} cannot be read; it is now {aside}, and the run's time is an estimate")
            self._records.append(_estimated(run))
        if self._records and self._records[-1].ended is None:
            # Of a launcher that was killed. When that was, is lost once this launch has written.
            self._records[-1].ended = max(last_sign(run), self._records[-1].began)
        self._clock = steady_clock()
        self._record = LaunchRecord(began=self._clock(), host=socket.gethostname())
        self._records.append(self._record)
        self._write()

    def ready(self) -> None:
        self._record.ready = self._clock()
        self._write()

    def restarted(self, restarts: dict[str, int]) -> None:
        if restarts != self._record.restarts:
            self._record.restarts = restarts
            self._write()

    def end(self, how: Literal["finished", "interrupted", "failed"], text: str = "") -> None:
        self._record.ended = time.time()
        self._record.seconds = self._clock() - self._record.began
        self._record.how = how
        self._record.text = text
        self._write()

    def withdraw(self) -> None:
        """Record that this launch had nothing left to do: the run took no longer for it."""
        self._records.remove(self._record)
        self._write()

    def _write(self) -> None:
        try:
            write_whole(self._path, msgspec.json.format(msgspec.json.encode(self._records)))
        except OSError:
            return  # the report is then incomplete; the run itself does not depend on it


def _put_aside(path: Path) -> str:
    """Rename a file that is damaged; its new name, empty if there is none that can be renamed."""
    try:
        return (
            path.rename(path.with_name(f"{path.name}.damaged")).name if path.stat().st_size else ""
        )
    except OSError:
        return ""


def _estimated(run: Path) -> LaunchRecord:
    """One launch in place of those that were lost: from the first to the last sign of a node."""
    lines = [line for path in run.glob(f"*/{TIMES}") for line in lines_in(path)]
    lines = [each for each in lines if 0 <= each.at - each.seconds <= each.at <= LONGEST]
    began = min((line.at - line.seconds for line in lines), default=_made(run))
    ended = max((line.at for line in lines), default=last_sign(run))
    return LaunchRecord(began=began, ended=max(began, ended), text=f"{FILE} was damaged")


def read(run: Path) -> list[LaunchRecord]:
    """Every launch of a run, the oldest first; none if nothing was left of them."""
    try:
        return msgspec.json.decode((run / FILE).read_bytes(), type=list[LaunchRecord])
    except (OSError, *UNDECODABLE):
        return []


def host_elsewhere(run: Path) -> str:
    """The other machine on which a run goes on, as far as its folder shows, where both have it on a
    shared disk; empty where its launcher is, or was, one of this machine, or has ended."""
    records = read(run)
    if not records or records[-1].ended is not None or run_folder.launched(run):
        return ""
    return records[-1].host if records[-1].host != socket.gethostname() else ""


def seconds(run: Path, now: float) -> float:
    """How long a run has taken by now, all its launches together."""
    records = read(run)
    if not records:
        return max(last_sign(run) - _made(run), 0.0)
    return sum(
        max(end - record.began, 0.0) if record.seconds is None else record.seconds
        for record, end in with_ends(run, records, now)
    )


def restarts(run: Path) -> dict[str, int]:
    """Restarts by node, all launches together."""
    counts: dict[str, int] = {}
    for record in read(run):
        for node, count in record.restarts.items():
            counts[node] = counts.get(node, 0) + count
    return counts


def last_sign(run: Path) -> float:
    """When a node or the launcher last wrote anything, as far as the folder shows."""
    found = [run / "launcher.log", *run.glob(f"*/{TIMES}"), *run.glob("*/*.log")]
    found += [path for path in run.glob("*/*.sqlite*") if not _of_a_reader(path)]
    return max((_changed(path) for path in found), default=_made(run))


def with_ends(
    run: Path, records: list[LaunchRecord], now: float
) -> Iterator[tuple[LaunchRecord, float]]:
    """Each launch with its end, as far as that is known."""
    for record, following in zip_longest(records, records[1:]):
        if record.ended is not None:
            yield record, record.ended
        elif following is not None:
            yield record, _end_before(run, record, following.began)
        elif run_folder.launched(run):
            yield record, now
        else:
            yield record, min(last_sign(run), now)


def _end_before(run: Path, record: LaunchRecord, following: float) -> float:
    """When a launch ended whose launcher was killed, and after which there was another one: with
    the last line of a node before that one. The files' own times are newer."""
    lines = [line.at for path in run.glob(f"*/{TIMES}") for line in lines_in(path)]
    if not lines:
        return following  # nothing is known of it
    known = record.began if record.ready is None else record.ready
    return max([known, *(at for at in lines if record.began <= at <= following)])


def _of_a_reader(path: Path) -> bool:
    """Whether SQLite writes a file also where a database is only read, as by a report."""
    try:
        empty = path.stat().st_size == 0
        return path.name.endswith("-shm") or (path.name.endswith("-wal") and empty)
    except OSError:
        return True  # removed meanwhile


def _made(run: Path) -> float:
    return _changed(run / "config.yaml")


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
