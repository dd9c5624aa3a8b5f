"""How many samples a training may take, and whether its policy is tried out as it goes on."""

import msgspec

from messages.training import TrainingSpec, Tryouts
from nodes.fast_agent.agent import Agent
from nodes.fast_agent.implementing import SubActionWork
from nodes.fast_agent.learning.policy_stage import stage_of
from nodes.fast_agent.playing.portions import OutOfSamples
from nodes.fast_agent.playing.seeds import seeds_while_training


def limited(work: SubActionWork, spec: TrainingSpec, tryouts: int = 1) -> TrainingSpec:
    """The spec with its tryouts while it is trained, with a budget that the samples left are enough
    for, and with how far that may grow. ``tryouts``: that follow it.

    Raises:
        OutOfSamples: nothing is left for the training.
    """
    spec = _with_tryouts(work.agent, spec, work.goal.id)
    if (left := work.spent.left) is not None:
        spec = _affordable(work, spec, left, tryouts)
    return _growing(work.agent, spec, work.goal.id)


def largest_budget(agent: Agent) -> int:
    """Samples that a training may have in this run."""
    budget, most = agent.parameters.budget, agent.parameters.most_samples
    return most if budget is None else min(budget, most)


def _with_tryouts(agent: Agent, spec: TrainingSpec, goal: str) -> TrainingSpec:
    parameters = agent.parameters
    which = parameters.tryouts_in_training
    started = bool(spec.clone) or spec.start is not None
    if which == "never" or (which == "started" and not started):
        return msgspec.structs.replace(spec, tryouts=None)
    return msgspec.structs.replace(spec, tryouts=_tryouts(agent, goal))


def _affordable(work: SubActionWork, spec: TrainingSpec, left: int, tryouts: int) -> TrainingSpec:
    """The spec, so that of the samples ``left`` its policy can also be tried out. A policy cannot
    be used without a tryout, so its samples (and, with two ``tryouts``, the rival program's) are
    reserved, at most a quarter.

    Raises:
        OutOfSamples: nothing is left for the training.
    """
    episode, tryout = work.longest_tryout(stage_of(work, spec))
    most = left - max(episode, min(tryouts * tryout, left // 4))
    if most < 1:
        raise OutOfSamples(
            f"The samples are spent: {left:,} are left for a training and its tryout, of which "
            f"one episode may take {episode:,}."
        )
    return msgspec.structs.replace(spec, most=most, budget=min(spec.budget, most))


def _growing(agent: Agent, spec: TrainingSpec, goal: str) -> TrainingSpec:
    """The spec, with how far its budget may grow: as far as samples and the run's caps allow. From
    there on it is tried out as it goes on, so that what it had is not lost."""
    parameters, most = agent.parameters, largest_budget(agent)
    if spec.most is not None:
        most = min(most, spec.most)
    if not parameters.budget_grows or most <= spec.budget:
        return msgspec.structs.replace(spec, grows_to=None)
    tryouts = spec.tryouts
    if tryouts is None and parameters.tryouts_in_training == "started":
        tryouts = _tryouts(agent, goal, grown=True)
    return msgspec.structs.replace(spec, grows_to=most, tryouts=tryouts)


def _tryouts(agent: Agent, goal: str, grown: bool = False) -> Tryouts:
    parameters = agent.parameters
    seeds = seeds_while_training(agent.seed, parameters.trial_episodes, goal)
    return Tryouts(seeds=seeds, every=parameters.tryouts_every, grown=grown)
