"""The goal performed: episodes from the task's own start, each planned again after every subtask.

Environments of the batch may stand at different subtasks (`episode_plans.py`). Those that stand at
the same one play its stages together, while the others stand still; the ones with the longest way
to go come first, so that they catch up. As a play, a performance is all or nothing.
"""

import msgspec

from messages.bus import BusError, GoalHandle
from messages.plan import Perform, Performed, PerformedEpisode, Working, to_play
from messages.world import CLOSE, LOOK, OPEN, Closed, CloseSession, OpenSession, SessionName
from nodes.common.goals.goal_ids import slug
from nodes.common.goals.guard_counts import together
from nodes.fast_agent.agent import Agent
from nodes.fast_agent.playing.episode_plans import EpisodePlan, begin_together, to_gain
from nodes.fast_agent.playing.portions import next_portion, portion_id, rest_of
from nodes.fast_agent.playing.seeds import performance_seeds, validation_seeds
from nodes.fast_agent.playing.stage_playing import play_of

Performing = GoalHandle[Perform, Working]


def perform(agent: Agent, goal: Performing) -> Performed:
    """Play all episodes to their end that the samples are enough for, or recall how they went."""
    id, request = f"{goal.id}/episodes", goal.request
    size = agent.player.remembered(f"{id}/size", agent.parameters.evaluation_episodes)
    portions: list[Performed] = []
    played, left = 0, request.samples
    while (fits := next_portion(size, played, left, request.task.horizon)) > 0:
        portion = _portion(agent, goal, portion_id(id, len(portions)), fits, played)
        portions.append(portion)
        played += fits
        left = None if left is None else left - portion.steps
    return _together(request, portions, cut=played < size)


def _portion(agent: Agent, goal: Performing, id: str, size: int, played: int) -> Performed:
    return agent.player.whole(
        id, Performed, lambda session: _once(agent, goal, session, size, played)
    )


def _together(request: Perform, portions: list[Performed], cut: bool) -> Performed:
    """All their episodes, numbered on."""
    episodes: list[PerformedEpisode] = []
    for portion in portions:
        before = len(episodes)
        episodes += [
            msgspec.structs.replace(each, environment=before + each.environment)
            for each in portion.episodes
        ]
    items = _milestones(request)
    return Performed(
        success_rate=sum(each.success for each in episodes) / max(1, len(episodes)),
        episodes=episodes,
        milestones={item: sum(item in each.gained for each in episodes) for item in items},
        steps=sum(portion.steps for portion in portions),
        video=portions[0].video if portions else None,
        cut=cut,
        guards=together(report for portion in portions for report in portion.guards),
    )


def _milestones(request: Perform) -> list[str]:
    """What the plan's subtasks bring, and the goal."""
    return list(dict.fromkeys([*to_gain(request), request.task.success.name]))


def _once(agent: Agent, goal: Performing, session: str, size: int, played: int) -> Performed:
    """``size`` episodes, after the ``played`` first."""
    request = goal.request
    seeds = performance_seeds if request.validation is None else validation_seeds
    opened = agent.call(
        OPEN,
        OpenSession(
            session=session,
            task=request.task,
            size=size,
            seeds=rest_of(seeds(agent.seed), played),
            record=request.record and not played,
            play=play_of(session),
        ),
    )
    stages = {known.subtask.success.aim: to_play(known.stages) for known in request.subtasks}
    plans = [EpisodePlan(request) for _ in range(size)]
    steps = opened.prefix_steps
    number = 0
    try:
        while True:
            goal.check()
            episodes = agent.call(LOOK, SessionName(session=session)).episodes
            rows = begin_together(agent.parameters, episodes, plans)
            if not rows:
                break
            subtask = plans[rows[0]].left[0]
            agent.working(goal, f"performing {subtask.name!r} in {len(rows)} of {size} episodes")
            late: list[int] = []
            for index, stage in enumerate(stages[subtask.success.aim]):
                id = (
                    f"{session}/{number}-{slug(subtask.name)}-{index}-{slug(stage.sub_action.name)}"
                )
                stage_played = agent.player.stage(
                    session, id, stage, lambda: goal.withdrawn, rows, begins=index == 0
                )
                steps += stage_played.steps
                late += stage_played.late
            for row in rows:
                plans[row].late = row in late
            number += 1
    except BusError:
        agent.player.close_left_over(session)
        raise
    closed = agent.call(CLOSE, CloseSession(session=session))
    return _performed(request, closed, plans, steps)


def _performed(request: Perform, closed: Closed, plans: list[EpisodePlan], steps: int) -> Performed:
    goal = request.task.success.name
    items = _milestones(request)
    episodes: list[PerformedEpisode] = []
    for episode in closed.episodes:
        plan = plans[episode.environment]
        plan.note_gains(episode)
        gained = plan.gained | ({goal} if episode.success else set())
        lost = bool(plan.left) and not episode.success
        episodes.append(
            PerformedEpisode(
                environment=episode.environment,
                seed=episode.seed,
                success=episode.success,
                steps=episode.steps,
                ended="gave_up" if episode.ended == "running" else episode.ended,
                subtask=plan.left[0].name if lost else "",
                stood_at=plan.lost_at() if lost else None,
                came_to=None if episode.success else episode,
                reason=plan.gave_up if episode.ended == "running" else "",
                gained=[item for item in items if item in gained],
            )
        )
    portion = Performed(
        success_rate=0.0,
        episodes=episodes,
        milestones={},
        steps=steps,
        video=closed.video,
        guards=closed.guards,
    )
    return _together(request, [portion], cut=False)
