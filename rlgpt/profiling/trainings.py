"""Where the time of each training goes.

The learner notes what it did for a policy and how long it waited for the env server; the env server
notes, by session, what that time was spent on. What is left of the wait is the bus's.
"""

from collections import defaultdict
from collections.abc import Iterable
from itertools import chain

import msgspec

from nodes.config import env_server_number
from nodes.times import WAITS, TimesLine
from rlgpt.profiling.parts import PartTime, in_order

_BESIDE = ("", "/tryout", "/demonstration")
"""What sessions of a training are called, behind its policy's id."""


class TrainingTime(msgspec.Struct, frozen=True, kw_only=True):
    """``seconds``: in which the learner worked on it, restarts not counted; the parts come to
    this."""

    policy: str
    seconds: float
    parts: list[PartTime]


def trainings(written: dict[str, list[TimesLine]]) -> list[TrainingTime]:
    """The trainings of all policies that were trained, the oldest first."""
    servers = [lines for node, lines in written.items() if env_server_number(node)]
    of_sessions = _by_purpose(chain.from_iterable(servers))
    return [
        _training(policy, spent, of_sessions)
        for policy, spent in _by_purpose(written.get("learner", [])).items()
        if "update" in spent  # not those in which a policy only plays
    ]


def _training(
    policy: str, spent: dict[str, float], of_sessions: dict[str, dict[str, float]]
) -> TrainingTime:
    whole = sum(spent.values())
    seconds: defaultdict[str, float] = defaultdict(float)
    waited = 0.0
    for part, passed in spent.items():
        if part.startswith(WAITS) and env_server_number(part.removeprefix(WAITS)):
            waited += passed
        else:
            seconds["waiting" if part.startswith(WAITS) else part] += passed
    played: defaultdict[str, float] = defaultdict(float)
    for name in _BESIDE:
        for part, passed in of_sessions.get(policy + name, {}).items():
            played[part] += passed
    # The last moments of an env server that was killed are missing, those of a learner too; several
    # env servers play side by side, and each gets its share of the wait.
    scale = min(waited / together, 1.0) if (together := sum(played.values())) else 0.0
    for part, passed in played.items():
        seconds[part] += passed * scale
    seconds["bus"] += waited - together * scale
    return TrainingTime(
        policy=policy, seconds=round(whole, 3), parts=in_order(seconds, seconds, whole)
    )


def _by_purpose(written: Iterable[TimesLine]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for line in written:
        for whose, spent in line.spent.items():
            sums = found.setdefault(whose, {})
            for part, seconds in spent.items():
                sums[part] = sums.get(part, 0.0) + seconds
    return found
