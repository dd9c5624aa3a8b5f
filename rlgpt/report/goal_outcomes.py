"""Which of a run's goals were reached. An action that has succeeded tells no more than that the
planner came to its end: its report has whether the goal was reached."""

from pathlib import Path

import msgspec

from messages.bus.actions.goal_store import GoalRecord
from messages.plan import PURSUE
from messages.undecodable import UNDECODABLE
from rlgpt.report import stores
from rlgpt.report.account import GoalLine

_PURSUED = "select record from goals where action = ? order by number"


class _Outcome(msgspec.Struct, tag="GoalReport"):
    """Of a report what is needed here: it may have megabytes."""

    success: bool


def with_outcomes(run: Path, goals: list[GoalLine]) -> list[GoalLine]:
    """The goals, each with whether it was reached, where that is known."""
    if not any(each.action == PURSUE.name for each in goals):
        return goals
    reached = _reached(run)
    return [
        msgspec.structs.replace(each, reached=reached.get(each.id))
        if each.action == PURSUE.name
        else each
        for each in goals
    ]


def _reached(run: Path) -> dict[str, bool]:
    found: dict[str, bool] = {}
    table = run / PURSUE.node / "goals.sqlite"
    for (encoded,) in stores.rows(table, _PURSUED, (PURSUE.name,)):
        try:
            record = msgspec.msgpack.decode(encoded, type=GoalRecord)
        except (TypeError, *UNDECODABLE):
            continue
        if (outcome := stores.result(record, _Outcome)) is not None:
            found[record.goal] = outcome.success
    return found


def outcome(goal: GoalLine) -> str:
    """``reached``, ``not reached``; of a goal that is not over, or was not one of the planner's,
    the status of its action."""
    if goal.reached is None:
        return goal.status
    return "reached" if goal.reached else "not reached"
