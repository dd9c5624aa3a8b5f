"""Outcomes of episodes: whether a condition held at their end, and how those that failed ended.
The critic counts with it, prompts and the rulebook put it into words."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import msgspec

from messages.plan import Evaluated, Unseen
from messages.program import ProgramReport
from messages.training import Learning
from messages.verdict import Evidence
from messages.world import DEFAULT_GAME, Condition, Episode
from worlds import card

_RUNS = {
    "finished": "came to its end",
    "error": "failed at line {line}: {error}",
    "fuel_exhausted": "computed too long at line {line} without acting",
    "step_limit": "used up its steps",
    "time_limit": "computed too long in all",
    "episode_over": "ran until its episode was over",
    "killed": "had its process ended for taking too much time or memory",
}
_EPISODES = {
    "death": "{count} died",
    "horizon": "{count} reached the horizon",
    "success": "{count} reached the subtask's success without it",
    "running": "{count} ended without it",
    "late": "{count} had it only when all steps were used up, with none left for what follows",
}
_ONE_EPISODE = {
    "death": "died",
    "horizon": "used up its steps",
    "success": "reached the goal",
    "running": "went on to the end of its part",
}
FAULTS = ("error", "fuel_exhausted", "time_limit", "killed")
"""Statuses of a program's run that are the program's fault."""
SELDOM = 0.1
"""Success rate of recent training episodes up to which a policy has hardly learned to succeed."""
SCARCELY = 0.05
"""Rise of that rate up to which it has hardly risen."""
SHOWN_UNSEEN = 3
"""How many of the failed episodes of an evaluation are shown."""


def run_in_words(status: str, line: int = 0, error: str = "") -> str:
    """How a run of a program ended, as the predicate of a sentence: ``failed at line 3: there is no
    log``"""
    return _RUNS[status].format(line=line, error=" ".join(error.split()).rstrip("."))


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """How some episodes ended: ``how`` is the way they ended, or the status of the program's run in
    which their part ended. ``line`` and ``error`` are that program's."""

    how: str
    count: int = 1
    line: int = 0
    error: str = ""
    causes: Mapping[str, int] = {}  # of deaths, in words -> how many
    program: str = ""  # its name, where several ran

    @property
    def words(self) -> str:
        if self.how in _EPISODES:
            of = _causes(self.causes, self.count)
            return _EPISODES[self.how].format(count=self.count) + (f" ({of})" if of else "")
        run = run_in_words(self.how, self.line, self.error)
        program = f"program {self.program}".strip()
        return f"{self.count} ended when the {program} {run}"


def _causes(causes: Mapping[str, int], deaths: int) -> str:
    """``drowning``, or ``drowning: 3; a blow of a zombie: 2``"""
    if len(causes) == 1 and deaths in causes.values():
        return next(iter(causes))
    ordered = sorted(causes.items(), key=lambda each: -each[1])
    return "; ".join(f"{cause}: {count}" for cause, count in ordered)


def holds(condition: Condition, episode: Episode, game: str = DEFAULT_GAME) -> bool:
    """Whether any condition held at an episode's end. (The episode's ``success`` is about the task
    of its session.) It never holds where the player died, nor where the episode's steps were used
    up: what follows could not begin."""
    if episode.ended in ("death", "horizon"):
        return False
    return card(game).conditions.holds(condition, episode)


def held_late(condition: Condition, episode: Episode, game: str = DEFAULT_GAME) -> bool:
    """Whether a condition held at an episode's end, but all its steps were used up."""
    return episode.ended == "horizon" and card(game).conditions.holds(condition, episode)


def success_rate(evidence: Evidence) -> float:
    """Share of the episodes at whose end the condition holds; 0 without episodes."""
    return success_rate_of(evidence.success, evidence.episodes, evidence.game)


def success_rate_of(condition: Condition, episodes: Sequence[Episode], game: str) -> float:
    """`success_rate`, of any episodes."""
    return sum(holds(condition, each, game) for each in episodes) / max(1, len(episodes))


def progress(evidence: Evidence) -> float:
    """Mean share of the condition that an episode reached; 0 without episodes."""
    return progress_of(evidence.success, evidence.episodes, evidence.game)


def progress_of(condition: Condition, episodes: Sequence[Episode], game: str) -> float:
    """`progress`, of any episodes."""
    conditions = card(game).conditions
    return sum(conditions.progress(condition, each) for each in episodes) / max(1, len(episodes))


def succeeded(evidence: Evidence, rate: float) -> bool:
    """Whether it worked as often as is required, in enough episodes to count."""
    return not _too_few(evidence) and rate >= evidence.required_rate


def _too_few(evidence: Evidence) -> bool:
    return len(evidence.episodes) < max(1, evidence.least_episodes)


def failures(evidence: Evidence) -> list[Ending]:
    """How the failed episodes ended, the most frequent way first."""
    failed = [each for each in evidence.episodes if not _worked(evidence, each)]
    success, game = evidence.success, evidence.game
    late = [each.environment for each in failed if held_late(success, each, game)]
    return _endings(failed, evidence.reports, late)


def _endings(
    failed: Sequence[Episode], reports: Sequence[ProgramReport], late: Collection[int] = ()
) -> list[Ending]:
    """``late``: environments where the condition held when the steps were used up."""
    programs = _which_ended(reports)
    several = len({report.program for report in reports}) > 1
    found: dict[tuple[str, int, str], Ending] = {}
    causes = Counter(each.cause for each in failed if each.ended == "death" and each.cause)
    for episode in failed:
        ending = _ending(episode, programs.get(episode.environment), several)
        if ending.how == "horizon" and episode.environment in late:
            ending = Ending(how="late")
        key = (ending.how, ending.line, ending.program)
        known = found.get(key)
        found[key] = ending if known is None else _one_more(known)
    return [
        msgspec.structs.replace(each, causes=dict(causes)) if each.how == "death" else each
        for each in sorted(found.values(), key=lambda each: -each.count)
    ]


def _which_ended(reports: Sequence[ProgramReport]) -> dict[int, ProgramReport]:
    """Of several programs that ran in an episode, the first that was at fault, else the last; by
    environment."""
    found: dict[int, ProgramReport] = {}
    for report in reports:
        for row in report.environments:
            if row not in found or found[row].status not in FAULTS:
                found[row] = report
    return found


def failed_first(evidence: Evidence) -> list[Episode]:
    """The episodes that failed, then those that worked. The failed ones alternate between the ways
    to fail, so that the first few show each of them."""
    failed = [each for each in evidence.episodes if not _worked(evidence, each)]
    worked = [each for each in evidence.episodes if _worked(evidence, each)]
    return _each_way(failed) + worked


def _each_way(failed: Sequence[Episode]) -> list[Episode]:
    ways: dict[tuple[str, str], list[Episode]] = {}
    for episode in failed:
        ways.setdefault((episode.ended, episode.cause), []).append(episode)
    rounds = max(map(len, ways.values()), default=0)
    return [way[turn] for turn in range(rounds) for way in ways.values() if turn < len(way)]


def ended_in_words(episode: Episode) -> str:
    """``died (drowning)``"""
    words = _ONE_EPISODE[episode.ended]
    return f"{words} ({episode.cause})" if episode.ended == "death" and episode.cause else words


def curve_in_words(learning: Learning) -> str:
    """``success in training 0.00 at 2,048, 0.35 at 50,176, 0.30 at 100,352 samples: it has levelled
    off; it ended so: the budget is spent``"""
    points = ", ".join(f"{rate:.2f} at {samples:,}" for samples, rate in learning.curve)
    if not points:
        how = f"{learning.samples:,} samples{_tryouts_meanwhile(learning)}"
        return f"{how}; it ended so: {learning.stopped}"
    sentence = f"success in training {points} samples"
    best = max(learning.curve, key=lambda point: point[1])
    last = learning.curve[-1]
    if best[1] == 0:
        sentence += ": it never succeeded"
    elif last[1] < best[1] - 0.1:
        sentence += f": it was best at {best[0]:,}, and got worse after that"
    elif len(learning.curve) > 1 and last[1] > learning.curve[len(learning.curve) // 2][1] + 0.05:
        sentence += ": it was still getting better"
    else:
        sentence += ": it has levelled off"
    sentence += _tryouts_meanwhile(learning) + _paid_for_else(learning)
    return f"{sentence}; it ended so: {learning.stopped}"


def _tryouts_meanwhile(learning: Learning) -> str:
    """The tryouts of a training, and by which of them the policy's weights were chosen."""
    if not learning.tryouts:
        return ""
    rates = ", ".join(f"{rate:.2f} at {at:,}" for at, rate in learning.tryouts)
    words = f"; tryouts meanwhile {rates} samples"
    if learning.best is not None:
        words += f", and the policy has the weights after {learning.best:,}"
    return words


def rewards_mislead(learning: Learning) -> bool:
    """Whether the policy learned to earn its rewards, and hardly ever to succeed. A return is the
    sum of an episode's rewards: which of them pay is for the spec to change."""
    if not learning.curve or learning.curve[-1][1] > SELDOM:
        return False
    if learning.curve[-1][1] - learning.curve[0][1] > SCARCELY:
        return False  # success pays, too
    first, last = _first_and_last_return(learning)
    return last - first > 0.5 * max(abs(first), abs(last))


def _first_and_last_return(learning: Learning) -> tuple[float, float]:
    # Returns before the first episodes have ended are 0.
    returns = [mean for _, mean in learning.returns if mean] or [0.0]
    return returns[0], returns[-1]


def _paid_for_else(learning: Learning) -> str:
    if not rewards_mislead(learning):
        return ""
    first, last = _first_and_last_return(learning)
    return (
        f"; its mean return rose from {first:.2f} to {last:.2f} all the same, so its rewards pay "
        "for something else than success"
    )


def unseen(evaluated: Evaluated) -> Unseen | None:
    """The outcome of an evaluation; None where nothing was played."""
    if not evaluated.episodes:
        return None
    failed = [each for each in evaluated.episodes if not each.success]
    return Unseen(
        episodes=len(evaluated.episodes),
        worked=len(evaluated.episodes) - len(failed),
        held=evaluated.held,
        lost=evaluated.lost,
        endings=[each.words for each in _endings(failed, evaluated.reports)],
        failed=_each_way(failed)[:SHOWN_UNSEEN],
    )


def outcome_in_words(evidence: Evidence) -> str:
    """One sentence: how often it worked, and how the failed episodes ended."""
    ends = failures(evidence)
    return count_in_words(evidence, f"; {listed(ends)}" if ends else "")


def count_in_words(evidence: Evidence, ends: str = "") -> str:
    """How often it worked, then ``ends``; and whether episodes were too few to count."""
    episodes = evidence.episodes
    worked = sum(_worked(evidence, episode) for episode in episodes)
    sentence = f"It worked in {worked} of {len(episodes)} episodes{ends}."
    return f"{sentence} {too_few_in_words(evidence)}".strip()


def too_few_in_words(evidence: Evidence) -> str:
    """That its episodes were too few to count; empty if there were enough, or none."""
    if not evidence.episodes or not _too_few(evidence):
        return ""
    return f"Of fewer than {evidence.least_episodes} nothing counts as success."


def listed(ends: Sequence[Ending]) -> str:
    """``6 died, 3 reached the horizon``"""
    return ", ".join(each.words for each in ends)


def _worked(evidence: Evidence, episode: Episode) -> bool:
    return holds(evidence.success, episode, evidence.game)


def _ending(episode: Episode, report: ProgramReport | None, several: bool) -> Ending:
    name = report.program if report is not None and several else ""
    if report is not None and report.status == "killed" and episode.ended != "death":
        return Ending(how="killed", program=name)  # with it, its session's episodes were cut off
    if episode.ended != "running" or report is None or report.status == "episode_over":
        return Ending(how=episode.ended)
    if report.status in ("error", "fuel_exhausted"):
        return Ending(how=report.status, line=report.line, error=report.error, program=name)
    return Ending(how=report.status, program=name)


def _one_more(ending: Ending) -> Ending:
    return msgspec.structs.replace(ending, count=ending.count + 1)
