"""A recorded question, put again to a model of one's choice: ``rlgpt ask``.

It reads a request as JSON on standard input and prints a reply as JSON. Nothing of the run is
changed. What is wrong with the request is one sentence on standard error, with exit code 2.
"""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import jinja2
import msgspec

from messages.chat import ChatMessage, Question, game_of
from messages.program import CheckProgram
from messages.undecodable import UNDECODABLE
from nodes.common.checks.answer_check import MOST_SAMPLES, answer_problems, programs_of
from nodes.common.questions.asking import kind_of, render
from nodes.common.questions.template_faults import template_fault
from nodes.common.running.command import ended
from nodes.common.running.ending_signals import interrupted_once
from nodes.common.running.exit_codes import REFUSED
from nodes.common.running.standard_error import to_stderr
from nodes.llm.answers.checked_answers import Asked, NoValidAnswer, answer
from nodes.llm.backend import Backend, BackendError
from nodes.llm.profiles import OpenAI, Replay, Rulebook, Vllm, read_profile
from nodes.llm.recording.prompt_difference import differing_lines
from nodes.llm.recording.replay import transcript_path
from nodes.llm.recording.transcript import (
    Entry,
    Unanswered,
    check_answer,
    read_lines,
    read_question,
)
from nodes.llm.requests.fitting import Fitted
from nodes.llm.requests.openai import OpenAIBackend
from nodes.llm.requests.question_pictures import check, stored
from nodes.llm.rulebook.rulebook_backend import RulebookBackend
from nodes.llm.vllm.adapter import served_name
from nodes.llm.vllm.served_once import served
from nodes.llm.vllm.vllm_server import ServerFailed
from worlds import GameError

_NODES = Path(__file__).parents[1]
_MOST_LINES = 40  # of the difference of two prompts


class Request(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    run: str
    id: str
    profile: dict[str, Any]
    prompt: Literal["now", "sent", "file"]
    file: str = ""  # a template if it ends with .jinja, else the user's message as it is
    repairs: int = 3
    most_samples: int = MOST_SAMPLES


class Side(msgspec.Struct, kw_only=True):
    """One answer. ``checks``: the programs in it, which are still to be checked."""

    model: str
    answer: str = ""  # JSON; empty: there was none
    failures: list[str] = []  # what was wrong with earlier tries
    problems: list[str] = []  # what the agent that asked finds wrong with it
    checks: list[CheckProgram] = []
    seconds: float = 0.0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    weights: str = ""  # version of what answered; empty: not known
    left_out: list[str] = []  # parts of the prompt that the model's context was too small for
    edited_by: str = ""  # who gave this answer in place of the model's; empty: no person did


class ReplyAgain(msgspec.Struct, kw_only=True):
    id: str
    asked: str
    game: str
    then: Side
    now: Side
    prompt: list[ChatMessage]
    differs: list[str]  # lines in which the prompt differs from the one that was sent


class Unusable(Exception):
    """The request is invalid; one sentence."""


def again(request: Request) -> ReplyAgain:
    """Raises Unusable."""
    entry = _find_recorded(request)
    question = _question(entry, request.id)
    prompt = _prompt(request, entry, question)
    if isinstance(entry, Entry):
        answered = entry.answered
        then = Side(
            model=answered.model,
            answer=answered.answer,
            failures=entry.failures,
            seconds=answered.seconds,
            prompt_tokens=answered.prompt_tokens,
            completion_tokens=answered.completion_tokens,
            weights=answered.weights,
            left_out=answered.left_out,
            edited_by=answered.edited_by,
        )
    else:
        then = Side(
            model="no answer",
            failures=entry.failures or [entry.sentence],
            left_out=entry.left_out,
        )
    now = _ask(request, question, prompt)
    for side in (then, now):
        if side.answer:
            side.problems = answer_problems(question, side.answer, request.most_samples)
            side.checks, unknown = programs_of(question, side.answer)
            side.problems += [f"Not checked: {sentence}" for sentence in unknown]
    return ReplyAgain(
        id=request.id,
        asked=entry.asked,
        game=game_of(question),
        then=then,
        now=now,
        prompt=prompt,
        differs=_differences(entry.prompt, prompt),
    )


def _find_recorded(request: Request) -> Entry | Unanswered:
    try:
        path = transcript_path(request.run)
        entries: list[Entry | Unanswered] = [*read_lines(path, Entry)]
        beside = path.with_name("unanswered.jsonl")
        if beside.is_file():
            entries += read_lines(beside, Unanswered)
    except (OSError, ValueError) as error:
        raise Unusable(f"the questions of {request.run} cannot be read: {error}") from None
    for entry in entries:
        if request.id == (entry.answered.id if isinstance(entry, Entry) else entry.id):
            return entry
    raise Unusable(f"{request.run} has no question {request.id!r}")


def _question(entry: Entry | Unanswered, id: str) -> Question:
    """The recorded question, whose answer can be compared, too. Raises Unusable."""
    try:
        question = read_question(entry)
    except ValueError as error:
        raise Unusable(f"the question {id} cannot be asked again: {error}") from None
    if isinstance(entry, Entry):
        try:
            check_answer(entry.answered.answer, question)
        except ValueError as error:
            raise Unusable(f"the answer to {id} cannot be compared: {error}") from None
    return question


def _prompt(request: Request, entry: Entry | Unanswered, question: Question) -> list[ChatMessage]:
    if request.prompt == "sent":
        return entry.prompt
    prompts = _NODES / entry.agent / "prompts"
    instead: dict[str, str] = {}
    text, template = "", request.file.endswith(".jinja")
    if request.prompt == "file":
        try:
            text = Path(request.file).read_text("utf-8")
        except OSError as error:
            raise Unusable(f"{request.file} cannot be read: {error.strerror}") from None
        except UnicodeDecodeError:
            raise Unusable(f"{request.file} is not text in UTF-8") from None
        if template:
            kinds = [f"{kind_of(question)}.{role}.jinja" for role in ("system", "user")]
            name = Path(request.file).name
            if name not in kinds:
                raise Unusable(
                    f"{name} is no template of this question: call it {kinds[0]} or {kinds[1]}"
                )
            instead[name] = text
    try:
        prompt = render(prompts, question, instead)
    except jinja2.TemplateError as error:
        raise Unusable(template_fault(error, request.file or "a template")) from None
    if request.prompt == "file" and not template:
        pictures = prompt[1].pictures
        prompt = [prompt[0], ChatMessage(role="user", content=text, pictures=pictures)]
    return prompt


def _ask(request: Request, question: Question, prompt: list[ChatMessage]) -> Side:
    began = time.monotonic()
    with _backend(request, question, prompt) as (backend, patience, weights):
        fitted = Fitted(prompt)
        try:
            if isinstance(backend, OpenAIBackend):
                fitted = backend.fitted(backend.with_examples(question, prompt))
            found = answer(backend, question, fitted.prompt, request.repairs, patience)
            side = _side(backend, found.asked, began, found.answer)
        except NoValidAnswer as error:
            side = _side(backend, error.asked, began, failures=[str(error)])
        except BackendError as error:
            return Side(model=backend.model, failures=[str(error)], weights=weights)
        side.weights = weights or side.weights
        side.left_out = [*fitted.left_out, *side.left_out]
        return side


def _side(
    backend: Backend,
    asked: Asked,
    began: float,
    text: str = "",
    failures: list[str] | None = None,
) -> Side:
    return Side(
        model=backend.model,
        answer=text,
        failures=failures or asked.failures,
        seconds=time.monotonic() - began,
        prompt_tokens=asked.prompt_tokens,
        completion_tokens=asked.completion_tokens,
        weights=asked.version,
        left_out=asked.left_out,
    )


@contextmanager
def _backend(
    request: Request, question: Question, prompt: list[ChatMessage]
) -> Iterator[tuple[Backend, float, str]]:
    """The backend that is asked, how many seconds an absent server is waited for, and the version
    of the weights that are served here; "" where none are."""
    try:
        profile = read_profile(request.profile)
        if isinstance(profile, Replay):
            raise Unusable(
                "this run repeats another one's answers, and its profile answers nothing else: "
                "name a model with --llm"
            )
        if isinstance(profile, Rulebook):
            backend = RulebookBackend(profile.rules, game_of(question), profile.guards_by)
            yield backend, 0.0, ""
            return
        names = [name for message in prompt for name in message.pictures]
        if names and not profile.vision:
            raise Unusable(
                f"{profile.model} is not shown pictures, and the question has some: choose one "
                "that sees, or set llm.vision=true if this one does"
            )
        shown = stored(transcript_path(request.run).parent / "pictures", names)
        check(prompt, shown)
        if isinstance(profile, OpenAI):
            yield OpenAIBackend.at(profile).showing(shown), profile.patience, ""
            return
        with _served(profile) as (backend, version):
            yield backend.showing(shown), profile.patience, version
    except ValueError as error:
        raise Unusable(str(error)) from None


@contextmanager
def _served(profile: Vllm) -> Iterator[tuple[OpenAIBackend, str]]:
    try:
        with served(profile) as server:
            yield OpenAIBackend(profile, served_name(profile), server.ready), server.version
    except ServerFailed as error:
        raise Unusable(str(error)) from None


def _differences(then: list[ChatMessage], now: list[ChatMessage]) -> list[str]:
    found = differing_lines(then, now)
    if len(found) <= _MOST_LINES:
        return found
    return [*found[:_MOST_LINES], f"and {len(found) - _MOST_LINES} more lines"]


def main() -> int:
    interrupted_once()  # a server that was started for this question is to end in order
    try:
        # Python's JSON has infinity, as of a timeout.
        request = msgspec.convert(json.load(sys.stdin), type=Request)
        print(msgspec.json.encode(again(request)).decode())
    except (Unusable, GameError, *UNDECODABLE) as error:
        to_stderr(str(error))
        return REFUSED
    return 0


if __name__ == "__main__":
    sys.exit(ended(main))
