"""What a training's session plays: the same for the training's own and, but for a few fields, for
its side sessions and for the shares of several env servers."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from messages.training import TrainingSpec
from messages.world import Guard, Lead
from nodes.learner.collecting.preceding_policies import Leaders


@dataclass(frozen=True, kw_only=True)
class SessionPlan:
    """What one session plays.

    Attributes:
        name: of the session; opening replaces one of the same name.
        spec: what is trained.
        gamma: the discount inside macros, which the env server applies.
        size: environments side by side.
        leaders: earlier policies that play inside the resets; they are stepped by the learner, so
            that the training only gets episodes of the stage that is trained. They remember their
            turn: no two sessions can have the same ones, see `Leaders.copy_for`.
        guards: that take over, with their actors.
        guarded: the stages that a guard in training interrupts, with actors.
        once: one episode in each environment, on the first seeds, and no more.
        matched: whether it reports the primitive choice that equals what was done.
        batch: how many environments are trained in on all env servers together; 0: only these.
        first: the place of the first one of these among them.
    """

    name: str
    spec: TrainingSpec
    gamma: float
    size: int
    leaders: Leaders = field(default_factory=lambda: Leaders(Path(), [], ""))
    guards: Sequence[Guard] = ()
    guarded: Sequence[Lead] = ()
    once: bool = False
    matched: bool = False
    batch: int = 0
    first: int = 0
