"""The goal performed: episodes from the task's own start, each planned again after every subtask.

Environments of the batch may stand at different subtasks. Those that stand at the same one play its
stages together, while the others stand still; the ones with the longest way to go come first, so
that they catch up. As a play, a performance is all or nothing.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import msgspec

from messages.bus import BusError, GoalHandle
from messages.plan import Perform, Performed, PerformedEpisode, Practised, Subtask, Working
from messages.world import (
    CLOSE,
    LOOK,
    OPEN,
    Aim,
    Closed,
    CloseSession,
    Condition,
    Episode,
    OpenSession,
    SessionName,
    View,
)
from nodes.common.goals.goal_ids import slug
from nodes.common.goals.guard_counts import together
from nodes.fast_agent.agent import Agent
from nodes.fast_agent.playing.portions import next_portion, portion_id, rest_of
from nodes.fast_agent.playing.seeds import performance_seeds, validation_seeds
from nodes.fast_agent.playing.stage_playing import play_of
from worlds import card
from worlds.card import Planning, Unreachable

Performing = GoalHandle[Perform, Working]


@dataclass
class PlanStanding:
    """Where one environment stands in its own plan."""

    left: list[Subtask] = field(default_factory=list)
    failed: int = 0  # tries in a row at the subtask that brought nothing
    # Tries of the whole episode that brought nothing, each followed by a new plan.
    fruitless: int = 0
    tries: dict[Aim, int] = field(default_factory=dict)
    reached: int = -1  # how far the subtask's condition had come when it was begun
    late: bool = False  # in that try, a policy's horizon was over before it was done
    playing: Aim | None = None
    last: Subtask | None = None  # the one that was played last
    gave_up: str = ""  # why
    # Where the rules plan nothing: what was seen when a subtask was first begun, and what is done.
    begun: dict[Aim, View] = field(default_factory=dict)
    done: set[Aim] = field(default_factory=set)
    gained: set[str] = field(default_factory=set)


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
    items = dict.fromkeys(each.subtask.success.name for each in request.subtasks)
    return Performed(
        success_rate=sum(each.success for each in episodes) / max(1, len(episodes)),
        episodes=episodes,
        milestones={item: sum(item in each.gained for each in episodes) for item in items},
        steps=sum(portion.steps for portion in portions),
        video=portions[0].video if portions else None,
        cut=cut,
        guards=together(report for portion in portions for report in portion.guards),
    )


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
    stages = {known.subtask.success.aim: known.stages for known in request.subtasks}
    standings = [PlanStanding() for _ in range(size)]
    steps = opened.prefix_steps
    number = 0
    try:
        while True:
            goal.check()
            episodes = agent.call(LOOK, SessionName(session=session)).episodes
            rows = _next_together(agent.parameters, request, episodes, standings)
            if not rows:
                break
            subtask = standings[rows[0]].left[0]
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
                standings[row].late = row in late
            number += 1
    except BusError:
        agent.player.close_left_over(session)
        raise
    closed = agent.call(CLOSE, CloseSession(session=session))
    return _performed(request, closed, standings, steps)


def _next_together(
    limits: Agent.Parameters,
    request: Perform,
    episodes: list[Episode],
    standings: list[PlanStanding],
) -> list[int]:
    """The environments that play next, all at the same subtask; none when all are at their end."""
    known = {each.subtask.success.aim for each in request.subtasks}
    turns: dict[Aim, list[int]] = {}
    for episode in episodes:
        standing = standings[episode.environment]
        _note(standing, request.subtasks, episode)
        if episode.ended != "running" or standing.gave_up:
            continue
        key = _plan_again(standing, request, episode)
        if key not in known:
            standing.gave_up = f"it needs {key[1]}, which no practised subtask gets"
        elif standing.failed >= limits.tries or standing.tries.get(key, 0) >= limits.most_tries:
            standing.gave_up = f"{standing.tries.get(key, 0)} tries at {key[1]}"
        elif limits.replans is not None and standing.fruitless > limits.replans:
            standing.gave_up = f"{limits.replans} plans after the first"
        else:
            turns.setdefault(key, []).append(episode.environment)
    if not turns:
        return []
    chosen = max(turns, key=lambda key: (len(standings[turns[key][0]].left), key))
    for row in turns[chosen]:
        standing = standings[row]
        standing.playing, standing.last = chosen, standing.left[0]
        standing.reached = _reached(request, episodes[row], standing.last.success)
        standing.begun.setdefault(chosen, episodes[row].after)
        standing.tries[chosen] = standing.tries.get(chosen, 0) + 1
    return turns[chosen]


def _plan_again(standing: PlanStanding, request: Perform, episode: Episode) -> Aim:
    """The subtask that comes next by what this episode has come to."""
    game, goal = card(request.task.game), request.task.success
    played, standing.playing = standing.playing, None
    if played is not None and standing.last is not None:
        if _reached(request, episode, standing.last.success) > standing.reached:
            standing.failed = 0
        elif standing.late:
            # Its horizon is its training's, and nothing that it came to: the episode has steps.
            standing.tries[played] -= 1
        else:
            standing.failed += 1
            standing.fruitless += 1
    planning = game.planning
    # What was put down and still stands there can be used; where that may be what did not work,
    # another one is made.
    held = planning.at_hand(episode.after, goal, beside=not standing.failed)
    held = planning.worn(held, episode)
    try:
        needed = planning.plan_for(game.conditions.left(goal, episode), held)
    except Unreachable:
        standing.left = _not_done(standing, request, episode)
    else:
        standing.left = _in_plan_order(needed, request.subtasks, planning, held)
    key = standing.left[0].success.aim
    if played is not None and key != played:
        standing.failed = 0
    return key


def _reached(request: Perform, episode: Episode, condition: Condition) -> int:
    """How far a condition has come: by its own counter, or whether it holds."""
    conditions = card(request.task.game).conditions
    if condition.kind in conditions.counted:
        return conditions.count(condition, _with_substitutes(request, episode.after))
    return int(conditions.holds(condition, episode))


def _with_substitutes(request: Perform, view: View) -> View:
    """A view whose inventory counts what does as well as another item (logs of any tree)."""
    planning = card(request.task.game).planning
    held = planning.at_hand(view, request.task.success, beside=False)
    return msgspec.structs.replace(view, inventory=held)


def _not_done(standing: PlanStanding, request: Perform, episode: Episode) -> list[Subtask]:
    """What is left of the plan that was practised, in its order, for a goal that the rules know no
    way to: what was done once in the episode stays done. Never empty: it ends in the goal."""
    conditions = card(request.task.game).conditions
    left: list[Subtask] = []
    for each in request.subtasks:
        success = each.subtask.success
        key = success.aim
        begun = standing.begun.get(key)
        if key not in standing.done and (begun or success.kind not in conditions.counted):
            since = msgspec.structs.replace(
                episode,
                before=_with_substitutes(request, begun or episode.before),
                after=_with_substitutes(request, episode.after),
            )
            if conditions.holds(success, since):
                standing.done.add(key)
        if key not in standing.done:
            left.append(each.subtask)
    return left or [request.subtasks[-1].subtask]


def _in_plan_order(
    needed: list[Subtask], subtasks: list[Practised], planning: Planning, held: Mapping[str, int]
) -> list[Subtask]:
    """Among subtasks possible with the inventory, the planner's order decides: it may know that a
    furnace stands nearby."""
    places = {each.subtask.success.aim: place for place, each in enumerate(subtasks)}
    ready = [each for each in needed if not planning.shortfalls([each], held)] or needed[:1]
    first = min(ready, key=lambda each: places.get(each.success.aim, len(places)))
    return [first, *(each for each in needed if each is not first)]


def _note(standing: PlanStanding, subtasks: list[Practised], episode: Episode) -> None:
    """Add to ``standing`` the items of the plan that this episode has gained by now."""
    for each in subtasks:
        success = each.subtask.success
        had = episode.before.inventory.get(success.name, 0)
        if success.kind == "have" and episode.after.inventory.get(success.name, 0) > had:
            standing.gained.add(success.name)


def _performed(
    request: Perform,
    closed: Closed,
    standings: list[PlanStanding],
    steps: int,
) -> Performed:
    goal = request.task.success.name
    items = [each.subtask.success.name for each in request.subtasks]
    practised = {each.subtask.success.aim for each in request.subtasks}
    episodes: list[PerformedEpisode] = []
    for episode in closed.episodes:
        standing = standings[episode.environment]
        _note(standing, request.subtasks, episode)
        gained = standing.gained | ({goal} if episode.success else set())
        ended_in = standing.left[0].name if standing.left and not episode.success else ""
        episodes.append(
            PerformedEpisode(
                environment=episode.environment,
                seed=episode.seed,
                success=episode.success,
                steps=episode.steps,
                ended="gave_up" if episode.ended == "running" else episode.ended,
                subtask=ended_in,
                stood_at=_lost_at(standing, practised) if ended_in else None,
                came_to=None if episode.success else episode,
                reason=standing.gave_up if episode.ended == "running" else "",
                gained=[item for item in dict.fromkeys(items) if item in gained],
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


def _lost_at(standing: PlanStanding, practised: Collection[Aim]) -> Condition:
    """The condition of the subtask at which an episode was lost. One that needs what no practised
    subtask gets was lost by the subtask before, which lost that or used it up."""
    now = standing.left[0].success
    if now.aim in practised or standing.last is None:
        return now
    return standing.last.success
