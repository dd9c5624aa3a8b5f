"""The repair of an invalid answer: the question is put again, with the answer and its problems.

Not for programs and guards: their questions show every attempt so far, and a program is also
repaired after a tryout.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import msgspec

from messages.chat import DecomposeQuestion, GoalQuestion, PlanQuestion, SpecQuestion
from nodes.common.storage.node_memory import Memory

Repairable = TypeVar(
    "Repairable", bound=GoalQuestion | PlanQuestion | DecomposeQuestion | SpecQuestion
)
Answer = TypeVar("Answer", bound=msgspec.Struct)


class RepairAttempt(NamedTuple):
    """``id``: of its question. ``last``: there is no repair after it."""

    id: str
    last: bool


def ask_with_repairs(
    memory: Memory,
    id: str,
    question: Repairable,
    repairs: int,
    ask_and_check: Callable[[Repairable, RepairAttempt], tuple[Answer, list[str]]],
    refused: Callable[[Answer], object],
) -> tuple[Answer, list[str]]:
    """The first answer without problems; without one, the answer to the last repair and its
    problems.

    Args:
        memory: has how many repairs there are, also after a restart: the answers of before come
            again then, and are to be judged as they were, whatever is set by now.
        id: begins the ids of the first question and of its repairs.
        repairs: how many there are at most, whatever the parameter is set to meanwhile.
        ask_and_check: gives the answer to the question and its problems.
        refused: what the next question shows of an invalid answer.
    """
    repairs = memory.first(f"{id}/repairs", repairs)
    number = 0
    while True:
        attempt = RepairAttempt(f"{id}-{number}", last=number >= repairs)
        answer, problems = ask_and_check(question, attempt)
        if not problems or attempt.last:
            return answer, problems
        question = msgspec.structs.replace(question, problems=problems, refused=refused(answer))
        number += 1
