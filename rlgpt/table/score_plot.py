"""A table by a game's score as a picture: ours with intervals, the published as hollow diamonds."""

from rlgpt.table.plot import (
    COLOURS,
    GAP,
    LETTER,
    PITCH,
    RIGHT,
    WIDTH,
    Band,
    Mark,
    Plot,
    draw,
    legend,
)
from rlgpt.table.scored import Measured
from rlgpt.table.table_page import Page
from worlds.card import Published

_NAMES = ["unseen seeds", "episodes of trainings"]
_TICKS = 5


def render(page: Page) -> str:
    """The picture as SVG."""
    return draw(picture(page))


def picture(page: Page) -> Plot:
    score = page.score
    most = 100.0 if score is None else score.most
    published = [] if score is None else sorted(score.published, reverse=True)
    labels = [*(row.method for row in page.rows), *(each.who for each in published)]
    left, right = max(map(len, labels)) * LETTER + 24, WIDTH - RIGHT
    keys, top = legend(_NAMES, "published")
    top += 26  # the axis' figures

    def x(value: float) -> float:
        return round(left + (right - left) * value / most, 2)

    def ours(found: Measured | None, y: float, which: int) -> Mark:
        text = "-" if found is None else f"{found.score:.1f}"
        return Mark(
            x=None if found is None else x(found.score),
            y=y,
            low=None if found is None else x(found.score_low),
            high=None if found is None else x(found.score_high),
            paper=None,
            colour=COLOURS[which],
            text=text,
            title=f"{_NAMES[which]}: {text}",
        )

    def theirs(each: Published, y: float) -> Mark:
        text = f"{each.score:g}  ({each.steps})"
        title = f"{each.who}: {text}; {each.source}"
        return Mark(x=None, y=y, low=None, high=None, paper=x(each.score), colour=COLOURS[-1],
                    text=text, title=title)  # fmt: skip

    bands: list[Band] = []
    y = top
    for row in page.rows:
        middle = y + GAP / 2 + PITCH / 2
        marks = [ours(row.evaluated, middle, 0), ours(row.trained, middle + PITCH, 1)]
        bands.append(Band(label=row.method, top=y, bottom=y + GAP + 2 * PITCH, marks=marks))
        y = bands[-1].bottom
    for each in published:
        marks = [theirs(each, y + GAP / 2 + PITCH / 2)]
        bands.append(Band(label=each.who, top=y, bottom=y + GAP + PITCH, marks=marks))
        y = bands[-1].bottom
    there = len(page.results)
    how_far = "" if there >= page.wanted else f"Partial: {there} of {page.wanted} cells. "
    return Plot(
        title=page.definition.title,
        note=f"{how_far}95 % intervals by bootstrap over the episodes of each seed. Published: "
        "samples in brackets.",
        width=WIDTH,
        height=y + 30,
        keys=keys,
        left=left,
        right=right,
        top=top,
        bottom=y,
        ticks=[(x(most * i / _TICKS), f"{most * i / _TICKS:g}") for i in range(_TICKS + 1)],
        axis="score" if score is None else score.title,
        bands=bands,
    )
