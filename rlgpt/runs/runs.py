"""``rlgpt runs``: the run folders, and the state of each."""

import os
import time
from pathlib import Path

import msgspec

from nodes.common.running.standard_error import to_stderr
from rlgpt.inspecting.output import json_line
from rlgpt.refused import Refused
from rlgpt.report import node_files
from rlgpt.report.account import account
from rlgpt.report.known_success import known_success, rate_in_words
from rlgpt.report.run_state import age
from rlgpt.report.summary import samples
from rlgpt.report.words import count, plain, shortened
from rlgpt.runs import launches, run_folder
from rlgpt.terminal import plain_table, print_table


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """A run folder in one line."""

    run: str
    state: str
    text: str  # the state in a sentence
    launch: str
    goal: str  # id of the task
    success_rate: float | None  # None: nothing was evaluated yet
    success_of: str  # what it is the rate of, where it is not the goal's own: the best iteration
    samples: int
    began: float  # seconds since the epoch
    bytes: int


def list_runs(folder: str, json: bool) -> int:
    """Print every run folder below ``folder``, the newest first."""
    place = Path(os.path.expanduser(folder))
    if not place.is_dir():
        if place.exists():
            raise Refused(f"{folder} is a file; name the folder that the runs are in")
        raise Refused(f"there is no folder {folder}; start a run with `rlgpt launch`")
    if (place / "config.yaml").is_file():
        raise Refused(f"{folder} is a run itself; name the folder that it is in")
    holds_run = _folders(place)
    closed = [path.name for path, holds in holds_run.items() if holds is None]
    holding = [path for path, holds in holds_run.items() if holds]
    if odd := sorted(path.name for path in holding if not run_folder.is_text(Path(path.name))):
        to_stderr(f"left out, rename them, as their names are not in UTF-8: {', '.join(odd)}")
    found: list[Run] = []
    for path in (path for path in holding if run_folder.is_text(Path(path.name))):
        try:
            found.append(described(path))
        except PermissionError as error:
            closed.append(str(error.filename or path.name))
    if closed:
        to_stderr(f"left out, may not be read: {', '.join(sorted(closed))}")
    runs = sorted(found, key=lambda run: -run.began)
    if json:
        print(json_line(runs))
        return 0
    table = plain_table("run", "state", "goal", "success", "samples", "age", "size")
    for run in runs:
        table.add_row(
            run.run,
            run.state.replace("_", " "),
            shortened(plain(run.goal), 40) or "-",
            rate_in_words(run.success_rate, not run.success_of),
            count(run.samples),
            age(run.began),
            size(run.bytes),
        )
    if runs:
        print_table(table)
    elif not closed and not odd:
        print(f"no runs in {folder}; start one with `rlgpt launch`")
    return 0


def size(bytes: int) -> str:
    """A size in words: 812 kB, 3.1 MB."""
    for unit, amount in (("GB", 1e9), ("MB", 1e6)):
        if bytes >= amount:
            return f"{bytes / amount:.1f} {unit}"
    return f"{bytes / 1e3:.0f} kB"


def run_folders(place: Path) -> list[Path]:
    """The folders that hold a run and have a text for a name; a link, as ``latest`` is, holds
    another one's."""
    holding = [path for path, holds in _folders(place).items() if holds]
    return [path for path in holding if run_folder.is_text(Path(path.name))]


def _folders(place: Path) -> dict[Path, bool | None]:
    """The folders in a place, each with whether it holds a run."""
    inside = [path for path in place.iterdir() if path.is_dir() and not path.is_symlink()]
    return {path: _holds_run(path) for path in inside}


def _holds_run(folder: Path) -> bool | None:
    """None: the folder may not be looked into. The other runs are listed all the same."""
    try:
        return (folder / "config.yaml").is_file()
    except PermissionError:
        return None


def described(run: Path) -> Run:
    """A run folder in one line."""
    known = account(run)
    records = launches.read(run)
    success = known_success(known)
    return Run(
        run=run.name,
        state=known.state.kind,
        text=known.state.text,
        launch=str(node_files.config(run).get("name", "")),
        goal=known.task.id if known.task is not None else "",
        success_rate=success.rate,
        success_of="" if success.whole else success.of,
        samples=samples(run, known).total,
        began=records[0].began if records else _changed(run / "config.yaml"),
        bytes=_bytes(run),
    )


def _bytes(run: Path) -> int:
    total = 0
    for folder, _, names in os.walk(run):
        for name in names:
            try:
                total += os.lstat(os.path.join(folder, name)).st_size
            except OSError:
                continue  # removed meanwhile
    return total


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return time.time()
