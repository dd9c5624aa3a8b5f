"""What is wrong with a task, checked before it is played."""

import importlib.util
from collections.abc import Iterator
from itertools import islice

import msgspec

from messages.world import JUDGED, Condition, Task
from nodes.common.checks.rule_file import BOOK, NoRule, kind_of, known_files, read_rules, rule_files
from worlds import GameError, card, games
from worlds.card import START, Card, Goals, Unclear, Unreachable
from worlds.registry import OURS, unplayable

NEAREST = 3
"""How many prompts a refusal names."""


def task_problem(task: Task) -> str:
    """The first thing that is wrong with a task, as a sentence that begins with where it stands
    (``success.name: there is no item ...``); empty if there is none."""
    return next(_problems(task), "")


def condition_problem(success: Condition, game: str) -> str:
    """What is wrong with the success condition of anything in this game, as a sentence that begins
    with the field; empty if there is nothing."""
    try:
        known = card(game)
    except GameError as error:
        return f"game: {error}"
    problem = known.conditions.problem(success)
    return f"success.{_wrong_field(success, known)}: {problem}" if problem else ""


def missing_package(task: Task) -> str:
    """A package that playing the task's game needs and that is not installed, as a sentence; empty
    if all are there."""
    for package in card(task.game).packages:
        if importlib.util.find_spec(package) is None:
            return (
                f"game: the game {task.game!r} needs the package {package!r}, which is not "
                f"installed: pip install {package}"
            )
    return ""


def play_problem(task: Task) -> str:
    """Why the play of the task's game cannot be loaded, as a sentence; empty if it can. Ours are
    not tried: they load much that only an env server needs."""
    problem = "" if task.game in OURS else unplayable(task.game)
    return f"game: {problem}" if problem else ""


def world_problem(task: Task, kind: str) -> str:
    """A kind of world that is another game's than the task's, or that lacks what the task begins
    with, as a sentence; empty if it is not, or if the task's game does not name its own."""
    kinds = list(card(task.game).worlds)
    if not kinds or kind in kinds:
        return card(task.game).world_lacks(task, kind)
    for game in games():
        try:
            other = card(game).worlds
        except GameError:
            continue  # a game that is not whole has no world here
        if kind in other:
            return (
                f"the world {kind!r} is of the game {game}, and the task {task.id!r} of the game "
                f"{task.game}, which has {' and '.join(kinds)}: choose a task and a world of one "
                "game"
            )
    return ""


def rule_file_problem(game: str, file: str) -> str:
    """A rule file that the game lacks, or what is wrong with it, as a sentence; empty if it can be
    used."""
    rulebook = card(game).rulebook
    if file not in rule_files(rulebook.files):
        return f"the game {game!r} has no rule file {file!r}; {known_files(rulebook.files)}"
    try:
        read_rules(rulebook, file)
    except NoRule as error:
        return f"the game {game!r}: {error}"
    return ""


def prompt_problem(task: Task) -> str:
    """Why the rulebook cannot make a condition of a goal in words, as a sentence; empty if it can,
    or if the task has a success."""
    goals = card(task.game).goals
    if not task.lacks_success or goals is None:
        return ""
    try:
        goals.understood(task.prompt)
    except Unclear as error:
        return str(error)
    return ""


def plan_problem(task: Task, file: str = BOOK) -> str:
    """Why the rulebook has no plan for a goal of which the rule file knows every subtask, as a
    sentence; empty if it has one, or if the goal needs none: one that a critic judges is not
    planned."""
    game, success = card(task.game), _asked_for(task)
    if success is None or success.kind == JUDGED:
        return ""
    reason = _why_not(game, task, success, file)
    if not reason:
        return ""
    wanted = task.prompt[:100] if task.lacks_success else game.conditions.short(success)
    near = islice(_prompts_with_a_plan(game, wanted, file), NEAREST)
    shown = " or ".join(map(repr, near))
    hint = f"; what comes nearest is {shown}" if shown else ""
    return (
        f"the rulebook has no plan for {wanted!r}: {reason}{hint}; a language model may find one "
        "(docs/llm.md)"
    )


def _why_not(game: Card, task: Task, success: Condition, file: str) -> str:
    """Why there is no plan from where a task begins; empty if there is one."""
    planning, held = game.planning, game.planning.begun(task)
    if wrong := planning.wrong_start(task, success):
        return wrong
    try:
        subtasks = planning.plan_for(success, held)
        for number, subtask in enumerate(subtasks, 1):
            kind_of(game.rulebook, file, subtask.success, held, subtask.success == success)
            if number < len(subtasks):
                held = planning.expected([subtask], held, later=subtasks[number:])
    except (Unreachable, NoRule) as reason:
        return str(reason)
    return ""


def _prompts_with_a_plan(game: Card, prompt: str, file: str) -> Iterator[str]:
    """Those that come nearest."""
    for near in game.goals.nearest(prompt) if game.goals is not None else ():
        success = _understood(near, game.goals)
        if success is None or game.goals is None:
            continue
        task = game.goals.open_task(near)
        if not _why_not(game, task, success, file):
            yield near


def _asked_for(task: Task) -> Condition | None:
    """The success of a task, or what its words ask for; None: that is not known yet."""
    return _understood(task.prompt, card(task.game).goals) if task.lacks_success else task.success


def _understood(prompt: str, goals: Goals | None) -> Condition | None:
    try:
        return goals.understood(prompt) if goals is not None else None
    except Unclear:
        return None


def horizon_problem(task: Task) -> str:
    """That an episode of the task is too short for what is to hold in it, as a sentence; empty if
    it is not, or if it is not known yet what its words ask for."""
    game, success = card(task.game), _asked_for(task)
    if success is None or game.conditions.problem(success):
        return ""
    needed = game.conditions.steps_needed(success)
    if needed <= task.horizon:
        return ""
    return (
        f"to be {game.conditions.short(success)} takes {needed:,} steps, and an episode has "
        f"{task.horizon:,}: set task.horizon={needed} or more"
    )


def _problems(task: Task) -> Iterator[str]:
    try:
        game = card(task.game)
    except GameError as error:
        yield f"game: {error}"
        return
    if task.lacks_success and not task.success.name:
        if game.goals is None:
            yield f"success: the game {task.game} understands no goals in words; name a condition"
    elif problem := condition_problem(task.success, task.game):
        yield problem
    if task.horizon < 1:
        yield f"horizon: an episode has at least 1 step, not {task.horizon}"
    elif problem := horizon_problem(task):
        yield f"horizon: {problem}"
    for key in START:
        if getattr(task, key) and key not in game.start:
            yield f"{key}: an episode of {game.title} always starts the same way; leave it out"
    success = _asked_for(task)
    yield from game.task_problems(msgspec.structs.replace(task, success=success or task.success))


def _wrong_field(condition: Condition, game: Card) -> str:
    """The field that makes a condition one that the game does not have."""
    if condition.kind not in game.conditions.kinds:
        return "kind"
    one = msgspec.structs.replace(condition, quantity=1)
    return "name" if game.conditions.problem(one) else "quantity"
