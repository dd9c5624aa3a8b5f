"""The logs of a run's nodes, merged by time: of a run that goes on or has ended.

An entry begins with its time and its level; further lines of it are indented
(`nodes/common/running/logs.py`).
"""

import re
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from nodes.common.running.exit_codes import FAILED
from nodes.common.running.plain_text import plain
from nodes.common.running.standard_error import to_stderr
from rlgpt.inspecting.output import json_line
from rlgpt.refused import Refused, instead
from rlgpt.report import node_files
from rlgpt.runs import run_folder

LEVELS = ("debug", "info", "warning", "error", "critical")
_ENTRY = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}) ([A-Z]+) (.*)", re.DOTALL)
_AGO = re.compile(r"(\d+(?:\.\d+)?)(s|m|h|d)")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
LOG = "node.log"
_POLL = 0.2  # seconds between two looks at the files


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of a node's log. ``time`` as it is written there, by the node's own clock."""

    time: str
    node: str
    level: str
    text: str


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """The choice of the entries that are printed: of this level or worse, with this pattern, not
    before."""

    level: str = "debug"
    pattern: re.Pattern[str] | None = None
    since: str = ""

    def takes(self, entry: Entry) -> bool:
        worse = LEVELS.index(self.level)
        return (
            entry.time >= self.since
            and (entry.level not in LEVELS or LEVELS.index(entry.level) >= worse)
            and (self.pattern is None or self.pattern.search(entry.text) is not None)
        )


def make_filter(level: str, grep: str | None, since: str | None) -> Filter:
    """The filter that a command's options describe. Raises Refused."""
    if level not in LEVELS:
        raise Refused(f"there is no level `{level}`{instead(level, LEVELS)}")
    try:
        pattern = re.compile(grep) if grep is not None else None
    except re.error as error:
        raise Refused(f"--grep {grep!r} is no regular expression: {error}") from None
    return Filter(level=level, pattern=pattern, since="" if since is None else _moment(since))


def show_logs(
    nodes: list[str],
    wanted: str | None,
    chosen: Filter,
    last: int | None = None,
    follow: bool = False,
    as_json: bool = False,
) -> int:
    """Print the entries of these nodes (none: of all), the last ``last`` of them, and with
    ``follow`` those that come, until Ctrl-C or until nothing of the run runs any more. Raises
    Refused, also where the run folder is removed meanwhile."""
    if last is not None and last < 0:
        raise Refused(f"--last {last}: 0 entries or more")
    run = run_folder.find(wanted)
    known = _nodes(run)
    for node in nodes:
        if node not in known:
            raise Refused(f"there is no node `{node}`{instead(node, known)}")
    logs = [NodeLog(run / node / LOG, node) for node in nodes or known]
    seen = [entry for log in logs for entry in log.read() if chosen.takes(entry)]
    seen.sort(key=lambda entry: entry.time)
    if last is not None:
        seen = seen[len(seen) - min(last, len(seen)) :]
    width = max(map(len, nodes or known), default=0)
    if closed := [f"{log.node}/{LOG}: {log.closed}" for log in logs if log.closed]:
        to_stderr(f"left out, cannot be read: {'; '.join(closed)}")
    for entry in seen:
        _print(entry, width, as_json)
    while follow:
        runs = run_folder.launched(run) or run_folder.running_nodes(run)
        time.sleep(_POLL)
        if not run.exists():
            raise Refused(f"{run} was removed or moved: nothing more will come", code=FAILED)
        fresh = [entry for log in logs for entry in log.read() if chosen.takes(entry)]
        for entry in sorted(fresh, key=lambda entry: entry.time):
            _print(entry, width, as_json)
        if not runs:  # what was written before that is printed
            to_stderr(f"nothing of {run.name} runs: no more entries come")
            return 0
    return 0


def _nodes(run: Path) -> list[str]:
    """The nodes of a launch, as far as its config.yaml is whole, and all that have left a log."""
    with_log = sorted(path.parent.name for path in run.glob(f"*/{LOG}"))
    configured = map(str, node_files.part(node_files.config(run), "nodes"))
    return list(dict.fromkeys([*configured, *with_log]))


class NodeLog:
    """A log file, read on from where the last reading ended. ``most``: bytes that are read at
    once; of more the last ones. ``closed``: why it could not be read last time, though it is there;
    empty if it could."""

    def __init__(self, path: Path, node: str, most: int | None = None) -> None:
        self._path = path
        self.node = node
        self.closed = ""
        self._most = most
        self._at = 0
        self._rest = b""  # of a line that is not whole yet

    def read(self) -> Iterator[Entry]:
        """The whole entries that were added. The last lines of the file are taken for an entry's
        end: a node writes an entry at once."""
        try:
            with self._path.open("rb") as file:
                size = file.seek(0, 2)
                if size < self._at:  # a new file
                    self._at, self._rest = 0, b""
                if self._most is not None and size - self._at > self._most:
                    self._at, self._rest = size - self._most, b""
                file.seek(self._at)
                added = file.read()
        except FileNotFoundError:  # the node has not started yet
            return
        except OSError as error:
            self.closed = error.strerror or str(error)
            return
        self.closed = ""
        self._at += len(added)
        whole, newline, self._rest = (self._rest + added).rpartition(b"\n")
        text = whole.decode("utf-8", errors="replace")
        lines: list[str] = []
        for line in text.split("\n") if newline else []:
            if _ENTRY.match(line) and lines:
                yield self._entry(lines)
                lines = []
            lines.append(line)
        if lines:
            yield self._entry(lines)

    def _entry(self, lines: list[str]) -> Entry:
        found = _ENTRY.match("\n".join(lines))
        if found is None:  # not written by a node's log
            return Entry(time="", node=self.node, level="", text="\n".join(lines))
        return Entry(time=found[1], node=self.node, level=found[2].lower(), text=found[3])


def _moment(text: str) -> str:
    """``10m`` ago, or a date and time, as entries write it."""
    ago = _AGO.fullmatch(text)
    try:
        if ago:
            moment = datetime.now() - timedelta(**{_UNITS[ago[2]]: float(ago[1])})
        else:
            moment = datetime.fromisoformat(text)
            if moment.tzinfo is not None:  # entries have the local time
                moment = moment.astimezone()
    except (ValueError, OverflowError):
        raise Refused(
            f"--since {text}: write how long ago (30s, 10m, 2h, 1d) or when (2026-01-31T12:00)"
        ) from None
    return f"{moment:%Y-%m-%d %H:%M:%S},{moment.microsecond // 1000:03d}"


def _print(entry: Entry, width: int, as_json: bool) -> None:
    if as_json:
        print(json_line(entry), flush=True)
        return
    shown = plain(entry.text).replace("\n", "\n    ")
    print(f"{entry.time} {entry.node:{width}} {entry.level:7} {shown}", flush=True)
