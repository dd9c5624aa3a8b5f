"""What a model is taught with: a question as its agent would put it, and a checked answer.

Questions come from the rulebook, over many goals and without any world (`taught.py`), and from the
transcripts of runs that succeeded (`recorded_examples.py`).
"""

from pathlib import Path

import msgspec

from messages.chat import (
    DecomposeQuestion,
    GuardQuestion,
    PlanQuestion,
    ProgramQuestion,
    Question,
    SpecQuestion,
)
from nodes.asking import render
from nodes.llm.answers import parse

AGENTS: dict[type[Question], str] = {
    PlanQuestion: "planner",
    DecomposeQuestion: "slow_agent",
    ProgramQuestion: "fast_agent",
    GuardQuestion: "fast_agent",
    SpecQuestion: "fast_agent",
}
_NODES = Path(__file__).parents[2]


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
    system, user = render(_NODES / AGENTS[type(question)] / "prompts", question)
    return Example(
        kind=type(question).__name__,
        goal=goal,
        source=source,
        question=msgspec.Raw(msgspec.json.encode(question)),
        system=system.content,
        user=user.content,
        answer=parse(question, answer),
    )


def write(path: Path, examples: list[Example]) -> None:
    encode = msgspec.json.encode
    path.write_bytes(b"".join(encode(each) + b"\n" for each in examples))
