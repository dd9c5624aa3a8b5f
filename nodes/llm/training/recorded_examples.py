"""Examples from runs that succeeded: the answers of a strong model teach a small one.

Only answers that led to success: of a run that reached its goal, those of the plan and of the
iterations that were chosen (`successful_answers.py`).
"""

from pathlib import Path

import msgspec

from messages.plan import GoalReport
from messages.undecodable import UNDECODABLE
from nodes.common.checks.answer_check import answer_problems
from nodes.llm.examples.example import KINDS, Example, example
from nodes.llm.getting.refusals import Refused
from nodes.llm.recording.replay import transcript_path
from nodes.llm.recording.transcript import Entry, check_answer, read_lines
from nodes.llm.training.successful_answers import Asked, leading_to_success

_REPORT = "goal_report.json"


class _Outcome(msgspec.Struct):
    success: bool = False
    goal: str = ""  # its id, with which those of its questions begin


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
    report = _report(run)
    asked = [
        _asked(run, entry)
        for entry in entries
        if entry.asked in KINDS
        and (not outcome.goal or entry.answered.id.startswith(f"{outcome.goal}/"))
    ]
    valid = [each for each in asked if not answer_problems(each.question, each.answer)]
    return [
        # Each of these kinds has a task.
        example(each.question, each.answer, getattr(each.question, "task").success.name, each.model)  # noqa: B009
        for each in leading_to_success(report, valid)
    ]


def _report(run: Path) -> GoalReport:
    """Which iterations stand. Raises Refused where that is not known."""
    try:
        report = msgspec.json.decode((run / _REPORT).read_bytes(), type=GoalReport)
    except (OSError, *UNDECODABLE) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise Refused(
            f"{run} is no run that can be learned from: which of its answers led to success is in "
            f"{run / _REPORT}, which cannot be read ({why}); `rlgpt report {run}` writes it again"
        ) from None
    if not report.success:
        raise Refused(f"{run} did not reach its goal: what was answered there is not taught")
    return report


def _asked(run: Path, entry: Entry) -> Asked:
    answered = entry.answered
    try:
        question = msgspec.json.decode(entry.question, type=KINDS[entry.asked])
    except UNDECODABLE as error:  # as of a run by another version
        raise Refused(
            f"{run} is no run that can be learned from: its question {answered.id} "
            f"is no {entry.asked} of this version ({error})"
        ) from None
    try:
        check_answer(answered.answer, question)
    except ValueError as error:
        raise Refused(
            f"{run} is no run that can be learned from: its answer to {answered.id} cannot be "
            f"used: {error}"
        ) from None
    return Asked(answered.id, question, answered.answer, answered.model)
