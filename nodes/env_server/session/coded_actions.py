"""Programs under way in the environments of a session: macros, stages and prefixes.

Runs of a program, or of several macros that were chosen together, take each primitive step side by
side until the last of them has ended.
"""

from collections.abc import Callable, Mapping

import numpy as np

from messages.program import Program
from models import actions as primitive_actions
from nodes.env_server.interface.choices import NOOP, slot_of
from nodes.env_server.interface.conditions import item_id
from nodes.env_server.programs import (
    Batch,
    CompiledProgram,
    Observations,
    ProgramRefused,
    Run,
    compile_program,
)
from nodes.env_server.programs.primitives import VECTORS, Code
from nodes.env_server.programs.pulse import PULSE
from nodes.env_server.session.environments import Environments
from nodes.env_server.session.reports import Reports
from nodes.env_server.worlds.world import Bools

Ends = Callable[[Bools, Bools], Bools]
"""Is told after a primitive step who ran and who died in it, both (B,), and says who stops."""


class CodedActions:
    """Starts programs and steps them together."""

    def __init__(self, environments: Environments) -> None:
        self._environments = environments
        self._world = environments.world
        self._readings = environments.readings

    def play(
        self,
        program: CompiledProgram,
        max_steps: int,
        rows: Bools,
        ends: Ends,
        reports: Reports | None = None,
        check: Callable[[], None] = lambda: None,
    ) -> int:
        """Run a program in ``rows`` to its end; how many primitive steps that took."""
        seen = Observations(self._readings, program.fields)
        chosen = dict.fromkeys(np.flatnonzero(rows).tolist(), (program, max_steps))
        batch, ended = self.start(chosen, seen)
        if reports is not None:
            for row, run in ended:
                reports.ended(row, run)
        running = np.zeros(self._environments.size, bool)
        running[list(batch.runs)] = True
        return self.advance(batch, running, program.fields, seen, ends, reports, check)

    def start(
        self, chosen: Mapping[int, tuple[CompiledProgram, int]], seen: Observations
    ) -> tuple[Batch, list[tuple[int, Run]]]:
        """Begin in each row its program, with the most steps that it may take: the runs that stand
        at their first primitive, and those that have ended without one."""
        possible = self._possible
        runs: dict[int, Run] = {}
        codes: dict[int, Code] = {}
        ended: list[tuple[int, Run]] = []
        for row, (program, max_steps) in chosen.items():
            run = Run(program, max_steps)
            with PULSE.inside(program.mark):
                code = possible(run, row, run.start(seen.row(row, 0)))
            if code is not None:
                runs[row], codes[row] = run, code
            else:
                ended.append((row, run))
        return Batch(runs, codes), ended

    def advance(
        self,
        batch: Batch,
        running: Bools,
        fields: frozenset[str],
        seen: Observations,
        ends: Ends,
        reports: Reports | None = None,
        check: Callable[[], None] = lambda: None,
    ) -> int:
        """Step ``running`` together until every run has ended; how many primitive steps that took.
        ``batch`` is emptied. ``check`` is called before each step and may raise."""
        readings, actions = self._readings, self._environments.actions
        tick = self._environments.tick
        running = running.copy()
        steps = 0
        marks = {run.program.mark for run in batch.runs.values()}
        mark = marks.pop() if len(marks) == 1 else 0
        while running.any():
            check()
            seen.expire()
            actions[batch.rows] = VECTORS[batch.codes]
            for row, code in batch.slotted.items():
                actions[row] = self._slot_action(row, code) or NOOP
            steps += int(np.count_nonzero(running))
            over = ends(running, tick(running))
            seen = Observations(readings, fields)
            PULSE.enter(mark)
            ended = batch.stop(np.flatnonzero(over).tolist()) if over.any() else []
            ended += batch.send(seen)
            for row, code in list(batch.slotted.items()):
                possible = self._possible(batch.runs[row], row, code)
                if possible != code:
                    ended += batch.replace(row, possible)
            PULSE.leave()
            for row, run in ended:
                running[row] = False
                if reports is not None:
                    reports.ended(row, run)
            running &= ~over
        seen.expire()
        return steps

    def _slot_action(self, row: int, code: tuple[str, str]) -> tuple[int, ...] | None:
        """The action that does this with the item where it lies now, or None where it is not."""
        verb, item = code
        number = item_id(self._world, item)
        if verb == "equip" and self._is_equipped(row, number):
            return tuple(NOOP)
        slot = slot_of(self._readings, row, number, verb)
        return None if slot is None else primitive_actions.slot_action(verb, slot)

    def _is_equipped(self, row: int, item: int) -> bool:
        """Whether equipping would change nothing. MineDojo's mask has the main hand only where its
        item belongs elsewhere, as armour does, and its inventory leaves out what is worn."""
        readings = self._readings
        if readings.inventory()[0][row, 0] == item:
            return not readings.masks()["equip"][row, 0]
        return item in readings.status()["equipment"][row, 1:]

    def _possible(self, run: Run, row: int, code: Code | None) -> Code | None:
        """A run's next primitive, once the items that it needs are there; None if there is none."""
        while isinstance(code, tuple):
            if self._slot_action(row, code) is not None:
                return code
            verb, item = code
            code = run.throw(ValueError(f"there is no {item} in the inventory to {verb}"))
        return code


def compiled(program: Program) -> CompiledProgram:
    """The program, checked and compiled.

    Raises:
        ValueError: it may not run; the sentence has every problem.
    """
    if program.max_steps < 1:
        raise ValueError(f"program {program.name}: max_steps is at least 1")
    try:
        return compile_program(program.source)
    except ProgramRefused as refused:
        raise ValueError(f"program {program.name} does not compile: {refused}") from None
