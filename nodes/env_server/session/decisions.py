"""Carries out a policy's decisions, and programs, in a batch.

A decision is an option: one primitive action or a macro of several, in every environment that acts.
Runs of a program, or of several macros that were chosen together, take each primitive step side by
side until the last of them has ended.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from messages.program import Program
from nodes.env_server.game_fault import Refusal
from nodes.env_server.interface.choices import Coded
from nodes.env_server.interface.stage import InterfaceStage, Interrupted
from nodes.env_server.programs import (
    Batch,
    CompiledProgram,
    ProgramRefused,
    Run,
    compile_program,
)
from nodes.env_server.programs.pulse import PULSE
from nodes.env_server.session.choice_tally import ChoiceTally
from nodes.env_server.session.guards import Guards
from nodes.env_server.session.players import Act, Possible
from nodes.env_server.session.records import Reports
from nodes.env_server.session.steps import DecisionOutcome, Steps
from worlds.play import Assistant, Bools, Ints
from worlds.runtime import Code, Observations, Runtime

_NO_FIELDS = frozenset[str]()
_NONE_INTERRUPTED: Mapping[int, Interrupted] = {}


class Notes(Protocol):
    """What is called with each run that ends."""

    def ended(self, row: int, run: Run) -> None: ...


Ends = Callable[[Bools, Bools], Bools]
"""Is called after a primitive step with where one was taken and where the player died in it, both
(B,), and returns where the run stops."""


class _Begun(NamedTuple):
    """Runs that stand at their next primitive, and those that ``ended`` without one. ``seen``: the
    ``fields`` that their programs read."""

    batch: Batch
    fields: frozenset[str]
    seen: Observations
    ended: list[tuple[int, Run]]


@dataclass(frozen=True, slots=True)
class _Hooks:
    """What is called while runs are stepped: ``notes`` with the runs that end, ``check`` before
    each step, and it may raise. ``guards`` interrupt the runs."""

    ends: Ends
    notes: Notes | None = None
    guards: Guards | None = None
    check: Callable[[], None] = lambda: None


class Acting:
    """Carries out decisions and programs."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps
        self._runtime = steps.play.programs

    def carry_out(
        self,
        stage: InterfaceStage,
        choices: Ints,
        acting: Bools,
        outcome: DecisionOutcome,
        count: Ends,
        guards: Guards | None = None,
        tally: ChoiceTally | None = None,
    ) -> None:
        """One decision in the rows that are ``acting``, with the turns of guards that interrupt it.
        ``count`` also adds each primitive step to ``outcome``; ``tally`` counts what was chosen
        and how macros end.

        Raises:
            Refusal: there is no such choice.
        """
        if ((choices < 0) | (choices >= len(stage.choices.names)))[acting].any():
            raise Refusal(f"choices are 0 to {len(stage.choices.names) - 1}")
        steps = self._steps
        primitives = stage.choices.primitives
        if tally is not None:
            tally.chose(stage, choices, acting)
        single = acting & (choices < primitives)
        rows = np.flatnonzero(single)
        stage.choices.fill(steps.actions, choices[rows], rows, steps.readings)
        begun: _Begun | None = None
        going_on = _going_on(stage, choices, acting)
        macro_rows = np.flatnonzero(acting & ~single).tolist()
        if macro_rows or guards:
            chosen = {row: stage.choices.macros[choices[row] - primitives] for row in macro_rows}
            begun = self._start(chosen, going_on)
            for row, run in begun.ended:
                if tally is not None:
                    tally.ended(row, run)
                # A macro that ends before it acts still takes a step: a decision without one could
                # be repeated for ever.
                steps.actions[row] = steps.play.noop
                single[row] = True
            self._advance(begun, acting, _Hooks(count, tally, guards), once=single)
        elif acting.any():
            count(acting, steps.tick(acting))
        if begun is not None:
            for row, (run, code) in begun.batch.interrupted.items():
                stage.interrupted[row] = Interrupted(int(choices[row]), run, code)
        if stage.assistant is not None:
            self._assist(stage.assistant, acting, outcome, count)
        stage.previous[acting] = choices[acting]

    def _assist(
        self, assistant: Assistant, acting: Bools, outcome: DecisionOutcome, count: Ends
    ) -> None:
        """Take the assistant's steps after the policy's decision; they are counted with it."""
        steps = self._steps
        for _ in range(assistant.steps):
            going_on = acting & ~outcome.terminated & ~outcome.truncated
            due = assistant.due(steps.readings, going_on, steps.episodes.subtask)
            if not due:
                return
            running = np.zeros(steps.size, bool)
            for row, action in due.items():
                steps.actions[row] = action
                running[row] = True
            count(running, steps.tick(running))

    def play(
        self,
        program: CompiledProgram,
        max_steps: int,
        rows: Bools,
        ends: Ends,
        reports: Reports | None = None,
        check: Callable[[], None] = lambda: None,
        guards: Guards | None = None,
    ) -> int:
        """Run a program in ``rows`` to its end. Returns how many primitive steps that took, with
        those of guards that interrupted it."""
        begun = self._start(dict.fromkeys(np.flatnonzero(rows).tolist(), Coded(program, max_steps)))
        if reports is not None:
            for row, run in begun.ended:
                reports.ended(row, run)
        running = np.zeros(self._steps.size, bool)
        running[list(begun.batch.runs)] = True
        return self._advance(begun, running, _Hooks(ends, reports, guards, check))

    def _start(
        self,
        chosen: Mapping[int, Coded],
        going_on: Mapping[int, Interrupted] = _NONE_INTERRUPTED,
    ) -> _Begun:
        """Begin in each row its program, or let it go on where it was interrupted."""
        fields = _NO_FIELDS.union(*(coded.program.fields for coded in chosen.values()))
        seen = self._runtime.observe(self._steps.readings, fields)
        possible = self.possible
        runs: dict[int, Run] = {}
        codes: dict[int, Code] = {}
        ended: list[tuple[int, Run]] = []
        for row, coded in chosen.items():
            before = going_on.get(row)
            run = Run(coded.program, coded.max_steps) if before is None else before.run
            with PULSE.inside(coded.program.mark):
                next_code = run.start(seen.row(row, 0)) if before is None else before.code
                code = possible(run, row, next_code)
            if code is not None:
                runs[row], codes[row] = run, code
            else:
                ended.append((row, run))
        interrupts = {
            row: coded.interrupt for row, coded in chosen.items() if coded.interrupt is not None
        }
        return _Begun(Batch(runs, codes, interrupts), fields, seen, ended)

    def _advance(
        self, begun: _Begun, running: Bools, hooks: _Hooks, once: Bools | None = None
    ) -> int:
        """Step ``running`` together until every run has ended. Returns how many primitive steps
        that took. The batch is emptied. ``once`` is given for decisions: rows in it have no run,
        they take the one step already in ``actions``, then only steps of guards, and so do rows
        whose run has used up its steps."""
        batch, fields, seen = begun.batch, begun.fields, begun.seen
        ends, notes, guards, check = hooks.ends, hooks.notes, hooks.guards, hooks.check
        readings, actions = self._steps.readings, self._steps.actions
        running = running.copy()
        once = None if once is None else once.copy()
        steps = 0
        marks = {run.program.mark for run in batch.runs.values()}
        mark = marks.pop() if len(marks) == 1 else 0
        cut = None
        if guards:
            fields |= guards.fields
            cut = _CutIn(guards, batch, self.possible, to_the_end=once is not None)
        while running.any():
            check()
            seen.expire()
            actions[batch.rows] = self._runtime.vectors[batch.codes]
            for row, code in [*batch.slotted.items(), *(cut.acts() if cut else ())]:
                actions[row] = self.vector(row, code)
            steps += int(np.count_nonzero(running))
            dead = self._steps.tick(running)
            over = ends(running, dead)
            seen = self._runtime.observe(readings, fields)
            ended = cut.look(seen, running, over, dead) if cut else []
            PULSE.enter(mark)
            ended += batch.stop(np.flatnonzero(over).tolist()) if over.any() else []
            ended += batch.send(seen)
            ended += cut.give_back(seen) if cut else []
            for row, code in list(batch.slotted.items()):
                PULSE.turn()
                possible = self.possible(batch.runs[row], row, code)
                if possible != code:
                    ended += batch.replace(row, possible)
            PULSE.leave()
            for row, run in ended:
                running[row] = False
                if notes is not None:
                    notes.ended(row, run)
                if once is not None:
                    once[row] = True
            running &= ~over
            if once is not None:
                running &= ~once
                if cut:
                    running |= cut.rows()
        seen.expire()
        return steps

    def vector(self, row: int, code: Act) -> Ints:
        """What the world is to do."""
        if isinstance(code, np.ndarray):
            return code
        if not isinstance(code, tuple):
            return self._runtime.vectors[code]
        vector = self._item_action(row, code)
        return self._steps.play.noop if vector is None else vector

    def _item_action(self, row: int, code: tuple[str, str]) -> Ints | None:
        verb, item = code
        return self._steps.play.item_action(self._steps.readings, row, verb, item)

    def possible(self, run: Run, row: int, code: Code | None) -> Code | None:
        """A run's next primitive, once the items that it needs are there; None if there is none."""
        while isinstance(code, tuple):
            if self._item_action(row, code) is not None:
                return code
            verb, item = code
            code = run.throw(ValueError(f"there is no {item} in the inventory to {verb}"))
        return code


def _going_on(stage: InterfaceStage, choices: Ints, acting: Bools) -> dict[int, Interrupted]:
    """The macros, by row, that go on where they were interrupted, because they are chosen again at
    once. In the other rows that are ``acting`` what was interrupted is dropped."""
    going_on: dict[int, Interrupted] = {}
    for row, interrupted in list(stage.interrupted.items()):
        if acting[row]:
            del stage.interrupted[row]
            if choices[row] == interrupted.choice:
                going_on[row] = interrupted
            else:
                interrupted.drop()
    return going_on


class _CutIn:
    """Guards, and the runs of a batch that they hold. ``to_the_end``: a guard that takes over with
    a run's last step has its turn."""

    def __init__(self, guards: Guards, batch: Batch, possible: Possible, to_the_end: bool) -> None:
        self._guards = guards
        self._batch = batch
        self._possible = possible
        self._to_the_end = to_the_end
        self._held: dict[int, Run] = {}

    def acts(self) -> Iterable[tuple[int, Act]]:
        return self._guards.acts()

    def rows(self) -> Bools:
        """Where guards play, (B,)."""
        return self._guards.rows()

    def look(
        self, seen: Observations, running: Bools, over: Bools, dead: Bools
    ) -> list[tuple[int, Run]]:
        """A step was taken: which of the guards plays next? The held runs that came to their
        end."""
        guards, batch = self._guards, self._batch
        if over.any():
            guards.over(np.flatnonzero(over).tolist(), np.flatnonzero(dead).tolist())
        rows = np.flatnonzero(running & ~over).tolist()
        guards.look(seen, rows, self._possible)
        taken_over = [row for row in rows if row in guards and row in batch.runs]
        for row in taken_over:
            self._held[row] = batch.hold(row)
        ended: list[tuple[int, Run]] = []
        for row, run in list(self._held.items()):
            if over[row]:
                status = "episode_over"
            elif row in guards and batch.taken(row) >= run.max_steps:
                if not self._to_the_end or row not in taken_over:
                    guards.leave(row)
                status = "step_limit"
            else:
                continue
            run.carried_out(batch.taken(row), run.last)
            run.stop(status)
            ended.append((row, self._held.pop(row)))
        return ended

    def give_back(self, seen: Observations) -> list[tuple[int, Run]]:
        """Runs go on where no guard plays any more; those that ended so."""
        ended: list[tuple[int, Run]] = []
        for row in [row for row in self._held if row not in self._guards]:
            ended += self._batch.release(row, self._held.pop(row), seen)
        return ended


def compiled(program: Program, programs: Runtime) -> CompiledProgram:
    """The program, checked and compiled.

    Raises:
        ValueError: it may not run; the sentence has every problem.
    """
    if program.max_steps < 1:
        raise ValueError(f"program {program.name}: max_steps is at least 1")
    try:
        return compile_program(program.source, programs)
    except ProgramRefused as refused:
        raise ValueError(f"program {program.name} does not compile: {refused}") from None
