"""A table by a game's score: ours with their intervals, and what others have published."""

from rlgpt.report.words import count
from rlgpt.table.figures import Row
from rlgpt.table.markdown_rows import table_of
from rlgpt.table.scored import TRAINING_SAMPLES, Measured
from rlgpt.table.table_page import Page
from worlds.card import Published, Score

_NOTE = (
    "A score is the mean of the scores of the seeds, as published scores are; those of the seeds "
    "are in parentheses. Brackets are 95 % intervals by bootstrap over the episodes of each seed: "
    "they do not contain how much seeds differ. Progress is the mean share of what is counted that "
    "an episode had, in percent, as BALROG has it. `-`: no cell is there yet, or it trained "
    "nothing."
)
_TRAINED = (
    "Episodes of trainings count if they end within the first {most} samples of a cell. Those that "
    "a training did not end, and those of the trainings of guards, are left out. `samples of "
    "those` is the mean of a cell: where it is far below {most}, the score is of a shorter "
    "training than published ones, or of a part of it."
)


def scores(page: Page) -> list[str]:
    """The part of the page that has the figures."""
    score = page.score
    if score is None:
        return ["No cell is there yet."]
    return [
        _ours(page.rows, score),
        f"{_NOTE} {_TRAINED.format(most=count(TRAINING_SAMPLES))}",
        f"## {score.title}: published",
        _published(score),
        "## How often each was unlocked",
        _rates(page.rows, score),
    ]


def _ours(rows: list[Row], score: Score) -> str:
    table = [
        [
            "method", "seeds", f"{score.title}, episodes of trainings", "samples of those",
            f"{score.title}, unseen seeds", "progress, unseen seeds", "to learn",
        ]
    ]  # fmt: skip
    for row in rows:
        table.append(
            [
                row.method,
                ", ".join(str(seed) for seed in row.seeds) or "-",
                _score(row.trained),
                "-" if row.trained is None else count(row.trained_samples or 0),
                _score(row.evaluated),
                _progress(row.evaluated),
                "-" if row.training is None else count(row.training),
            ]
        )
    return table_of(table)


def _score(found: Measured | None) -> str:
    if found is None:
        return "-"
    interval = f"[{found.score_low:.1f}, {found.score_high:.1f}]"
    seeds = ", ".join(f"{each:.1f}" for each in found.scores)
    of_seeds = f" ({seeds})" if len(found.scores) > 1 else ""
    return f"**{found.score:.1f}** {interval}{of_seeds} of {found.episodes}"


def _progress(found: Measured | None) -> str:
    if found is None:
        return "-"
    return f"{found.progress:.1f} [{found.progress_low:.1f}, {found.progress_high:.1f}]"


def _published(score: Score) -> str:
    table = [["score", "progress", "who", "samples", "source"]]
    table += [[f"{each.score:g}", "-", *_of(each)] for each in score.published]
    table += [["-", f"{each.score:g}", *_of(each)] for each in score.progress]
    return table_of(table)


def _of(each: Published) -> list[str]:
    return [each.who, each.steps, each.source]


def _rates(rows: list[Row], score: Score) -> str:
    known = [(row.method, row.evaluated) for row in rows if row.evaluated is not None]
    table = [["% of episodes on unseen seeds", *(method for method, _ in known)]]
    for name in score.counted:
        table.append([name, *(f"{100 * found.rates[name]:.1f}" for _, found in known)])
    return table_of(table)
