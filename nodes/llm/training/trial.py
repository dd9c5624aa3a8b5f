"""How well a model answers questions about goals that are never taught, in figures.

It is asked in plain text, without a server that enforces the schema. Counted are the answers that
are valid by the schema, those that pass the agent's check, and those that equal the rulebook's.
"""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import msgspec

from messages.chat import ChatMessage
from nodes.common.checks.answer_check import answer_problems
from nodes.llm.answer_parsing import parse
from nodes.llm.backend import BackendError
from nodes.llm.examples.example import Example, question_of
from nodes.llm.getting.refusals import Failed, Refused
from nodes.llm.getting.weight_places import check_holds_model
from nodes.llm.lessons.lessons import questions
from nodes.llm.openai import OpenAIBackend
from nodes.llm.profiles import Vllm
from nodes.llm.vllm.served_once import served
from nodes.llm.vllm.vllm_server import ServerFailed

_CHECKED = ("PlanQuestion", "DecomposeQuestion")
"""Whether a program passes is not known without a world."""
_AT_ONCE = 4


@dataclass(frozen=True)
class Figures:
    """The figures of so many questions of one kind. ``refused``: of each answer that was not
    accepted the goal and why."""

    asked: int
    valid: int
    accepted: int
    same: int
    refused: list[str]


def trial(
    folder: Path,
    count: int,
    seed: int,
    shown_from: str | None = None,
    shown: int = 2,
    quantities: bool = False,
) -> dict[str, Figures]:
    """Ask ``count`` questions of each kind that can be checked, and print the figures.
    ``shown_from``: a file of examples, or ``rulebook``; of these the ``shown`` most similar are
    shown with each. ``quantities``: questions for a plan state how many of each item it takes.

    Raises:
        Refused: there are no weights, or they cannot be served here.
        Failed: the server ended.
    """
    check_holds_model(folder)
    profile = Vllm(
        model=folder.name, path=str(folder), device="cpu", context=8192, sequences=_AT_ONCE,
        kv_cache_memory="512M", eager=True, temperature=0.0, max_tokens=1024, timeout=900.0,
        response_format="text", stream=False,
        examples=shown_from, shown=shown,
    )  # fmt: skip
    examples = questions(dict.fromkeys(_CHECKED, count), seed, quantities)
    try:
        with served(profile) as server:
            backend = OpenAIBackend(profile, profile.model, server.ready)
            found = judged(examples, lambda example: _answer(backend, example))
    except ServerFailed as error:
        raise Failed(str(error)) from None
    except ValueError as error:
        raise Refused(str(error)) from None
    print(f"{folder.name}, questions about goals that are never taught, as plain text:")
    for kind, figures in found.items():
        print(
            f"  {kind}: {figures.valid} of {figures.asked} valid by the schema, "
            f"{figures.accepted} accepted at first, {figures.same} the same as the rulebook's"
        )
        for sentence in figures.refused:
            print(f"    refused, {sentence}")
    return found


def judged(examples: list[Example], answer: Callable[[Example], str]) -> dict[str, Figures]:
    """The figures by kind, with the text of ``answer`` for each question, four at a time. What
    becomes of each is printed at once: on a CPU all take long."""
    by_kind: dict[str, list[_Row]] = {}
    began = time.monotonic()
    pool = ThreadPoolExecutor(_AT_ONCE)
    try:
        answered = zip(examples, pool.map(answer, examples), strict=True)
        for number, (example, text) in enumerate(answered, 1):
            row = _row(example, text)
            by_kind.setdefault(example.kind, []).append(row)
            print(
                f"{time.monotonic() - began:8.1f} s  question {number} of {len(examples)}, "
                f"{example.kind} for {row.goal}: {'refused' if row.problem else 'accepted'}",
                flush=True,
            )
    finally:
        # An interrupt waits for no answer: the server that writes it ends next.
        pool.shutdown(wait=False, cancel_futures=True)
    found: dict[str, Figures] = {}
    for kind, rows in by_kind.items():
        found[kind] = Figures(
            asked=len(rows),
            valid=sum(row.valid for row in rows),
            accepted=sum(not row.problem for row in rows),
            same=sum(row.same for row in rows),
            refused=[f"{row.goal}: {row.problem}" for row in rows if row.problem],
        )
    return found


@dataclass(frozen=True)
class _Row:
    goal: str
    valid: bool
    problem: str  # the first one; empty: the answer is accepted
    same: bool


def _row(example: Example, text: str) -> _Row:
    question = question_of(example)
    try:
        answer = parse(question, text)
    except ValueError as error:
        return _Row(example.goal, False, str(error), False)
    problem = next(iter(answer_problems(question, answer)), "")
    return _Row(example.goal, True, problem, _steps(answer) == _steps(example.answer))


def _steps(answer: str) -> object:
    """What is to be done, without the words about it."""
    values = msgspec.json.decode(answer)
    steps = values.get("subtasks") or values.get("sub_actions") or []
    return [(step["success"], step.get("method")) for step in steps]


def _answer(backend: OpenAIBackend, example: Example) -> str:
    prompt = [
        ChatMessage(role="system", content=example.system),
        ChatMessage(role="user", content=example.user),
    ]
    question = question_of(example)
    try:
        fitted = backend.fitted(backend.with_examples(question, prompt))
        return backend.complete(question, fitted.prompt, {}).text
    except BackendError:
        return ""  # cut off, or nothing at all: not valid
