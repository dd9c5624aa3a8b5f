"""One run of a program in one environment: observations in, primitive actions out."""

import contextlib
import traceback
from collections.abc import Generator
from dataclasses import dataclass
from operator import length_hint
from typing import Any, Literal

from nodes.env_server.programs.compiler import FILE_NAME, CompiledProgram
from nodes.env_server.programs.guards import LOOP_TURNS, SHARED, Fuel, FuelSpent, make_guards, text
from nodes.env_server.programs.observation import Observation
from nodes.env_server.programs.primitives import Code, said

Status = Literal["finished", "error", "fuel_exhausted", "step_limit", "episode_over", "killed"]
_ERROR_LENGTH = 500  # characters


@dataclass(frozen=True)
class Ending:
    """How a run ended, in terms of the program's own lines (0: none applies)."""

    status: Status
    steps: int
    line: int = 0
    last_primitive: str = ""
    error: str = ""


class Run:
    """A program under way. It is stopped by not sending to it again.

    ``start`` and ``send`` give the next primitive's code, or None when the run has ended; then
    ``ending`` says how. After ``throw``, too.
    """

    def __init__(self, program: CompiledProgram, max_steps: int) -> None:
        self.program = program
        self.max_steps = max_steps
        self.steps = 0  # primitives that were carried out
        self.ending: Ending | None = None
        self._last: Code | None = None
        self._fuel = Fuel()
        self._names: dict[str, Any] = {}
        self._generator: Generator[Code, Observation, None] | None = None

    def start(self, obs: Observation) -> Code | None:
        """Begin; the first primitive's code, or None if the program ended without one."""
        names = self._names
        names.update(SHARED)
        names.update(make_guards(self._fuel))
        names["_tick"] = self._fuel.tick
        try:
            # The code was checked and rewritten by compile_program, and nothing else gets here.
            if self.program.helpers is not None:
                exec(self.program.helpers, names)
            exec(self.program.code, names)
            generator = self._generator = names["action"](obs)
            code = next(generator)
        except StopIteration:
            return self._end("finished")
        except Exception as error:
            return self._failed(error)
        return self._accepted(code)

    def send(self, obs: Observation) -> Code | None:
        """The last primitive was carried out and this came of it; the next one's code or None."""
        self.steps += 1
        fuel = self._fuel
        if length_hint(fuel.left) < LOOP_TURNS:
            fuel.total -= LOOP_TURNS
            fuel.refill()
            self._names["_tick"] = fuel.tick
        try:
            code = self._generator.send(obs)  # type: ignore[union-attr]
        except StopIteration:
            return self._end("finished")
        except Exception as error:
            return self._failed(error)
        return self._accepted(code)

    def throw(self, error: Exception) -> Code | None:
        """The last primitive cannot be carried out: raised in the program where it stands."""
        try:
            code = self._generator.throw(error)  # type: ignore[union-attr]
        except StopIteration:
            return self._end("finished")
        except Exception as raised:
            return self._failed(raised)
        return self._accepted(code)

    def stop(self, status: Status) -> None:
        """End the run from outside: the episode or its stage is over."""
        if self.ending is None:
            self._end(status, line=self._line())

    def count_last(self) -> None:
        """The last primitive was carried out and the run ends with it."""
        self.steps += 1

    def _accepted(self, code: Code) -> Code | None:
        if not length_hint(self._fuel.left):
            return self._end("fuel_exhausted", line=self._line(), error=_FUEL)
        if self.steps >= self.max_steps:
            return self._end("step_limit", line=self._line())
        self._last = code
        return code

    def _failed(self, error: Exception) -> None:
        line = _innermost(error)
        if self._fuel.exhausted or isinstance(error, FuelSpent):
            return self._end("fuel_exhausted", line=line, error=_FUEL)
        said = f"{type(error).__name__}: {text(error)}"[:_ERROR_LENGTH]
        return self._end("error", line=line, error=said)

    def _end(self, status: Status, line: int = 0, error: str = "") -> None:
        if status == "finished" and self._fuel.exhausted:
            status, error = "fuel_exhausted", _FUEL
        last = "" if self._last is None else said(self._last)
        self.ending = Ending(status, self.steps, line, last, error)
        if self._generator is not None:
            with contextlib.suppress(Exception):
                self._generator.close()
        self._generator = None
        self._names.clear()
        return None

    def _line(self) -> int:
        """The line of the primitive at which the program stands."""
        generator: Any = self._generator
        line = 0
        while generator is not None and getattr(generator, "gi_frame", None) is not None:
            if generator.gi_code.co_filename == FILE_NAME:
                line = generator.gi_frame.f_lineno
            generator = generator.gi_yieldfrom
        return line


_FUEL = f"{LOOP_TURNS} loop turns, or as much work, without an action"


def _innermost(error: BaseException) -> int:
    """The program's own line where ``error`` was raised. An error of fuel inside a generator is
    wrapped by Python; its cause has the line."""
    line = 0
    seen: BaseException | None = error
    while seen is not None:
        for frame, number in traceback.walk_tb(seen.__traceback__):
            if frame.f_code.co_filename == FILE_NAME:
                line = number
        seen = seen.__cause__ if isinstance(seen.__cause__, StopIteration) else None
    return line
