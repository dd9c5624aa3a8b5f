"""Asks for the interface of a guard's policy and checks it, as a sub-action's spec is."""

from collections.abc import Sequence

from messages.chat import SpecAnswer, SpecQuestion
from messages.plan import GuardProposal, Stage, SubAction
from messages.world import Interface, Task
from nodes.asking import ask
from nodes.fast_agent.agent import Agent
from nodes.fast_agent.spec_checking import SpecChecker
from nodes.spec_check import without_repetitions
from worlds import card


def write_spec(
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
    specs, parameters = card(task.game).specs, agent.parameters
    problems: list[str] = []
    for number in range(1 + parameters.repairs):
        question = SpecQuestion(
            task=task,
            sub_action=sub_action,
            before=list(stages),
            observations=list(specs.features),
            actions=list(specs.actions),
            macros_allowed=parameters.macros,
            problems=problems,
            guard=guard,
            when=when,
        )
        answer = without_repetitions(ask(agent, f"{goal}/spec-{number}", question, SpecAnswer))
        checker = SpecChecker(agent, question)
        answer, problems = checker.checked(answer, last=number == parameters.repairs)
        if not problems:
            interface = Interface(
                observations=answer.observations,
                actions=answer.actions,
                macros=checker.macros(answer),
                rewards=answer.rewards,
                success=sub_action.success,
                horizon=answer.horizon,
                targets=answer.targets,
                gamma=agent.gamma,
                memory=answer.memory,
                memory_size=answer.memory_size,
            )
            return interface, min(answer.budget, parameters.budget or answer.budget), []
    return None, 0, problems
