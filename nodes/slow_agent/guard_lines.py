"""Which guards of a decomposition are made when, and what is kept of earlier iterations' guards."""

import msgspec

from messages.plan import GuardLine, GuardProposal, Iteration
from messages.world import Guard, GuardReport
from nodes.common.goals.goal_ids import slug
from nodes.common.goals.guard_counts import together


def is_due(proposal: GuardProposal, trained: bool, history: list[Iteration]) -> bool:
    """Whether a guard is made now, before the stages are or when it can be ``trained`` in them. One
    that an earlier iteration trained is there from the start."""
    first = proposal.method == "code" or earlier_guard(proposal, history) is not None
    return first is not trained


def earlier_guard(
    proposal: GuardProposal, history: list[Iteration]
) -> tuple[Guard, GuardLine] | None:
    """The latest guard that was made for this very proposal, unless something was wrong with it."""
    for iteration in reversed(history):
        for line in iteration.guards:
            guards = iteration.stages[0].guards if iteration.stages else []
            guard = next((each for each in guards if each.name == slug(proposal.name)), None)
            wrong = line.report is not None and line.report.errors
            if line.proposal == proposal and guard is not None and not wrong:
                # What it was compared with were the stages of that iteration.
                return guard, msgspec.structs.replace(line, report=None, tried=None)
    return None


def earlier_lines(proposal: GuardProposal, history: list[Iteration]) -> list[GuardLine]:
    """How guards of its name went in earlier iterations."""
    name = slug(proposal.name)
    lines = [line for iteration in history for line in iteration.guards]
    return [line for line in lines if slug(line.proposal.name) == name]


def with_reports(lines: list[GuardLine], reports: list[GuardReport]) -> list[GuardLine]:
    """The lines, each with what all ``reports`` of its guard say together."""
    known = {report.name: report for report in together(reports)}
    return [
        msgspec.structs.replace(line, report=known.get(slug(line.proposal.name)))
        if line.made
        else line
        for line in lines
    ]
