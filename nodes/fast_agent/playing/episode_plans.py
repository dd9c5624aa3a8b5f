"""The plan of each episode of a performance: it is made again after every subtask, by what the
episode has come to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from messages.plan import Perform, Practised, Subtask
from messages.world import Aim, Condition, Episode, View
from nodes.fast_agent.agent import Agent
from worlds import card
from worlds.card import Planning, Unreachable


@dataclass
class EpisodePlan:
    """Where one environment stands in its own plan for the goal of ``request``."""

    request: Perform
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
    gained: set[str] = field(default_factory=set)  # items of the plan

    def next(self, limits: Agent.Parameters, episode: Episode) -> Aim | None:
        """The subtask that comes next; None where the episode is over or given up."""
        self.note_gains(episode)
        if episode.ended != "running" or self.gave_up:
            return None
        aim = self.plan_again(episode)
        tries = self.tries.get(aim, 0)
        if aim not in {each.subtask.success.aim for each in self.request.subtasks}:
            self.gave_up = f"it needs {aim[1]}, which no practised subtask gets"
        elif self.failed >= limits.tries or tries >= limits.most_tries:
            self.gave_up = f"{tries} tries at {aim[1]}"
        elif limits.replans is not None and self.fruitless > limits.replans:
            self.gave_up = f"{limits.replans} plans after the first"
        return None if self.gave_up else aim

    def plan_again(self, episode: Episode) -> Aim:
        """Make the plan again. Returns the subtask that comes first in it."""
        game, goal = card(self.request.task.game), self.request.task.success
        planning = game.planning
        played = self._count_try(episode)
        # What was put down and still stands there can be used; where that may be what did not work,
        # another one is made.
        held = planning.at_hand(episode.after, goal, beside=not self.failed)
        held = planning.worn(held, episode)
        try:
            needed = planning.plan_for(game.conditions.left(goal, episode), held)
        except Unreachable:
            self.left = self._not_done(episode)
        else:
            self.left = _in_plan_order(needed, self.request.subtasks, planning, held)
        aim = self.left[0].success.aim
        if played is not None and aim != played:
            self.failed = 0
        return aim

    def begin(self, episode: Episode) -> None:
        """The first subtask that is left is played now."""
        self.last = self.left[0]
        aim = self.playing = self.last.success.aim
        self.reached = self._reached(episode, self.last.success)
        self.begun.setdefault(aim, episode.after)
        self.tries[aim] = self.tries.get(aim, 0) + 1

    def note_gains(self, episode: Episode) -> None:
        """Note what of the plan's gains the episode has by now."""
        before = self._with_substitutes(episode.before).inventory
        now = self._with_substitutes(episode.after).inventory
        for name in to_gain(self.request):
            if now.get(name, 0) > before.get(name, 0):
                self.gained.add(name)

    def lost_at(self) -> Condition:
        """The condition of the subtask at which the episode was lost. One that needs what no
        practised subtask gets was lost by the subtask before, which lost that or used it up."""
        now = self.left[0].success
        practised = {each.subtask.success.aim for each in self.request.subtasks}
        return now if now.aim in practised or self.last is None else self.last.success

    def _count_try(self, episode: Episode) -> Aim | None:
        """Count what the try brought that is over now. Returns the subtask it was at, if any."""
        played, self.playing = self.playing, None
        if played is None or self.last is None:
            return played
        if self._reached(episode, self.last.success) > self.reached:
            self.failed = 0
        elif self.late:
            # Its horizon is its training's, and nothing that it came to: the episode has steps.
            self.tries[played] -= 1
        else:
            self.failed += 1
            self.fruitless += 1
        return played

    def _reached(self, episode: Episode, condition: Condition) -> int:
        """How far a condition has come: by its own counter, or whether it holds."""
        conditions = card(self.request.task.game).conditions
        if condition.kind in conditions.counted:
            return conditions.count(condition, self._with_substitutes(episode.after))
        return int(conditions.holds(condition, episode))

    def _with_substitutes(self, view: View) -> View:
        """A view whose inventory counts what does as well as another item (logs of any tree)."""
        planning = card(self.request.task.game).planning
        held = planning.at_hand(view, self.request.task.success, beside=False)
        return msgspec.structs.replace(view, inventory=held)

    def _not_done(self, episode: Episode) -> list[Subtask]:
        """What is left of the plan that was practised, in its order, for a goal that the rules know
        no way to: what was done once in the episode stays done. Never empty: it ends in the
        goal."""
        conditions = card(self.request.task.game).conditions
        left: list[Subtask] = []
        for each in self.request.subtasks:
            success = each.subtask.success
            aim = success.aim
            begun = self.begun.get(aim)
            if aim not in self.done and (begun or success.kind not in conditions.counted):
                since = msgspec.structs.replace(
                    episode,
                    before=self._with_substitutes(begun or episode.before),
                    after=self._with_substitutes(episode.after),
                )
                if conditions.holds(success, since):
                    self.done.add(aim)
            if aim not in self.done:
                left.append(each.subtask)
        return left or [self.request.subtasks[-1].subtask]


def begin_together(
    limits: Agent.Parameters, episodes: Sequence[Episode], plans: Sequence[EpisodePlan]
) -> list[int]:
    """Begin the next subtask in those environments that are at the same one: where the longest way
    is to go. Returns them; none when all are at their end."""
    turns: dict[Aim, list[int]] = {}
    for episode in episodes:
        if (aim := plans[episode.environment].next(limits, episode)) is not None:
            turns.setdefault(aim, []).append(episode.environment)
    if not turns:
        return []
    chosen = max(turns, key=lambda aim: (len(plans[turns[aim][0]].left), aim))
    for row in turns[chosen]:
        plans[row].begin(episodes[row])
    return turns[chosen]


def to_gain(request: Perform) -> list[str]:
    """The items and places that the plan's subtasks bring, in its order."""
    planning = card(request.task.game).planning
    gains = planning.gains([each.subtask for each in request.subtasks])
    return list(dict.fromkeys(name for name, _ in gains))


def _in_plan_order(
    needed: list[Subtask], subtasks: list[Practised], planning: Planning, held: Mapping[str, int]
) -> list[Subtask]:
    """Among subtasks possible with the inventory, the planner's order decides: it may know that a
    furnace stands nearby."""
    places = {each.subtask.success.aim: place for place, each in enumerate(subtasks)}
    ready = [each for each in needed if not planning.shortfalls([each], held)] or needed[:1]
    first = min(ready, key=lambda each: places.get(each.success.aim, len(places)))
    return [first, *(each for each in needed if each is not first)]
