"""Asks for the training spec of a guard's policy and checks it, as a sub-action's is."""

from messages.chat import SpecQuestion
from messages.plan import SubAction
from messages.world import Interface
from nodes.fast_agent.learning.spec_asking import (
    ask_for_valid_spec,
    interface_of,
    observations_to_choose,
)
from nodes.fast_agent.learning.spec_checking import SpecChecker
from nodes.fast_agent.learning.spec_limits import largest_budget
from nodes.fast_agent.work import GuardWork
from worlds import card
from worlds.common.pictures import picture_shape


def write_guard_spec(work: GuardWork, when: str) -> tuple[Interface | None, int, list[str]]:
    """The interface and the budget, or None and what is still wrong with the last answer. ``when``:
    the guard's condition.

    Raises:
        NoAnswer: the language model gave none that is valid.
    """
    agent, request, parameters = work.agent, work.request, work.agent.parameters
    task, proposal = request.task, request.proposal
    offered = observations_to_choose(agent, task)
    # The session plays a guard's policy itself, without the convolutions that a picture needs.
    observations = [name for name in offered if picture_shape(name) is None]
    if not observations:
        return None, 0, [f"A learned guard sees no pictures, and this run has only {offered[0]!r}."]
    question = SpecQuestion(
        task=task,
        sub_action=SubAction(
            name=proposal.name,
            method="rl",
            success=task.success,
            description=proposal.description,
        ),
        before=list(request.stages),
        observations=observations,
        actions=list(card(task.game).specs.actions),
        macros_allowed=parameters.macros,
        guard=proposal,
        when=when,
        guard_history=request.history,
    )
    id = f"{work.goal.id}/spec"
    checker = SpecChecker(agent, id, question)

    answer, problems = ask_for_valid_spec(agent, id, question, checker)
    if problems:
        return None, 0, problems
    interface = interface_of(answer, checker.macros(answer), task.success, agent.gamma)
    return interface, min(answer.budget, largest_budget(agent)), []
