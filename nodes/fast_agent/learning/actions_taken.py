"""Policies that lack what their sub-action takes: no training makes up for an action that is not
there."""

from collections.abc import Sequence

from messages.chat import SpecAnswer, SpecQuestion
from worlds import card

_EQUIP = "equip:"
_ON_THE_WAY = frozenset({"facing", "near"})
"""The kinds of conditions that only bring the player to something. What another one brings about
may have left the item lying there, and walking is enough to pick it up."""


def lacking(answer: SpecAnswer, question: SpecQuestion) -> list[str]:
    """A sentence where a spec has neither a macro nor the actions of one way to the sub-action's
    success, or half of the way that it has the item for; else nothing. What macros do is not looked
    into: they may call helpers."""
    ways = _ways(answer, question)
    if not ways:
        return []
    each = [" and ".join(f"`{action}`" for action in way) for way in ways]
    return [
        f"Getting {question.sub_action.success.name} takes {', or '.join(each)}, not all of which "
        "is among these actions: add what is missing."
    ]


def with_taken(answer: SpecAnswer, question: SpecQuestion) -> list[str]:
    """The answer's actions and, where it can go no way, those of the first one."""
    added = [action for way in _ways(answer, question)[:1] for action in way]
    return list(dict.fromkeys([*answer.actions, *added]))


def _ways(answer: SpecAnswer, question: SpecQuestion) -> list[list[str]]:
    """The ways to the success, where the spec can go none of them: where the item that one takes is
    held, that one alone, as the plan got it for that."""
    if answer.macros or question.guard is not None:
        return []
    if any(stage.sub_action.success.kind not in _ON_THE_WAY for stage in question.before):
        return []
    ways = card(question.task.game).planning.taken_by(question.sub_action.success)
    # One that is not among the question's own cannot be chosen.
    ways = [
        list(way)
        for way in ways
        if all(action.startswith(_EQUIP) or action in question.actions for action in way)
    ]
    prepared = [way for way in ways if _is_prepared(way, question)]
    whole = [way for way in ways if all(_has(answer, action) for action in way)]
    begun = [way for way in prepared if any(_has(answer, action) for action in way)]
    if whole and (not begun or any(way in whole for way in begun)):
        return []
    return prepared or ways


def _is_prepared(way: Sequence[str], question: SpecQuestion) -> bool:
    """Whether it takes items, and all of them are held."""
    items = [action.removeprefix(_EQUIP) for action in way if action.startswith(_EQUIP)]
    return bool(items) and all(question.task.inventory.get(item, 0) for item in items)


def _has(answer: SpecAnswer, action: str) -> bool:
    """Whether it is chosen, by itself or together with another one: ``forward_attack``."""
    return any(each == action or each.endswith(f"_{action}") for each in answer.actions)
