"""The planner node: asks for a plan, checks it, has its subtasks achieved and the whole performed
(`pursuit.py`)."""

from messages.bus import ServiceError
from messages.plan import PURSUE, GoalReport
from messages.world import JUDGED
from nodes.common.checks.task_check import task_problem
from nodes.common.parameters.vision import blind_critic
from nodes.planner.goal import with_success
from nodes.planner.planning_node import PlanningNode, Pursuing
from nodes.planner.pursuit import pursue


class Planner(PlanningNode):
    """Turns a goal into subtasks, has each of them achieved, and has the whole goal performed."""

    def setup(self) -> None:
        super().setup()
        self.serve_action(PURSUE, self.pursue)

    def pursue(self, goal: Pursuing) -> GoalReport:
        if problem := task_problem(goal.request.task):
            raise ServiceError(f"task.{problem}", code="invalid")
        if goal.request.task.success.kind == JUDGED and (problem := blind_critic(self.config)):
            raise ServiceError(f"task {goal.request.task.id}: {problem}", code="invalid")
        task = with_success(self, goal.id, goal.request.task, self.parameters.repairs)
        return pursue(self, goal, task)
