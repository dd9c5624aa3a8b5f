"""What guards did, summed up over sessions."""

from collections import Counter
from collections.abc import Iterable

from messages.plan import GuardLine, GuardTried, StagesTried
from messages.world import TURN_ENDINGS, GuardReport

_CUT_SHORT = ("taken_over", "episode_over")
GOOD_SHARE = 0.8
"""Share of a guard's turns after which its condition no longer held, from which on it is good."""
LEAST_TURNS = 5
"""Turns without which nothing is known of a guard."""


def together(reports: Iterable[GuardReport]) -> list[GuardReport]:
    """One report for each name, in the order in which the names come first."""
    found: dict[str, GuardReport] = {}
    for report in reports:
        known = found.get(report.name)
        found[report.name] = report if known is None else _sum(known, report)
    return list(found.values())


def done(report: GuardReport) -> float:
    """Share of the turns that ended as they should: with a condition that no longer held. Turns
    that a guard before it or the end of the stage cut short are not counted."""
    counted = whole_turns(report)
    return report.ended.get("over", 0) / counted if counted else 0.0


def whole_turns(report: GuardReport) -> int:
    """The number of turns that were not cut short."""
    return sum(times for how, times in report.ended.items() if how not in _CUT_SHORT)


def failed(line: GuardLine) -> bool:
    """Whether a guard was not made, made mistakes, or too seldom did in its turns what it is for.
    One that had next to no turns has not failed."""
    if not line.made:
        return True
    if line.report is None:
        return False
    few = whole_turns(line.report) < LEAST_TURNS
    return bool(line.report.errors) or (not few and done(line.report) < GOOD_SHARE)


def in_words(report: GuardReport) -> str:
    """``it took over 12 times in 5 episodes, for 130 steps: 10 times its condition held no longer,
    2 times the player died``."""
    if not report.turns:
        sentence = "it never took over"
    else:
        times = f"{report.turns} time{'' if report.turns == 1 else 's'}"
        episodes = f"{report.episodes} episode{'' if report.episodes == 1 else 's'}"
        sentence = f"it took over {times} in {episodes}, for {report.steps:,} steps"
        ends = sorted(report.ended.items(), key=lambda each: -each[1])
        sentence += "".join(
            f"{': ' if not place else ', '}{count} times {TURN_ENDINGS.get(how, how)}"
            for place, (how, count) in enumerate(ends)
        )
    errors = sorted(report.errors.items(), key=lambda each: -each[1])[:3]
    return sentence + "".join(f"; {count} times {error}" for error, count in errors)


def line_in_words(line: GuardLine) -> str:
    """The outcome of a guard in an iteration, in words."""
    if not line.made:
        return f"it was not made: {line.reason}"
    played = "it was never played with" if line.report is None else in_words(line.report)
    return played if line.tried is None else f"{played}; {tried_in_words(line.tried)}"


def tried_in_words(tried: GuardTried) -> str:
    """``on the same 60 starts the stages reached their aim 7 times (85% of it on average) with it
    and 5 times (83% of it on average) without it``."""

    def words(outcome: StagesTried) -> str:
        times = round(outcome.success_rate * tried.episodes)
        return f"{times} time{'' if times == 1 else 's'} ({outcome.progress:.0%} of it on average)"

    return (
        f"on the same {tried.episodes} starts the stages reached their aim "
        f"{words(tried.with_guard)} with it and {words(tried.without)} without it"
    )


def _sum(one: GuardReport, other: GuardReport) -> GuardReport:
    return GuardReport(
        name=one.name,
        turns=one.turns + other.turns,
        steps=one.steps + other.steps,
        episodes=one.episodes + other.episodes,
        ended=dict(Counter(one.ended) + Counter(other.ended)),
        errors=dict(Counter(one.errors) + Counter(other.errors)),
    )
