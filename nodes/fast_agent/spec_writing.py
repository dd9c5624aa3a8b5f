"""Asks for the interface of a guard's policy and checks it, as a sub-action's spec is."""

from collections.abc import Sequence

from messages.chat import SpecAnswer, SpecQuestion
from messages.plan import GuardProposal, Stage, SubAction
from messages.program import CHECK, CheckProgram, Program
from messages.world import Interface, Task
from nodes.asking import ask
from nodes.fast_agent.agent import Agent
from nodes.spec_check import spec_problems
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
        answer = ask(agent, f"{goal}/spec-{number}", question, SpecAnswer)
        problems = spec_problems(
            answer,
            question.observations,
            question.actions,
            parameters.macros,
            parameters.most_samples,
            task.game,
        )
        macros = [
            Program(
                name=draft.name,
                source=draft.source,
                purpose=draft.purpose,
                max_steps=draft.max_steps,
            )
            for draft in answer.macros
        ]
        checks = [CheckProgram(program=macro) for macro in macros]
        checks += [
            CheckProgram(program=Program(name="reward", source=term.source), kind="reward")
            for term in answer.rewards
            if term.kind == "code"
        ]
        problems += [
            f"{check.program.name!r}, line {problem.line}: {problem.message}"
            for check in checks
            for problem in agent.call(CHECK, check).problems
        ]
        if not problems:
            interface = Interface(
                observations=answer.observations,
                actions=answer.actions,
                macros=macros,
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
