"""`rlgpt bag record`: from the topics and calls of a run to a file, until it is ended."""

import os
import signal
import threading
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import FrameType

from messages.bus import Bus
from messages.calling import calls
from messages.system import CRASHES, Crash
from nodes.common.running.counted import counted
from nodes.common.running.ending_signals import ended_by
from nodes.common.running.exit_codes import FAILED
from nodes.common.running.standard_error import to_stderr
from rlgpt.bags.bag_writer import BagFull, BagWriter
from rlgpt.bags.choice import Choice, choose
from rlgpt.bags.recorder import Recorder
from rlgpt.bags.snapshot import Snapshot
from rlgpt.composing.configuration import load
from rlgpt.inspecting.opening import connected
from rlgpt.interfaces import declared_nodes, descriptions
from rlgpt.launching.machines import LAUNCHER
from rlgpt.refused import Refused
from rlgpt.runs import run_folder
from rlgpt.runs.run_folder import LaunchEnd

FOLDER = "bags"
"""Where bags are in a run folder, if no other file is named."""
SUBSCRIBED = "subscribed to all nodes"
"""Printed once from every node something has come."""
AFTERMATH = 1.0
"""Seconds that a snapshot goes on after a crash."""
QUIET = 0.2
"""Seconds without a message after which a recording that is to end has all that was published."""
LONGEST_END = 1.0
"""Seconds that it waits at most for that, where messages never cease."""


class Limits:
    """When a recording ends by itself; 0: never."""

    def __init__(self, size: int = 0, seconds: float = 0.0) -> None:
        if size < 0 or not seconds >= 0:
            raise Refused("--max-size and --max-duration are 0 (no limit) or more")
        self.size = size
        self.seconds = seconds


def record(
    names: Sequence[str],
    everything: bool,
    wanted: str | None,
    output: str | None,
    exclude: Sequence[str],
    limits: Limits,
    snapshot: float | None,
) -> int:
    """Record until Ctrl-C, a limit, or the end of the launch. ``snapshot``: keep so many seconds
    in memory and write them when a node crashes, on SIGUSR1 and at the end."""
    if bool(names) == everything:
        raise Refused("name what to record: topics, services, actions, NODE/*, or --all")
    if snapshot is not None and not 0.0 < snapshot <= 3600.0:
        raise Refused(f"--snapshot {snapshot:g}: more than 0 seconds, at most an hour")
    if snapshot is not None and limits.size:
        raise Refused("--max-size ends a recording to a file; --snapshot keeps at most 256 MiB")
    run = run_folder.find(wanted)
    end = LaunchEnd(run)
    stack = load(run)
    nodes = [*stack.nodes, LAUNCHER]
    if not (stack.hosts or run_folder.launched(run) or run_folder.running_nodes(run)):
        to_stderr(
            f"nothing of {run.name} runs: there is something to record once it is resumed, or one "
            "of its nodes is started"
        )
    with connected(run, stack) as bus:
        chosen = [f"{node}/*" for node in nodes] if everything else names
        # What messages/ does not declare, only its node knows.
        asked = set() if everything else {name.partition("/")[0] for name in names} & set(nodes)
        asked |= set(nodes) - {LAUNCHER} - declared_nodes() if exclude else set()
        choice = choose(chosen, nodes, exclude, descriptions(bus, asked) if asked else [])
        shown = "everything" if everything else ", ".join(names)
        notes = {"run": run.name, "recorded": shown, "excluded": ", ".join(exclude)}
        path = _file(run, output)
        if snapshot is None:
            recording = _Recording(run, end, bus, choice, limits)
            with recording.ended_by_signals():
                return recording.to_file(path, notes, shown)
        ring = _SnapshotRecording(run, end, bus, choice, Limits(0, limits.seconds), snapshot)
        with ring.ended_by_signals():
            return ring.keep(path, notes, shown)


def _file(run: Path, output: str | None) -> Path:
    if output is None:
        folder = run / FOLDER
        folder.mkdir(exist_ok=True)
        return _free(folder / f"{time.strftime('%Y%m%d-%H%M%S')}.mcap")
    path = Path(os.path.expanduser(output))
    if path.exists():
        raise Refused(f"{path} exists; choose another file with --output")
    if not path.absolute().parent.is_dir():
        raise Refused(f"{path.parent} is no folder; make it, or choose another with --output")
    return path


def _begun(path: Path, notes: dict[str, str]) -> BagWriter:
    """A new bag. Raises Refused where none can be written."""
    try:
        return BagWriter(path, notes)
    except BagFull as full:
        raise Refused(f"{path} cannot be written: {full}", code=FAILED) from None
    except OSError as error:
        raise Refused(f"{path} cannot be written: {error.strerror}") from None


def _free(path: Path) -> Path:
    """``path``, or one beside it if it is there."""
    number, free = 1, path
    while free.exists():
        number += 1
        free = path.with_stem(f"{path.stem}-{number}")
    return free


class _Base:
    """What every recording does: it serves the bus until it is over."""

    def __init__(self, run: Path, end: LaunchEnd, bus: Bus, choice: Choice, limits: Limits) -> None:
        self._run = run
        self._end_of_launch = end
        self._bus = bus
        self._choice = choice
        self._limits = limits
        self._over = threading.Event()
        self._ending: float | None = None  # since when, by the monotonic clock
        self._began = time.monotonic()
        self._launch_looked_at = self._began

    def _serve(self, recorder: Recorder) -> None:
        # Calls first: a node that has sent its description knows of both subscriptions.
        for node in sorted(self._choice.called):
            self._bus.subscribe_frames(calls(node).name, recorder.take_call)
        for topic in sorted(self._choice.topics):
            self._bus.subscribe_frames(topic, recorder.take)
        self._waited_for = {t[:-2] for t in self._choice.topics if t.endswith("/*")} - {LAUNCHER}
        self._bus.every(0.05, lambda: self._report_subscribed(recorder))
        self._bus.every(0.2, self._look)
        self._bus.every(0.05, lambda: self._end_when_quiet(recorder))
        self._bus.spin(self._over)

    def ended_by_signals(self) -> AbstractContextManager[None]:
        """Signals that end a process end the recording in order, from before it says that it
        records until all is written."""
        return ended_by(self._signalled)

    def _report_subscribed(self, recorder: Recorder) -> None:
        if self._waited_for and self._waited_for <= recorder.described:
            self._waited_for = set()
            to_stderr(SUBSCRIBED)

    def _signalled(self, number: int, frame: FrameType | None) -> None:
        if self._ending is not None:  # a second Ctrl-C waits for nothing
            self._over.set()
        self._end()

    def _end(self) -> None:
        """Have it end once what was published before has come."""
        if self._ending is None:
            self._ending = time.monotonic()
        self._bus.wake()

    def _end_when_quiet(self, recorder: Recorder) -> None:
        if self._ending is None:
            return
        now = time.monotonic()
        quiet_since = max(self._ending, recorder.last_taken)
        if now - quiet_since >= QUIET or now - self._ending >= LONGEST_END:
            self._over.set()

    def _look(self) -> None:
        """Whether it is over."""
        now = time.monotonic()
        if self._limits.seconds and now - self._began >= self._limits.seconds:
            self._over.set()
        if now - self._launch_looked_at > 1.0:
            self._launch_looked_at = now
            if self._end_of_launch.has_come():
                self._end()  # what was recorded has ended


class _Recording(_Base):
    """To one file, message by message."""

    def to_file(self, path: Path, notes: dict[str, str], shown: str) -> int:
        writer = self._writer = _begun(path, notes)
        self._recorder = Recorder(writer, self._choice)
        to_stderr(f"recording {shown} of {self._run.name} to {path}; Ctrl-C ends it")
        try:
            self._serve(self._recorder)
        finally:
            failure = self._recorder.failure
            try:
                writer.finish() if failure is None else writer.close()
            except BagFull as full:
                failure = str(full)
        to_stderr(_account(writer, self._recorder))
        if failure is not None:
            raise Refused(
                f"{path} cannot be written any more: {failure}; it is whole up to there", FAILED
            )
        return 0

    def _look(self) -> None:
        super()._look()
        full = self._limits.size and self._writer.size >= self._limits.size
        if full or self._recorder.failure is not None:
            self._over.set()


class _SnapshotRecording(_Base):
    """In memory, written when something has happened."""

    def __init__(
        self,
        run: Path,
        end: LaunchEnd,
        bus: Bus,
        choice: Choice,
        limits: Limits,
        seconds: float,
    ) -> None:
        super().__init__(run, end, bus, choice, limits)
        self._seconds = seconds
        self._ring = Snapshot(seconds)
        self._due: dict[str, float] = {}  # why, and when, by the monotonic clock

    def keep(self, path: Path, notes: dict[str, str], shown: str) -> int:
        self._path, self._notes, self._failed = path, notes, False
        _begun(path, notes).close()  # not only at the end is it told that no bag can be there
        path.unlink()
        recorder = Recorder(self._ring, self._choice)
        signal.signal(signal.SIGUSR1, self._requested)
        self._bus.subscribe(CRASHES, self._crashed)
        to_stderr(
            f"keeping the last {self._seconds:g} seconds of {shown} of {self._run.name} in memory; "
            f"written to {path.parent} when a node crashes, on SIGUSR1 and at the end"
        )
        self._serve(recorder)
        self._save("end")
        return FAILED if self._failed else 0

    def _requested(self, number: int, frame: FrameType | None) -> None:
        self._due.setdefault("SIGUSR1", time.monotonic())
        self._bus.wake()

    def _crashed(self, crash: Crash) -> None:
        self._due.setdefault(f"{crash.node} {crash.how}", time.monotonic() + AFTERMATH)

    def _look(self) -> None:
        super()._look()
        now = time.monotonic()
        for why in [why for why, when in self._due.items() if when <= now]:
            del self._due[why]
            self._save(why)

    def _save(self, why: str) -> None:
        path = _free(self._path)
        try:
            writer = self._ring.save(path, {**self._notes, "why": why})
        except (BagFull, OSError) as error:
            self._failed = True
            reason = error.strerror if isinstance(error, OSError) else error
            to_stderr(f"{path} cannot be written: {reason}")
            return
        to_stderr(f"{why}: {path}, {_amount(writer)}")


def _amount(writer: BagWriter) -> str:
    return f"{counted(writer.messages, 'message')}, {writer.size / (1 << 20):.1f} MiB"


def _account(writer: BagWriter, recorder: Recorder) -> str:
    words = f"{writer.path}: {_amount(writer)}"
    if recorder.missed:
        words += f"; {recorder.missed:,} were missed, as this process could not keep up"
    if recorder.unreadable:
        words += f"; {recorder.unreadable:,} were no MessagePack map and are not in it"
    return words
