"""Whether stages do worse with a learned guard than without it. How often its turns did what they
are for says little about that: a guard that wins its fights may take the steps that the goal needs.
"""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from messages.bus import GoalHandle, RemoteError
from messages.plan import GuardTried, MakeGuard, Stage, StagesTried, Working
from messages.world import JUDGED, Episode, Guard, Task
from models.outcomes import progress_of, success_rate_of
from nodes.common.goals.guard_counts import tried_in_words
from nodes.common.goals.session_ends import worth_a_retry
from nodes.fast_agent.agent import Agent
from nodes.fast_agent.implementing import SpentSteps
from nodes.fast_agent.playing.portions import OutOfSamples, longest_episode, play_what_fits
from nodes.fast_agent.playing.stage_playing import Play, Played

Making = GoalHandle[MakeGuard, Working]


class Compared(NamedTuple):
    """``reason``: why the guard is left out; empty where it stands. ``tried``: None where it was
    not compared."""

    reason: str = ""
    tried: GuardTried | None = None


def longest_comparison(agent: Agent, goal: Making) -> int:
    """Primitive steps that it may take, by what is set when they are first asked for: a guard whose
    training they were kept back from is not refused after a restart."""
    if not _compares(agent, goal.request.task):
        return 0
    request = goal.request
    longest = 2 * agent.parameters.guard_episodes * longest_episode(request.task, request.stages)
    return agent.player.remembered(f"{goal.id}/kept-back", longest)


def compare(agent: Agent, goal: Making, guard: Guard, spent: SpentSteps) -> Compared:
    """Play the stages without the guard and with it, on the same starts. It stands unless its
    aim is reached less often with it, or as often and less far. Where the samples are not enough
    to see that, the stages are taken as they were seen to work."""
    request = goal.request
    if not _compares(agent, request.task):
        return Compared()
    agent.working(goal, f"trying the stages with and without the guard {guard.name!r}")
    try:
        without = _try_out(agent, goal, "without", request.stages, spent, parts=2)
        guarded = _try_out(agent, goal, "with", _with(request, guard), spent, parts=1)
    except OutOfSamples as reason:
        return Compared(f"It was trained, and not compared with going without it: {reason}")
    except RemoteError as error:
        if worth_a_retry(error):
            raise
        return Compared(f"It was trained, and its stages could not be played with it: {error}")
    count = min(len(without.episodes), len(guarded.episodes))
    tried = GuardTried(
        episodes=count,
        with_guard=_outcome(request.task, guarded.episodes[:count]),
        without=_outcome(request.task, without.episodes[:count]),
    )
    return Compared(_left_out(tried), tried)


def _compares(agent: Agent, task: Task) -> bool:
    # Without a critic nothing says what worked; what only pictures can show is not counted.
    parameters = agent.parameters
    return parameters.better_of and parameters.critic and task.success.kind != JUDGED


def _with(request: MakeGuard, guard: Guard) -> list[Stage]:
    """The stages with one guard more, where it will stand among the others."""
    others = request.stages[0].guards
    guards = [*others[: request.place], guard, *others[request.place :]]
    return [msgspec.structs.replace(stage, guards=guards) for stage in request.stages]


def _try_out(
    agent: Agent, goal: Making, how: str, stages: Sequence[Stage], spent: SpentSteps, parts: int
) -> Played:
    """Try the stages out, in one of so many ``parts`` of the samples that are left.

    Raises:
        OutOfSamples: not one episode fits.
    """
    size = agent.player.remembered(f"{goal.id}/compared", agent.parameters.guard_episodes)
    play = Play(
        task=goal.request.task,
        size=size,
        seeds=agent.tryouts.seeds(f"{goal.id}/compared", size),
        stages=stages,
        persist=agent.parameters.persist,
    )
    most = None if spent.left is None else spent.left // parts
    played = play_what_fits(agent.player, f"{goal.id}/{how}", play, most, lambda: goal.withdrawn)
    spent.tried(played)
    return played


def _outcome(task: Task, episodes: Sequence[Episode]) -> StagesTried:
    return StagesTried(
        success_rate=success_rate_of(task.success, episodes, task.game),
        progress=progress_of(task.success, episodes, task.game),
    )


def _left_out(tried: GuardTried) -> str:
    """Why the stages go without the guard, if they do."""
    with_it, without = tried.with_guard, tried.without
    if (with_it.success_rate, with_it.progress) >= (without.success_rate, without.progress):
        return ""
    return f"It was trained, and its stages did worse with it: {tried_in_words(tried)}."
