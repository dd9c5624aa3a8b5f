"""The repair of an invalid answer: the question is put again, with the answer and its problems.

Not for programs and guards: their questions show every attempt so far, and a program is also
repaired after a tryout.
"""

from collections.abc import Callable
from typing import TypeVar

import msgspec

from messages.chat import DecomposeQuestion, GoalQuestion, PlanQuestion, SpecQuestion

Repairable = TypeVar(
    "Repairable", bound=GoalQuestion | PlanQuestion | DecomposeQuestion | SpecQuestion
)
Answer = TypeVar("Answer", bound=msgspec.Struct)


def ask_with_repairs(
    question: Repairable,
    repairs: int,
    ask_and_check: Callable[[Repairable, int], tuple[Answer, list[str]]],
    refused: Callable[[Answer], object],
) -> tuple[Answer, list[str]]:
    """The first answer without problems; without one, the answer to the last repair and its
    problems.

    Args:
        ask_and_check: gives the answer to the question and its problems; the number, from 0 on, is
            that of the attempt.
        refused: what the next question shows of an invalid answer.
    """
    attempt = 0
    while True:
        answer, problems = ask_and_check(question, attempt)
        if not problems or attempt >= repairs:
            return answer, problems
        question = msgspec.structs.replace(question, problems=problems, refused=refused(answer))
        attempt += 1
