"""A goal of the fast agent as its parts work on it, which counts what is played and trained."""

from dataclasses import dataclass, field
from typing import Generic, TypeVar

from messages.bus import GoalHandle
from messages.plan import Implement, MakeGuard, Samples, Working
from messages.training import TRAIN, Progress, Train, Trained, TrainingSpec
from messages.world import GuardReport
from nodes.common.goals.guard_counts import together
from nodes.fast_agent.agent import Agent
from nodes.fast_agent.playing.portions import play_what_fits
from nodes.fast_agent.playing.stage_playing import Play, Played

Request = TypeVar("Request", Implement, MakeGuard)


@dataclass
class SpentSteps:
    """Primitive steps that this goal has cost so far, of ``limit`` that it may; None: any."""

    limit: int | None = None
    training: int = 0
    trial: int = 0
    guards: list[GuardReport] = field(default_factory=list)  # what they did in its tryouts

    def tried(self, played: Played) -> None:
        """Count a tryout."""
        self.trial += played.steps
        self.guards = together([*self.guards, *played.guards])

    @property
    def left(self) -> int | None:
        return None if self.limit is None else max(0, self.limit - self.training - self.trial)

    def samples(self) -> Samples:
        return Samples(training=self.training, trial=self.trial)


class Work(Generic[Request]):
    """One goal under way.

    Attributes:
        agent: the fast agent, which asks, plays and trains.
        goal: the goal; its id begins those of all that is done for it.
        request: the goal's.
        spent: what it has cost so far, however it ends.
    """

    def __init__(self, agent: Agent, goal: GoalHandle[Request, Working]) -> None:
        self.agent = agent
        self.goal = goal
        self.request = goal.request
        self.spent = SpentSteps(limit=goal.request.samples)

    def report(self, activity: str) -> None:
        """Publish what is being done right now."""
        self.agent.working(self.goal, activity)

    def play(self, id: str, play: Play, most: int | None) -> Played:
        """Play what of it fits in so many primitive steps (None: any), as a tryout.

        Raises:
            OutOfSamples: not one episode fits.
            RemoteError, GoalCancelled: as ``Player.play``.
        """
        played = play_what_fits(self.agent.player, id, play, most, lambda: self.goal.withdrawn)
        self.spent.tried(played)
        return played

    def train(self, spec: TrainingSpec, name: str = "train") -> Trained:
        """Have a policy trained with the learner. ``name`` ends the training's id.

        Raises:
            RemoteError, GoalCancelled: as ``Node.run_goal``.
        """
        before = self.spent.training

        def follow(progress: Progress) -> None:
            # As it goes on: a training that fails half-way has cost what it had taken.
            self.spent.training = before + progress.samples + progress.prefix_samples
            self.report(
                f"training {spec.name!r}: {progress.samples:,} of {progress.budget:,} samples, "
                f"{_rate(spec, progress)}"
            )

        trained = self.agent.run_goal(
            TRAIN,
            f"{self.goal.id}/{name}",
            Train(spec=spec),
            on_feedback=follow,
            cancelled=lambda: self.goal.withdrawn,
        )
        self.spent.training = before + trained.samples + trained.prefix_samples
        return trained


GuardWork = Work[MakeGuard]


def _rate(spec: TrainingSpec, progress: Progress) -> str:
    if spec.guard is not None:
        return f"{progress.success_rate:.2f} of its turns did what they are for"
    return f"success rate {progress.success_rate:.2f}"
