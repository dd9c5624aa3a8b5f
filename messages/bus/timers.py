"""The timers of the serving thread. One that fails is reported; the others go on."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from messages.bus.diagnostics import Diagnostics


@dataclass
class _Timer:
    due: float  # time.monotonic()
    seconds: float
    do: Callable[[], None]
    failed: bool = False  # before: a timer that keeps failing logs one traceback


class Timers:
    """Call `run` often; it runs the timers that are due."""

    def __init__(self, diagnostics: Diagnostics, log: logging.Logger) -> None:
        self._diagnostics = diagnostics
        self._log = log
        self._timers: list[_Timer] = []

    def add(self, seconds: float, do: Callable[[], None]) -> None:
        """Call ``do`` every so many seconds, first after that time."""
        self._timers.append(_Timer(time.monotonic() + seconds, seconds, do))

    def run(self, closing: Callable[[], bool]) -> None:
        """Run what is due. A failure because the bus is ``closing`` is not reported."""
        now = time.monotonic()
        for timer in self._timers:
            if timer.due > now:
                continue
            timer.due = now + timer.seconds
            try:
                timer.do()
            except Exception as error:
                if closing():
                    return
                self._report(timer, error)

    def _report(self, timer: _Timer, error: Exception) -> None:
        name = getattr(timer.do, "__qualname__", repr(timer.do))
        if not timer.failed:
            timer.failed = True
            self._log.error("the timer %s failed", name, exc_info=error)
        text = f"{type(error).__name__}: {error}"
        self._diagnostics.report(name, f"the timer failed: {text}", "error")
