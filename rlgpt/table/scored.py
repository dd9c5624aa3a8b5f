"""What a game's score counts, in the episodes of a cell: those of its trainings, and those on seeds
that nothing was trained or tried on."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import mean

import msgspec
import numpy as np
import numpy.typing as npt

from messages.plan import GoalReport
from nodes.common.storage.episode_store import FILE, SCORED
from rlgpt.report import played_episodes, stores
from rlgpt.report.summary import chosen_iteration
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
    """The measurements of the episodes of some cells: ``score``, ``progress`` (the mean share of
    what is counted, in percent) and ``rates`` are means of the cells' own, so a cell with many
    episodes weighs no more than one with few. 95 % intervals by bootstrap over the episodes of
    each cell."""

    episodes: int
    score: float
    score_low: float
    score_high: float
    progress: float
    progress_low: float
    progress_high: float
    rates: dict[str, float]
    scores: list[float]  # of each cell


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
    for play, steps, gained in rows:
        if played_episodes.beside(play):  # by the policy so far, or by a program
            continue
        if samples + steps > TRAINING_SAMPLES:
            break
        samples += steps
        training[_digits(score, gained.split())] += 1
    chosen = chosen_iteration(report)
    if report.performance is not None and report.performance.episodes:
        wanted = _PERFORMED
    else:
        wanted = _EVALUATED.format(number="none" if chosen is None else chosen.number)
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
    """The measurements of some cells: of each what it counted, and `Scored.training` or
    ``evaluation``, with one episode at least. There has to be one cell at least."""
    chance = np.random.default_rng(0)
    own = [_rates(score, *cell) for cell in cells]
    figures = [_both(score, rates) for rates in own]
    drawn = [_drawn(score, counted, patterns, chance) for counted, patterns in cells]
    lows, highs = np.percentile(np.mean(drawn, axis=0), [2.5, 97.5], axis=0).tolist()
    return Measured(
        episodes=sum(number for _, patterns in cells for number in patterns.values()),
        score=mean(each for each, _ in figures),
        score_low=lows[0],
        score_high=highs[0],
        progress=mean(share for _, share in figures),
        progress_low=lows[1],
        progress_high=highs[1],
        rates={name: mean(rates[name] for rates in own) for name in score.counted},
        scores=[each for each, _ in figures],
    )


def _drawn(
    score: Score, counted: list[str], patterns: Mapping[str, int], chance: np.random.Generator
) -> list[tuple[float, float]]:
    """Score and progress of a cell whose episodes were drawn again, `DRAWS` times."""
    number = sum(patterns.values())
    shares = [each / number for each in patterns.values()]
    again = chance.multinomial(number, shares, size=DRAWS)
    rates = again @ _had(score, counted, patterns) / number
    return [_both(score, dict(zip(score.counted, row, strict=True))) for row in rates.tolist()]


def _rates(score: Score, counted: list[str], patterns: Mapping[str, int]) -> dict[str, float]:
    numbers = np.array(list(patterns.values()))
    rates = numbers @ _had(score, counted, patterns) / numbers.sum()
    return dict(zip(score.counted, rates.tolist(), strict=True))


def _had(score: Score, counted: list[str], patterns: Iterable[str]) -> npt.NDArray[np.int64]:
    """A row for each pattern: 1 where it has what the score counts, 0 also where the cell did not
    count that."""
    columns = {name: column for column, name in enumerate(counted)}
    return np.array(
        [
            [int(digits[columns[name]]) if name in columns else 0 for name in score.counted]
            for digits in patterns
        ]
    )


def _both(score: Score, rates: Mapping[str, float]) -> tuple[float, float]:
    return score.of(rates), 100 * mean(rates.values())
