"""One goal from its plan to its report: the subtasks are practised (`practice.py`), the whole is
validated and practised further (`validation.py`), and what was chosen is performed on seeds that
decided nothing."""

from messages.plan import GoalReport
from messages.world import Task
from nodes.common.goals.budget import for_practice, too_few
from nodes.common.questions.asking import NoAnswer
from nodes.planner.losses import reached
from nodes.planner.planning_node import PlanningNode, Pursuing
from nodes.planner.practice import Practice
from nodes.planner.progress import Progress
from nodes.planner.validation import Validation
from worlds import card


def pursue(planner: PlanningNode, goal: Pursuing, task: Task) -> GoalReport:
    """Pursue a goal; ``task`` is the goal's, with a success that can be seen to hold."""
    progress = Progress(planner, goal, task)
    practice = Practice(progress)
    try:
        plan, problems = planner.plan(goal.id, task)
    except NoAnswer as error:
        return progress.report(False, f"There is no plan: {error}")
    progress.subtasks[:] = plan
    if problems:
        return progress.report(False, f"No valid plan was given: {' '.join(problems)}")
    if problem := too_few(progress.limits.samples, task):
        return progress.report(False, problem)
    single = len(plan) == 1

    def budget() -> int:
        samples = progress.limits.samples  # they may be set while a subtask is practised
        return samples if single else for_practice(samples, task, planner.config)

    if failed := practice.first(plan, card(task.game).planning.begun(task), budget, single):
        return progress.report(False, failed)
    progress.publish_plan()
    if single:
        return progress.report(True, "All subtasks were achieved.")

    wanted = progress.limits.rate_of_goal
    why = Validation(progress, practice).run(wanted)
    left = progress.limits.samples - progress.spent
    performance = progress.perform(f"{goal.id}/perform", left)
    success, reason = reached(performance, wanted)
    return progress.report(success, reason if success else f"{reason} {why}".strip(), performance)
