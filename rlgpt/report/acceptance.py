"""How many questions the language model was asked, and of how many the first answer was taken."""

import re
from pathlib import Path
from typing import Any

import msgspec

from rlgpt.report import node_files

_NUMBERED = re.compile(r"(.*-)(\d+)")
"""The id of a question that may be put again: ``GOAL/plan-0``, then ``GOAL/plan-1``."""


class Acceptance(msgspec.Struct, frozen=True, kw_only=True):
    """``asked``: questions, however often each was put. ``again``: how often one was put again with
    what an agent found wrong with its answer. ``accepted``: of the ``asked``, those whose first
    answer was taken: it decoded at once, and no agent found anything wrong with it.

    Where an agent may ask no further time, a wrong last answer looks like one that was taken. That
    concerns a first answer only where its ``repairs`` (of programs also ``refusals``) are 0.
    """

    asked: int
    again: int
    accepted: int


def acceptance(run: Path) -> Acceptance | None:
    """Of the questions of a run; None where nothing was asked."""
    answered = {_id(entry): entry for entry in node_files.exchanges(run)}
    unanswered = {_id(entry): entry for entry in node_files.unanswered(run)}
    every = {**unanswered, **answered}
    again = {id for id, entry in every.items() if _put_again(id, entry)}
    asked = [id for id in every if id not in again]
    if not asked:
        return None
    accepted = [
        id
        for id in asked
        if id in answered and _taken_as_it_was(answered[id]) and _next(id) not in again
    ]
    return Acceptance(asked=len(asked), again=len(again), accepted=len(accepted))


def _id(entry: dict[str, Any]) -> str:
    return str((node_files.part(entry, "answered") or entry).get("id", ""))


def _put_again(id: str, entry: dict[str, Any]) -> bool:
    """Whether a question shows the problems of the answer to the one before it. The number alone
    does not say so: after a tryout the next program has the next number. Nor do the problems: a
    plan that no longer fits is asked about, too."""
    numbered = _NUMBERED.fullmatch(id)
    if numbered is None or int(numbered[2]) == 0:
        return False
    question = node_files.part(entry, "question")
    attempts = question.get("attempts")
    if not isinstance(attempts, list) or not attempts:
        return bool(question.get("problems"))
    last: Any = attempts[-1]
    # A guard's attempts are those that were refused; a program's may have run.
    return "when" in last or bool(last.get("problems")) if isinstance(last, dict) else False


def _next(id: str) -> str | None:
    numbered = _NUMBERED.fullmatch(id)
    return None if numbered is None else f"{numbered[1]}{int(numbered[2]) + 1}"


def _taken_as_it_was(entry: dict[str, Any]) -> bool:
    """Whether the model's own first answer decoded."""
    answered = node_files.part(entry, "answered")
    return not node_files.number(answered.get("repairs")) and not answered.get("edited_by")
