"""The goal performed: episodes from the task's own start, each planned anew after every subtask.

Environments of the batch may stand at different subtasks. Those that stand at the same one play its
stages together, while the others stand still; the ones with the longest way to go come first, so
that they catch up. As a play, a performance is all or nothing.
"""

from dataclasses import dataclass, field

import msgspec

from messages.bus import BusError, GoalHandle
from messages.plan import Perform, Performed, PerformedEpisode, Practised, Subtask, Working
from messages.world import CLOSE, LOOK, OPEN, Condition, Episode, OpenSession, SessionName
from models.plans import at_hand, plan_for
from models.ways import Unreachable
from nodes.fast_agent.agent import Agent
from nodes.fast_agent.playing import play_of
from nodes.fast_agent.seeds import evaluation_seeds
from nodes.naming import slug

Performing = GoalHandle[Perform, Working]
Key = tuple[str, str]


@dataclass
class Standing:
    """Where one environment stands in its own plan."""

    left: list[Subtask] = field(default_factory=list)
    failed: int = 0  # tries in a row at the subtask that brought nothing
    ever_failed: bool = False
    fruitless: int = (
        0  # tries of the whole episode that brought nothing, each followed by a new plan
    )
    tries: dict[Key, int] = field(default_factory=dict)
    held: int = -1  # of the subtask's item, when it was begun
    playing: Key | None = None
    gave_up: str = ""  # why
    gained: set[str] = field(default_factory=set)


def perform(agent: Agent, goal: Performing) -> Performed:
    """Play all episodes to their end, or recall how they went."""
    return agent.player.whole(
        f"{goal.id}/episodes", Performed, lambda session: _once(agent, goal, session)
    )


def _once(agent: Agent, goal: Performing, session: str) -> Performed:
    request = goal.request
    size = agent.parameters.evaluation_episodes
    opened = agent.call(
        OPEN,
        OpenSession(
            session=session,
            task=request.task,
            size=size,
            seeds=evaluation_seeds(agent.seed),
            record=request.record,
            play=play_of(session),
        ),
    )
    stages = {_key(known.subtask.success): known.stages for known in request.subtasks}
    standings = [Standing() for _ in range(size)]
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
            for index, stage in enumerate(stages[_key(subtask.success)]):
                id = (
                    f"{session}/{number}-{slug(subtask.name)}-{index}-{slug(stage.sub_action.name)}"
                )
                taken, _ = agent.player.stage(
                    session, id, stage, lambda: goal.withdrawn, rows, begins=index == 0
                )
                steps += taken
            number += 1
    except BusError:
        agent.player.close_left_over(session)
        raise
    closed = agent.call(CLOSE, SessionName(session=session))
    return _told(request, closed.episodes, standings, steps, closed.video)


def _next_together(
    limits: Agent.Parameters, request: Perform, episodes: list[Episode], standings: list[Standing]
) -> list[int]:
    """The environments that play next, all at the same subtask; none when all are at their end."""
    known = {_key(each.subtask.success) for each in request.subtasks}
    turns: dict[Key, list[int]] = {}
    for episode in episodes:
        standing = standings[episode.environment]
        _note(standing, request.subtasks, episode)
        if episode.ended != "running" or standing.gave_up:
            continue
        key = _plan_anew(standing, request, episode)
        if key is None:
            continue
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
        standing.playing = chosen
        standing.held = episodes[row].after.inventory.get(chosen[1], 0)
        standing.tries[chosen] = standing.tries.get(chosen, 0) + 1
    return turns[chosen]


def _plan_anew(standing: Standing, request: Perform, episode: Episode) -> Key | None:
    """The subtask that comes next by this episode's inventory; None: there is none to be found."""
    view, goal = episode.after, request.task.success
    played, standing.playing = standing.playing, None
    if played is not None:
        more = view.inventory.get(played[1], 0) > standing.held
        standing.failed = 0 if more else standing.failed + 1
        standing.ever_failed |= not more
        standing.fruitless += not more
    held = dict(view.inventory)
    if goal.kind != "nearby" and not standing.ever_failed:
        # What was put down and still stands there can be used; where that may be what did not work,
        # another one is made.
        held = at_hand(held, view.around)
    if goal.kind == "have":
        wanted = episode.before.inventory.get(goal.name, 0) + goal.quantity
        rest = max(1, wanted - held.get(goal.name, 0))
        goal = msgspec.structs.replace(goal, quantity=rest)
    try:
        standing.left = plan_for(goal, held)
    except Unreachable as reason:
        standing.gave_up = str(reason)
        return None
    key = _key(standing.left[0].success)
    if played is not None and key != played:
        standing.failed = 0
    return key


def _note(standing: Standing, subtasks: list[Practised], episode: Episode) -> None:
    """What of the plan this episode has had by now."""
    for each in subtasks:
        success = each.subtask.success
        had = episode.before.inventory.get(success.name, 0)
        if success.kind == "have" and episode.after.inventory.get(success.name, 0) > had:
            standing.gained.add(success.name)


def _told(
    request: Perform,
    episodes: list[Episode],
    standings: list[Standing],
    steps: int,
    video: str | None,
) -> Performed:
    goal = request.task.success.name
    items = [each.subtask.success.name for each in request.subtasks]
    told: list[PerformedEpisode] = []
    for episode in episodes:
        standing = standings[episode.environment]
        _note(standing, request.subtasks, episode)
        gained = standing.gained | ({goal} if episode.success else set())
        ended_in = standing.left[0].name if standing.left and not episode.success else ""
        told.append(
            PerformedEpisode(
                environment=episode.environment,
                seed=episode.seed,
                success=episode.success,
                steps=episode.steps,
                ended="gave_up" if episode.ended == "running" else episode.ended,
                subtask=ended_in,
                reason=standing.gave_up if episode.ended == "running" else "",
                gained=[item for item in dict.fromkeys(items) if item in gained],
            )
        )
    return Performed(
        success_rate=sum(each.success for each in told) / len(told),
        episodes=told,
        milestones={
            item: sum(item in each.gained for each in told) for item in dict.fromkeys(items)
        },
        steps=steps,
        video=video,
    )


def _key(condition: Condition) -> Key:
    return condition.kind, condition.name
