"""Trains a policy with the learner, and counts what that costs as it goes on."""

from typing import Any

from messages.bus import GoalHandle
from messages.plan import Working
from messages.training import TRAIN, Progress, Train, Trained, TrainingSpec
from nodes.fast_agent.agent import Agent
from nodes.fast_agent.implementing import SpentSteps


def train(
    agent: Agent,
    goal: GoalHandle[Any, Working],
    spec: TrainingSpec,
    spent: SpentSteps,
    name: str = "train",
) -> Trained:
    """Train on ``spec``; its samples are added to what the goal has ``spent``. ``name`` ends the
    training's id.

    Raises:
        RemoteError, GoalCancelled: as ``Node.run_goal``.
    """
    before = spent.training

    def follow(progress: Progress) -> None:
        # As it goes on: a training that fails half-way has cost what it had taken.
        spent.training = before + progress.samples + progress.prefix_samples
        agent.working(
            goal,
            f"training {spec.name!r}: {progress.samples:,} of {progress.budget:,} samples, "
            f"{_rate(spec, progress)}",
        )

    trained = agent.run_goal(
        TRAIN,
        f"{goal.id}/{name}",
        Train(spec=spec),
        on_feedback=follow,
        cancelled=lambda: goal.withdrawn,
    )
    spent.training = before + trained.samples + trained.prefix_samples
    return trained


def _rate(spec: TrainingSpec, progress: Progress) -> str:
    if spec.guard is not None:
        return f"{progress.success_rate:.2f} of its turns did what they are for"
    return f"success rate {progress.success_rate:.2f}"
