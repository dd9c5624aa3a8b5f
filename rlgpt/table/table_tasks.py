"""The tasks of a table: files of ``launch/task/``, or ids that `rlgpt task list` has.

A table may also have them drawn: so many ids, evenly over kinds, by a seed of the command line.
"""

import random
from collections.abc import Collection, Sequence
from typing import Annotated

import msgspec

from messages.bounds import Positive
from messages.world import DEFAULT_GAME
from rlgpt.composing.composition import group_options
from rlgpt.composing.named_goals import goals_of
from rlgpt.refused import Refused, did_you_mean, instead
from worlds import card
from worlds.card import Unreachable


class Draw(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Tasks that are drawn: ``count`` ids, evenly over ``kinds``, none of them in ``without``: ids,
    or a table by its name."""

    count: Positive
    kinds: Annotated[list[str], msgspec.Meta(min_length=1)]
    without: list[str] | str = []


def drawn(draw: Draw, number: int) -> list[str]:
    """The ids, by kind; the same for the same number, and each kind's whatever the others have.

    Raises:
        Refused: there is no such kind, or it has too few.
    """
    goals = goals_of(DEFAULT_GAME)
    parts = len(draw.kinds)
    found: list[str] = []
    for at, kind in enumerate(draw.kinds):
        if kind not in goals.kinds:
            raise Refused(f"`draw` has the kind `{kind}`{instead(kind, goals.kinds)}")
        wanted = draw.count * (at + 1) // parts - draw.count * at // parts
        ids = sorted(set(goals.names(kind)) - set(draw.without))
        if len(ids) < wanted:
            raise Refused(f"`draw` wants {wanted} tasks of {kind}, which has {len(ids)}")
        found += sorted(random.Random(f"{kind}/{number}").sample(ids, wanted))
    return found


def is_id(task: str) -> bool:
    """Whether a table's task is an id, not a file."""
    return task not in group_options("task")


def arguments(task: str) -> list[str]:
    """What ``rlgpt launch`` is given for a table's task."""
    return ["task=minedojo", f"task.id={task}"] if is_id(task) else [f"task={task}"]


def problem(tasks: Sequence[str]) -> str:
    """What is wrong with a table's tasks, in words; empty if nothing is."""
    files = group_options("task")
    ids: Collection[str] = set()
    for task in tasks:
        if task in files:
            continue
        ids = ids or set(goals_of(DEFAULT_GAME).names())
        if task not in ids:
            hint = did_you_mean(task, [*files, *ids])
            return f"there is no task `{task}`{hint} (`rlgpt task list` has the ids)"
    return ""


def kind_of(task: str) -> str:
    """The kind of a table's task: harvest, combat ...; empty for one that is a file."""
    return goals_of(DEFAULT_GAME).kind(task) if is_id(task) else ""


def samples(task: str, learn: int, episodes: int) -> int:
    """``limits.samples`` of an id with so much to learn: besides, what so many episodes may take,
    of each subtask that the rules' plan has and of the performance."""
    known = goals_of(DEFAULT_GAME).task(task)
    try:
        planning = card(known.game).planning
        plan = planning.plan_for(known.success, planning.begun(known))
    except Unreachable:
        plan = []
    return learn + (len(plan) + 1) * episodes * known.horizon
