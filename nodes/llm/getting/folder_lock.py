"""One process at a time makes a folder."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nodes.common.running.process import AlreadyRunning, hold
from nodes.common.running.standard_error import to_stderr
from nodes.llm.getting.refusals import Refused


def check_place(folder: Path) -> None:
    """Raises Refused where ``folder`` is not there and cannot be: a file is in its way."""
    there = next((each for each in (folder, *folder.parents) if each.exists()), None)
    if there is not None and not there.is_dir():
        raise _unusable(folder, "it is a file" if there == folder else f"{there} is a file")


@contextmanager
def alone(folder: Path, doing: str, keep: bool = True) -> Iterator[None]:
    """Make ``folder`` if it is not there, and be the only process that works in it. ``keep``:
    False where another call has no use for what is left in it: it is deleted, however this ends,
    and the user of a call that is interrupted gets a sentence about it.

    Raises:
        Refused: another one works in it, or it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unusable(folder.parent, error.strerror) from None
    try:
        lock = hold(folder / ".lock", doing)
    except AlreadyRunning:
        raise Refused(f"another process is {doing}: wait for it to end") from None
    with lock:
        try:
            yield
        except KeyboardInterrupt:
            if not keep:
                to_stderr(f"{doing} was stopped, and nothing of it is kept")
            raise
        finally:
            if not keep:
                shutil.rmtree(folder)


def _unusable(folder: Path, why: str | None) -> Refused:
    return Refused(
        f"the folder {folder} cannot be used ({why}): name another one for weights with "
        "--into DIR, or RLGPT_WEIGHTS=DIR"
    )
