"""Examples that a model is shown beside a question: those that are the most like it.

They stand between the system message and the question as turns of the conversation, each question
with its answer and the nearest one last, so that the answer that a small model has to vary stands
right before its own.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Literal

import msgspec
from jinja2 import TemplateError

from messages.chat import ChatMessage, Part, ProgramQuestion, Question
from nodes.common.questions.asking import render, subject
from nodes.common.questions.prompt_parts import EXAMPLES
from nodes.llm.answers.answer_parsing import parse
from nodes.llm.examples.example import (
    AGENTS,
    Example,
    prompts_for,
    question_of,
    read,
    stating_quantities,
)
from nodes.llm.examples.similarity import Index, Words, words

_QUOTED = re.compile(r"`[^`]*`|(?<!\w)'[^']*'")  # but no apostrophe: can't
_Last = Literal["", "refused", "fell short", "fell short earlier"]
"""The outcome of the last answer to a question that is asked again; "": it is asked first."""
_Group = tuple[str, _Last, bool]
"""The type of the question, the last answer to it, and whether it states quantities."""


@dataclass(frozen=True)
class _Shown:
    question: bytes  # JSON
    turn: list[ChatMessage]


class Library:
    """Examples by the kind of their question, those of a first answer apart from those of a better
    one after a refusal, or after a program that fell short.

    Raises:
        ValueError: one of them is none that this version can show; which.
    """

    def __init__(self, examples: Iterable[Example]) -> None:
        self._count = 0
        self._times: Counter[bytes] = Counter()  # by digest: a long run has thousands of questions
        self._lock = Lock()  # questions are answered side by side
        self._examples: dict[_Group, list[_Shown]] = {}
        texts: dict[_Group, list[Words]] = {}
        for number, each in enumerate(examples, 1):
            try:
                for question, answer in _forms(each):
                    group, about = _group(question), _about(question) | _wrong_before(question)
                    shown = _Shown(msgspec.json.encode(question), _turn(question, answer))
                    self._examples.setdefault(group, []).append(shown)
                    texts.setdefault(group, []).append(about)
            # A name that a template looks up and does not find is a KeyError.
            except (ValueError, KeyError, TemplateError) as error:
                raise ValueError(f"line {number}: {error}") from None
            self._count += 1
        self._indices = {group: Index(found) for group, found in texts.items()}

    @classmethod
    def of_file(cls, path: Path) -> "Library":
        """The examples of a file. Raises ValueError: it cannot be read, or holds none; one
        sentence."""
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
        return self._count

    def turns(self, question: Question, count: int) -> list[ChatMessage]:
        """The ``count`` examples that are the most like the question, as turns of a conversation,
        two messages each; fewer where there are no more of its kind. A question that is asked again
        is shown the same ones, which a server then need not read again, and after them the one that
        is the most like it of those that were asked again, after the like. The very same question
        is shown the next ones each time, as a model at temperature 0 would give the same answer
        again. The question itself is never among them."""
        if type(question) not in AGENTS:
            return []
        about, itself = _about(question), msgspec.json.encode(question)
        kind, last, quantities = _group(question)
        with self._lock:
            digest = hashlib.blake2b(itself, digest_size=16).digest()
            before = self._times[digest]
            self._times[digest] += 1
        shown = self._nearest(itself, about, (kind, "", quantities), count, before)
        if last:
            about |= _wrong_before(question)
            repaired = self._nearest(itself, about, (kind, last, quantities), 1, before)
            shown = [*repaired, *shown]
        return [message for each in reversed(shown) for message in each.turn]

    def _nearest(
        self, itself: bytes, about: Words, group: _Group, count: int, before: int
    ) -> list[_Shown]:
        """The most similar one first, after those that were shown ``before`` so many times, and
        without the question ``itself``."""
        examples = self._examples.get(group, [])
        if not examples:
            return []
        order = self._indices[group].nearest(about, len(examples))
        near = (examples[number] for number in order)
        others = [each for each in near if each.question != itself]
        first = before * count
        return others[first : first + count] or others[:count]


def _group(question: Question) -> _Group:
    return type(question).__name__, _last(question), getattr(question, "quantities", False)


def _last(question: Question) -> _Last:
    if isinstance(question, ProgramQuestion):
        if question.attempts:
            return "refused" if question.attempts[-1].problems else "fell short"
        return "fell short earlier" if question.tried else ""
    again = getattr(question, "attempts", None) or getattr(question, "refused", None)
    return "refused" if again else ""


def _forms(example: Example) -> list[tuple[Question, str]]:
    """A plan is shown with either form of the question: as it was asked, and with quantities."""
    question = question_of(example)
    answer = parse(question, example.answer)
    stated = stating_quantities(question, answer)
    return [(question, answer), *([] if stated is None else [stated])]


def _turn(question: Question, answer: str) -> list[ChatMessage]:
    _, user = render(prompts_for(question), question)  # by the templates of today
    whole = Part(name="an example", turn=EXAMPLES, start=0, end=len(user.content))
    return [
        ChatMessage(role="user", content=user.content, parts=[whole]),
        ChatMessage(role="assistant", content=answer),
    ]


def _about(question: Question) -> Words:
    """What the question asks for, without the names of the things that it asks for."""
    parts = [getattr(question, part, None) for part in ("task", "subtask", "sub_action")]
    goals = [part.success for part in parts if part is not None and part.success is not None]
    names = frozenset(goal.name for goal in goals)
    return words(subject(prompts_for(question), question), without=names)


def _wrong_before(question: Question) -> Words:
    """What was wrong with the last answer to it, without what it quotes. Each word is one of its
    own, apart from those of what is to be done."""
    attempts = getattr(question, "attempts", None) or []
    problems = [problem.message for attempt in attempts[-1:] for problem in attempt.problems]
    problems += getattr(question, "problems", [])
    text = _QUOTED.sub("", " ".join(problems))
    return frozenset(f"wrong_{word}" for word in words(text))
