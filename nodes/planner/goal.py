"""A goal that is given in words alone: the language model says which condition it is reached by."""

import msgspec

from messages.bus import ServiceError
from messages.chat import GoalAnswer, GoalQuestion
from messages.world import JUDGED, Task
from nodes.common.checks.answer_check import goal_problems
from nodes.common.checks.task_check import horizon_problem
from nodes.common.parameters.vision import blind_critic
from nodes.common.questions.asking import ask
from nodes.common.questions.repairing import ask_with_repairs
from nodes.planner.planning_node import PlanningNode
from worlds import card


def with_success(node: PlanningNode, id: str, task: Task, repairs: int) -> Task:
    """The task with a success that can be seen to hold; as it is where it has one.

    An episode that has as many steps as those of any goal in words has more of them where the
    success takes more.

    Raises:
        ServiceError: ``invalid``, no condition was made of the prompt, or its episodes were given
            too few steps for it. The message has why.
        RemoteError: ``no_answer`` or ``no_model``, the model gave none or was not reached.
    """
    if not task.lacks_success:
        return task

    def ask_and_check(question: GoalQuestion, id: str) -> tuple[GoalAnswer, list[str]]:
        answer = ask(node, id, question, GoalAnswer)
        problems = goal_problems(question, answer)
        if answer.success.kind == JUDGED and (blind := blind_critic(node.config)):
            problems.append(f"The condition can't be the goal's: {blind}.")
        for problem in problems:
            node.log.info("%s: %s", id, problem)
        return answer, problems

    answer, problems = ask_with_repairs(
        node.memory,
        f"{id}/goal",
        GoalQuestion(task=task),
        repairs,
        ask_and_check,
        lambda answer: answer.success,
    )
    if problems:
        raise ServiceError(
            f"no condition was made of the goal {task.prompt!r}: {problems[0]}", code="invalid"
        )
    conditions = card(task.game).conditions
    node.log.info("%s: %r is %s", id, task.prompt, conditions.short(answer.success))
    understood = msgspec.structs.replace(task, success=answer.success)
    if problem := horizon_problem(understood):
        goals = card(task.game).goals
        if goals is None or task.horizon != goals.open_task(task.prompt).horizon:
            raise ServiceError(f"task.horizon: {problem}", code="invalid")
        horizon = conditions.steps_needed(understood.success)
        understood = msgspec.structs.replace(understood, horizon=horizon)
    return understood
