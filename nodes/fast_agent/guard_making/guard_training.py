"""A guard by rl: its policy is trained on the turns that come up while its stages play."""

from typing import NamedTuple

import msgspec

from messages.bus import RemoteError
from messages.plan import GuardTried
from messages.training import LeadingStage, Learning, TrainingSpec
from messages.world import Guard, Interface
from nodes.common.goals.goal_ids import slug
from nodes.common.goals.session_ends import worth_a_retry
from nodes.common.questions.asking import NoAnswer
from nodes.fast_agent.guard_making.guard_check import why_not_played
from nodes.fast_agent.guard_making.guard_comparison import compare, longest_comparison
from nodes.fast_agent.guard_making.guard_spec import write_guard_spec
from nodes.fast_agent.playing.evidence import learning_of
from nodes.fast_agent.playing.seeds import training_seeds
from nodes.fast_agent.work import GuardWork


class TrainedGuard(NamedTuple):
    """``guard``: with its policy; None where there is none, and ``reason`` says why. What it was
    to be trained on and how that went are for who asks for the next spec."""

    guard: Guard | None
    reason: str = ""
    spec: TrainingSpec | None = None
    learning: Learning | None = None
    tried: GuardTried | None = None


def train_guard(work: GuardWork, guard: Guard) -> TrainedGuard:
    """Have a spec written for the policy of ``guard``, and train it. It is kept unless its stages
    do worse with it."""
    request = work.request
    if not request.stages:
        return TrainedGuard(None, "There is no stage to train it in.")
    work.report(f"writing a training spec for the guard {request.proposal.name!r}")
    try:
        interface, budget, problems = write_guard_spec(work, guard.when)
    except NoAnswer as error:
        return TrainedGuard(None, str(error))
    if interface is None:
        return TrainedGuard(None, f"No valid training spec was given: {' '.join(problems)}")
    interface = msgspec.structs.replace(interface, horizon=guard.max_steps, autocraft=False)
    left = work.spent.left
    if left is not None:
        # As those of a sub-action's tryout are: at most a quarter.
        left -= min(longest_comparison(work), left // 4)
        if left < guard.max_steps:
            return TrainedGuard(None, f"The samples are spent: {left:,} are left for a training.")
    spec = _training_spec(work, guard, interface, budget, left)
    try:
        trained = work.train(spec)
    except RemoteError as error:
        if worth_a_retry(error):
            raise
        return TrainedGuard(None, f"It could not be trained: {error}", spec)
    learning = learning_of(trained)
    if not trained.samples:
        return TrainedGuard(None, f"It was not trained: {trained.reason}.", spec, learning)
    made = msgspec.structs.replace(
        guard,
        interface=interface,
        policy=trained.policy.id,
        checkpoint=trained.policy.checkpoint,
    )
    if wrong := why_not_played(work.agent, f"{work.goal.id}/trained", request.task, made):
        reason = f"It was trained, and no session plays it: {wrong}"
        return TrainedGuard(None, reason, spec, learning)
    compared = compare(work, made)
    return TrainedGuard(
        None if compared.reason else made, compared.reason, spec, learning, compared.tried
    )


def _training_spec(
    work: GuardWork, guard: Guard, interface: Interface, budget: int, left: int | None
) -> TrainingSpec:
    agent, request = work.agent, work.request
    return TrainingSpec(
        name=f"guard-{slug(request.proposal.name)}",
        task=request.task,
        interface=interface,
        guard=guard,
        guards=request.stages[0].guards,
        guarded=[
            LeadingStage(program=stage.program, policy=stage.policy) for stage in request.stages
        ],
        seeds=training_seeds(agent.seed),
        budget=budget if left is None else min(budget, left),
        most=left,
        stop_at=agent.parameters.stop_at,
        give_up_at=agent.parameters.give_up_at,
    )
