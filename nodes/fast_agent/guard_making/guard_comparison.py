"""Whether stages do worse with a learned guard than without it. How often its turns did what they
are for says little about that: a guard that wins its fights may take the steps that the goal needs.
"""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from messages.bus import RemoteError
from messages.plan import GuardTried, MakeGuard, Stage, StagesTried
from messages.world import JUDGED, Episode, Guard, Task
from models.outcomes import progress_of, success_rate_of
from nodes.common.goals.guard_counts import tried_in_words
from nodes.common.goals.session_ends import worth_a_retry
from nodes.fast_agent.agent import Agent
from nodes.fast_agent.playing.portions import OutOfSamples, longest_episode
from nodes.fast_agent.playing.stage_playing import Play, Played
from nodes.fast_agent.rivals import compares
from nodes.fast_agent.work import GuardWork


class Compared(NamedTuple):
    """``reason``: why the guard is left out; empty where it is kept. ``tried``: None where it was
    not compared."""

    reason: str = ""
    tried: GuardTried | None = None


def longest_comparison(work: GuardWork) -> int:
    """Primitive steps that it may take, by what is set when they are first asked for: a guard whose
    training they were kept back from is not refused after a restart."""
    agent, request = work.agent, work.request
    if not _compares(agent, request.task):
        return 0
    longest = 2 * agent.parameters.guard_episodes * longest_episode(request.task, request.stages)
    return agent.player.remembered(f"{work.goal.id}/kept-back", longest)


def compare(work: GuardWork, guard: Guard, made: str = "was trained") -> Compared:
    """Play the stages without the guard and with it, on the same starts. It is kept unless their
    aim is reached less often with it, or as often and less far. Where the samples are not enough
    to see that, the stages are taken as they were seen to work. ``made``: how the guard came about,
    for the reason."""
    request = work.request
    if not _compares(work.agent, request.task):
        return Compared()
    work.report(f"trying the stages with and without the guard {guard.name!r}")
    try:
        without = _try_out(work, "without", request.stages, parts=2)
        guarded = _try_out(work, "with", _with(request, guard), parts=1)
    except OutOfSamples as reason:
        return Compared(f"It {made}, and not compared with going without it: {reason}")
    except RemoteError as error:
        if worth_a_retry(error):
            raise
        return Compared(f"It {made}, and its stages could not be played with it: {error}")
    count = min(len(without.episodes), len(guarded.episodes))
    tried = GuardTried(
        episodes=count,
        with_guard=_outcome(request.task, guarded.episodes[:count]),
        without=_outcome(request.task, without.episodes[:count]),
    )
    return Compared(_left_out(tried, made), tried)


def _compares(agent: Agent, task: Task) -> bool:
    # What only pictures can show is not counted.
    return compares(agent) and task.success.kind != JUDGED


def _with(request: MakeGuard, guard: Guard) -> list[Stage]:
    """The stages with one guard more, where it will stand among the others."""
    others = request.stages[0].guards
    guards = [*others[: request.place], guard, *others[request.place :]]
    return [msgspec.structs.replace(stage, guards=guards) for stage in request.stages]


def _try_out(work: GuardWork, how: str, stages: Sequence[Stage], parts: int) -> Played:
    """Try the stages out, in one of so many ``parts`` of the samples that are left.

    Raises:
        OutOfSamples: not one episode fits.
    """
    agent, name = work.agent, f"{work.goal.id}/compared"
    size = agent.player.remembered(name, agent.parameters.guard_episodes)
    play = Play(
        task=work.request.task,
        size=size,
        seeds=agent.tryouts.seeds(name, size),
        stages=stages,
        persist=agent.parameters.persist,
    )
    left = work.spent.left
    return work.play(f"{work.goal.id}/{how}", play, None if left is None else left // parts)


def _outcome(task: Task, episodes: Sequence[Episode]) -> StagesTried:
    return StagesTried(
        success_rate=success_rate_of(task.success, episodes, task.game),
        progress=progress_of(task.success, episodes, task.game),
    )


def _left_out(tried: GuardTried, made: str) -> str:
    """Why the stages go without the guard, if they do."""
    with_it, without = tried.with_guard, tried.without
    if (with_it.success_rate, with_it.progress) >= (without.success_rate, without.progress):
        return ""
    return f"It {made}, and its stages did worse with it: {tried_in_words(tried)}."
