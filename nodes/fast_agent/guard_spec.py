"""Asks for the training spec of a guard's policy and checks it, as a sub-action's is."""

from collections.abc import Sequence

from messages.chat import SpecAnswer, SpecQuestion
from messages.plan import GuardProposal, Stage, SubAction
from messages.world import Interface, Task
from nodes.fast_agent.agent import Agent
from nodes.fast_agent.spec_asking import ask_for_spec, interface_of, observations_to_choose
from nodes.fast_agent.spec_checking import SpecChecker
from worlds import card


def write_guard_spec(
    agent: Agent,
    goal: str,
    task: Task,
    sub_action: SubAction,
    stages: Sequence[Stage],
    guard: GuardProposal,
    when: str,
) -> tuple[Interface | None, int, list[str]]:
    """The interface and the budget, or None and what is still wrong with the last answer.

    Raises:
        RemoteError: ``no_answer``.
    """
    parameters = agent.parameters
    problems: list[str] = []
    refused: SpecAnswer | None = None
    for number in range(1 + parameters.repairs):
        question = SpecQuestion(
            task=task,
            sub_action=sub_action,
            before=list(stages),
            observations=observations_to_choose(agent, task),
            actions=list(card(task.game).specs.actions),
            macros_allowed=parameters.macros,
            problems=problems,
            refused=refused,
            guard=guard,
            when=when,
        )
        answer = ask_for_spec(agent, f"{goal}/spec-{number}", question)
        checker = SpecChecker(agent, question)
        answer, problems = checker.checked(answer, last=number == parameters.repairs)
        if not problems:
            macros = checker.macros(answer)
            interface = interface_of(answer, macros, sub_action.success, agent.gamma)
            return interface, min(answer.budget, parameters.budget or answer.budget), []
        refused = answer
    return None, 0, problems
