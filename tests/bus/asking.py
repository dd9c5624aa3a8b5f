"""Callers that wait, and what the server of these tests has done."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.bus_processes import PATIENCE


class Asking(threading.Thread):
    """Something that waits, in a thread of its own."""

    def __init__(self, ask: Callable[[], Any]) -> None:
        super().__init__()
        self._ask = ask
        self.outcome: Any = None
        self.start()

    def run(self) -> None:
        try:
            self.outcome = self._ask()
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
