"""Goals of a launch that are given by name or in words: the game's card makes the task of them."""

from typing import Any

import msgspec

from messages.world import DEFAULT_GAME, Task
from nodes.common.goals.goal_ids import slug
from rlgpt.refused import Refused
from worlds import GameError, card
from worlds.card import Goals

HOW = (
    "add task.id=ID, of those that `rlgpt task list` has, "
    "or a goal in words: prompt='get three cobblestone'"
)
LISTED = "`rlgpt task list` has them"


def with_goal(data: dict[str, Any]) -> dict[str, Any]:
    """A composed launch with its task whole. A task file that has ``named: true`` leaves to the
    game's card what is null in it: by ``task.id``, or by the launch's ``prompt``. What is given
    wins; an inventory and options of the world are added to the card's.

    Raises:
        Refused: neither or both are given, or the card makes no task of it.
    """
    data = dict(data)
    prompt = data.pop("prompt", None)
    prompt = " ".join(str(prompt).split()) if prompt is not None else None
    given = data.get("task")
    if not isinstance(given, dict) or not given.get("named", False):
        if isinstance(given, dict):
            given.pop("named", None)
        if prompt is not None:
            raise Refused(
                "prompt= is a goal in words, and this launch has a task of its own: "
                "rlgpt launch goal prompt='...'"
            )
        return data
    given = {key: value for key, value in given.items() if value is not None and key != "named"}
    name = given.get("id")
    if name == "" or (name is None and prompt is None):
        raise Refused(f"which goal? {HOW}")
    if name is not None and prompt is not None:
        raise Refused(f"task.id={name} and prompt={prompt!r} are two goals: give one of the two")
    if prompt is not None and "prompt" in given:
        raise Refused(
            f"prompt={prompt!r} and task.prompt={given['prompt']!r} are two goals: leave "
            "task.prompt out"
        )
    task = _task(str(given.get("game", DEFAULT_GAME)), name, prompt)
    whole = msgspec.to_builtins(task)
    for part in ("inventory", "world"):
        if isinstance(given.get(part), dict):
            whole[part] |= given.pop(part)
    data["task"] = {**whole, **given}
    if data.get("name") is None:
        data["name"] = slug(task.id)
    return data


def goals_of(game: str) -> Goals:
    """Raises Refused: there is no such game, or it has no tasks by name."""
    try:
        found = card(game).goals
    except GameError as error:
        raise Refused(f"task.game: {error}") from None
    if found is None:
        raise Refused(f"the game {game} has no tasks by name and understands no goals in words")
    return found


def _task(game: str, name: Any, prompt: str | None) -> Task:
    goals = goals_of(game)
    if prompt is None:
        try:
            return goals.task(str(name))
        except ValueError as error:
            raise Refused(f"task.id: {error} ({LISTED})") from None
    if not prompt:
        raise Refused(f"the prompt is empty: {HOW}")
    task = goals.open_task(prompt)
    if not task.lacks_success:
        return task  # one that the game has by name
    return msgspec.structs.replace(task, id=slug(prompt)[:40].strip("-_"))
