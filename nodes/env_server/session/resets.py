"""How episodes begin: the world is reset, a prefix is run, and what leads to a training is played.

Leading programs run here; the choices of leading policies come from the session's caller.
"""

from typing import Any

import numpy as np

from messages.world import Lead, OpenSession
from nodes.env_server.interface.stage import InterfaceStage
from nodes.env_server.programs import CompiledProgram
from nodes.env_server.programs.part_clock import CLOCK, WORLD
from nodes.env_server.session.decisions import Acting, compiled
from nodes.env_server.session.guards import Guards
from nodes.env_server.session.steps import DecisionOutcome, Steps
from nodes.env_server.video_model import VideoModel
from worlds.play import Bools, Ints

Part = tuple[CompiledProgram, int] | InterfaceStage


class Leading:
    """What a training's resets play after their prefix: stages before the one that is trained, of
    which at least the first is a policy's. Here is which of them each of ``size`` environments has
    come to. An episode begins when all of them are over for it; environments that got there stand
    still until the others have."""

    def __init__(self, parts: list[Part], size: int, readings: Any) -> None:
        self.parts = parts
        self._readings = readings
        self._at = np.full(size, len(parts))
        self.begun = np.zeros(size, bool)  # episodes that begin when all this is over

    @property
    def number(self) -> int:
        """The number of the stage that is played next; -1: there is none left."""
        number = int(self._at.min())
        return number if number < len(self.parts) else -1

    @property
    def part(self) -> Part | None:
        return None if self.number < 0 else self.parts[self.number]

    @property
    def stage(self) -> InterfaceStage | None:
        """The policy's stage that is played next, if it is one."""
        part = self.part
        return part if isinstance(part, InterfaceStage) else None

    def rows(self) -> Bools:
        """Where the stage that is played next has been reached."""
        return self._at == self._at.min() if self.number >= 0 else np.zeros(len(self._at), bool)

    def begin(self, rows: Bools) -> None:
        """Episodes of ``rows`` were reset."""
        self.begun |= rows
        self._enter(rows, 0)

    def pass_on(self, rows: Bools) -> None:
        """The stage is over in ``rows``, which stand at it."""
        if rows.any():
            self._enter(rows, int(self._at[rows][0]) + 1)

    def leave(self, rows: Bools) -> None:
        """End the lead: nothing is left to be played in ``rows``."""
        self._at[rows] = len(self.parts)

    def _enter(self, rows: Bools, number: int) -> None:
        self._at[rows] = number
        if number < len(self.parts) and isinstance(part := self.parts[number], InterfaceStage):
            part.begin(rows)
            self._readings.begin_stage(rows)


class Resets:
    """Begins the episodes of a session. ``stage`` of its methods is the one that begins with them.
    ``guards`` interrupt what is played before it.

    Raises:
        ValueError: what the request has before an episode names what there is not, or does not
            compile.
    """

    def __init__(
        self,
        request: OpenSession,
        steps: Steps,
        acting: Acting,
        guards: Guards,
        model: VideoModel | None,
    ) -> None:
        self._steps = steps
        self._acting = acting
        self._guards = guards
        self._prefix = [
            (compiled(program, steps.play.programs), program.max_steps)
            for program in request.prefix
        ]
        parts = [_part(lead, request, steps, model) for lead in request.lead]
        self.leading = Leading(parts, steps.size, steps.readings)

    def reset(self, rows: Bools, stage: InterfaceStage | None) -> int:
        """Begin new episodes in ``rows``. Returns the primitive steps of prefix and lead."""
        episodes, readings = self._steps.episodes, self._steps.readings
        numbers = np.flatnonzero(rows)
        part = CLOCK.switch(WORLD)
        self._steps.world.reset(numbers, episodes.next_seeds(numbers))
        CLOCK.switch(part)
        readings.begin(rows)
        episodes.begin(numbers, readings)
        steps = 0
        begun = rows
        for program, max_steps in self._prefix:
            rows = rows & ~episodes.died_early
            steps += self._before(program, max_steps, rows)
        self.leading.begin(begun)
        return steps + self._play_up_to_begin(stage)

    def foresee(self) -> None:
        """Let the world know which episodes come next. Horizons are the same for all, so that the
        oldest episodes are the first to reach theirs."""
        episodes = self._steps.episodes
        rows = np.argsort(-episodes.steps, kind="stable")
        self._steps.world.foresee(rows, episodes.coming_seeds(rows))

    def _before(self, program: CompiledProgram, max_steps: int, rows: Bools) -> int:
        """Run a program before the episodes begin; the primitive steps that it took."""
        of_prefix = self._steps.of_prefix
        return self._acting.play(program, max_steps, rows, of_prefix, guards=self._guards)

    def step_leading_policy(
        self, leader: InterfaceStage, choices: Ints, stage: InterfaceStage | None
    ) -> int:
        """One decision of a policy that leads to ``stage``; the primitive steps that it took, and
        those of what came after it.

        Raises:
            Refusal: there is no such choice.
        """
        acting = self.leading.rows()
        outcome = DecisionOutcome(self._steps.size, 1.0)
        of_leader = self._steps.of_leader
        self._acting.carry_out(
            leader,
            choices,
            acting,
            outcome,
            lambda running, dead: of_leader(leader, outcome, running, dead),
            self._guards,
        )
        self.leading.pass_on(acting & leader.over)
        return int(outcome.steps.sum()) + self._play_up_to_begin(stage)

    def _play_up_to_begin(self, stage: InterfaceStage | None) -> int:
        """Play what leads on up to the next policy's turn, or let the episodes begin; the primitive
        steps that it took."""
        leading, steps = self.leading, 0
        leading.leave(self._steps.episodes.died_early)
        while isinstance(part := leading.part, tuple):
            rows = leading.rows()
            steps += self._before(*part, rows)
            leading.pass_on(rows)
            leading.leave(self._steps.episodes.died_early)
        if part is None:
            begun = leading.begun
            if stage is not None and begun.any():
                stage.begin(begun)
                self._steps.readings.begin_stage(begun)
                stage.rewards.begin(self._steps.readings, begun)
            leading.begun = np.zeros(self._steps.size, bool)
        return steps


def _part(lead: Lead, request: OpenSession, steps: Steps, model: VideoModel | None) -> Part:
    """What leads on, made ready for a world."""
    if lead.program is not None:
        return compiled(lead.program, steps.play.programs), lead.program.max_steps
    if lead.interface is None:
        raise ValueError("what leads to a training is a program or a policy's interface")
    return InterfaceStage(lead.interface, request.task, steps.play, steps.world, model)
