"""What a table prints while it runs, a line for each event."""

import contextlib
import time
from statistics import mean

from rlgpt.report.words import count, duration
from rlgpt.table.cells import Cell
from rlgpt.table.result import CellResult


class TableProgress:
    """Counts what was begun and done, and guesses how long the rest takes."""

    def __init__(self, to_run: list[Cell], jobs: int, known: list[CellResult]) -> None:
        self._jobs = jobs
        self._rest = list(to_run)
        self._total = len(to_run)
        self._number: dict[int, int] = {}
        self._seconds: dict[str, list[float]] = {}
        for result in known:
            self._seconds.setdefault(result.method, []).append(result.wall_s)

    def began(self, cell: Cell, run: str, resumed: bool) -> None:
        self._number.setdefault(id(cell), len(self._number) + 1)
        word = "goes on" if resumed else "began"
        print_line(f"{self._head(cell)}: {word}; {run}")

    def awaits(self, cell: Cell) -> None:
        print_line(f"{self._head(cell)}: waits until its last launch has stopped")

    def finished(self, cell: Cell, result: CellResult) -> None:
        self._rest.remove(cell)
        self._seconds.setdefault(result.method, []).append(result.wall_s)
        played = "" if result.performed else ", never performed"
        print_line(
            f"{self._head(cell)}: {result.success_rate:.2f} "
            f"({result.successes}/{result.episodes}{played}), {count(result.samples.total)} "
            f"samples, {duration(result.wall_s)}{self._estimate()}"
        )

    def lost(self, cell: Cell, run: str) -> None:
        print_line(f"{self._head(cell)}: its host was lost, and it is begun again ({run})")

    def failed(self, cell: Cell, sentence: str) -> None:
        self._rest.remove(cell)
        print_line(f"{self._head(cell)}: FAILED: {sentence}{self._estimate()}")

    def _head(self, cell: Cell) -> str:
        return f"cell {self._number[id(cell)]} of {self._total}  {cell.name}"

    def _estimate(self) -> str:
        if not self._rest:
            return ""
        every = [seconds for each in self._seconds.values() for seconds in each]
        if not every:
            return f"; {len(self._rest)} to go"
        seconds = sum(mean(self._seconds.get(cell.method, every)) for cell in self._rest)
        return f"; {len(self._rest)} to go, about {duration(seconds / self._jobs)}"


def print_line(text: str) -> None:
    # Who reads along may go away; the table goes on.
    with contextlib.suppress(OSError):
        print(f"{time.strftime('%H:%M:%S')}  {text}", flush=True)
