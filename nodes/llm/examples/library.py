"""Examples that a model is shown beside a question: those that are the most like it.

They stand between the system message and the question as turns of the conversation, each question
with its answer and the nearest one last, so that the answer that a small model has to vary stands
right before its own.
"""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from messages.chat import ChatMessage, Part, Question
from nodes.asking import render, subject
from nodes.llm.answers import parse
from nodes.llm.examples.example import AGENTS, Example, prompts_for, question_of, read
from nodes.llm.examples.similarity import Index, Words, words
from nodes.prompt_parts import EXAMPLES


class Library:
    """Examples by the kind of their question.

    Raises:
        ValueError: one of them is none that this version can show; which.
    """

    def __init__(self, examples: Iterable[Example]) -> None:
        self._examples: dict[str, list[Example]] = {}
        texts: dict[str, list[Words]] = {}
        for number, each in enumerate(examples, 1):
            try:
                question = question_of(each)
                parse(question, each.answer)
                about = _about(question)
            except ValueError as error:
                raise ValueError(f"line {number}: {error}") from None
            self._examples.setdefault(each.kind, []).append(each)
            texts.setdefault(each.kind, []).append(about)
        self._indices = {kind: Index(found) for kind, found in texts.items()}

    @classmethod
    def of_file(cls, path: Path) -> "Library":
        """Those of a file. Raises ValueError: it cannot be read, or holds none; one sentence."""
        try:
            library = cls(read(path))
        except OSError as error:
            raise ValueError(f"{path} cannot be read: {error.strerror}") from None
        except ValueError as error:
            raise ValueError(f"{path} holds no examples of this version: {error}") from None
        if not len(library):
            raise ValueError(f"{path} holds no examples: it is empty")
        return library

    def __len__(self) -> int:
        return sum(len(examples) for examples in self._examples.values())

    def turns(self, question: Question, count: int) -> list[ChatMessage]:
        """The ``count`` examples that are the most like the question, as turns of a conversation,
        two messages each; fewer where the file has no more of its kind. The question itself is
        never among them."""
        kind = type(question).__name__
        if type(question) not in AGENTS or kind not in self._examples:
            return []
        itself = msgspec.json.encode(question)
        examples = self._examples[kind]
        order = self._indices[kind].nearest(_about(question), len(examples))
        near = (examples[number] for number in order)
        shown = [each for each in near if bytes(each.question) != itself][:count]
        return [message for each in reversed(shown) for message in _turn(each)]


def _turn(example: Example) -> list[ChatMessage]:
    question = question_of(example)
    _, user = render(prompts_for(question), question)  # by the templates of today
    whole = Part(name="an example", turn=EXAMPLES, start=0, end=len(user.content))
    return [
        ChatMessage(role="user", content=user.content, parts=[whole]),
        ChatMessage(role="assistant", content=example.answer),
    ]


def _about(question: Question) -> Words:
    """What the question asks for, without the names of the things that it asks for."""
    parts = [getattr(question, part, None) for part in ("task", "subtask", "sub_action")]
    goals = [part.success for part in parts if part is not None and part.success is not None]
    names = frozenset(goal.name for goal in goals)
    return words(subject(prompts_for(question), question), without=names)
