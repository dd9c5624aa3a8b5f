"""A table as a picture: rates with their intervals, the paper's as hollow diamonds. Geometry only;
`plot.svg.jinja` draws it, so that every text is escaped."""

from collections.abc import Callable
from typing import NamedTuple

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined

from rlgpt.table.definition import PaperMethod
from rlgpt.table.figures import Row
from rlgpt.table.table_page import Page, title

# Okabe and Ito's colours, distinct for the colour-blind; the first is the paper's method.
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a5195", "#6b6b6b"]


class Style(NamedTuple):
    """How the marks of one method or model look."""

    colour: str
    hollow: bool = False


Line = tuple[Row | PaperMethod, Style]  # what a line shows, and how

WIDTH = 860  # at least
AXIS = 400  # at least, however long the labels
LETTER = 7.2  # width of a letter of 12 px in a wide font
PITCH, GAP = 14, 12  # between the lines of a band, between bands
RIGHT = 118  # where the figures stand
PANEL, PANEL_HEIGHT, PANELS = 205, 190, 4  # by iteration: width and height of a panel, panels a row


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """One rate with its interval; positions in the picture's units, None for what is not there."""

    x: float | None
    y: float
    low: float | None
    high: float | None
    paper: float | None
    colour: str
    hollow: bool = False
    text: str
    title: str


class Band(msgspec.Struct, frozen=True, kw_only=True):
    label: str
    top: float
    bottom: float
    marks: list[Mark]

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of the legend; without a colour it is the paper's mark."""

    x: float
    y: float
    label: str
    colour: str
    hollow: bool = False


Point = tuple[float, float, float, float, str]  # x, y, y of low, y of high, title


class Curve(msgspec.Struct, frozen=True, kw_only=True):
    """One method over the iterations, the goal at the end, and the paper's."""

    colour: str
    hollow: bool = False
    points: list[Point]
    end: list[Point]
    paper: list[tuple[float, float]]

    @property
    def path(self) -> str:
        return " ".join(f"{'ML'[i > 0]}{x:g} {y:g}" for i, (x, y, *_) in enumerate(self.points))


class Panel(msgspec.Struct, frozen=True, kw_only=True):
    label: str
    left: float
    right: float
    top: float
    bottom: float
    rates: list[tuple[float, str]]
    numbers: list[tuple[float, str]]
    curves: list[Curve]


class Plot(msgspec.Struct, frozen=True, kw_only=True):
    title: str
    note: str
    width: float
    height: float
    keys: list[Key]
    left: float = 0.0
    right: float = 0.0
    top: float = 0.0
    bottom: float = 0.0
    ticks: list[tuple[float, str]] = []
    axis: str = "success rate on unseen seeds"
    bands: list[Band] = []
    panels: list[Panel] = []


def style(index: int) -> Style:
    """Of the methods or models of a picture, numbered from 0: every other round through the
    colours is hollow."""
    round_, place = divmod(index, len(COLOURS))
    return Style(COLOURS[place], hollow=round_ % 2 == 1)


def render(page: Page) -> str:
    """The picture as SVG."""
    return draw(_by_iteration(page) if page.definition.by == "iteration" else _rates(page))


def draw(picture: Plot) -> str:
    """A picture as SVG."""
    environment = Environment(
        loader=PackageLoader("rlgpt.table", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("plot.svg.jinja").render(picture=picture)


def _note(page: Page) -> str:
    there = len(page.results)
    how_far = "" if there >= page.wanted else f"Partial: {there} of {page.wanted} cells. "
    world = "/".join(sorted({result.world for result in page.results}))
    theirs = title(page.results) or "another world"
    paper = f"Paper: {theirs}; no reproduction of each other." if _has_paper(page) else ""
    lines = "95 % intervals (Wilson, pooled over seeds)"
    if any(step.rates and step.successes is None for row in page.rows for step in row.steps):
        lines += ", by iteration of several subtasks the range over seeds"
    return f"{how_far}Here: {world} world, {lines}. {paper}"


def _has_paper(page: Page) -> bool:
    return bool(page.definition.paper or page.definition.paper_also)


# ---- rates


def _rates(page: Page) -> Plot:
    definition = page.definition
    lines = _bands(page)
    longest = max(len(label) for label, _ in lines)
    left = round(longest * LETTER + 24, 2)
    right = max(WIDTH - RIGHT, left + AXIS)
    names = _series(page) if len(lines[0][1]) > 1 else []
    keys, top = legend(names, "paper" if _has_paper(page) else "")
    top += 26  # the axis' figures

    def x(rate: float) -> float:
        return round(left + (right - left) * rate, 2)

    bands: list[Band] = []
    y = top
    for label, rows in lines:
        marks = [
            _mark(row, its, x, y + GAP / 2 + PITCH * (i + 0.5)) for i, (row, its) in enumerate(rows)
        ]
        bottom = y + GAP + PITCH * len(rows)
        bands.append(Band(label=label, top=y, bottom=bottom, marks=marks))
        y = bottom
    return Plot(
        title=definition.title,
        note=_note(page),
        width=right + RIGHT,
        height=y + 30,
        keys=keys,
        left=left,
        right=right,
        top=top,
        bottom=y,
        ticks=[(x(rate), f"{rate:g}") for rate in (0, 0.25, 0.5, 0.75, 1)],
        bands=bands,
    )


def _series(page: Page) -> list[str]:
    """The methods or models that have a cell or a number of the paper, or all while none has."""
    by_llm = page.definition.by == "llm"
    every = page.llms if by_llm else page.definition.methods
    known = [row for row in page.rows if row.rate is not None or row.paper is not None]
    there = {row.llm if by_llm else row.method for row in known}
    return [each for each in every if each in there] or every


def _bands(page: Page) -> list[tuple[str, list[Line]]]:
    """Each task with a line for each method, or with each method for each model; of a single task,
    each of them in a band of its own, those of the paper alone after them."""
    definition = page.definition
    several = definition.by == "llm" and len(definition.methods) > 1
    styles = {name: style(index) for index, name in enumerate(_series(page))}

    def series(row: Row) -> str:
        return row.llm if definition.by == "llm" else row.method

    rows = [row for row in page.rows if row.llm in page.llms and series(row) in styles]
    if len(definition.tasks) == 1 and not several:
        lines: list[tuple[str, Line]] = [(series(r), (r, styles[series(r)])) for r in rows]
        lines += [(each.name, (each, Style(COLOURS[-1]))) for each in definition.paper_also]
        return [(label, [line]) for label, line in lines]
    bands: dict[str, list[Line]] = {}
    for row in rows:
        label = f"{row.task}, {row.method}" if several else row.task
        bands.setdefault(label, []).append((row, styles[series(row)]))
    return list(bands.items())


def _mark(row: Row | PaperMethod, its: Style, x: Callable[[float], float], y: float) -> Mark:
    if isinstance(row, PaperMethod):
        return Mark(
            x=None,
            y=y,
            low=None,
            high=None,
            paper=x(row.success),
            colour=its.colour,
            text=f"paper {row.success:g}",
            title=row.name,
        )
    there = row.rate is not None
    paper = "" if row.paper is None else f"; paper {row.paper:.2f}"
    figures = f"{row.rate:.2f}  {row.successes}/{row.episodes}" if there else "-"
    return Mark(
        x=x(row.rate) if row.rate is not None else None,
        y=round(y, 2),
        low=x(row.low) if there else None,
        high=x(row.high) if there else None,
        paper=x(row.paper) if row.paper is not None else None,
        colour=its.colour,
        hollow=its.hollow,
        text=figures,
        title=f"{row.task}, {row.method}, {row.llm}: {figures}{paper}",
    )


def legend(names: list[str], paper: str) -> tuple[list[Key], float]:
    """The entries, broken into lines, and where what is below begins."""
    left, y = 24.0, 62.0
    x = left
    keys: list[Key] = []
    entries = [*names, paper] if paper else names
    for index, name in enumerate(entries):
        width = len(name) * LETTER + 34
        if x + width > WIDTH - 20:
            x, y = left, y + 20
        colour, hollow = style(index) if index < len(names) else Style("")
        keys.append(Key(x=x, y=y, label=name, colour=colour, hollow=hollow))
        x += width
    return keys, y + 12


# ---- by iteration


def _by_iteration(page: Page) -> Plot:
    definition = page.definition
    methods = definition.methods
    keys, top = legend(methods, "paper" if _has_paper(page) else "")
    columns = min(PANELS, len(definition.tasks))
    wide = PANEL if columns > 1 else 2 * PANEL
    panels: list[Panel] = []
    for index, task in enumerate(definition.tasks):
        left = 46 + (index % columns) * (PANEL + 4)
        above = top + 24 + (index // columns) * (PANEL_HEIGHT + 66)
        panels.append(_panel(page, task, left, left + wide - 24, above))
    rows = -(-len(definition.tasks) // columns)
    return Plot(
        title=definition.title,
        note=_note(page),
        width=WIDTH,
        height=top + rows * (PANEL_HEIGHT + 66),
        keys=keys,
        panels=panels,
    )


def _panel(page: Page, task: str, left: float, right: float, top: float) -> Panel:
    rows = [row for row in page.rows if row.task == task]
    end = 1 + max((step.number for row in rows for step in row.steps), default=0)
    bottom = top + PANEL_HEIGHT

    def y(rate: float) -> float:
        return round(bottom - (bottom - top) * rate, 2)

    def x(number: int, shift: float = 0.0) -> float:
        return round(left + 18 + (right - left - 36) * number / end + shift, 2)

    curves: list[Curve] = []
    for index, row in enumerate(rows):
        shift = (index - (len(rows) - 1) / 2) * 6  # or the intervals would hide each other
        colour, hollow = style(index)
        curves.append(
            Curve(
                colour=colour,
                hollow=hollow,
                points=[
                    (
                        x(step.number, shift),
                        y(step.rate),
                        y(step.low),
                        y(step.high),
                        f"{row.method}, iteration {step.number}: {step.rate:.2f}",
                    )
                    for step in row.steps
                    if step.rates
                ],
                end=_end(row, x(end, shift), y),
                paper=[
                    (x(step.number, shift), y(step.paper))
                    for step in row.steps
                    if step.paper is not None
                ]
                + ([(x(end, shift), y(row.paper))] if row.paper is not None else []),
            )
        )
    return Panel(
        label=task,
        left=left,
        right=right,
        top=top,
        bottom=bottom,
        rates=[(y(rate), f"{rate:g}") for rate in (0, 0.25, 0.5, 0.75, 1)],
        numbers=[*((x(number), str(number)) for number in range(end)), (x(end), "end")],
        curves=curves,
    )


def _end(row: Row, x: float, y: Callable[[float], float]) -> list[Point]:
    """The whole goal as it was played."""
    if row.rate is None:
        return []
    title = f"{row.method}, at the end: {row.rate:.2f} ({row.successes}/{row.episodes})"
    return [(x, y(row.rate), y(row.low), y(row.high), title)]
