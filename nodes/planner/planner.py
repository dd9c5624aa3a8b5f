"""The planner node: asks for a plan, checks it, has its subtasks achieved one after another, each
from where the plan expects it to begin, and the whole performed."""

import msgspec

from messages.bounds import NotNegative
from messages.bus import GoalHandle, ServiceError
from messages.chat import PlanAnswer, PlanQuestion
from messages.plan import (
    ACHIEVE,
    PERFORM,
    PLAN,
    PURSUE,
    AchieveSubtask,
    GoalReport,
    Iteration,
    Limits,
    Perform,
    Performed,
    PlanStatus,
    Practised,
    PursueGoal,
    Subtask,
    SubtaskReport,
)
from messages.world import JUDGED, Task
from nodes.asking import ask
from nodes.budget import for_practice, least
from nodes.memory import Memory
from nodes.naming import slug
from nodes.node import Node
from nodes.plan_check import plan_problems
from nodes.planner.goal import with_success
from nodes.tasks import task_problem
from worlds import card

Pursuing = GoalHandle[PursueGoal, PlanStatus]


class Planner(Node):
    name = "planner"

    class Parameters(Node.Parameters, kw_only=True, forbid_unknown_fields=True):
        repairs: NotNegative = 3  # how often a plan that would not do is asked for again
        plan: bool = True  # false: the goal is the only subtask, and nobody is asked

    parameters: Parameters
    live = frozenset({"repairs"})

    def setup(self) -> None:
        self.memory = Memory(self.folder / "memory.sqlite")
        self.advertise(PLAN)
        self.serve_action(PURSUE, self.pursue)

    def pursue(self, goal: Pursuing) -> GoalReport:
        task, limits = goal.request.task, goal.request.limits
        if problem := task_problem(task):
            raise ServiceError(f"task.{problem}", code="invalid")
        task = with_success(self, goal.id, task, self.parameters.repairs)
        subtasks, problems = self._plan(goal.id, task)
        iterations: list[Iteration] = []
        stopped: dict[str, str] = {}
        chosen: dict[str, int] = {}

        def report(success: bool, reason: str, performance: Performed | None = None) -> GoalReport:
            self.log.info("%s: %s", goal.id, reason)
            return GoalReport(
                task=task,
                subtasks=subtasks,
                iterations=iterations,
                success=success,
                reason=reason,
                performance=performance,
                stopped=stopped,
                chosen=chosen,
            )

        if problems:
            return report(False, f"No plan would do: {' '.join(problems)}")
        planning = card(task.game).planning
        practised: dict[tuple[str, str], Practised] = {}
        single = len(subtasks) == 1
        if limits.samples < least(task):
            return report(
                False,
                f"limits.samples is {limits.samples:,}, and trying and evaluating one episode of "
                f"this task may take {least(task):,}: raise it.",
            )
        practice = limits.samples if single else for_practice(limits.samples, task, self.config)
        rest, held = list(subtasks), dict(task.inventory)
        subtasks.clear()  # from here on: those that were practised, in order, and those to come
        while rest:
            goal.check()
            subtask = rest.pop(0)
            start = held
            if rest:  # a goal that is not planned may be one that the rules know no way to
                held = planning.expected([subtask], held, later=rest)
            if _key(subtask) in practised:
                continue
            done = len(practised)
            subtasks[done:] = [subtask, *(s for s in rest if _key(s) not in practised)]
            self._say(goal, subtasks, done)
            # What one subtask does not need is there for the next, but none may starve the others.
            to_come = 1 + sum(_key(s) not in practised for s in rest)
            samples = (practice - _spent(iterations)) // to_come
            if samples < least(task):
                kept = f"{limits.samples - practice:,} are kept back for the performance"
                spent = f"{_spent(iterations):,} of {limits.samples:,}, of which {kept}"
                return report(False, f"The samples are spent: {spent}.")
            achieved = self._achieve(
                goal,
                f"{goal.id}/{done}-{slug(subtask.name)}",
                AchieveSubtask(
                    task=task,
                    subtask=subtask,
                    start=start,
                    limits=msgspec.structs.replace(limits, samples=samples),
                ),
            )
            iterations.extend(achieved.iterations)
            stopped[subtask.name] = achieved.reason
            stands = _chosen(achieved, single)
            if stands is not None:
                chosen[subtask.name] = stands.number
            if single and not achieved.success:
                return report(False, f"{subtask.name}: {achieved.reason}")
            if stands is None:
                said = "no iteration of it could be evaluated"
                return report(False, f"{subtask.name}: {said}. {achieved.reason}")
            if stands.success_rate == 0:
                said = "no iteration of it worked in any episode of its evaluation"
                return report(False, f"{subtask.name}: {said}. {achieved.reason}")
            practised[_key(subtask)] = Practised(subtask=subtask, stages=stands.stages)
            left = stands.left
            if left and (problems := planning.shortfalls(rest, left)):
                rest, held = self._plan_anew(goal.id, done, task, left, problems, rest, held)
        self._say(goal, subtasks, len(subtasks))
        if single:
            return report(True, "All subtasks were achieved.")
        samples = limits.samples - _spent(iterations)
        performance = self.run_goal(
            PERFORM,
            f"{goal.id}/perform",
            Perform(task=task, subtasks=list(practised.values()), samples=samples),
            cancelled=lambda: goal.withdrawn,
        )
        return report(*_judged(performance, limits), performance)

    def _say(self, goal: Pursuing, subtasks: list[Subtask], current: int) -> None:
        status = PlanStatus(goal=goal.id, subtasks=subtasks, current=current)
        self.memory.keep(f"{goal.id}/plan", status)  # for a report of a goal that is not over
        self.publish(PLAN, status)
        goal.feedback(status)

    def _achieve(self, goal: Pursuing, id: str, request: AchieveSubtask) -> SubtaskReport:
        """Have a subtask achieved, or recall how it went."""
        if (known := self.memory.find(id, SubtaskReport)) is not None:
            return known
        achieved = self.run_goal(ACHIEVE, id, request, cancelled=lambda: goal.withdrawn)
        return self.memory.keep(id, achieved)

    def _plan_anew(
        self,
        goal_id: str,
        done: int,
        task: Task,
        left: dict[str, int],
        problems: list[str],
        rest: list[Subtask],
        held: dict[str, int],
    ) -> tuple[list[Subtask], dict[str, int]]:
        """The rest of the plan from what a subtask really left, and that inventory; the old rest
        and what it expected where no new plan would do."""
        self.log.info("%s: the rest of the plan will not do: %s", goal_id, " ".join(problems))
        from_here = msgspec.structs.replace(task, inventory=left)
        again, wrong = self._plan(f"{goal_id}/again-{done}", from_here, problems)
        return (rest, held) if wrong else (again, left)

    def _plan(
        self, id: str, task: Task, problems: list[str] | None = None
    ) -> tuple[list[Subtask], list[str]]:
        """The plan, and what is still wrong with it after the last repair. ``problems``: of the
        plan that there is."""
        # What only pictures show is judged at the end of an evaluation, not along a performance.
        if not self.parameters.plan or task.success.kind == JUDGED:
            return [Subtask(name=task.prompt, success=task.success, why="the goal")], []
        problems = problems or []
        answer = PlanAnswer(subtasks=[])
        for attempt in range(1 + self.parameters.repairs):
            question = PlanQuestion(task=task, inventory=task.inventory, problems=problems)
            answer = ask(self, f"{id}/plan-{attempt}", question, PlanAnswer)
            problems = plan_problems(task, answer.subtasks)
            if not problems:
                break
            self.log.info("%s: the plan will not do: %s", id, " ".join(problems))
        return answer.subtasks, problems


def _chosen(achieved: SubtaskReport, single: bool) -> Iteration | None:
    """The iteration that stands for the subtask. In a plan of several, one that worked in no
    episode of its evaluation gives way to the next best that did: the performance measures it
    anew."""
    stands = next((each for each in achieved.iterations if each.number == achieved.chosen), None)
    if single or stands is None or stands.success_rate > 0:
        return stands
    worked = [each for each in achieved.iterations if each.success_rate > 0]
    return max(worked, key=lambda each: (each.tried_out, each.number), default=stands)


def _judged(performance: Performed, limits: Limits) -> tuple[bool, str]:
    """Whether the goal was reached, and how often."""
    wanted = limits.success_rate if limits.goal_rate is None else limits.goal_rate
    rate, count = performance.success_rate, len(performance.episodes)
    cut = " The samples were not enough for the other episodes." if performance.cut else ""
    return (
        rate >= wanted and not performance.cut,
        f"The whole goal was reached in {round(rate * count)} of {count} episodes from its own "
        f"start ({rate:.2f}, wanted: {wanted:.2f}).{cut}",
    )


def _spent(iterations: list[Iteration]) -> int:
    return sum(iteration.samples.total for iteration in iterations)


def _key(subtask: Subtask) -> tuple[str, str]:
    return subtask.success.kind, subtask.success.name
