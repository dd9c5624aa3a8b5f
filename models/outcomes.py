"""What a tryout's episodes came to: whether a condition held at their end, and what those that
failed ended with. The critic counts with it, its prompts and the rulebook put it into words."""

from collections.abc import Sequence

import msgspec

from messages.program import ProgramReport
from messages.verdict import Evidence
from messages.world import Condition, Episode

_WORDS = {
    "death": "{count} died",
    "horizon": "{count} reached the horizon",
    "success": "{count} reached the subtask's success without it",
    "finished": "{count} ended with the program finished",
    "step_limit": "{count} used up the program's steps",
    "fuel_exhausted": "{count} went round a loop without acting",
    "time_limit": "{count} computed for too long",
    "error": "{count} failed at line {line}: {error}",
    "killed": "{count} ended with the program's process killed",
    "running": "{count} ended without it",
}
"""A program's own ending where the episode went on after it; else the episode's."""


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """How some episodes ended. ``line`` and ``error`` are a program's that failed."""

    how: str
    count: int = 1
    line: int = 0
    error: str = ""

    @property
    def words(self) -> str:
        error = " ".join(self.error.split()).rstrip(".")
        return _WORDS[self.how].format(count=self.count, line=self.line, error=error)


def holds(condition: Condition, episode: Episode) -> bool:
    """An episode's ``success`` is about its session's task; this is about any condition."""
    before, after = episode.before, episode.after
    if episode.ended == "death":
        return False
    if condition.kind == "have":
        gained = after.inventory.get(condition.name, 0) - before.inventory.get(condition.name, 0)
        return gained >= condition.quantity
    if condition.kind == "near":
        return after.around.get(condition.name, 0) > 0 or after.facing == condition.name
    if condition.kind == "nearby":
        return condition.name in after.stations
    return after.facing == condition.name


def success_rate(condition: Condition, episodes: Sequence[Episode]) -> float:
    """Share of the episodes at whose end the condition holds; 0 without episodes."""
    if not episodes:
        return 0.0
    return sum(holds(condition, episode) for episode in episodes) / len(episodes)


def succeeded(evidence: Evidence, rate: float) -> bool:
    """Whether it worked as often as is required, in episodes enough to say so."""
    return not _too_few(evidence) and rate >= evidence.required_rate


def _too_few(evidence: Evidence) -> bool:
    return len(evidence.episodes) < max(1, evidence.least_episodes)


def failures(evidence: Evidence) -> list[Ending]:
    """How the failed episodes ended, the most frequent way first."""
    programs = {row: report for report in evidence.reports for row in report.environments}
    found: dict[tuple[str, int], Ending] = {}
    for episode in evidence.episodes:
        if holds(evidence.success, episode):
            continue
        ending = _ending(episode, programs.get(episode.environment))
        key = (ending.how, ending.line)
        known = found.get(key)
        found[key] = ending if known is None else _one_more(known)
    return sorted(found.values(), key=lambda each: -each.count)


def told(evidence: Evidence) -> str:
    """One sentence: how often it worked, and what the failed episodes ended with."""
    ends = failures(evidence)
    count = len(evidence.episodes)
    worked = f"It worked in {count - sum(each.count for each in ends)} of {count} episodes"
    said = f"{worked}; {listed(ends)}." if ends else f"{worked}."
    if count and _too_few(evidence):
        said += f" Of fewer than {evidence.least_episodes} nothing counts as success."
    return said


def listed(ends: Sequence[Ending]) -> str:
    """``6 died, 3 reached the horizon``"""
    return ", ".join(each.words for each in ends)


def _ending(episode: Episode, report: ProgramReport | None) -> Ending:
    if report is not None and report.status == "killed" and episode.ended != "death":
        return Ending(how="killed")  # with it, the episodes of its session were cut off
    if episode.ended != "running" or report is None or report.status == "episode_over":
        return Ending(how=episode.ended)
    if report.status == "error":
        return Ending(how="error", line=report.line, error=report.error)
    return Ending(how=report.status)


def _one_more(ending: Ending) -> Ending:
    return msgspec.structs.replace(ending, count=ending.count + 1)
