"""Runs the cells of a table, some side by side, each a launch of its own process.

What is under way is noted beside the results, so that a table that was stopped goes on with the
run folders that it left (`rlgpt resume`). On a cluster a cell whose host is lost is begun again.
"""

import os
import selectors
import signal
import subprocess
import time
from collections import Counter, deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from messages.undecodable import UNDECODABLE
from nodes.common.running.commit import DIRTY, current_commit
from nodes.common.running.exit_codes import HOST_LOST
from nodes.common.running.file_lock import take_lock
from nodes.common.running.process import end_with_parent, python
from rlgpt.cluster.remote_launch import PRINTED
from rlgpt.refused import Refused
from rlgpt.report.account import GOAL_REPORT
from rlgpt.runs import run_folder
from rlgpt.runs.away import is_away
from rlgpt.table.cell_progress import TableProgress, print_line
from rlgpt.table.cells import Cell
from rlgpt.table.origin import Fingerprints
from rlgpt.table.printed import sentence_in
from rlgpt.table.result import CellResult, gather, write, write_file
from rlgpt.table.shared_models import SharedModels

LOCAL = "rlgpt.main"
CLUSTER = "rlgpt.cluster.remote_launch"
"""The modules that play a launch here, and on a host of the cluster."""
LOSSES = 5
"""Maximum hosts lost per cell: the cell may be what crashes them."""


STOPPED_WITHIN = 120.0
"""Seconds that the last launch of a cell has for its end before the cell goes on: each node has
some. One that still runs then does not belong to a table, and the cell fails by that."""
_LOOK = 0.1  # seconds


class Stopped(KeyboardInterrupt):
    """The table was stopped by a signal, ``number``."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


class UnderWay(msgspec.Struct, kw_only=True):
    """The note beside the results: a cell that was begun and has no result yet."""

    run: str
    limits: dict[str, Any]
    overrides: list[str]
    commit: str | None
    fingerprint: str | None = None  # of the embedded world; None: not noted, or another world

    def is_of(self, cell: Cell, fingerprint: str | None) -> bool:
        """Whether ``cell``, begun now, in the world of that fingerprint, would be the same."""
        same = self.limits == cell.limits and self.overrides == cell.overrides
        if not same or self.commit != current_commit():
            return False
        if self.fingerprint == fingerprint:
            return True
        # Older notes have none. A commit does not include uncommitted changes.
        return self.fingerprint is None and not (self.commit or "").endswith(DIRTY)


class _Running:
    def __init__(self, cell: Cell, note: UnderWay, process: "subprocess.Popen[bytes]") -> None:
        self.cell = cell
        self.note = note
        self.process = process
        self.pidfd = os.pidfd_open(process.pid)

    @property
    def run(self) -> Path:
        return Path(self.note.run)


class CellRunner:
    """Plays cells to their end; ``each`` is called with every result once it is kept. ``module``
    is what plays a launch."""

    def __init__(
        self,
        results: Path,
        jobs: int,
        keep_going: bool,
        progress: TableProgress,
        each: Callable[[CellResult], None],
        module: str = LOCAL,
    ) -> None:
        self.failures: list[tuple[Cell, str]] = []
        self._results = results
        self._jobs = jobs
        self._keep_going = keep_going
        self._progress = progress
        self._each = each
        self._module = module
        self._waiting: deque[Cell] = deque()
        self._losses: Counter[str] = Counter()
        self._fingerprints = Fingerprints()
        # A host of a cluster has servers of its own.
        self._models = SharedModels(results) if module == LOCAL else None
        self._running: list[_Running] = []
        self._selector = selectors.DefaultSelector()
        self._signal: int | None = None  # that stops it

    def play(self, cells: list[Cell], again: bool) -> None:
        """Raises Stopped after a signal; then what was under way has been stopped in order."""
        waiting = self._waiting = deque(cells)
        before = {n: signal.signal(n, self._stop) for n in (signal.SIGINT, signal.SIGTERM)}
        try:
            while (waiting or self._running) and self._goes_on():
                if self._signal is not None:
                    raise Stopped(self._signal)
                if waiting and len(self._running) < self._jobs and self._may_begin(waiting[0]):
                    self._begin(waiting.popleft(), again)
                    continue  # it may have ended or failed by being begun
                for key, _ in self._selector.select():
                    self._ended(key.data)
        finally:
            self._stop_all()
            if self._models is not None:
                self._models.close()
            self._selector.close()
            for number, handler in before.items():
                signal.signal(number, handler)

    def _stop(self, number: int, _frame: object) -> None:
        # What is raised while a process is forked may be dropped by Python, so it is kept as well.
        self._signal = number
        raise Stopped(number)

    def _goes_on(self) -> bool:
        return self._keep_going or not self.failures

    # ---- one cell

    def _may_begin(self, cell: Cell) -> bool:
        running = [each.cell for each in self._running]
        return self._models is None or not self._models.waits(cell, running)

    def _begin(self, cell: Cell, again: bool) -> None:
        fingerprint = self._fingerprints.of(cell)
        note = None if again else _noted(cell, self._results, fingerprint)
        resumed = note is not None
        if note is None:
            note = UnderWay(
                run=str(_new_run(cell)),
                limits=cell.limits,
                overrides=cell.overrides,
                commit=current_commit(),
                fingerprint=fingerprint,
            )
        self._note(cell, note)
        self._progress.began(cell, note.run, resumed)
        if resumed:
            self._await_the_last_launch(cell, Path(note.run))
        if _over(note):
            self._keep(cell, note)  # it had ended while no table ran
            return
        try:
            model = self._models.arguments(cell) if self._models is not None else []
        except Refused as refused:
            self._fail(cell, note, refused.sentence)
            return
        if resumed:
            arguments = ["resume", note.run]
        else:
            arguments = ["launch", *cell.arguments, *model, f"run={note.run}"]
        with (Path(note.run) / PRINTED).open("ab") as log:
            process = subprocess.Popen(
                python(self._module, *arguments),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                # A terminal's Ctrl-C is for the table, which passes it on once.
                start_new_session=True,
                # A table that is killed takes its launches along.
                preexec_fn=partial(end_with_parent, signal.SIGTERM),
            )
        running = _Running(cell, note, process)
        self._running.append(running)
        self._selector.register(running.pidfd, selectors.EVENT_READ, running)

    def _await_the_last_launch(self, cell: Cell, run: Path) -> None:
        """A table that was killed takes its launches along. They stop in order, which takes a
        while, and the run folder is theirs until then."""
        if not run_folder.launched(run):
            return
        self._progress.awaits(cell)
        until = time.monotonic() + STOPPED_WITHIN
        while run_folder.launched(run) and time.monotonic() < until:
            time.sleep(_LOOK)

    def _ended(self, running: _Running) -> None:
        code = self._reap(running)
        if code == 0:
            self._keep(running.cell, running.note)
            return
        if code == HOST_LOST:
            self._lost_with_its_host(running)
            return
        said = sentence_in(running.run / PRINTED)
        why = said or f"the launch ended with code {code} and no message"
        self._fail(running.cell, running.note, why)

    def _lost_with_its_host(self, running: _Running) -> None:
        cell, note = running.cell, running.note
        self._losses[cell.name] += 1
        if self._losses[cell.name] > LOSSES:
            self._fail(cell, note, f"its host was lost {self._losses[cell.name]} times")
            return
        self._progress.lost(cell, note.run)
        self._waiting.appendleft(cell)

    def _keep(self, cell: Cell, note: UnderWay) -> None:
        try:
            result = gather(cell, Path(note.run), note.commit, note.fingerprint)
        except Refused as refused:
            self._fail(cell, note, refused.sentence)
            return
        write(cell.file(self._results), result)
        _note_file(cell, self._results).unlink(missing_ok=True)
        self._progress.finished(cell, result)
        self._each(result)

    def _fail(self, cell: Cell, note: UnderWay, sentence: str) -> None:
        self.failures.append((cell, f"{sentence} ({note.run})"))
        self._progress.failed(cell, f"{sentence} ({note.run})")

    def _reap(self, running: _Running) -> int:
        self._selector.unregister(running.pidfd)
        os.close(running.pidfd)
        self._running.remove(running)
        return running.process.wait()

    def _note(self, cell: Cell, note: UnderWay) -> None:
        write_file(_note_file(cell, self._results), msgspec.json.encode(note))

    # ---- stopping

    def _stop_all(self) -> None:
        """Stop what runs, in order; a second signal makes the launches kill their nodes."""
        if self._running:
            print_line(f"stopping {len(self._running)} under way")
        asked = False
        while self._running:
            try:
                if not asked:
                    asked = True
                    for running in self._running:
                        running.process.send_signal(signal.SIGINT)
                running = self._running[0]
                running.process.wait()
            except KeyboardInterrupt:
                asked = False
                continue
            self._reap(running)


class ResultsLock:
    """Held by the one table that fills a results folder."""

    def __init__(self, results: Path) -> None:
        try:
            results.mkdir(parents=True, exist_ok=True)
            self._file = os.open(results / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise Refused(
                f"cannot write to the results folder {results} ({error.strerror}); "
                "choose another with --results DIR"
            ) from None
        if not take_lock(self._file):
            os.close(self._file)
            raise Refused(
                f"another table is being run into {results}; wait for it, or choose another "
                "folder with --results DIR"
            )

    def __enter__(self) -> "ResultsLock":
        return self

    def __exit__(self, *exc: object) -> None:
        os.close(self._file)


def _noted(cell: Cell, results: Path, fingerprint: str | None) -> UnderWay | None:
    """What was begun of this cell and can be continued."""
    try:
        note = msgspec.json.decode(_note_file(cell, results).read_bytes(), type=UnderWay)
    except (OSError, *UNDECODABLE):
        return None
    run = Path(note.run)
    there = (run / "config.yaml").is_file() and not is_away(run)
    return note if there and note.is_of(cell, fingerprint) else None


def _over(note: UnderWay) -> bool:
    """Whether its goal is over and reported; a summary alone may be of one that is not."""
    return (Path(note.run) / GOAL_REPORT).is_file()


def _note_file(cell: Cell, results: Path) -> Path:
    file = cell.file(results)
    return file.with_name(f".{file.stem}.under-way.json")


def _new_run(cell: Cell) -> Path:
    """A run folder of its own below ``runs/cells/``."""
    model = cell.file(Path()).parent.name
    stem = f"{cell.task}-{model}-{cell.seed}-{time.strftime('%Y%m%d-%H%M%S')}"
    for suffix in ("", *(f"-{i}" for i in range(2, 100))):
        run = Path("runs/cells") / f"{stem}{suffix}"
        try:
            run.mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError as error:
            raise Refused(f"cannot make the run folder {run} ({error.strerror})") from None
        return run
    raise Refused(f"no free name for a run folder beside runs/cells/{stem}")
