"""A few nodes for one command: started as its children, called over the bus, ended with it.

They are not restarted: a call takes a minute, and the user can repeat the command.
"""

import contextlib
import subprocess
import time
from collections.abc import Generator
from pathlib import Path

from messages.bus import Bus, BusError
from messages.empty import Empty
from messages.system import describe
from nodes.common.running.exit_codes import FAILED
from nodes.common.running.log_end import last_lines
from nodes.common.running.process import child_environment
from rlgpt.composing.configuration import load
from rlgpt.inspecting.opening import connected
from rlgpt.refused import Refused
from rlgpt.runs import run_folder

READY_WITHIN = 300.0  # seconds; the first start of a world compiles its kernels


class SmallStack:
    """The nodes of a run folder while they run. ``kept``: see `small_stack`."""

    def __init__(
        self,
        run: Path,
        bus: Bus,
        children: "dict[str, subprocess.Popen[bytes]]",
        kept: bool = True,
    ) -> None:
        self.run = run
        self.bus = bus
        self._children = children
        self._kept = kept

    def ended(self) -> str | None:
        """The name of a node that has ended, if one has."""
        return next(
            (name for name, child in self._children.items() if child.poll() is not None), None
        )

    def why(self, error: BusError) -> str:
        """Why no node answered: of a node that has ended, its last line of output."""
        ended = self.ended()
        return str(error) if ended is None else self._last_words(ended)

    def wait_ready(self) -> None:
        """Raises Refused where a node does not come up."""
        deadline = time.monotonic() + READY_WITHIN
        for name in self._children:
            while True:
                try:
                    self.bus.call(describe(name), Empty(), timeout=2.0)
                    break
                except BusError:
                    if (ended := self.ended()) is not None:
                        raise Refused(self._last_words(ended), code=FAILED) from None
                    if time.monotonic() > deadline:
                        sentence = f"{name} does not get ready{self._see(name)}"
                        raise Refused(sentence, code=FAILED) from None

    def _last_words(self, name: str) -> str:
        lines = last_lines(self.run / name / "output.log")
        last = f" ({lines[-1].removeprefix(f'{name}: ')})" if lines else ""
        return f"{name} ended{last}{self._see(name)}"

    def _see(self, name: str) -> str:
        return f"; see {self.run / name / 'output.log'}" if self._kept else ""


@contextlib.contextmanager
def small_stack(run: Path, kept: bool = True) -> Generator[SmallStack]:
    """The nodes that the run's config.yaml names, once they are ready. ``kept``: whether the run
    folder, with their logs, is there afterwards. Raises Refused."""
    stack = load(run)
    environment = child_environment()
    children: dict[str, subprocess.Popen[bytes]] = {}
    try:
        for name in stack.nodes:
            (run / name).mkdir(exist_ok=True)
            with (run / name / "output.log").open("wb") as log:
                command = stack.command(name, run)
                children[name] = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        with connected(run, stack) as bus:
            small = SmallStack(run, bus, children, kept)
            small.wait_ready()
            yield small
    finally:
        for child in children.values():
            child.terminate()
        for child in children.values():
            try:
                child.wait(20.0)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        run_folder.remove_short_sockets(run)
