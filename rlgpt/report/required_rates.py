"""The success rates that a goal requires: of the whole, and of each subtask, of which the planner
asks the more the more there are."""

from pathlib import Path
from typing import Any

from messages.plan import ACHIEVE, PURSUE, AchieveSubtask, Limits, PursueGoal
from rlgpt.report import node_files, stores

_DEFAULT = Limits().success_rate


class RequiredRates:
    """As the nodes were sent them with a goal; of what was not sent, as config.yaml has them.

    Attributes:
        whole: of the whole goal, performed.
        least: of a subtask, at least.
    """

    def __init__(self, run: Path, goal: str) -> None:
        limits = node_files.part(node_files.config(run), "limits")
        self.least = _rate(limits.get("success_rate"), _DEFAULT)
        self.whole = _rate(limits.get("goal_rate"), self.least)
        record = stores.goal(run, PURSUE, goal)
        pursued = None if record is None else stores.request(record, PursueGoal)
        if pursued is not None:
            self.least = pursued.limits.success_rate
            self.whole = pursued.limits.rate_of_goal
        self._subtasks = {
            request.subtask.name: request.limits.success_rate
            for _, request in stores.requests_below(run, ACHIEVE, goal, AchieveSubtask)
        }

    def of(self, subtask: str) -> float:
        """Of a subtask; of one that was not begun the least."""
        return self._subtasks.get(subtask, self.least)


def _rate(value: Any, otherwise: float) -> float:
    return float(value) if isinstance(value, int | float) else otherwise
