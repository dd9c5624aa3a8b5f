"""A policy as a stage of the goal, and its tryout once it is trained."""

from messages.plan import Stage
from messages.training import Policy, Trained, TrainingSpec
from nodes.fast_agent.implementing import BestAttempt, SubActionWork
from nodes.fast_agent.playing.evidence import learning_of


def try_policy(
    work: SubActionWork, spec: TrainingSpec, trained: Trained, outcome: BestAttempt
) -> None:
    """Try a trained policy out, and offer it as an attempt of the ``outcome``."""
    work.report(f"trying the policy for {spec.name!r}")
    stage = stage_of(work, spec, trained.policy)
    played = work.try_out(0, stage, work.spent.left)
    learning = learning_of(trained, played)
    verdict = work.judge(0, stage, played, learning)
    outcome.offer(stage, verdict, played, learning)


def stage_of(work: SubActionWork, spec: TrainingSpec, policy: Policy | None = None) -> Stage:
    """The stage of the goal's sub-action by this policy; None: one that is not trained yet."""
    request = work.request
    return Stage(sub_action=request.sub_action, spec=spec, policy=policy, guards=request.guards)
