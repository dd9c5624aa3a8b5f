"""Breakpoint services of the llm node: list, show, edit and release held answers."""

import logging
import time
from collections.abc import Callable

import msgspec

from messages.breaking import Breaks, Held, HeldId, SetBreak, UseAnswer, Used
from messages.bus import BusError, ServiceError
from messages.chat import ANSWERS, Answered, Question
from messages.empty import Empty
from messages.program import CheckProgram, Problem
from nodes.common.checks.answer_check import answer_problems, problem_lines, programs_of
from nodes.llm.answers.answer_parsing import parse
from nodes.llm.answers.answer_schema import answer_schema
from nodes.llm.breakpoints import Breakpoints, NotHeld, Waiting
from nodes.llm.recording.transcript import Entry, Unanswered

_PERSON = "a person"


class BreakpointServices:
    """``check`` has the env server check a program, and raises BusError where there is none;
    ``model`` is named where a person answered a question that the model did not; ``use`` records
    what a person let go on, and gives it to those who asked, or raises OSError."""

    def __init__(
        self,
        breakpoints: Breakpoints,
        check: Callable[[CheckProgram], list[Problem]],
        most_samples: int,
        model: str,
        log: logging.Logger,
        use: Callable[[Waiting], object],
    ) -> None:
        self._breakpoints = breakpoints
        self._check = check
        self._most_samples = most_samples
        self._model = model
        self._log = log
        self._use = use

    # Services

    def breaks(self, _: Empty) -> Breaks:
        return self._breakpoints.state()

    def set_break(self, request: SetBreak) -> Breaks:
        """Raises ServiceError ``invalid``."""
        try:
            state = self._breakpoints.set(request.at, request.stops)
        except ValueError as error:
            raise ServiceError(str(error), code="invalid") from None
        except OSError as error:
            raise ServiceError(
                f"nothing has changed: {error.filename} cannot be written: {error.strerror}",
                code="disk",
            ) from None
        by = f" by {request.by}" if request.by else ""
        self._log.info("breakpoint at %s %s%s", request.at, "set" if request.stops else "off", by)
        return state

    def held(self, request: HeldId) -> Held:
        """Raises ServiceError ``unknown``."""
        return self._breakpoints.held(self._waiting(request.id), self._most_samples)

    def use(self, request: UseAnswer) -> Used:
        """Raises ServiceError ``unknown``, ``disk``."""
        waiting = self._waiting(request.id)
        answer = None
        if request.answer is not None:
            try:
                answer = parse(waiting.question, request.answer)
            except ValueError as error:
                return Used(problems=_schema_problems(waiting.question, request.answer, error))
            problems = self._problems(waiting.question, answer)
            if problems:
                return Used(problems=problems)
            if waiting.entry is not None and answer == waiting.entry.answered.answer:
                answer = None  # nothing was changed
        try:
            self._breakpoints.release(waiting, answer, request.by)
            self._use(waiting)
        except NotHeld:
            raise self._unknown(request.id) from None
        except OSError as error:
            raise ServiceError(
                f"the answer still waits: {error.filename} cannot be written: {error.strerror}",
                code="disk",
            ) from None
        return Used(edited=answer is not None)

    # For the node

    def settled(self, waiting: Waiting) -> Entry | Unanswered:
        """What is recorded of a question once a person let its answer go on."""
        recorded = waiting.recorded
        if waiting.answer is None:
            return recorded
        by = waiting.by or _PERSON
        self._log.info("%s: the answer was edited by %s", waiting.id, by)
        if isinstance(recorded, Entry):
            answered = msgspec.structs.replace(
                recorded.answered, answer=waiting.answer, edited_by=by
            )
            was = recorded.answered.answer
            return msgspec.structs.replace(recorded, answered=answered, was=was)
        return Entry(
            time=time.time(),
            agent=recorded.agent,
            asked=recorded.asked,
            question=recorded.question,
            prompt=recorded.prompt,
            schema=answer_schema(waiting.question),
            answered=Answered(
                id=waiting.id,
                answer=waiting.answer,
                model=self._model,
                prompt_tokens=recorded.prompt_tokens,
                completion_tokens=recorded.completion_tokens,
                seconds=recorded.seconds,
                edited_by=by,
            ),
            failures=recorded.failures,
            attempts=recorded.attempts,
            was="",
        )

    def _waiting(self, id: str) -> Waiting:
        found = self._breakpoints.find(id)
        if found is None or found.released:
            raise self._unknown(id)
        return found

    def _unknown(self, id: str) -> ServiceError:
        others = [note.id for note in self._breakpoints.state().held if note.id != id]
        return ServiceError(
            f"no answer to {id!r} waits; there are: {', '.join(others) or 'none'}", code="unknown"
        )

    def _problems(self, question: Question, answer: str) -> list[str]:
        """What the agent that asked would find, all of it."""
        problems = answer_problems(question, answer, self._most_samples)
        for check in programs_of(question, answer)[0]:
            try:
                problems += problem_lines(check, self._check(check))
            except BusError as error:
                self._log.warning("%s is not checked: %s", check.program.name, error)
        return problems


def _schema_problems(question: Question, text: str, first: ValueError) -> list[str]:
    """Every place where a text differs from the answer's type, not only the ``first``."""
    try:
        value = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return [str(first)]
    return _wrong(value, ANSWERS[type(question)], "the answer") or [str(first)]


def _wrong(value: object, kind: object, where: str) -> list[str]:
    try:
        msgspec.convert(value, kind, strict=False)
    except msgspec.ValidationError as error:
        inner: list[str] = []
        parts = getattr(kind, "__args__", ())
        if isinstance(value, dict) and isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            for field in msgspec.structs.fields(kind):
                if field.encode_name in value:
                    place = f"{where}.{field.encode_name}"
                    inner += _wrong(value[field.encode_name], field.type, place)
                elif field.required:
                    inner.append(f"{where} lacks `{field.encode_name}`")
        elif isinstance(value, list) and getattr(kind, "__origin__", None) is list and parts:
            for number, each in enumerate(value):
                inner += _wrong(each, parts[0], f"{where}[{number}]")
        return inner or [f"{where}: {str(error).partition(' - at ')[0]}"]
    return []
