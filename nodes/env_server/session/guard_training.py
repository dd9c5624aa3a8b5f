"""The training of a guard: its turns are the episodes, and between them plays what it interrupts.

The world's own episodes go on over many turns. Where one ends, by the task's success, its horizon
or the player's death, the next begins with the stages from the first on. Other guards take over
between the turns, as they do where the guard will play.
"""

from collections.abc import Callable

import msgspec
import numpy as np

from messages.world import MOST_STEPS_BEFORE_REPLY, Opened, OpenSession, Stepped
from nodes.env_server.interface.stage import InterfaceStage
from nodes.env_server.programs import Run
from nodes.env_server.programs.condition import CodeCondition
from nodes.env_server.session.decisions import Acting, compiled
from nodes.env_server.session.guards import Guards
from nodes.env_server.session.players import Act, Decider, Playing, PolicyPlaying, ProgramPlaying
from nodes.env_server.session.steps import DecisionOutcome, Ended, Steps
from worlds.play import Bools, Ints
from worlds.runtime import Observations

Make = Callable[[int], Playing]


class GuardTraining:
    """``stage``: the trained policy's. ``others``: the guards that cut into what is guarded.
    ``reset`` begins episodes of the world in rows (B,); ``decider`` makes a policy that is guarded
    ready.

    Raises:
        ValueError: there is nothing to interrupt, or it does not compile.
    """

    def __init__(
        self,
        request: OpenSession,
        stage: InterfaceStage,
        steps: Steps,
        acting: Acting,
        others: Guards,
        reset: Callable[[Bools], None],
        decider: Callable[[int], Decider],
    ) -> None:
        guard = request.guard
        assert guard is not None
        if not (request.autoreset and request.guarded) or request.lead or request.prefix:
            raise ValueError(
                "a guard is trained with autoreset and stages that it cuts into, without a prefix"
            )
        self._steps, self._acting, self._stage = steps, acting, stage
        self._others = others
        self._reset = reset
        self._most = guard.max_steps
        self._condition = CodeCondition(guard.when, steps.play.programs)
        self._looked_at = self._condition.fields | others.fields
        self._fields = self._looked_at
        self._makes = [
            self._make(request, number, decider) for number in range(len(request.guarded))
        ]
        size = steps.size
        self._parts = np.zeros(size, np.int64)  # which of the stages plays
        self._playing: list[Playing | None] = [None] * size
        self._length = np.zeros(size, np.int64)  # of the turn
        self._passed = np.zeros(size, np.int64)  # of guards, since the stage's last step
        self._return = np.zeros(size, np.float32)
        self._turn = np.zeros(size, bool)  # where the guard plays

    def opened(self, opened: Opened) -> Opened:
        """The reply to opening, with what the policy is shown first."""
        steps = self._play_on()
        return msgspec.structs.replace(
            opened,
            features=self._features(),
            mask=self._stage.mask(self._steps.readings),
            prefix_steps=steps,
            waits=not self._turn.all(),
            begun=self._steps.episodes.begun,
        )

    def step(self, choices: Ints, gamma: float) -> Stepped:
        """One decision in each environment where the guard plays; while it does not play in all of
        them, what it interrupts plays on in the others instead."""
        outcome = DecisionOutcome(self._steps.size, gamma)
        if self._turn.all():
            running = self._turn.copy()
            self._acting.carry_out(
                self._stage,
                choices,
                running,
                outcome,
                lambda ran, dead: self._of_turn(outcome, ran, dead),
            )
        rows = np.flatnonzero(outcome.terminated | outcome.truncated)
        ended = Ended(rows, self._features()[rows], self._return[rows], self._length[rows])
        seeds = self._steps.episodes.seed[rows]
        self._end_turns(rows)
        steps = self._play_on()
        mask = self._stage.mask(self._steps.readings)
        return msgspec.structs.replace(
            outcome.reply(self._features(), mask, ended, steps),
            waits=not self._turn.all(),
            begun=self._steps.episodes.begun,
            final_seeds=seeds,
        )

    # ---- inside

    def _make(self, request: OpenSession, number: int, decider: Callable[[int], Decider]) -> Make:
        """What plays a stage in an environment."""
        lead, steps = request.guarded[number], self._steps
        if lead.program is not None:
            program, most = compiled(lead.program, steps.play.programs), lead.program.max_steps
            self._fields |= program.fields
            return lambda row: ProgramPlaying(Run(program, most), row)
        made = decider(number)
        self._fields |= made.fields
        seed = steps.episodes.seed
        return lambda row: PolicyPlaying(made, row, int(seed[row]), stops=True)

    def _features(self) -> np.ndarray:
        return self._stage.seen(self._steps.readings).copy()

    def _of_turn(self, outcome: DecisionOutcome, ran: Bools, dead: Bools) -> Bools:
        """Reward a step of the guard. Its turn is over where its condition no longer holds, its
        steps are spent, or the episode is over."""
        steps, stage = self._steps, self._stage
        over = steps.of_episode(ran, dead)
        stage.steps[ran] += 1
        self._length[ran] += 1
        seen = steps.play.programs.observe(steps.readings, self._condition.fields)
        success = np.zeros(steps.size, bool)
        for row in np.flatnonzero(ran & ~dead).tolist():
            success[row] = not self._condition.holds(seen.row(row, int(self._length[row])))
        seen.expire()
        reward = stage.rewards.pay(steps.readings, ran, success)
        self._return += reward
        terminated = success | dead
        late = ran & ~terminated & (over | (self._length >= self._most))
        outcome.add(reward, ran, terminated, late, success)
        return terminated | late

    def _end_turns(self, rows: Ints) -> None:
        ended = np.zeros(self._steps.size, bool)
        ended[rows] = True
        self._turn &= ~ended
        self._passed[rows] += self._length[rows]
        self._begin_episodes(ended & self._steps.episodes.over)

    def _begin_episodes(self, rows: Bools) -> None:
        if not rows.any():
            return
        for row in np.flatnonzero(rows).tolist():
            playing, self._playing[row] = self._playing[row], None
            if playing is not None:
                playing.stop()
        self._parts[rows] = 0
        self._passed[rows] = 0
        self._reset(rows)

    def _begin_turns(self, rows: Bools) -> None:
        if not rows.any():
            return
        self._turn |= rows
        self._length[rows] = 0
        self._return[rows] = 0
        self._stage.begin(rows)
        self._stage.rewards.begin(self._steps.readings, rows)

    def _play_on(self) -> int:
        """Play the stages and the other guards where the guard does not, until its condition holds
        in all of them or for a while; the primitive steps that it took. Where another guard plays
        it waits for the end of that turn."""
        steps, others, taken = self._steps, self._others, 0
        programs = steps.play.programs
        for _ in range(MOST_STEPS_BEFORE_REPLY):
            running = ~self._turn
            if not running.any():
                break
            seen = programs.observe(steps.readings, self._fields)
            last = np.zeros(steps.size, bool)
            interrupted = others.rows()
            self._passed[interrupted] += 1
            for row, act in others.acts():
                steps.actions[row] = self._acting.vector(row, act)
            for row in np.flatnonzero(running & ~interrupted).tolist():
                act = self._next(seen, row)
                last[row] = act is None
                steps.actions[row] = (
                    steps.play.noop if act is None else self._acting.vector(row, act)
                )
            seen.expire()
            dead = steps.tick(running)
            taken += int(np.count_nonzero(running))
            over = steps.of_episode(running, dead) | (running & last)
            seen = programs.observe(steps.readings, self._looked_at)
            begins = np.zeros(steps.size, bool)
            others.over(np.flatnonzero(over).tolist(), np.flatnonzero(dead).tolist())
            others.look(seen, np.flatnonzero(running & ~over).tolist(), self._acting.possible)
            for row in np.flatnonzero(running & ~over & ~others.rows()).tolist():
                begins[row] = self._condition.holds(seen.row(row, 0))
            seen.expire()
            self._begin_turns(begins)
            self._begin_episodes(over)
        return taken

    def _next(self, seen: Observations, row: int) -> Act | None:
        """What the stages do next in an environment; None: they have come to their end."""
        possible = self._acting.possible
        playing = self._playing[row]
        if playing is not None:
            passed, self._passed[row] = int(self._passed[row]), 0
            act = playing.go_on(seen, possible, passed)
            if act is not None:
                return act
            self._parts[row] += 1
        while self._parts[row] < len(self._makes):
            playing = self._playing[row] = self._makes[self._parts[row]](row)
            act = playing.begin(seen, possible)
            if act is not None:
                return act
            self._parts[row] += 1
        self._playing[row] = None
        return None
