"""Whether a performance reached the goal often enough, where it lost its episodes, and which
subtasks are practised further for it.

The rates of subtasks multiply: a plan of n subtasks that is to work in a share g of the episodes
requires the n-th root of g of each.
"""

from collections import Counter
from collections.abc import Sequence

from messages.plan import Limits, Lost, Performed, PerformedEpisode
from messages.world import Aim, Condition, Episode

SHOWN = 3
"""The number of episodes lost at a subtask that are shown."""


def wanted_of_subtask(limits: Limits, subtasks: int, episodes: int) -> float:
    """The rate that each of so many subtasks is to reach, at least ``limits.success_rate``. It
    allows one failure in an evaluation of so many episodes, which shows no finer difference."""
    if subtasks < 2:
        return limits.success_rate
    root = limits.rate_of_goal ** (1 / subtasks)
    return max(limits.success_rate, min(root, 1 - 1 / max(1, episodes)))


def reached(performance: Performed, wanted: float) -> tuple[bool, str]:
    """Whether the goal was reached as often as wanted, and how often it was, as a sentence."""
    rate, count = performance.success_rate, len(performance.episodes)
    cut = " The samples were not enough for the other episodes." if performance.cut else ""
    return (
        rate >= wanted and not performance.cut,
        f"The whole goal was reached in {round(rate * count)} of {count} episodes from its own "
        f"start ({rate:.2f}, wanted: {wanted:.2f}).{cut}",
    )


def losses(performance: Performed) -> list[Lost]:
    """What it lost at each subtask, the most first. Subtasks are distinguished by what they bring,
    not by how much of it: an episode plans its own quantities."""
    reasons: dict[Aim, Counter[str]] = {}
    conditions: dict[Aim, Condition] = {}
    shown: dict[Aim, list[Episode]] = {}
    for episode in performance.episodes:
        if episode.success or episode.stood_at is None:
            continue
        at = episode.stood_at
        conditions.setdefault(at.aim, at)
        reasons.setdefault(at.aim, Counter())[_why(episode)] += 1
        if episode.came_to is not None and len(shown.setdefault(at.aim, [])) < SHOWN:
            shown[at.aim].append(episode.came_to)
    found = [
        Lost(
            success=conditions[aim],
            episodes=len(performance.episodes),
            lost=sum(why.values()),
            reasons=dict(why.most_common()),
            shown=shown.get(aim, []),
        )
        for aim, why in reasons.items()
    ]
    return sorted(found, key=lambda each: -each.lost)


def to_practise(lost: Sequence[Lost], performance: Performed, wanted: float) -> list[Lost]:
    """The fewest of these, those that lost the most, that would make up for what is missing."""
    count = len(performance.episodes)
    missing = wanted * count - sum(each.success for each in performance.episodes)
    chosen: list[Lost] = []
    for each in lost:
        if missing <= 0:
            break
        chosen.append(each)
        missing -= each.lost
    return chosen


def _why(episode: PerformedEpisode) -> str:
    if episode.ended == "death":
        cause = episode.came_to.cause if episode.came_to is not None else ""
        return f"died ({cause})" if cause else "died"
    return episode.reason if episode.ended == "gave_up" else "the steps were used up"
