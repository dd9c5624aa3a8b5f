"""Answers that a model gave before, although it was told what is wrong with them."""

import msgspec

from messages.chat import (
    ANSWERS,
    DecomposeAnswer,
    DecomposeQuestion,
    GoalAnswer,
    GoalQuestion,
    GuardAnswer,
    GuardQuestion,
    PlanAnswer,
    PlanQuestion,
    ProgramAnswer,
    ProgramQuestion,
    Question,
    SpecAnswer,
    SpecQuestion,
)
from nodes.common.checks.spec_check import without_idle_parts
from worlds import card

REPEATED = "the answer that was refused before, with nothing changed in it"


def refused_before(question: Question, answer: str) -> bool:
    """Whether the agent that asks has refused this answer (JSON) already, as its question shows.
    What the model thinks beside it does not count."""
    match question, msgspec.json.decode(answer, type=ANSWERS[type(question)]):
        case GoalQuestion(), GoalAnswer() as given:
            return given.success == question.refused
        case PlanQuestion(), PlanAnswer() as given:
            return given.subtasks == question.refused
        case DecomposeQuestion(), DecomposeAnswer() as given:
            return given.sub_actions == question.refused
        case ProgramQuestion(), ProgramAnswer() as given:
            refused = [each.source for each in question.attempts if each.problems]
            return given.source in refused
        case GuardQuestion(), GuardAnswer() as given:
            written = [(each.when, each.source) for each in question.attempts]
            return (given.when, given.source) in written
        case SpecQuestion(), SpecAnswer() as given if question.refused is not None:
            given = msgspec.structs.replace(given, thoughts=question.refused.thoughts)
            game = question.task.game
            return _as_taken(given, game) == _as_taken(question.refused, game)
    return False


def _as_taken(answer: SpecAnswer, game: str) -> SpecAnswer:
    """The spec as the fast agent takes it: each name once, and targets by the name they are seen
    by."""
    seen = card(game).specs.seen_name
    targets = [seen(name) or name for name in answer.targets]
    return without_idle_parts(msgspec.structs.replace(answer, targets=targets))
