"""How far the rulebook's plans and programs alone come on MineDojo's tasks:
python -m benchmarks.goals --ids 60 --seed 1 --family combat --episodes 5 [--json FILE]

Draws ids, performs each from its own start in the embedded world (planned again after every
subtask, nothing learned, no agents), and reports how often it succeeded, at which subtask the other
episodes ended, and the mean of each family. Of a subtask's ways by code alone the rules' last is
tried first, for those before it are there to be learned from, then the others in turn.
"""

import argparse
import collections
import json
import random
import time
from dataclasses import asdict, dataclass, field

import msgspec

from benchmarks.arguments import output_file, positive
from messages.program import Program
from messages.world import Condition, Episode, OpenSession, SeedRange, Task, View
from nodes.env_server.games import make_world
from nodes.env_server.session import Session
from nodes.llm.rulebook.rules import Book, NoRule
from voxeldojo.tasks import UnknownTask, task_ids
from worlds import card
from worlds.card import Conditions, Unreachable

FAMILIES = ("harvest", "combat", "techtree")
TRIES = 8
"""Consecutive fruitless tries at one subtask before the episode is given up."""

Key = tuple[str, str]


@dataclass
class Result:
    """The result of one id."""

    id: str
    family: str
    episodes: int
    succeeded: int
    seconds: float
    failed: dict[str, int] = field(default_factory=dict)  # what the others were at, and how often

    @property
    def rate(self) -> float:
        return self.succeeded / self.episodes


@dataclass
class Standing:
    """Where one episode stands in its plan."""

    at: str = ""  # the subtask, in words
    key: Key = ("", "")
    tries: int = 0  # at it, that brought nothing
    held: int = 0  # of what it is to bring, when it was begun
    waits: bool = False  # for its turn: others were at another subtask
    gave_up: str = ""


def task_of(id: str, horizon: int | None = None) -> Task:
    """The task of an id of MineDojo, with a horizon of the caller's own where one is given."""
    goals = card("minecraft").goals
    assert goals is not None
    task = goals.task(id)
    return task if horizon is None else msgspec.structs.replace(task, horizon=horizon)


def drawn(family: str, count: int, seed: int) -> list[str]:
    """``count`` ids of a family, or all where there are fewer, the same for the same seed."""
    ids = sorted(task_ids(family))
    return sorted(random.Random(f"{family}/{seed}").sample(ids, min(count, len(ids))))


def stock_of(goal: Condition, inventory: dict[str, int], alone: bool) -> list[list[str]]:
    """The sources of the programs that a subtask may be done with by code alone, a list for each
    way of doing it, the most able first.

    Raises:
        NoRule: the rulebook knows no way.
    """
    book = Book()
    found: list[list[str]] = []
    for split in reversed(book.approach(goal, inventory, alone).splits):
        if not all(step.programs and "code" in step.methods for step in split):
            continue
        depth = max(len(step.programs) for step in split)
        for level in range(depth):
            files = [step.programs[min(level, len(step.programs) - 1)] for step in split]
            goals = [goal if step.success == "goal" else step.success for step in split]
            found.append(
                [
                    book.program(file, each, inventory, alone)
                    for file, each in zip(files, goals, strict=True)
                ]
            )
    return found


def perform(task: Task, episodes: int, first: int) -> Result:
    """Play the task's own start on so many seeds, side by side."""
    begun = time.perf_counter()
    world = make_world("embedded", episodes, task)
    request = OpenSession(
        session="goals",
        task=task,
        size=episodes,
        seeds=SeedRange(first=first, count=episodes),
    )
    session = Session(request, world)
    standings = [Standing() for _ in range(episodes)]
    try:
        while turns := _turns(session.episodes(), standings, task):
            goal, inventory, number, rows = turns
            try:
                stock = stock_of(goal, inventory, alone=goal == task.success)
            except NoRule as error:
                for row in rows:
                    standings[row].gave_up = str(error)
                continue
            if not stock:
                for row in rows:
                    standings[row].gave_up = f"no program for {goal.kind} {goal.name}"
                continue
            chosen = stock[number % len(stock)]
            for place, source in enumerate(chosen):
                program = Program(name="stock", source=source, max_steps=task.horizon)
                session.run_program(program, environments=rows, begins=place == 0)
            endings = session.endings()
            for row in rows:
                if "fail" in endings[row]:
                    standings[row].at += f" [{endings[row]}]"
        played, endings = session.episodes(), session.endings()
    finally:
        session.close()
    failed = collections.Counter(
        _failure(each, standings[each.environment], endings[each.environment])
        for each in played
        if not each.success
    )
    return Result(
        id=task.id,
        family=task.id.partition("_")[0],
        episodes=episodes,
        succeeded=sum(each.success for each in played),
        seconds=round(time.perf_counter() - begun, 1),
        failed=dict(failed.most_common()),
    )


def _turns(
    episodes: list[Episode], standings: list[Standing], task: Task
) -> tuple[Condition, dict[str, int], int, list[int]] | None:
    """What is done next, from which inventory, by which try's program, and by which episodes."""
    planning, conditions = card(task.game).planning, card(task.game).conditions
    waiting: dict[tuple[Key, int], list[tuple[Condition, dict[str, int], int]]] = {}
    left: dict[tuple[Key, int], int] = {}
    for episode in episodes:
        standing, view = standings[episode.environment], episode.after
        if episode.ended != "running" or standing.gave_up:
            continue
        goal = task.success
        held = planning.at_hand(view, goal)
        try:
            missing = conditions.left(goal, episode)
            plan = planning.plan_for(missing, planning.worn(held, episode))
        except Unreachable as error:
            standing.gave_up = f"no plan: {error}"
            continue
        first = plan[0]
        key = (first.success.kind, first.success.name)
        carried = planning.at_hand(view, goal, beside=False)
        seen = msgspec.structs.replace(view, inventory=carried)
        more = _count(conditions, standing.key, seen) > standing.held
        if key != standing.key or more:
            standing.tries = 0
        elif not standing.waits:
            standing.tries += 1
        standing.key, standing.at = key, first.name
        standing.held = _count(conditions, key, seen)
        if standing.tries >= TRIES:
            standing.gave_up = f"{TRIES} tries at {first.name}"
            continue
        place = key, standing.tries
        waiting.setdefault(place, []).append((first.success, held, episode.environment))
        left[place] = max(left.get(place, 0), len(plan))
    if not waiting:
        return None
    place = max(waiting, key=lambda each: left[each])
    # Those that want as many together: a program's constants are its goal's.
    goal, held, _ = waiting[place][0]
    rows = [row for each, _, row in waiting[place] if each == goal]
    for each in waiting.values():
        for _, _, row in each:
            standings[row].waits = row not in rows
    return goal, held, place[1], rows


def _count(conditions: Conditions, key: Key, view: View) -> int:
    """How far a subtask of a kind that counts has come; 0 of any other kind."""
    kind, name = key
    counts = kind in conditions.counted
    return conditions.count(Condition(kind=kind, name=name), view) if counts else 0


def _failure(episode: Episode, standing: Standing, ending: str) -> str:
    how = standing.gave_up or {"death": ending or "death"}.get(episode.ended, episode.ended)
    return f"{standing.at}: {how}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--ids", type=positive, default=60, help="of each family")
    parser.add_argument("--id", action="append", default=[], help="these, none drawn")
    parser.add_argument("--family", action="append", choices=FAMILIES)
    parser.add_argument("--seed", type=int, default=1, help="which ids are drawn")
    parser.add_argument("--first", type=int, default=700_000, help="the first episode's seed")
    parser.add_argument("--episodes", type=positive, default=5)
    parser.add_argument(
        "--horizon", type=positive, help="steps of an episode, instead of the task's"
    )
    parser.add_argument("--json", type=output_file)
    given = parser.parse_args()
    families = given.family or list(FAMILIES)
    ids = given.id or [i for family in families for i in drawn(family, given.ids, given.seed)]
    try:
        tasks = [task_of(id, given.horizon) for id in ids]
    except UnknownTask as error:
        parser.error(str(error))
    results: list[Result] = []
    for task in tasks:
        result = perform(task, given.episodes, given.first)
        results.append(result)
        why = "; ".join(f"{count}x {what}" for what, count in result.failed.items())
        print(f"{result.rate:.2f} {result.id} ({result.seconds} s) {why}", flush=True)
    for family in dict.fromkeys(result.family for result in results):
        rates = [result.rate for result in results if result.family == family]
        print(f"{family}: {sum(rates) / len(rates):.3f} over {len(rates)} ids")
    if given.json:
        given.json.write_text(json.dumps([asdict(result) for result in results], indent=1))


if __name__ == "__main__":
    main()
