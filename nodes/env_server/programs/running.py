"""One run of a program in one environment: observations in, primitive actions out."""

import contextlib
import math
import time
import traceback
from array import array
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from operator import length_hint
from typing import Any, Literal

import numpy as np

from nodes.env_server.programs.compiler import FILE_NAME, CompiledProgram
from nodes.env_server.programs.fuel import LOOP_TURNS, Fuel, FuelSpent
from nodes.env_server.programs.language_guards import SHARED, make_guards, text
from nodes.env_server.programs.pulse import PULSE
from worlds.runtime import Code, Observations

Status = Literal[
    "finished", "error", "fuel_exhausted", "step_limit", "time_limit", "episode_over", "killed"
]
_ERROR_LENGTH = 500  # characters
_SIGN = 0.05  # seconds after which a batch gives another sign of life: a run may take half a second
_CLOCKED = 2  # runs that go on between two looks at the clock, each of which is 50 ns of a step

RUN_SECONDS = 30.0
"""CPU time that one run may take. Fuel ends a run long before, and at the same step on every
machine: this is for work that fuel does not count."""
NO_INTERRUPTS: Mapping[int, int] = {}
SLOW_STEP = 0.005  # seconds in which a batch takes a step; after a slower one runs are timed
_TIMED_STEPS = 256  # for so many steps, as asking for the CPU time costs more than most steps
LOOKED_AT = 16  # steps from one look at where a run stands to the next


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
    ``ending`` has how. After ``throw``, too.
    """

    def __init__(self, program: CompiledProgram, max_steps: int) -> None:
        self.program = program
        self.max_steps = max_steps
        self.steps = 0  # primitives that were carried out
        self.ending: Ending | None = None
        self._next: Code | None = None  # where the program stands
        self.last: Code | None = None  # what was carried out last
        self._fuel = Fuel(max_steps)
        self.seconds = 0.0  # of CPU time, as far as it was timed
        self._stood: Counter[int] = Counter()  # by line, in looks
        self._names: dict[str, Any] = {}
        self._generator: Generator[Code, Any, None] | None = None

    def start(self, obs: Any) -> Code | None:
        """Begin; the first primitive's code, or None if the program ended without one."""
        names = self._names
        names.update(SHARED)
        names.update(make_guards(self._fuel, self.program.runtime))
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

    def send(self, obs: Any, steps: int | None = None) -> Code | None:
        """The primitive was carried out, with this observation after it; the next one's code or
        None. ``steps``: that have passed since it began, where others made some of them."""
        return self._go_on(obs, self.steps + 1 if steps is None else steps)

    def resume(self, obs: Any, steps: int) -> Code | None:
        """After its last primitive others acted in the environment, up to this observation;
        ``steps`` have passed since it began."""
        self._next = self.last
        return self._go_on(obs, steps)

    def _go_on(self, obs: Any, steps: int) -> Code | None:
        if not steps % LOOKED_AT:
            self.look()
        self.carried_out(steps, self._next)
        self.refuel()
        try:
            code = self._generator.send(obs)  # type: ignore[union-attr]
        except StopIteration:
            return self._end("finished")
        except Exception as error:
            return self._failed(error)
        return self._accepted(code)

    def timed_send(self, obs: Any) -> Code:
        """Let the program itself go on, and count the CPU time that it takes."""
        began = time.thread_time()
        try:
            return self._generator.send(obs)  # type: ignore[union-attr]
        finally:
            self.seconds += time.thread_time() - began

    def refuel(self) -> None:
        """An action was taken: what may be done until the next one is granted again."""
        fuel = self._fuel
        if length_hint(fuel.left) < LOOP_TURNS:
            fuel.refill()
            self._names["_tick"] = fuel.tick

    def throw(self, error: Exception) -> Code | None:
        """The primitive cannot be carried out: raised in the program where it stands."""
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

    def time_is_up(self) -> None:
        """End the run for the CPU time that it took."""
        error = f"more than {RUN_SECONDS:g} seconds of the processor's time in one run"
        self._end("time_limit", line=self._line(), error=error)

    def carried_out(self, steps: int, code: Code | None) -> None:
        """Record that the world took this primitive, the run's step number ``steps``."""
        self.steps, self.last = steps, code

    def look(self) -> None:
        """Count the line at which the program stands, for `spent`."""
        self._stood[self._line()] += 1

    @property
    def spent(self) -> list[tuple[int, float]]:
        """Lines and their shares of the steps, most first."""
        looks = self._stood.total()
        return [(line, number / looks) for line, number in self._stood.most_common()]

    def interrupted_at(self, steps: int) -> None:
        """Put the run aside after so many steps; another batch goes on with it."""
        self.steps = steps

    def _accepted(self, code: Code) -> Code | None:
        if not length_hint(self._fuel.left):
            return self._end("fuel_exhausted", line=self._line(), error=self._fuel.limit)
        if self.steps >= self.max_steps:
            return self._end("step_limit", line=self._line())
        self._next = code
        return code

    def _failed(self, error: Exception) -> None:
        line = innermost(error)
        if self._fuel.exhausted or isinstance(error, FuelSpent):
            return self._end("fuel_exhausted", line=line, error=self._fuel.limit)
        reason = f"{type(error).__name__}: {text(error, self.program.runtime.values)}"[
            :_ERROR_LENGTH
        ]
        return self._end("error", line=line, error=reason)

    def _end(self, status: Status, line: int = 0, error: str = "") -> None:
        if status == "finished" and self._fuel.exhausted:
            status, error = "fuel_exhausted", self._fuel.limit
        last = "" if self.last is None else self.program.runtime.described(self.last)
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
            if generator.gi_code.co_filename.startswith(FILE_NAME):
                line = generator.gi_frame.f_lineno
            generator = generator.gi_yieldfrom
        return line


class Batch:
    """Runs that take each step together. ``runs`` and the codes of their first primitives by row;
    ``codes`` and ``rows`` are what comes next, ``slotted`` the codes that need a slot (their entry
    in ``codes`` means nothing).

    ``interrupts``: after how many steps a row's run is put aside, standing at its next primitive,
    in ``interrupted``; from there it can go on in another batch as though nothing had been.

    This loop is what a primitive step of a coded action costs, so it does nothing
    else: the steps are counted for all together, and fuel is looked at once.
    """

    def __init__(
        self,
        runs: dict[int, Run],
        codes: dict[int, Code],
        interrupts: Mapping[int, int] = NO_INTERRUPTS,
    ) -> None:
        self.steps = 0
        self.runs = runs
        self.interrupted: dict[int, tuple[Run, Code]] = {}
        self._interrupts = interrupts
        # Runs that were interrupted before go on counting from there.
        self._before = {row: run.steps for row, run in runs.items()}
        runtimes = (run.program.runtime for run in runs.values())
        self._observation: Any = next((runtime.observation for runtime in runtimes), None)
        self.slotted: dict[int, tuple[str, str]] = {}
        self._timed_until = 0  # the step up to which the CPU time of each run is taken
        self._timed = False  # whether it is taken now
        self._write(codes)

    def send(self, seen: Observations) -> list[tuple[int, Run]]:
        """The world has taken the step; those runs that have ended with it."""
        self.steps = steps = self.steps + 1
        done, self.slotted = self.slotted, {}
        codes = self._codes
        # Rows are given their next codes one by one; those that end by the limit, only after that.
        limited = steps >= self._limit or self._timed
        carried_out = codes[:] if limited else codes
        slow: dict[int, Code | None] = {}
        if not steps % LOOKED_AT:
            for run in self.runs.values():
                run.look()
        began = time.perf_counter()
        turn, observation, clock, gone_on = PULSE.turn, self._observation, time.perf_counter, began
        turn()
        for place, (send, hint, row, before) in enumerate(self._live):
            if not place % _CLOCKED and clock() - gone_on > _SIGN:
                gone_on = clock()
                turn()
            try:
                code = send(observation(seen, row, before + steps))
            except Exception as error:
                run = self._brought_up(row, done.get(row, codes[place]))
                over = isinstance(error, StopIteration)
                slow[row] = run._end("finished") if over else run._failed(error)
            else:
                if type(code) is not int or hint() < LOOP_TURNS:
                    turn()  # it may have done twice as much as any that does not come here
                    run = self._brought_up(row, done.get(row, codes[place]))
                    slow[row] = self._looked_at(run, code)
                else:
                    codes[place] = code
        if limited:
            for place, row in enumerate(self._order):
                run = self.runs[row]
                late = run.ending is None and run.seconds > RUN_SECONDS
                used_up = self._before[row] + steps >= run.max_steps
                if late or (row not in slow and used_up):
                    self._brought_up(row, done.get(row, carried_out[place]))
                    slow[row] = run.time_is_up() if late else self._looked_at(run, codes[place])
        if time.perf_counter() - began > SLOW_STEP:
            self._timed_until = steps + _TIMED_STEPS
        timed, self._timed = self._timed, steps < self._timed_until
        over = self._settle(slow) if slow else []
        if timed != self._timed and not slow:  # else settling wrote it, without those that ended
            self._live = self._ways_on()
        return over + self._put_aside() if self._interrupts else over

    def stop(self, over: list[int]) -> list[tuple[int, Run]]:
        """The step that the world has just taken was the last one in these rows."""
        ended: list[tuple[int, Run]] = []
        for place, row in enumerate(self._order):
            if row in over:
                run = self.runs[row]
                run.carried_out(self.taken(row), self.slotted.get(row, self._codes[place]))
                run.stop("episode_over")
                ended.append((row, run))
        self._remove(ended)
        return ended

    def taken(self, row: int) -> int:
        """Steps of the row's run, with the one that the world has just taken."""
        return self._before[row] + self.steps + 1

    def hold(self, row: int) -> Run:
        """The row's run does not go on after the step that the world has just taken, until
        `release`."""
        codes = self._waiting()
        run = self.runs.pop(row)
        run.carried_out(self.taken(row), codes.pop(row))
        self._write(codes)
        return run

    def release(self, row: int, run: Run, seen: Observations) -> list[tuple[int, Run]]:
        """A run that was held goes on, unless it is to be interrupted by now. The steps that passed
        meanwhile count as its own."""
        PULSE.turn()
        if self._observation is None:
            self._observation = run.program.runtime.observation
        steps = self._before[row] + self.steps
        code = run.resume(self._observation(seen, row, steps), steps)
        if code is None:
            return [(row, run)]
        codes = self._waiting()
        self.runs[row], codes[row] = run, code
        self._write(codes)
        return self._put_aside() if self._interrupts else []

    def replace(self, row: int, code: Code | None) -> list[tuple[int, Run]]:
        """The row's run does something else, or None: it has ended."""
        return self._settle({row: code})

    def _brought_up(self, row: int, code: Code) -> Run:
        """The run, knowing of its steps and of ``code``, which was the last of them."""
        run = self.runs[row]
        run.carried_out(self._before[row] + self.steps, code)
        return run

    def _put_aside(self) -> list[tuple[int, Run]]:
        """Those runs that are interrupted now."""
        due = [row for row in self._order if self._interrupts.get(row, math.inf) <= self.steps]
        waiting = self._waiting() if due else {}
        aside = [(row, self.runs[row]) for row in due]
        for row, run in aside:
            run.interrupted_at(self._before[row] + self.steps)
            self.interrupted[row] = run, waiting[row]
        self._remove(aside)
        return aside

    def _looked_at(self, run: Run, code: Code) -> Code | None:
        accepted = run._accepted(code)
        if accepted is not None:
            run.refuel()
        return accepted

    def _settle(self, slow: dict[int, Code | None]) -> list[tuple[int, Run]]:
        ended = [(row, self.runs[row]) for row, code in slow.items() if code is None]
        codes = self._waiting()
        codes |= {row: code for row, code in slow.items() if code is not None}
        self._remove(ended, codes)
        return ended

    def _waiting(self) -> dict[int, Code]:
        """What the rows stand at, in their order."""
        codes: dict[int, Code] = dict(zip(self._order, self._codes, strict=True))
        return codes | self.slotted

    def _remove(self, ended: list[tuple[int, Run]], codes: dict[int, Code] | None = None) -> None:
        codes = self._waiting() if codes is None else codes
        for row, _ in ended:
            del self.runs[row]
            codes.pop(row)
        self._write(codes)

    def _write(self, codes: dict[int, Code]) -> None:
        self.slotted = {row: code for row, code in codes.items() if isinstance(code, tuple)}
        self._order = list(codes)
        self._codes = array(
            "q", [0 if isinstance(code, tuple) else code for code in codes.values()]
        )
        self.rows = np.array(self._order, np.int64)
        self.codes = np.frombuffer(self._codes, np.int64) if codes else np.zeros(0, np.int64)
        self._live = self._ways_on()
        left = (run.max_steps - self._before[row] for row, run in self.runs.items())
        self._limit = min(left, default=0)

    def _ways_on(self) -> list[tuple[Callable[[Any], Code], Callable[[], int], int, int]]:
        """For each run in order: how it goes on, what fuel it has left, its row, and the steps that
        it took before."""
        return [
            (
                run.timed_send if self._timed else run._generator.send,  # type: ignore[union-attr]
                run._fuel.left.__length_hint__,  # type: ignore[attr-defined]
                row,
                self._before[row],
            )
            for row, run in ((row, self.runs[row]) for row in self._order)
        ]


def innermost(error: BaseException) -> int:
    """The program's own line where ``error`` was raised. An error of fuel inside a generator is
    wrapped by Python; its cause has the line."""
    line = 0
    seen: BaseException | None = error
    while seen is not None:
        for frame, number in traceback.walk_tb(seen.__traceback__):
            if frame.f_code.co_filename.startswith(FILE_NAME):
                line = number
        seen = seen.__cause__ if isinstance(seen.__cause__, StopIteration) else None
    return line
