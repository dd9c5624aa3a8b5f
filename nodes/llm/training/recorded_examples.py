"""Examples from runs that succeeded: the answers of a strong model teach a small one.

Only answers that led to success: of a run that reached its goal, those that were not followed by
another answer to the same question.
"""

import re
from pathlib import Path

import msgspec

from messages.chat import Question
from messages.undecodable import UNDECODABLE
from nodes.common.checks.answer_check import answer_problems
from nodes.llm.examples.example import KINDS, Example, example
from nodes.llm.getting.refusals import Refused
from nodes.llm.replay import transcript_path
from nodes.llm.transcript import Entry, read_lines

_AGAIN = re.compile(r"-(\d+)$")


class _Outcome(msgspec.Struct):
    success: bool = False


def recorded(run: Path) -> list[Example]:
    """Raises Refused where there is no such run, or one that fell short."""
    try:
        outcome = msgspec.json.decode((run / "summary.json").read_bytes(), type=_Outcome)
        entries = read_lines(transcript_path(str(run)), Entry)
    except OSError as error:
        where = error.filename or run
        raise Refused(
            f"{run} is no run that can be learned from: {where} cannot be read ({error.strerror})"
        ) from None
    except ValueError as error:
        raise Refused(f"{run} is no run that can be learned from: {error}") from None
    if not outcome.success:
        raise Refused(f"{run} did not reach its goal: what was answered there is not taught")
    last: dict[str, Entry] = {}
    for entry in entries:
        if entry.asked in KINDS:
            last[_AGAIN.sub("", entry.answered.id)] = entry
    found: list[Example] = []
    for entry in last.values():
        try:
            question: Question = msgspec.json.decode(entry.question, type=KINDS[entry.asked])
        except UNDECODABLE as error:  # as of a run by another version
            raise Refused(
                f"{run} is no run that can be learned from: its question {entry.answered.id} "
                f"is no {entry.asked} of this version ({error})"
            ) from None
        if not answer_problems(question, entry.answered.answer):
            goal = getattr(question, "task").success.name  # noqa: B009 - each kind has one
            answer = entry.answered.answer
            found.append(example(question, answer, goal, entry.answered.model))
    return found
