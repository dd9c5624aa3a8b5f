"""One process at a time makes a folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nodes.llm.getting.refusals import Refused
from nodes.process import AlreadyRunning, hold


@contextmanager
def alone(folder: Path, doing: str) -> Iterator[None]:
    """Make ``folder`` if it is not there, and be the only process that works in it.

    Raises:
        Refused: another one works in it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        lock = hold(folder / ".lock", doing)
    except AlreadyRunning:
        raise Refused(f"another process is {doing}: wait for it to end") from None
    with lock:
        yield
