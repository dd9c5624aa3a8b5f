"""The repair of an invalid answer: the question is put again, with the answer and its problems.

Not for programs and guards: their questions show every attempt so far, and a program is also
repaired after a tryout.
"""

from collections.abc import Callable
from typing import TypeVar

import msgspec

from messages.chat import DecomposeQuestion, GoalQuestion, PlanQuestion, SpecQuestion
from nodes.common.storage.node_memory import Memory

Repairable = TypeVar(
    "Repairable", bound=GoalQuestion | PlanQuestion | DecomposeQuestion | SpecQuestion
)
Answer = TypeVar("Answer", bound=msgspec.Struct)


def ask_with_repairs(
    memory: Memory,
    id: str,
    question: Repairable,
    repairs: int,
    ask_and_check: Callable[[Repairable, str], tuple[Answer, list[str]]],
    refused: Callable[[Answer], object],
    fixed: Callable[[Answer], tuple[Answer, list[str]]] | None = None,
) -> tuple[Answer, list[str]]:
    """The first answer without problems; without one, the last that can be put right; else the
    last answer and its problems. A refused answer that is given again ends the repairs. The last
    answer is not always the best: a small model that is asked again and again loses its thread.

    Args:
        memory: has how many repairs there are, also after a restart: the answers of before come
            again then, and are to be judged as they were, whatever is set by now.
        id: begins the ids of the first question and of its repairs.
        repairs: how many there are at most, whatever the parameter is set to meanwhile.
        ask_and_check: gives the answer to the question of an id, and its problems.
        refused: what the next question shows of an invalid answer.
        fixed: an answer without what it cannot have, and the problems that are left then.
    """
    repairs = memory.first(f"{id}/repairs", repairs)
    answers: list[Answer] = []
    while True:
        answer, problems = ask_and_check(question, f"{id}-{len(answers)}")
        if not problems:
            return answer, []
        # Who gives a refused answer again, after all tries at another, would give it once more.
        again = answer in answers
        answers.append(answer)
        if again or len(answers) > repairs:
            break
        question = msgspec.structs.replace(question, problems=problems, refused=refused(answer))
    if fixed is not None:
        for each in reversed(answers):
            usable, left = fixed(each)
            if not left:
                return usable, []
    return answer, problems
