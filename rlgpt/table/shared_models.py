"""The language model of the cells that are being played: served once for all of them."""

import signal
import subprocess
import time
from collections.abc import Collection
from pathlib import Path
from typing import Any

from nodes.common.running.file_lock import held
from rlgpt.composing.composition import compose_launch, hydra_quoted
from rlgpt.refused import Refused
from rlgpt.table.cell_progress import print_line
from rlgpt.table.cells import DEFAULT_LLM, Cell, is_of_llm
from rlgpt.table.printed import sentence_in
from rlgpt.tools.language_models import begin_serving

_FOLDER = ".served"  # in the results folder, so that a run that is resumed finds the model again
_LOG = "serving.log"
_LOCK = "lock"  # held by the process that serves there (nodes/llm/sharing/served_folder.py)
ENDED_WITHIN = 120.0
"""Seconds that the server of a table that was killed has for its end."""
_LOOK = 0.1  # seconds


class StillServed(Refused):
    """The folder is another process's, for now: the next cell may find it free."""


class SharedModels:
    """One model is served at a time: memory is for one. Its server starts with the first cell that
    wants it, and ends when a cell wants another one."""

    def __init__(self, results: Path) -> None:
        self._folder = results.absolute() / _FOLDER
        self._profiles: dict[str, dict[str, Any]] = {}
        self._failed: dict[str, str] = {}
        self._served = ""
        self._process: subprocess.Popen[bytes] | None = None

    def waits(self, cell: Cell, running: Collection[Cell]) -> bool:
        """Whether ``cell`` has to wait for the end of cells that use another model's server."""
        others = {each.llm for each in running if each.llm != cell.llm}
        return self._shares(cell) and self._served in others

    def arguments(self, cell: Cell) -> list[str]:
        """What a launch of this cell is given, once its model is served. Raises Refused: it cannot
        be."""
        if not self._shares(cell):
            return []
        if cell.llm in self._failed:
            raise Refused(self._failed[cell.llm])
        folder = self._folder / cell.llm
        if self._served != cell.llm or self._process is None or self._process.poll() is not None:
            self.close()
            try:
                self._start(cell, folder)
            except StillServed:
                raise
            except Refused as refused:
                self._failed[cell.llm] = refused.sentence
                raise
        return [f"+llm.served={hydra_quoted(str(folder))}"]

    def close(self) -> None:
        """End the server."""
        process, self._process, self._served = self._process, None, ""
        if process is None:
            return
        process.send_signal(signal.SIGTERM)
        process.wait()
        if process.stdout is not None:
            process.stdout.close()

    def _shares(self, cell: Cell) -> bool:
        """Whether the model is one of this machine's, and the cell does not say how it is run."""
        if cell.llm == DEFAULT_LLM:
            return False
        if cell.llm not in self._profiles:
            composed = compose_launch(cell.launch, [f"llm={cell.llm}", *_own(cell)])
            self._profiles[cell.llm] = composed["llm"]
        profile = self._profiles[cell.llm]
        return (
            profile["kind"] == "vllm"
            and profile.get("served") is None
            and profile.get("gpu") != "turns"  # it sleeps for the learner of one run
        )

    def _start(self, cell: Cell, folder: Path) -> None:
        print_line(f"serving {cell.llm} for its cells")
        folder.mkdir(parents=True, exist_ok=True)
        _await_the_last_server(cell.llm, folder)
        log = folder / _LOG
        with log.open("wb") as errors:
            self._process = begin_serving(
                cell.llm,
                _own(cell),
                folder,
                stdout=subprocess.PIPE,
                stderr=errors,
                # Ctrl-C is for the table: the cells that use the server end before it.
                start_new_session=True,
            )
        self._served = cell.llm
        assert self._process.stdout is not None
        if not self._process.stdout.readline():
            self._process.wait()
            raise Refused(sentence_in(log) or f"{cell.llm} could not be served ({log})")


def _await_the_last_server(llm: str, folder: Path) -> None:
    """A table that was killed takes its server along, whose end takes a while. Raises
    StillServed."""
    lock = folder / _LOCK
    if not held(lock):
        return
    print_line(f"{llm} is still served in {folder}: waiting for the end of that")
    until = time.monotonic() + ENDED_WITHIN
    while held(lock):
        if time.monotonic() > until:
            raise StillServed(
                f"{llm} is served in {folder} by a process that does not end: end it, or choose "
                "another folder with --results DIR"
            )
        time.sleep(_LOOK)


def _own(cell: Cell) -> list[str]:
    """The overrides of where the model is."""
    return list(filter(is_of_llm, cell.overrides))
