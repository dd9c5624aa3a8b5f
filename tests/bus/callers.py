"""Callers in threads, and the notes of what the server of these tests has done."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.bus_processes import PATIENCE


class Caller(threading.Thread):
    """A call that waits, in a thread of its own."""

    def __init__(self, call: Callable[[], Any]) -> None:
        super().__init__()
        self._call = call
        self.outcome: Any = None
        self.start()

    def run(self) -> None:
        try:
            self.outcome = self._call()
        except Exception as error:
            self.outcome = error

    def result(self) -> Any:
        self.join(PATIENCE)
        assert not self.is_alive()
        return self.outcome


def notes(run: Path) -> list[str]:
    """The notes of the requests that the server has done, in order."""
    path = run / "server" / "done"
    return path.read_text().split("\n")[:-1] if path.exists() else []
