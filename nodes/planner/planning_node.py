"""What the planner's parts share: its parameters, and how it asks, remembers and reports. `Planner`
serves the action."""

import msgspec

from messages.bounds import NotNegative
from messages.bus import GoalHandle
from messages.chat import PlanAnswer, PlanQuestion
from messages.plan import (
    ACHIEVE,
    PLAN,
    AchieveSubtask,
    Limits,
    Lost,
    PlanStatus,
    PursueGoal,
    Subtask,
    SubtaskReport,
)
from messages.world import JUDGED, Task
from nodes.common.checks.plan_check import fixed, plan_problems, up_to_goal, with_goal
from nodes.common.goals.budget import BUDGETS, Budgeted
from nodes.common.questions.asking import ask
from nodes.common.questions.repairing import ask_with_repairs
from nodes.common.storage.node_memory import Memory
from nodes.node import Node

Pursuing = GoalHandle[PursueGoal, PlanStatus]


class EarlierPlan(msgspec.Struct, frozen=True, kw_only=True):
    """A plan that another one is asked for in place of: either it was refused for its problems, or
    it was practised and its performance lost episodes."""

    refused: list[Subtask] = []
    problems: list[str] = []
    practised: list[Subtask] = []
    performed: list[Lost] = []


class PlanningNode(Node):
    """The planner, as its parts see it."""

    name = "planner"

    class Parameters(Budgeted, kw_only=True, forbid_unknown_fields=True):
        repairs: NotNegative = 3  # how often an invalid plan is requested again
        # Whether a question for a plan states how many of each item it takes; else they are to be
        # counted.
        quantities: bool = False
        plan: bool = True  # false: the goal is the only subtask, and no plan is requested

    parameters: Parameters
    live = frozenset({"repairs", *BUDGETS})

    def setup(self) -> None:
        self.memory = Memory(self.folder / "memory.sqlite")
        self.advertise(PLAN)

    def limits_at(self, step: str, sent: Limits) -> Limits:
        """The limits that count at a step of a goal, in place of those that were ``sent``: those
        that are set when it is first asked for them, remembered under the step's id."""
        return self.memory.first(step, self.parameters.limits(sent))

    def publish_plan(self, goal: Pursuing, subtasks: list[Subtask], current: int) -> None:
        """Publish how far the plan is carried out."""
        status = PlanStatus(goal=goal.id, subtasks=subtasks, current=current)
        self.memory.keep(f"{goal.id}/plan", status)  # for a report of a goal that is not over
        self.publish(PLAN, status)
        goal.feedback(status)

    def achieve(self, goal: Pursuing, id: str, request: AchieveSubtask) -> SubtaskReport:
        """Send a subtask to the slow agent, or recall its report."""
        if (known := self.memory.find(id, SubtaskReport)) is not None:
            return known
        achieved = self.run_goal(ACHIEVE, id, request, cancelled=lambda: goal.withdrawn)
        return self.memory.keep(id, achieved)

    def plan(
        self, id: str, task: Task, earlier: EarlierPlan | None = None
    ) -> tuple[list[Subtask], list[str]]:
        """The subtasks, and what is still wrong with them after the last repair. If that is no more
        than a repetition or the end, the plan goes on without it: the end can be no other than the
        task's."""
        # What only pictures show is judged at the end of an evaluation, not along a performance.
        if not self.parameters.plan or task.success.kind == JUDGED:
            return [Subtask(name=task.prompt, success=task.success, why="the goal")], []

        def ask_and_check(question: PlanQuestion, id: str) -> tuple[PlanAnswer, list[str]]:
            answer = ask(self, id, question, PlanAnswer)
            answer = msgspec.structs.replace(answer, subtasks=with_goal(task, answer.subtasks))
            problems = plan_problems(task, answer.subtasks)
            if problems:
                self.log.info("%s: the plan is invalid: %s", id, " ".join(problems))
            return answer, problems

        def without_repetitions(answer: PlanAnswer) -> tuple[PlanAnswer, list[str]]:
            usable = msgspec.structs.replace(answer, subtasks=fixed(task, answer.subtasks))
            problems = plan_problems(task, usable.subtasks)
            if not problems:
                self.log.warning(
                    "%s: the plan is taken without its repetitions, to the task's end", id
                )
            return usable, problems

        earlier = earlier or EarlierPlan()
        question = PlanQuestion(
            task=task,
            inventory=task.inventory,
            quantities=self.parameters.quantities,
            problems=earlier.problems,
            refused=earlier.refused,
            practised=earlier.practised,
            performed=earlier.performed,
        )
        answer, problems = ask_with_repairs(
            self.memory,
            f"{id}/plan",
            question,
            self.parameters.repairs,
            ask_and_check,
            lambda answer: answer.subtasks,
            without_repetitions,
        )
        if problems:
            return answer.subtasks, problems
        return up_to_goal(task, answer.subtasks), []
