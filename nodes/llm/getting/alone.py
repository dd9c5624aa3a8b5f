"""One process at a time makes a folder."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nodes.llm.getting.refusals import Refused
from nodes.process import AlreadyRunning, hold


@contextmanager
def alone(folder: Path, doing: str, keep: bool = True) -> Iterator[None]:
    """Make ``folder`` if it is not there, and be the only process that works in it. ``keep``:
    False where another call has no use for what is left in it: it is deleted, however this ends.

    Raises:
        Refused: another one works in it, or it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Refused(
            f"the folder {folder.parent} cannot be used ({error.strerror}): name another one for "
            "weights with --into DIR, or RLGPT_WEIGHTS=DIR"
        ) from None
    try:
        lock = hold(folder / ".lock", doing)
    except AlreadyRunning:
        raise Refused(f"another process is {doing}: wait for it to end") from None
    with lock:
        try:
            yield
        finally:
            if not keep:
                shutil.rmtree(folder)
