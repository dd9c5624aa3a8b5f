"""What asking for a sub-action's training spec and for a guard's have in common."""

from collections.abc import Callable, Sequence

import msgspec

from messages.chat import SpecAnswer, SpecQuestion
from messages.program import Program
from messages.world import Condition, Interface, Task
from nodes.common.checks.spec_check import without_idle_parts
from nodes.common.questions.asking import ask
from nodes.common.questions.repairing import ask_with_repairs
from nodes.fast_agent.agent import Agent
from nodes.fast_agent.learning.spec_checking import SpecChecker
from worlds import card
from worlds.common.mineclip_feature import MINECLIP


def observations_to_choose(agent: Agent, task: Task) -> list[str]:
    """The observations that a spec may name: those of the run, where it has them set."""
    if agent.parameters.observations is not None:
        return list(agent.parameters.observations)
    features = card(task.game).specs.features
    return [*features, MINECLIP.name] if agent.mineclip else list(features)


def ask_for_spec(agent: Agent, id: str, question: SpecQuestion) -> SpecAnswer:
    """The answer, each name once in its list, with the run's observations where it has them set.

    Raises:
        NoAnswer: the language model gave none that is valid.
    """
    answer = without_idle_parts(ask(agent, id, question, SpecAnswer))
    if agent.parameters.observations is not None:
        answer = msgspec.structs.replace(answer, observations=question.observations)
    return answer


def ask_for_valid_spec(
    agent: Agent,
    id: str,
    question: SpecQuestion,
    checker: SpecChecker,
    given: Callable[[str, SpecAnswer], None] = lambda id, answer: None,
) -> tuple[SpecAnswer, list[str]]:
    """An answer and what is still wrong with it after the last repair. ``given`` is called with
    each answer and the id of its question.

    Raises:
        NoAnswer: the language model gave none that is valid.
    """

    def ask_and_check(question: SpecQuestion, id: str) -> tuple[SpecAnswer, list[str]]:
        answer = checker.as_seen(ask_for_spec(agent, id, question))
        given(id, answer)
        return answer, checker.problems(answer)

    return ask_with_repairs(
        agent.memory,
        id,
        question,
        agent.parameters.repairs,
        ask_and_check,
        lambda answer: answer,
        checker.fixed,
    )


def interface_of(
    answer: SpecAnswer, macros: Sequence[Program], success: Condition, gamma: float
) -> Interface:
    """What a policy sees, does and is rewarded for. ``gamma``: the discount inside a macro."""
    return Interface(
        observations=answer.observations,
        actions=answer.actions,
        macros=list(macros),
        rewards=answer.rewards,
        success=success,
        horizon=answer.horizon,
        targets=answer.targets,
        gamma=gamma,
        memory=answer.memory,
        memory_size=answer.memory_size,
    )
