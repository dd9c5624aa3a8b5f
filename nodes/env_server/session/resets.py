"""How episodes begin: the world is reset, a prefix is run, and what leads to a training is played.

Of what leads on, programs are played here; the choices of policies come from whoever steps the
session (`leading.py` keeps count of who has come how far).
"""

import numpy as np

from messages.world import Lead, Task
from nodes.env_server.interface.stage import Stage
from nodes.env_server.programs import CompiledProgram
from nodes.env_server.session.coded_actions import CodedActions, compiled
from nodes.env_server.session.decisions import Decisions
from nodes.env_server.session.environments import Environments
from nodes.env_server.session.leading import Leading, Part
from nodes.env_server.session.outcome import Outcome
from nodes.env_server.session.termination import Termination
from nodes.env_server.video_model import VideoModel
from nodes.env_server.worlds.world import Bools, Ints, World


class Resets:
    """``prefix``: programs with the most steps that each may take. ``stage`` of its methods is the
    one that begins with the episodes."""

    def __init__(
        self,
        environments: Environments,
        coded: CodedActions,
        decisions: Decisions,
        termination: Termination,
        prefix: list[tuple[CompiledProgram, int]],
        leading: Leading,
    ) -> None:
        self._environments = environments
        self._episodes = environments.episodes
        self._coded = coded
        self._decisions = decisions
        self._termination = termination
        self._prefix = prefix
        self._leading = leading

    def reset(self, rows: Bools, stage: Stage | None) -> int:
        """New episodes in ``rows``; the primitive steps that came before their first one."""
        episodes, readings = self._episodes, self._environments.readings
        numbers = np.flatnonzero(rows)
        self._environments.world.reset(numbers, episodes.next_seeds(numbers))
        readings.forget(rows)
        episodes.begin(numbers, readings)
        steps = 0
        begun = rows
        for program, max_steps in self._prefix:
            rows = rows & ~episodes.died_early
            steps += self._coded.play(program, max_steps, rows, self._termination.of_prefix)
        self._leading.begin(begun)
        return steps + self._come_to_begin(stage)

    def lead_on(self, leader: Stage, choices: Ints, stage: Stage | None) -> int:
        """One decision of a policy that leads to ``stage``; the primitive steps that it took, and
        those of what came after it.

        Raises:
            ValueError: there is no such choice.
        """
        acting = self._leading.rows()
        outcome = Outcome(self._environments.size, 1.0)
        of_leader = self._termination.of_leader
        self._decisions.carry_out(
            leader,
            choices,
            acting,
            outcome,
            lambda running, dead: of_leader(leader, outcome, running, dead),
        )
        self._leading.pass_on(acting & leader.over)
        return int(outcome.steps.sum()) + self._come_to_begin(stage)

    def _come_to_begin(self, stage: Stage | None) -> int:
        """Play what leads on up to the next policy's turn, or let the episodes begin; the primitive
        steps that it took."""
        leading, steps = self._leading, 0
        leading.leave(self._episodes.died_early)
        while isinstance(part := leading.part, tuple):
            rows = leading.rows()
            steps += self._coded.play(*part, rows, self._termination.of_prefix)
            leading.pass_on(rows)
            leading.leave(self._episodes.died_early)
        if part is None:
            begun = leading.begun
            if stage is not None and begun.any():
                stage.begin(begun)
                stage.rewards.begin(self._environments.readings, begun)
            leading.begun = np.zeros(self._environments.size, bool)
        return steps


def part(lead: Lead, task: Task, world: World, model: VideoModel | None = None) -> Part:
    """What leads on, made ready for a world.

    Raises:
        ValueError: it names what there is not, or does not compile.
    """
    if lead.program is not None:
        return compiled(lead.program), lead.program.max_steps
    if lead.interface is None:
        raise ValueError("what leads to a training is a program or a policy's interface")
    return Stage(lead.interface, task, world, model)
