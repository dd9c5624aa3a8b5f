"""Which guards the rulebook proposes, and by which method each of them."""

from collections.abc import Collection, Sequence

from messages.chat import DecomposeQuestion
from messages.plan import GuardProposal, Iteration, Method
from nodes.common.checks.rule_file import Approach, GuardRule
from nodes.common.goals.guard_counts import failed
from nodes.llm.rulebook.rules import Book


def proposed_guards(
    book: Book,
    known: Approach,
    ways: Collection[Method],
    question: DecomposeQuestion,
    first: Method | None = None,
) -> list[GuardProposal]:
    """Those of an approach that the run takes, beside sub-actions done in these ``ways``. Each is
    by its first method that the run has, ``first`` before the others; after an iteration in which
    it failed, by its next one, if there is another."""
    found: list[GuardProposal] = []
    for name in known.guards:
        rule = book.guard(name)
        methods: list[Method] = [each for each in _methods(rule, first) if each in question.methods]
        if methods and set(ways) & set(rule.beside):
            method = methods[_place(name, methods, question.history)]
            found.append(
                GuardProposal(
                    name=name, method=method, when=rule.when, description=rule.description
                )
            )
    return found[: question.most_guards]


def _methods(rule: GuardRule, first: Method | None) -> list[Method]:
    """In the order in which they are tried. One that the rules do not propose by rl can be learned
    all the same where they have a spec for it."""
    can_be = first in rule.methods or (first == "rl" and rule.spec)
    if first is None or not can_be:
        return rule.methods
    return [first, *(each for each in rule.methods if each != first)]


def _place(name: str, methods: Sequence[Method], history: Sequence[Iteration]) -> int:
    """How far down its methods a guard has come."""
    place = 0
    for iteration in history:
        for line in iteration.guards:
            proposal = line.proposal
            tried = proposal.name == name and proposal.method == methods[place]
            if tried and failed(line) and place + 1 < len(methods):
                place += 1
    return place
