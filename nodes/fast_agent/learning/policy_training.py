"""Trains a policy with the learner and tries it out, and counts what that costs as it goes on."""

from typing import Any

from messages.bus import GoalHandle
from messages.plan import Stage, Working
from messages.training import TRAIN, Policy, Progress, Train, Trained, TrainingSpec
from nodes.fast_agent.agent import Agent
from nodes.fast_agent.implementing import BestAttempt, Implementing, SpentSteps, judge, try_out
from nodes.fast_agent.playing.evidence import learning_of


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


def try_policy(
    agent: Agent,
    goal: Implementing,
    spec: TrainingSpec,
    trained: Trained,
    outcome: BestAttempt,
    spent: SpentSteps,
) -> None:
    """Try a trained policy out, and offer it as an attempt of the ``outcome``."""
    agent.working(goal, f"trying the policy for {spec.name!r}")
    stage = stage_of(goal, spec, trained.policy)
    played = try_out(agent, goal, 0, stage, spent.left)
    spent.tried(played)
    macros = [macro.name for macro in spec.interface.macros]
    learning = learning_of(trained, played)
    verdict = judge(agent, goal, 0, played, macros, learning)
    outcome.offer(stage, verdict, macros, played, learning)


def stage_of(goal: Implementing, spec: TrainingSpec, policy: Policy | None = None) -> Stage:
    """The stage of the goal's sub-action by this policy; None: one that is not trained yet."""
    request = goal.request
    return Stage(sub_action=request.sub_action, spec=spec, policy=policy, guards=request.guards)


def _rate(spec: TrainingSpec, progress: Progress) -> str:
    if spec.guard is not None:
        return f"{progress.success_rate:.2f} of its turns did what they are for"
    return f"success rate {progress.success_rate:.2f}"
