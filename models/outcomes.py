"""What a tryout's episodes came to: whether a condition held at their end, and what those that
failed ended with. The critic counts with it, its prompts and the rulebook put it into words."""

from collections.abc import Sequence

import msgspec

from messages.program import ProgramReport
from messages.verdict import Evidence
from messages.world import DEFAULT_GAME, Condition, Episode
from worlds import card

_RUNS = {
    "finished": "came to its end",
    "error": "failed at line {line}: {error}",
    "fuel_exhausted": "computed too long at line {line} without acting",
    "step_limit": "used up its steps",
    "time_limit": "computed too long in all",
    "episode_over": "was cut off by the end of the episode",
    "killed": "had its process ended for taking too much time or memory",
}
_EPISODES = {
    "death": "{count} died",
    "horizon": "{count} reached the horizon",
    "success": "{count} reached the subtask's success without it",
    "running": "{count} ended without it",
}


def run_in_words(status: str, line: int = 0, error: str = "") -> str:
    """How a run of a program ended, said of the program: ``failed at line 3: there is no log``"""
    return _RUNS[status].format(line=line, error=" ".join(error.split()).rstrip("."))


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """How some episodes ended: by themselves, or with a program's run after which they went on.
    ``line`` and ``error`` are that program's."""

    how: str
    count: int = 1
    line: int = 0
    error: str = ""

    @property
    def words(self) -> str:
        if self.how in _EPISODES:
            return _EPISODES[self.how].format(count=self.count)
        run = run_in_words(self.how, self.line, self.error)
        return f"{self.count} ended when the program {run}"


def holds(condition: Condition, episode: Episode, game: str = DEFAULT_GAME) -> bool:
    """An episode's ``success`` is about its session's task; this is about any condition. Whoever
    died has reached nothing."""
    if episode.ended == "death":
        return False
    return card(game).conditions.holds(condition, episode)


def success_rate(evidence: Evidence) -> float:
    """Share of the episodes at whose end the condition holds; 0 without episodes."""
    episodes = evidence.episodes
    if not episodes:
        return 0.0
    return sum(_worked(evidence, episode) for episode in episodes) / len(episodes)


def progress(evidence: Evidence) -> float:
    """Mean share of the aim that an episode brought about; 0 without episodes."""
    conditions, episodes = card(evidence.game).conditions, evidence.episodes
    shares = [conditions.progress(evidence.success, episode) for episode in episodes]
    return sum(shares) / len(shares) if shares else 0.0


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
        if _worked(evidence, episode):
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


def _worked(evidence: Evidence, episode: Episode) -> bool:
    return holds(evidence.success, episode, evidence.game)


def _ending(episode: Episode, report: ProgramReport | None) -> Ending:
    if report is not None and report.status == "killed" and episode.ended != "death":
        return Ending(how="killed")  # with it, the episodes of its session were cut off
    if episode.ended != "running" or report is None or report.status == "episode_over":
        return Ending(how=episode.ended)
    if report.status in ("error", "fuel_exhausted"):
        return Ending(how=report.status, line=report.line, error=report.error)
    return Ending(how=report.status)


def _one_more(ending: Ending) -> Ending:
    return msgspec.structs.replace(ending, count=ending.count + 1)
