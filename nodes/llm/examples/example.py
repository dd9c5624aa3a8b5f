"""A question as its agent would put it, and a checked answer.

Questions come from the rulebook, over many goals and without any world
(`nodes/llm/lessons/taught.py`), and from the transcripts of runs that succeeded
(`nodes/llm/training/recorded_examples.py`).
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from messages.chat import (
    DecomposeQuestion,
    GuardQuestion,
    PlanAnswer,
    PlanQuestion,
    ProgramQuestion,
    Question,
    SpecQuestion,
)
from nodes.common.questions.asking import render
from nodes.common.storage.whole_files import write_whole
from nodes.llm.answers.answer_parsing import parse

AGENTS: dict[type[Question], str] = {
    PlanQuestion: "planner",
    DecomposeQuestion: "slow_agent",
    ProgramQuestion: "fast_agent",
    GuardQuestion: "fast_agent",
    SpecQuestion: "fast_agent",
}
_NODES = Path(__file__).parents[2]
KINDS = {kind.__name__: kind for kind in AGENTS}


class Example(msgspec.Struct, frozen=True, kw_only=True):
    """One question with its answer. ``goal``: the item that it is about, by which examples are held
    out; ``source``: what answered."""

    kind: str  # the type of the question
    goal: str
    source: str
    question: msgspec.Raw
    system: str
    user: str
    answer: str  # JSON


def example(question: Question, answer: str, goal: str, source: str) -> Example:
    """Raises ValueError where the answer is none by the question's schema."""
    system, user = render(prompts_for(question), question)
    return Example(
        kind=type(question).__name__,
        goal=goal,
        source=source,
        question=msgspec.Raw(msgspec.json.encode(question)),
        system=system.content,
        user=user.content,
        answer=parse(question, answer),
    )


def with_quantities(asked: Example) -> Example:
    """An example of a plan, asked with quantities stated; any other example as it is."""
    stated = stating_quantities(question_of(asked), asked.answer)
    return asked if stated is None else example(*stated, asked.goal, asked.source)


def stating_quantities(question: Question, answer: str) -> tuple[Question, str] | None:
    """The question for a plan with quantities stated, and its answer with nothing that was thought
    about first; None where it is none, or states them already."""
    if not isinstance(question, PlanQuestion) or question.quantities:
        return None
    plan = msgspec.json.decode(answer, type=PlanAnswer)
    at_once = msgspec.json.encode(msgspec.structs.replace(plan, thoughts=""))
    return msgspec.structs.replace(question, quantities=True), at_once.decode()


def prompts_for(question: Question) -> Path:
    """The folder of the prompt files of the agent that asks it."""
    return _NODES / AGENTS[type(question)] / "prompts"


def question_of(example: Example) -> Question:
    """Raises ValueError: of no kind that is taught, or not of this version's fields."""
    kind = KINDS.get(example.kind)
    if kind is None:
        raise ValueError(f"{example.kind} is none of {', '.join(KINDS)}")
    return msgspec.json.decode(example.question, type=kind)


def write(path: Path, examples: list[Example]) -> None:
    """One line each. Raises OSError where the file cannot be written; the old one is unchanged."""
    encode = msgspec.json.encode
    write_whole(path, b"".join(encode(each) + b"\n" for each in examples))


def read(path: Path) -> Iterator[Example]:
    """The examples of a file that ``write`` made.

    Raises:
        OSError: it cannot be read.
        ValueError: one of its lines is no example; which.
    """
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                yield msgspec.json.decode(line, type=Example)
            except (ValueError, RecursionError) as error:
                raise ValueError(f"line {number} is no example: {error}") from None
