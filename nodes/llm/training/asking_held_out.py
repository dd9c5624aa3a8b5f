"""How well a model answers questions about goals that are held out, in figures.

It is asked in plain text, without a server that enforces the schema. Counted are the answers that
are valid by the schema, those that pass the agent's check, and those that equal the rulebook's; and
apart from these the plans that can be carried out on paper, by the rules.
"""

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from messages.chat import ChatMessage, PlanAnswer, PlanQuestion, Question
from nodes.common.checks.answer_check import answer_problems
from nodes.llm import manifest
from nodes.llm.answers.answer_parsing import parse
from nodes.llm.backend import BackendError
from nodes.llm.examples.example import Example, question_of, read
from nodes.llm.getting.refusals import Failed, Refused
from nodes.llm.getting.weight_places import check_holds_model
from nodes.llm.lessons.lessons import goals_of, held_out_goals, held_out_of, questions
from nodes.llm.lessons.shown import RULEBOOK
from nodes.llm.lessons.taught import SOURCE
from nodes.llm.profiles import Vllm
from nodes.llm.requests.openai import OpenAIBackend
from nodes.llm.vllm.adapter import served_name
from nodes.llm.vllm.served_once import served
from nodes.llm.vllm.vllm_server import ServerFailed
from worlds import card

_CHECKED = ("PlanQuestion", "DecomposeQuestion")
"""Whether a program passes is not known without a world."""
_AT_ONCE = 4
_TRIES = 3  # of a question whose server was lost: it is started again


@dataclass(frozen=True)
class Asking:
    """How the model is asked. ``examples``: a file of examples, or ``rulebook``; of these the
    ``shown`` most similar are shown with each question. ``quantities``: questions for a plan state
    how many of each item it takes. ``adapter``: the folder of one that is put on the weights."""

    examples: str | None = None
    shown: int = 2
    quantities: bool = False
    device: Literal["cpu", "cuda"] = "cpu"
    adapter: str | None = None


@dataclass(frozen=True)
class Figures:
    """The figures of so many questions of one kind. ``refused``: of each answer that was not
    accepted the goal and why. ``on_paper``: the plans that can be carried out by the rules, whether
    they were accepted or not; None: it is no plan that was asked for."""

    asked: int
    valid: int
    accepted: int
    same: int
    refused: list[str]
    on_paper: int | None = None


def ask_held_out(folder: Path, count: int, seed: int, asking: Asking) -> dict[str, Figures]:
    """Ask ``count`` questions of each kind that can be checked, and print the figures.

    Raises:
        Refused: there are no weights, or they cannot be served here.
        Failed: the server ended.
    """
    check_holds_model(folder)
    profile = Vllm(
        model=folder.name, path=str(folder), device=asking.device, adapter=asking.adapter,
        context=8192, sequences=_AT_ONCE,
        kv_cache_memory="512M" if asking.device == "cpu" else None, eager=True, temperature=0.0,
        max_tokens=1024, timeout=900.0, response_format="text", stream=False,
        examples=asking.examples, shown=asking.shown,
    )  # fmt: skip
    examples = questions(dict.fromkeys(_CHECKED, count), seed, asking.quantities)
    shortened: list[str] = []
    try:
        known = taught(folder, asking)
        with served(profile) as server:
            backend = OpenAIBackend(profile, served_name(profile), server.ready)
            found = judged(examples, lambda example: text_of(backend, example, shortened))
    except ServerFailed as error:
        raise Failed(str(error)) from None
    except ValueError as error:
        raise Refused(str(error)) from None
    print(f"{served_name(profile)}, questions about goals that are held out, as plain text:")
    if sentence := not_held_out(examples, known):
        print(f"  {sentence}")
    print(f"  {practised(examples)}")
    for kind, figures in found.items():
        print(f"  {kind}: {in_words(figures)}")
        for sentence in figures.refused:
            print(f"    refused, {sentence}")
    for sentence in shortened:
        print(f"  too long for the context, {sentence}")
    return found


def in_words(figures: Figures) -> str:
    on_paper = figures.on_paper
    return (
        f"{figures.valid} of {figures.asked} valid by the schema, {figures.accepted} accepted at "
        f"first, {figures.same} the same as the rulebook's"
        + ("" if on_paper is None else f"; {on_paper} can be carried out on paper, by the rules")
    )


def taught(folder: Path, asking: Asking) -> set[str]:
    """The goals that are held out and that a model was taught all the same, or is shown.

    Raises:
        ValueError: a manifest, or the file of examples, cannot be read.
    """
    adapter = [Path(os.path.expanduser(asking.adapter))] if asking.adapter else []
    names = {
        name for each in map(manifest.read, [folder, *adapter]) if each for name in each.held_out
    }
    if asking.examples is not None and asking.examples != RULEBOOK:
        path = Path(os.path.expanduser(asking.examples)).absolute()
        try:
            names |= {name for each in read(path) if (name := _held_out_goal(each))}
        except OSError as error:
            raise ValueError(f"{path} cannot be read: {error.strerror}") from None
        except ValueError as error:
            raise ValueError(f"{path} is no file of examples: {error}") from None
    return names


def _held_out_goal(example: Example) -> str:
    """The goal that is held out and that an example gives away; "" where it gives none away. The
    rulebook's lessons have such goals as steps to others, and of a run that is what it is about."""
    if example.source == SOURCE:
        return example.goal if example.goal in held_out_goals() else ""
    return held_out_of(example)


def not_held_out(examples: list[Example], known: set[str]) -> str:
    """What makes the figures no measure of what was not seen, in words; "" where nothing does."""
    if not known:
        return ""
    count = sum(not known.isdisjoint(goals_of(each)) for each in examples)
    return (
        f"but it was taught, or is shown, answers about {', '.join(sorted(known))}: {count} of "
        f"{len(examples)} questions are about these"
    )


def practised(examples: list[Example]) -> str:
    """How many decompositions are of a step that is held out itself. The others are of steps that
    lessons have as well, on the way to other goals."""
    steps = [goals_of(each)[-1] for each in examples if each.kind == "DecomposeQuestion"]
    names = held_out_goals()
    return (
        f"{sum(step in names for step in steps)} of {len(steps)} decompositions are of a step that "
        "is held out, the others of a step to such a goal that lessons may have too"
    )


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
            on_paper=sum(row.on_paper for row in rows) if kind == "PlanQuestion" else None,
        )
    return found


@dataclass(frozen=True)
class _Row:
    goal: str
    valid: bool
    problem: str  # the first one; empty: the answer is accepted
    same: bool
    on_paper: bool = False  # a plan that the rules carry out


def _row(example: Example, text: str) -> _Row:
    question = question_of(example)
    try:
        answer = parse(question, text)
    except ValueError as error:
        return _Row(example.goal, False, str(error), False)
    problem = next(iter(answer_problems(question, answer)), "")
    same = _steps(answer) == _steps(example.answer)
    return _Row(example.goal, True, problem, same, _on_paper(question, answer))


def _on_paper(question: Question, answer: str) -> bool:
    """Whether it is a plan in which all is there when its turn comes, by the game's recipes."""
    if not isinstance(question, PlanQuestion):
        return False
    subtasks = msgspec.json.decode(answer, type=PlanAnswer).subtasks
    game = card(question.task.game)
    if not subtasks or any(game.conditions.problem(each.success) for each in subtasks):
        return False
    return not game.planning.shortfalls(subtasks, question.task.inventory)


def _steps(answer: str) -> object:
    """What is to be done, without the words about it."""
    values = msgspec.json.decode(answer)
    steps = values.get("subtasks") or values.get("sub_actions") or []
    return [(step["success"], step.get("method")) for step in steps]


def text_of(backend: OpenAIBackend, example: Example, shortened: list[str]) -> str:
    """The text of the model; empty: it was cut off. ``shortened`` gets a sentence where its prompt
    was too long.

    Raises:
        Failed: the server gave no answer, which is no fault of the model's.
    """
    prompt = [
        ChatMessage(role="system", content=example.system),
        ChatMessage(role="user", content=example.user),
    ]
    question = question_of(example)
    tries = 0
    while True:
        tries += 1
        try:
            fitted = backend.fitted(backend.with_examples(question, prompt))
            if fitted.left_out:
                shortened.append(f"{example.goal}: it went without {', '.join(fitted.left_out)}")
            return backend.complete(question, fitted.prompt, {}).text
        except BackendError as error:
            if error.too_long or error.completion_tokens:
                return ""  # the model's own failure: cut off
            if not error.lost or tries == _TRIES:
                raise Failed(f"the test ended without figures: {error}") from None
