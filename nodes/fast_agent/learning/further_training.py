"""Trains the best policy so far further, when the outer loop has nothing new to try."""

import msgspec

from messages.plan import Further
from messages.training import TrainingSpec
from messages.world import Condition, RewardTerm
from models.outcomes import rewards_mislead
from nodes.fast_agent.implementing import BestAttempt, SubActionWork
from nodes.fast_agent.learning.policy_stage import try_policy
from nodes.fast_agent.learning.spec_limits import largest_budget, limited
from nodes.fast_agent.learning.warm_starts import WarmStarts


def train_further(work: SubActionWork, more: Further, starts: WarmStarts) -> BestAttempt:
    """The policy of ``more``'s stage, trained from its weights for at least as many samples as it
    has had, and for more while it still gets better. Nothing is asked.

    Raises:
        OutOfSamples: too few are left for a training and its tryout.
        RemoteError, GoalCancelled: as ``Node.run_goal``.
    """
    spec = limited(work, _further_spec(work, more))
    outcome = BestAttempt(attempts=1)
    trained = work.train(spec)
    starts.remember(work.goal, spec, trained)
    try_policy(work, spec, trained, outcome)
    return outcome


def for_the_aim(rewards: list[RewardTerm], success: Condition) -> list[RewardTerm]:
    """These rewards, of which only those pay that cannot be earned by anything else than the aim:
    the policy succeeds often enough by now to learn from them alone. The others weigh nothing, but
    stay, as what a policy sees of an inventory depends on what is rewarded."""

    def pays_success(term: RewardTerm) -> bool:
        return term.kind == "success" and term.weight > 0

    def kept(term: RewardTerm) -> bool:
        counts_aim = term.kind == "gain" and term.name == success.name
        return pays_success(term) or term.kind == "step" or counts_aim

    found = [term if kept(term) else msgspec.structs.replace(term, weight=0.0) for term in rewards]
    if not any(map(pays_success, rewards)):
        found.append(RewardTerm(kind="success", weight=1.0))
    return found


def _further_spec(work: SubActionWork, more: Further) -> TrainingSpec:
    spec = more.stage.spec
    assert spec is not None
    interface = spec.interface
    if rewards_mislead(more.learning):
        rewards = for_the_aim(interface.rewards, interface.success)
        interface = msgspec.structs.replace(interface, rewards=rewards)
    budget = max(spec.budget, more.learning.samples)
    return msgspec.structs.replace(
        spec,
        interface=interface,
        start=more.stage.policy,
        clone=[],
        guards=work.request.guards,  # also those that were learned after the policy
        budget=min(budget, largest_budget(work.agent)),
        most=None,
        grows_to=None,
    )
