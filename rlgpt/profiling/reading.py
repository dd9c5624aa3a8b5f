"""What the nodes of a run have written down of their time, and when the run was launched."""

import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from nodes.times import EVERY, FILE, TimesLine, lines_in
from rlgpt.report import node_files
from rlgpt.runs import launches, run_folder


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """A launch: seconds since the epoch. ``ready``: when all nodes were, ``ended`` if never."""

    began: float
    ready: float
    ended: float


def lines(run: Path) -> dict[str, list[TimesLine]]:
    """The lines by node, the oldest first. What cannot be read is left out."""
    found: dict[str, list[TimesLine]] = {}
    for path in sorted(run.glob(f"*/{FILE}")):
        if read := list(lines_in(path)):
            found[path.parent.name] = read
    return found


def unreadable(run: Path) -> dict[str, str]:
    """The nodes whose file is there and has no line that can be read, or whose folder cannot be
    looked into, and why that is."""
    found = dict(_closed(run))
    for path in sorted(run.glob(f"*/{FILE}")):
        try:
            data = path.read_bytes()
        except OSError as error:
            found[path.parent.name] = error.strerror or str(error)
            continue
        if data.strip() and not any(lines_in(path)):
            found[path.parent.name] = "none of its lines is one of a node"
    return found


def _closed(run: Path) -> Iterator[tuple[str, str]]:
    """The nodes whose folders may not be looked into, which `glob` passes over in silence."""
    for node in sorted(node_files.part(node_files.config(run), "nodes")):
        try:
            (run / node / FILE).stat()
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            yield node, error.strerror or str(error)


def windows(run: Path, written: dict[str, list[TimesLine]]) -> list[Window]:
    """Every launch of the run; of nodes that were driven without a launcher, the time in which
    they did anything."""
    first = min((line.at - line.seconds for each in written.values() for line in each), default=0.0)
    last = max((line.at for each in written.values() for line in each), default=0.0)
    records = launches.read(run)
    if not records:
        return [Window(began=first, ready=first, ended=last)] if last else []
    now = time.time()
    found: list[Window] = []
    for record, end in launches.with_ends(run, records, now):
        goes_on = record.ended is None and record is records[-1] and run_folder.launched(run)
        # What has passed since the last lines is not known yet.
        just_now = goes_on and 0.0 <= now - last <= 2 * EVERY
        if record.seconds is not None:
            end = record.began + record.seconds  # by the clock of the lines, which no one sets
        ended = max(last if just_now else end, record.began)
        ready = ended if record.ready is None else min(record.ready, ended)
        found.append(Window(began=record.began, ready=ready, ended=ended))
    return found
