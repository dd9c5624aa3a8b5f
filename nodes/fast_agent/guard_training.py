"""A guard by rl: its policy is trained on the turns that come up while its stages play."""

import msgspec

from messages.bus import GoalHandle, RemoteError
from messages.plan import MakeGuard, SubAction, Working
from messages.training import TRAIN, LeadingStage, Progress, Train, TrainingSpec
from messages.world import Guard
from nodes.fast_agent.agent import Agent
from nodes.fast_agent.guard_spec import write_guard_spec
from nodes.fast_agent.implementing import Spent
from nodes.fast_agent.seeds import training_seeds
from nodes.goal_ids import slug


def train_guard(
    agent: Agent, goal: GoalHandle[MakeGuard, Working], guard: Guard, spent: Spent
) -> tuple[Guard | None, str]:
    """The guard with a trained policy, or None and why there is none."""
    request, proposal = goal.request, goal.request.proposal
    if not request.stages:
        return None, "There is no stage to train it in."
    agent.working(goal, f"writing a training spec for the guard {proposal.name!r}")
    sub_action = SubAction(
        name=proposal.name,
        method="rl",
        success=request.task.success,
        description=proposal.description,
    )
    try:
        interface, budget, problems = write_guard_spec(
            agent, goal.id, request.task, sub_action, request.stages, proposal, guard.when
        )
    except RemoteError as error:
        if error.code != "no_answer":
            raise
        return None, str(error)
    if interface is None:
        return None, f"No valid training spec was given: {' '.join(problems)}"
    interface = msgspec.structs.replace(interface, horizon=guard.max_steps, autocraft=False)
    left = spent.left
    if left is not None and left < guard.max_steps:
        return None, f"The samples are spent: {left:,} are left for a training."
    spec = TrainingSpec(
        name=f"guard-{slug(proposal.name)}",
        task=request.task,
        interface=interface,
        guard=guard,
        guarded=[
            LeadingStage(program=stage.program, policy=stage.policy) for stage in request.stages
        ],
        seeds=training_seeds(agent.seed),
        budget=budget if left is None else min(budget, left),
        most=left,
        stop_at=agent.parameters.stop_at,
        give_up_at=agent.parameters.give_up_at,
    )

    def follow(progress: Progress) -> None:
        spent.training = progress.samples + progress.prefix_samples
        agent.working(
            goal,
            f"training {spec.name!r}: {progress.samples:,} of {progress.budget:,} samples, "
            f"{progress.success_rate:.2f} of its turns did what they are for",
        )

    try:
        trained = agent.run_goal(
            TRAIN,
            f"{goal.id}/train",
            Train(spec=spec),
            on_feedback=follow,
            cancelled=lambda: goal.withdrawn,
        )
    except RemoteError as error:
        if error.retryable:
            raise
        return None, f"It could not be trained: {error}"
    spent.training = trained.samples + trained.prefix_samples
    if not trained.samples:
        return None, f"It was not trained: {trained.reason}."
    return (
        msgspec.structs.replace(
            guard,
            interface=interface,
            policy=trained.policy.id,
            checkpoint=trained.policy.checkpoint,
        ),
        "",
    )
