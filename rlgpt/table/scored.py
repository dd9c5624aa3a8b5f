"""What a game's score counts, in the episodes of a cell: those of its trainings, and those on seeds
that nothing was trained or tried on."""

import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import mean

import msgspec

from messages.plan import GoalReport
from nodes.common.storage.episode_store import FILE, SCORED
from rlgpt.report import played_episodes, stores
from rlgpt.report.summary import standing
from rlgpt.runs.run_folder import env_server_folders
from worlds import GameError, card
from worlds.card import Score

DRAWS = 1000  # of the bootstrap
TRAINING_SAMPLES = 1_000_000
"""Primitive steps of trainings whose episodes count; one counts if it ends within them."""
_EVALUATED = r"/iteration-{number}/evaluate/episodes(/more-\d+)?$"
_PERFORMED = r"/perform/episodes(/more-\d+)?$"


class Scored(msgspec.Struct, frozen=True, kw_only=True):
    """Episodes by what they had: a digit for each of ``counted``, 1 where an episode had it, and
    how many episodes were so."""

    counted: list[str]
    training: dict[str, int]  # of all trainings, in the order in which they began
    training_samples: int  # primitive steps of those
    evaluation: dict[str, int]


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """The measurements of some episodes. ``score`` and ``progress`` (the mean share of what is
    counted, in percent) with 95 % intervals by bootstrap over episodes."""

    episodes: int
    score: float
    score_low: float
    score_high: float
    progress: float
    progress_low: float
    progress_high: float
    rates: dict[str, float]


def score_of(game: str) -> Score | None:
    """The score of a game; None where it has none, or is not there."""
    try:
        return card(game).score
    except GameError:
        return None


def gather(run: Path, report: GoalReport) -> Scored | None:
    """The score of a launch that has ended, from its run folder; None where its game has no
    score."""
    score = score_of(report.task.game)
    if score is None:
        return None
    training: Counter[str] = Counter()
    samples = 0
    # Of several env servers, one after the other.
    rows = (row for folder in env_server_folders(run) for row in stores.rows(folder / FILE, SCORED))
    for steps, gained in rows:
        if samples + steps > TRAINING_SAMPLES:
            break
        samples += steps
        training[_digits(score, gained.split())] += 1
    stands = standing(report)
    if report.performance is not None and report.performance.episodes:
        wanted = _PERFORMED
    else:
        wanted = _EVALUATED.format(number="none" if stands is None else stands.number)
    evaluation = Counter(
        _digits(score, [name for name, more in row.changed.items() if more > 0])
        for row in played_episodes.rows(run)
        if re.search(wanted, row.play)
    )
    return Scored(
        counted=list(score.counted),
        training=dict(training),
        training_samples=samples,
        evaluation=dict(evaluation),
    )


def _digits(score: Score, gained: Iterable[str]) -> str:
    had = set(gained)
    return "".join(str(int(name in had)) for name in score.counted)


def measured(score: Score, cells: Sequence[tuple[list[str], Mapping[str, int]]]) -> Measured:
    """The measurements of the episodes of some cells together: of each what it counted, and
    `Scored.training` or ``evaluation``. There has to be one at least."""
    every: list[str] = []
    had: dict[str, list[str]] = {}
    for counted, patterns in cells:
        for digits, number in patterns.items():
            every += [digits] * number
            pairs = zip(counted, digits, strict=True)
            had[digits] = [name for name, digit in pairs if digit == "1"]
    chance = random.Random(0)
    drawn = [_both(score, had, chance.choices(every, k=len(every))) for _ in range(DRAWS)]
    scores, shares = (sorted(column) for column in zip(*drawn, strict=True))
    own, share = _both(score, had, every)
    low, high = DRAWS // 40, DRAWS - 1 - DRAWS // 40
    return Measured(
        episodes=len(every),
        score=own,
        score_low=scores[low],
        score_high=scores[high],
        progress=share,
        progress_low=shares[low],
        progress_high=shares[high],
        rates=_rates(score, had, every),
    )


def _rates(score: Score, had: Mapping[str, list[str]], every: list[str]) -> dict[str, float]:
    counts: Counter[str] = Counter()
    for digits, number in Counter(every).items():
        for name in had[digits]:
            counts[name] += number
    return {name: counts[name] / len(every) for name in score.counted}


def _both(score: Score, had: Mapping[str, list[str]], every: list[str]) -> tuple[float, float]:
    rates = _rates(score, had, every)
    return score.of(rates), 100 * mean(rates.values())
