"""The planner node, as its pursuits see it."""

from abc import ABC, abstractmethod

from messages.bus import GoalHandle
from messages.plan import (
    AchieveSubtask,
    Limits,
    Lost,
    PlanStatus,
    PursueGoal,
    Subtask,
    SubtaskReport,
)
from messages.world import Task
from nodes.common.storage.node_memory import Memory
from nodes.node import Node

Pursuing = GoalHandle[PursueGoal, PlanStatus]


class PlanningNode(Node, ABC):
    """The planner, as its pursuits see it."""

    memory: Memory

    @abstractmethod
    def plan(
        self,
        id: str,
        task: Task,
        problems: list[str] | None = None,
        refused: list[Subtask] | None = None,
        practised: list[Subtask] | None = None,
        performed: list[Lost] | None = None,
    ) -> tuple[list[Subtask], list[str]]:
        """The plan, and what is still wrong with it after the last repair. ``problems``: of the
        plan ``refused`` that there is; ``practised``, ``performed``: the plan that there is, and
        what a performance of it lost."""

    @abstractmethod
    def limits_at(self, step: str, sent: Limits) -> Limits:
        """The limits that count at a step of a goal, in place of those that were ``sent``: those
        that are set when it is first asked for them, remembered under the step's id."""

    @abstractmethod
    def achieve(self, goal: Pursuing, id: str, request: AchieveSubtask) -> SubtaskReport:
        """Send a subtask to the slow agent, or recall its report."""

    @abstractmethod
    def publish_plan(self, goal: Pursuing, subtasks: list[Subtask], current: int) -> None:
        """Publish how far the plan is carried out."""
