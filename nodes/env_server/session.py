"""A session: a batch of environments that play one task side by side.

Every primitive step of every environment goes through `_tick`: decisions of a policy, macros,
programs of their own and prefixes alike. Environments of a batch are stepped together; those whose
macro is over stand still until the longest one has ended.
"""

import logging
import threading
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from messages.program import Program, ProgramReport
from messages.world import (
    Episode,
    Interface,
    Lead,
    Opened,
    OpenSession,
    Picture,
    Stepped,
)
from models import actions as primitive_actions
from nodes.env_server.autocraft import Autocraft
from nodes.env_server.choices import NOOP, slot_of
from nodes.env_server.conditions import Judge, item_id
from nodes.env_server.episodes import DEATH, HORIZON, SUCCESS, Episodes
from nodes.env_server.frames import HEIGHT, WIDTH
from nodes.env_server.leading import Leading, Part
from nodes.env_server.outcome import Outcome
from nodes.env_server.pictures import Photographer
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
from nodes.env_server.readings import Readings
from nodes.env_server.reports import Reports
from nodes.env_server.stage import Stage
from nodes.env_server.video_model import VideoModel
from nodes.env_server.worlds.world import Bools, Ints, World

LOG = logging.getLogger("env_server")
_NO_FIELDS = frozenset[str]()


class Camera(Protocol):
    """What films environment 0."""

    def wants_frame(self) -> bool: ...
    def add(self, rgb: np.ndarray) -> None: ...
    def close(self) -> None: ...


class Session:
    """``counted`` is told how many primitive steps were taken; ``model`` is MineCLIP, if there is
    one. Calls are not to overlap: whoever calls holds ``lock``.

    Raises:
        ValueError: the request names what there is not, or a prefix that does not compile.
    """

    def __init__(
        self,
        request: OpenSession,
        world: World,
        film: "Camera | None" = None,
        counted: Callable[[int], None] = lambda steps: None,
        model: VideoModel | None = None,
    ) -> None:
        if request.seeds.count < 1:
            raise ValueError("a range of seeds has at least one seed")
        if request.task.horizon < 1:
            raise ValueError(f"a task's horizon is at least 1 step, not {request.task.horizon}")
        if request.autoreset and request.pictures is not None:
            raise ValueError("a session with autoreset is for training: it takes no pictures")
        self.name = request.session
        self.task = request.task
        self.size = world.size
        self.lock = threading.Lock()
        self.film = film
        self._photographer = (
            None if request.pictures is None else Photographer(request.pictures, world)
        )
        self._autoreset = request.autoreset
        self._world = world
        self._model = model
        self._readings = Readings(world, model)
        self._counted = counted
        self._prefix = [(compiled(program), program.max_steps) for program in request.prefix]
        if request.lead and not (request.autoreset and request.interface is not None):
            raise ValueError("what leads to a training needs autoreset, and an interface")
        self._leading = Leading([self._part(lead) for lead in request.lead], world.size)
        self._judge = Judge(request.task.success, world)
        self._actions = np.tile(NOOP, (world.size, 1))
        self.episodes = Episodes(world.size, request.seeds)
        self.stage = None if request.interface is None else self._stage(request.interface)
        self._prefix_steps = self._reset(np.ones(world.size, bool))
        # A world that compiles its kernels when they are first called does so here, where whoever
        # opens a session waits for it, and not in the first step.
        self._world.step(self._actions, np.zeros(world.size, bool))
        self._readings.forget()
        self._readings.warm()

    # ---- what the node asks of a session

    def opened(self) -> Opened:
        """The session as a policy meets it."""
        stage, steps = self.stage, self._prefix_steps
        self._prefix_steps = 0
        if stage is None:
            features, mask = np.zeros((self.size, 0), np.float32), np.zeros((self.size, 0), bool)
            return Opened(fields=[], choices=[], features=features, mask=mask, prefix_steps=steps)
        turn = self._leading.stage or stage
        return Opened(
            fields=stage.features.fields,
            choices=stage.choices.names,
            features=self._features(turn).copy(),
            mask=turn.choices.mask(self._readings),
            prefix_steps=steps,
            lead=self._leading.number,
        )

    def take(
        self, interface: Interface, environments: Sequence[int] = (), begins: bool = False
    ) -> None:
        """A new stage begins where the session stands, in the named environments (none: in all);
        in the others it is over already. With ``begins`` a subtask begins with it.

        Raises:
            ValueError: the interface or ``environments`` name what there is not.
        """
        rows = self._named(environments)
        stage = self._stage(interface)
        if begins:
            self.episodes.begin_subtask(np.flatnonzero(rows), self._readings)
        self._tell_mistakes()
        self.stage = stage
        stage.over[:] = self.episodes.over | ~rows
        if self._photographer is not None:
            self._photographer.begin(~stage.over)
        stage.rewards.begin(self._readings, ~stage.over)

    def step(self, choices: Ints) -> Stepped:
        """One decision (B,) for every environment whose stage is not over.

        Raises:
            ValueError: there is no interface, or a choice that there is not.
        """
        stage = self.stage
        if stage is None:
            raise ValueError("the session has no interface yet: send env_server/interface first")
        if choices.shape != (self.size,) or choices.dtype.kind not in "iu":
            raise ValueError(f"choices are {self.size} integers, one for each environment")
        if (leader := self._leading.stage) is not None:
            return self._lead_on(leader, choices)
        acting = ~(stage.over | self.episodes.over)
        outcome = Outcome(self.size, stage.interface.gamma)
        self._decide(
            stage,
            choices,
            acting,
            outcome,
            lambda running, dead: self._judge_stage(stage, running, dead, outcome),
        )
        features = self._features(stage)
        ended = outcome.terminated | outcome.truncated
        rows = np.flatnonzero(ended) if self._autoreset else np.zeros(0, np.int64)
        final_features = features[rows]
        final_returns, final_lengths = self.episodes.reward[rows], self.episodes.steps[rows]
        prefix_steps = 0
        if len(rows):
            prefix_steps = self._reset(ended)
            features = self._features(self._leading.stage or stage)
        else:
            stage.over |= ended
        return Stepped(
            features=features.copy(),
            mask=(self._leading.stage or stage).choices.mask(self._readings),
            reward=outcome.reward,
            steps=outcome.steps,
            terminated=outcome.terminated,
            truncated=outcome.truncated,
            success=outcome.success,
            final_rows=rows,
            final_features=final_features,
            final_returns=final_returns,
            final_lengths=final_lengths,
            prefix_steps=prefix_steps,
            lead=self._leading.number,
        )

    def run_program(
        self,
        program: Program,
        check: Callable[[], None] = lambda: None,
        environments: Sequence[int] = (),
        begins: bool = False,
    ) -> tuple[int, list[ProgramReport]]:
        """Run a program to its end wherever the episode is not over, or only in the named
        ``environments``: primitive steps of all of them together, and reports. ``check`` is called
        now and then and may raise. With ``begins`` a subtask begins with it.

        Raises:
            ValueError: the program does not compile, or the session resets by itself.
        """
        if self._autoreset:
            raise ValueError("a session with autoreset is for training: it runs no programs")
        ready = compiled(program)
        reports = Reports(program.name, self._readings)
        named = self._named(environments)
        if begins:
            self.episodes.begin_subtask(np.flatnonzero(named), self._readings)
        rows = named & ~self.episodes.over
        reports.begin(rows)
        if self._photographer is not None:
            self._photographer.begin(rows)
        steps = self._play(ready, program.max_steps, rows, self._judge_task, reports, check)
        return steps, reports.said()

    def said(self) -> list[Episode]:
        """The episodes as they stand."""
        return self.episodes.said(self._readings)

    def pictures(self) -> list[Picture]:
        """Those of the last stage, if the session takes any."""
        return [] if self._photographer is None else self._photographer.said()

    def give_up(self) -> None:
        """Every episode is over, cut off where it stands."""
        everybody = np.ones(self.size, bool)
        self.episodes.end(everybody, HORIZON, self._readings)
        if self.stage is not None:
            self.stage.over[:] = True

    def close(self) -> None:
        """Give back the world and finish the film."""
        self._tell_mistakes()
        if self.film is not None:
            self.film.close()
        self._world.close()

    # ---- inside

    def _tell_mistakes(self) -> None:
        """What rewards that are code did wrong in the stage that is over."""
        mistakes = {} if self.stage is None else self.stage.rewards.mistakes()
        for said, times in mistakes.items():
            LOG.warning("session %s: a reward paid nothing %d times: %s", self.name, times, said)

    def _named(self, environments: Sequence[int]) -> Bools:
        rows = np.zeros(self.size, bool)
        for row in environments:
            if not 0 <= row < self.size:
                raise ValueError(f"environments are 0 to {self.size - 1}, not {row}")
            rows[row] = True
        return rows if environments else ~rows

    def _stage(self, interface: Interface) -> Stage:
        stage = Stage(interface, self.task, self._world, self._model)
        approaches = any(term.kind == "approach" for term in interface.rewards)
        self._readings.fan_every_step = approaches
        return stage

    def _features(self, stage: Stage) -> np.ndarray:
        return stage.features.compute(self._readings, stage.time(), stage.previous)

    def _reset(self, rows: Bools) -> int:
        """New episodes in ``rows``; the primitive steps that their prefixes took."""
        numbers = np.flatnonzero(rows)
        self._world.reset(numbers, self.episodes.next_seeds(numbers))
        self._readings.forget(rows)
        self.episodes.begin(numbers, self._readings)
        steps = 0
        begun = rows
        for program, max_steps in self._prefix:
            rows = rows & ~self.episodes.died_early
            steps += self._play(program, max_steps, rows, self._judge_prefix)
        self._leading.begin(begun)
        return steps + self._come_to_begin()

    def _come_to_begin(self) -> int:
        """Play what leads on up to the next policy's turn, or let the episodes begin; the primitive
        steps that it took."""
        leading, steps = self._leading, 0
        leading.leave(self.episodes.died_early)
        while isinstance(part := leading.part, tuple):
            rows = leading.rows()
            steps += self._play(*part, rows, self._judge_prefix)
            leading.pass_on(rows)
            leading.leave(self.episodes.died_early)
        stage, begun = self.stage, leading.begun
        if part is None and stage is not None and begun.any():
            stage.steps[begun] = 0
            stage.over[begun] = False
            stage.previous[begun] = -1
            stage.rewards.begin(self._readings, begun)
        if part is None:
            leading.begun = np.zeros(self.size, bool)
        return steps

    def _lead_on(self, leader: Stage, choices: Ints) -> Stepped:
        """One decision of an earlier policy that leads to the trained stage."""
        acting = self._leading.rows()
        outcome = Outcome(self.size, 1.0)
        self._decide(
            leader,
            choices,
            acting,
            outcome,
            lambda running, dead: self._judge_leader(leader, running, dead, outcome),
        )
        self._leading.pass_on(acting & leader.over)
        steps = int(outcome.steps.sum()) + self._come_to_begin()
        turn = self._leading.stage or self.stage
        assert turn is not None
        nothing = Outcome(self.size, 1.0)
        features = self._features(turn).copy()
        return Stepped(
            features=features,
            mask=turn.choices.mask(self._readings),
            reward=nothing.reward,
            steps=nothing.steps,
            terminated=nothing.terminated,
            truncated=nothing.truncated,
            success=nothing.success,
            final_rows=np.zeros(0, np.int64),
            final_features=features[:0],
            final_returns=np.zeros(0, np.float32),
            final_lengths=np.zeros(0, np.int64),
            prefix_steps=steps,
            lead=self._leading.number,
        )

    def _judge_leader(self, leader: Stage, running: Bools, dead: Bools, outcome: Outcome) -> Bools:
        """Count a step of a policy that leads on; for whom its stage is over."""
        leader.steps[running] += 1
        self.episodes.died_early |= dead
        over = dead | running & self._holds(leader.judge, of_stage=True)
        over |= running & (leader.steps >= leader.interface.horizon) | self._lost(running)
        leader.over |= over
        none = np.zeros_like(over)
        outcome.add(np.zeros(self.size, np.float32), running, over, none, none)
        return over

    def _part(self, lead: Lead) -> Part:
        if lead.program is not None:
            return compiled(lead.program), lead.program.max_steps
        if lead.interface is None:
            raise ValueError("what leads to a training is a program or a policy's interface")
        return Stage(lead.interface, self.task, self._world, self._model)

    def _tick(self, running: Bools) -> Bools:
        """One primitive step of ``self._actions``; who died in it."""
        self._world.step(self._actions, running)
        self._readings.forget(running)
        self._counted(int(np.count_nonzero(running)))
        if self.film is not None and running[0] and self.film.wants_frame():
            self.film.add(self._world.rgb(0, HEIGHT, WIDTH))
        return running & ((self._readings.life()[0] <= 0) | self.episodes.died_early)

    def _lost(self, running: Bools) -> Bools:
        """Whose game was lost in the last step: the episode is cut off there."""
        lost = self._world.lost
        return running & lost if lost is not None else np.zeros(self.size, bool)

    def _holds(self, judge: Judge, of_stage: bool = False) -> Bools:
        episodes = self.episodes
        start = episodes.start_items, episodes.start_quantities
        if of_stage:
            start = episodes.subtask_items, episodes.subtask_quantities
        return judge.holds(self._readings, start, episodes.version)

    def _judge_prefix(self, running: Bools, dead: Bools) -> Bools:
        self.episodes.died_early |= dead
        return dead

    def _judge_task(self, running: Bools, dead: Bools) -> Bools:
        """Count a step of the episodes of ``running`` and end those that are over."""
        episodes = self.episodes
        episodes.steps[running] += 1
        success = running & ~dead & self._holds(self._judge)
        late = running & ~dead & ~success & (episodes.steps >= self.task.horizon)
        late |= self._lost(running)
        for rows, how in ((dead, DEATH), (success, SUCCESS), (late, HORIZON)):
            if rows.any():
                episodes.end(rows, how, self._readings)
        over = dead | success | late
        if self._photographer is not None:
            self._photographer.step(running, over)
        return over

    def _judge_stage(self, stage: Stage, running: Bools, dead: Bools, outcome: Outcome) -> Bools:
        """Pay and count a step of a stage; who has come to the end of it."""
        stage.steps[running] += 1
        success = running & ~dead & self._holds(stage.judge, of_stage=True)
        late = running & (stage.steps >= stage.interface.horizon) | self._lost(running)
        terminated = success | dead
        if self._autoreset:
            self.episodes.steps[running] += 1
        else:
            over = self._judge_task(running, dead)
            solved = over & (self.episodes.ended == SUCCESS)
            terminated |= solved
            late |= over
        reward = stage.rewards.pay(self._readings, running, success)
        self.episodes.reward += reward
        outcome.add(reward, running, terminated, late & ~terminated, success)
        return terminated | late

    def _decide(
        self,
        stage: Stage,
        choices: Ints,
        acting: Bools,
        outcome: Outcome,
        count: Callable[[Bools, Bools], Bools],
    ) -> None:
        """One decision in the rows that are ``acting``. ``count`` is told after each primitive step
        who ran and who died in it, adds it to ``outcome``, and says for whom the stage is over.

        Raises:
            ValueError: there is no such choice.
        """
        if ((choices < 0) | (choices >= len(stage.choices.names)))[acting].any():
            raise ValueError(f"choices are 0 to {len(stage.choices.names) - 1}")
        primitives = stage.choices.primitives
        single = acting & (choices < primitives)
        rows = np.flatnonzero(single)
        stage.choices.fill(self._actions, choices[rows], rows, self._readings)
        runs: dict[int, Run] = {}
        codes: dict[int, Code] = {}
        macro_rows = np.flatnonzero(acting & ~single).tolist()
        if macro_rows:
            chosen = {row: stage.choices.macros[choices[row] - primitives] for row in macro_rows}
            fields = _NO_FIELDS.union(*(program.fields for program, _ in chosen.values()))
            seen = Observations(self._readings, fields)
            for row, (program, max_steps) in chosen.items():
                run = Run(program, max_steps)
                with PULSE.inside(program.mark):
                    code = self._possible(run, row, run.start(seen.row(row, 0)))
                if code is not None:
                    runs[row], codes[row] = run, code
                else:
                    # A macro that ends before it acts still takes a step: a decision without one
                    # could be repeated for ever.
                    self._actions[row] = NOOP
                    single[row] = True

        def judge(running: Bools, dead: Bools) -> Bools:
            return count(running, dead) | single

        if runs:
            self._advance(Batch(runs, codes), acting, fields, seen, judge)
        elif acting.any():
            judge(acting, self._tick(acting))
        if stage.autocraft is not None:
            self._craft(stage.autocraft, acting, outcome, count)
        stage.previous[acting] = choices[acting]

    def _craft(
        self,
        crafting: Autocraft,
        acting: Bools,
        outcome: Outcome,
        count: Callable[[Bools, Bools], Bools],
    ) -> None:
        """What is crafted for the policy after its decision, and is counted with it."""
        start = self.episodes.subtask_items, self.episodes.subtask_quantities
        for _ in range(primitive_actions.AUTOCRAFT_STEPS):
            due = crafting.due(
                self._readings, acting & ~outcome.terminated & ~outcome.truncated, start
            )
            if not due:
                return
            running = np.zeros(self.size, bool)
            for row, action in due.items():
                self._actions[row] = action
                running[row] = True
            count(running, self._tick(running))

    def _play(
        self,
        program: CompiledProgram,
        max_steps: int,
        rows: Bools,
        judge: Callable[[Bools, Bools], Bools],
        reports: Reports | None = None,
        check: Callable[[], None] = lambda: None,
    ) -> int:
        """Run a program in ``rows`` to its end; how many primitive steps that took."""
        seen = Observations(self._readings, program.fields)
        runs: dict[int, Run] = {}
        codes: dict[int, Code] = {}
        for row in np.flatnonzero(rows).tolist():
            run = Run(program, max_steps)
            with PULSE.inside(program.mark):
                code = self._possible(run, row, run.start(seen.row(row, 0)))
            if code is not None:
                runs[row], codes[row] = run, code
            elif reports is not None:
                reports.ended(row, run)
        running = np.zeros(self.size, bool)
        running[list(runs)] = True
        batch = Batch(runs, codes)
        return self._advance(batch, running, program.fields, seen, judge, reports, check)

    def _advance(
        self,
        batch: Batch,
        running: Bools,
        fields: frozenset[str],
        seen: Observations,
        judge: Callable[[Bools, Bools], Bools],
        reports: Reports | None = None,
        check: Callable[[], None] = lambda: None,
    ) -> int:
        """Step ``running`` together until every run has ended. ``judge`` says, after each step, who
        stops. ``batch`` is emptied."""
        running = running.copy()
        steps = 0
        marks = {run.program.mark for run in batch.runs.values()}
        mark = marks.pop() if len(marks) == 1 else 0
        while running.any():
            check()
            seen.expire()
            self._actions[batch.rows] = VECTORS[batch.codes]
            for row, code in batch.slotted.items():
                self._actions[row] = self._slot_action(row, code)
            steps += int(np.count_nonzero(running))
            over = judge(running, self._tick(running))
            seen = Observations(self._readings, fields)
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

    def _slot_action(self, row: int, code: tuple[str, str]) -> tuple[int, ...]:
        verb, item = code
        slot = slot_of(self._readings, row, item_id(self._world, item), verb)
        return tuple(NOOP) if slot is None else primitive_actions.slot_action(verb, slot)

    def _possible(self, run: Run, row: int, code: Code | None) -> Code | None:
        """A run's next primitive, once the items that it needs are there; None if there is none."""
        while isinstance(code, tuple):
            verb, item = code
            if slot_of(self._readings, row, item_id(self._world, item), verb) is not None:
                return code
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
