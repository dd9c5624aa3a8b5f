"""The world that a task is played in where none is asked for: one of its own game."""

from typing import Any

from messages.world import DEFAULT_GAME
from rlgpt.composing.composition import compose_launch
from rlgpt.report.node_files import part
from worlds import GameError, card


def compose_in_own_world(
    name: str, overrides: list[str], game: str | None = None
) -> dict[str, Any]:
    """The launch with its overrides; if they name no world and the launch file's is of another game
    than the task, in the first kind that the task's game has. ``game``: that of a task which takes
    the place of the launch's; None: the launch's. Raises Refused."""
    composed = compose_launch(name, overrides)
    if any(override.startswith("world=") for override in overrides):
        return composed
    game = game or str(part(composed, "task").get("game") or DEFAULT_GAME)
    try:
        kinds = list(card(game).worlds)
    except GameError:
        return composed  # the check of the task has a sentence for it
    if not kinds or part(composed, "world").get("kind") in kinds:
        return composed
    return compose_launch(name, [*overrides, f"world={kinds[0]}"])
