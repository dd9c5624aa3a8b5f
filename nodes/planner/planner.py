"""The planner node: asks for a plan, checks it, and has its subtasks achieved one after another."""

from messages.bus import GoalHandle
from messages.chat import PlanAnswer, PlanQuestion
from messages.plan import (
    ACHIEVE,
    PLAN,
    PURSUE,
    AchieveSubtask,
    GoalReport,
    Iteration,
    PlanStatus,
    PursueGoal,
    Subtask,
)
from messages.world import Task
from models.rules import item_names
from nodes.asking import ask
from nodes.naming import slug
from nodes.node import Node
from nodes.planner.plan_check import plan_problems


class Planner(Node):
    name = "planner"

    class Parameters(Node.Parameters, kw_only=True, forbid_unknown_fields=True):
        repairs: int = 3  # how often a plan that would not do is asked for again

    parameters: Parameters
    live = frozenset({"repairs"})

    def setup(self) -> None:
        self.items = frozenset(item_names)
        self.serve_action(PURSUE, self.pursue)

    def pursue(self, goal: GoalHandle[PursueGoal, PlanStatus]) -> GoalReport:
        task, limits = goal.request.task, goal.request.limits
        subtasks, problems = self._plan(goal.id, task)
        iterations: list[Iteration] = []

        def report(success: bool, reason: str) -> GoalReport:
            self.log.info("%s: %s", goal.id, reason)
            return GoalReport(
                task=task,
                subtasks=subtasks,
                iterations=iterations,
                success=success,
                reason=reason,
            )

        if problems:
            return report(False, f"No plan would do: {' '.join(problems)}")
        for index, subtask in enumerate(subtasks):
            goal.check()
            status = PlanStatus(goal=goal.id, subtasks=subtasks, current=index)
            self.publish(PLAN, status)
            goal.feedback(status)
            achieved = self.run_goal(
                ACHIEVE,
                f"{goal.id}/{index}-{slug(subtask.name)}",
                AchieveSubtask(task=task, subtask=subtask, limits=limits),
                cancelled=lambda: goal.withdrawn,
            )
            iterations.extend(achieved.iterations)
            if not achieved.success:
                return report(False, f"{subtask.name}: {achieved.reason}")
        done = PlanStatus(goal=goal.id, subtasks=subtasks, current=len(subtasks))
        self.publish(PLAN, done)
        goal.feedback(done)
        return report(True, "All subtasks were achieved.")

    def _plan(self, goal_id: str, task: Task) -> tuple[list[Subtask], list[str]]:
        """The plan, and what is still wrong with it after the last repair."""
        problems: list[str] = []
        answer = PlanAnswer(subtasks=[])
        for attempt in range(1 + self.parameters.repairs):
            question = PlanQuestion(task=task, inventory=task.inventory, problems=problems)
            answer = ask(self, f"{goal_id}/plan-{attempt}", question, PlanAnswer)
            problems = plan_problems(task, answer.subtasks, self.items)
            if not problems:
                break
            self.log.info("%s: the plan will not do: %s", goal_id, " ".join(problems))
        return answer.subtasks, problems
