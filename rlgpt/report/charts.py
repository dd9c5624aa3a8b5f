"""The geometry of the page's charts. The template draws them, so that every text is escaped."""

import math
from collections.abc import Sequence

import msgspec

from messages.plan import Iteration
from messages.world import Task
from rlgpt.report.words import count, cut_short, evaluated_in_words

# Units of the SVG's viewBox. Narrow on purpose: on a phone the chart is about as wide, so its
# type stays readable.
WIDTH, HEIGHT = 420, 220
LEFT, RIGHT, TOP, BOTTOM = 38, 12, 18, 34


class Tick(msgspec.Struct, frozen=True, kw_only=True):
    at: float
    label: str


class Bar(msgspec.Struct, frozen=True, kw_only=True):
    x: float
    y: float
    width: float
    height: float
    middle: float
    value: str
    label: str
    reached: bool
    note: str


class Bars(msgspec.Struct, frozen=True, kw_only=True):
    bars: list[Bar]
    rates: list[Tick]
    required: float
    required_y: float
    caption: str


class Line(msgspec.Struct, frozen=True, kw_only=True):
    path: str  # an SVG path of the curve
    area: str  # the same, closed along the axis
    samples: list[Tick]
    rates: list[Tick]
    last: tuple[float, float]
    last_value: str
    caption: str
    marks: list[Tick] = []  # where something was set while it went on


def _y(rate: float) -> float:
    return round(TOP + (1.0 - min(max(rate, 0.0), 1.0)) * (HEIGHT - TOP - BOTTOM), 2)


def _rates() -> list[Tick]:
    return [Tick(at=_y(rate), label=f"{rate:g}") for rate in (0.0, 0.25, 0.5, 0.75, 1.0)]


def bars(iterations: list[Iteration], required: float, task: Task | None = None) -> Bars | None:
    """Success rate by iteration of the ``task``, with the rate that counts as success."""
    if not iterations:
        return None
    slot = (WIDTH - LEFT - RIGHT) / len(iterations)
    width = min(56.0, slot * 0.62)
    drawn = [
        Bar(
            x=round(LEFT + slot * (index + 0.5) - width / 2, 2),
            # A rate of 0 still shows as a line on the axis.
            y=min(_y(item.success_rate), HEIGHT - BOTTOM - 1.5),
            width=round(width, 2),
            height=max(HEIGHT - BOTTOM - _y(item.success_rate), 1.5),
            middle=round(LEFT + slot * (index + 0.5), 2),
            value=f"{item.success_rate:.2f}",
            label=str(item.number),
            reached=item.success_rate >= required and not item.cut,
            note=f"iteration {item.number}: {evaluated_in_words(item, task)}{cut_short(item.cut)}",
        )
        for index, item in enumerate(iterations)
    ]
    listed = ", ".join(f"iteration {bar.label} {bar.value}" for bar in drawn)
    return Bars(
        bars=drawn,
        rates=_rates(),
        required=required,
        required_y=_y(required),
        caption=f"Success rate by iteration: {listed}; required {required:.3g}.",
    )


def line(points: list[tuple[int, float]], set_at: Sequence[tuple[int, str]] = ()) -> Line | None:
    """A learning curve: success rate over primitive samples. ``set_at``: where something was set,
    and what."""
    if not points:
        return None
    most = max(samples for samples, _ in points) or 1
    wide = WIDTH - LEFT - RIGHT

    def x(samples: float) -> float:
        return round(LEFT + wide * samples / most, 2)

    drawn = [(x(samples), _y(rate)) for samples, rate in points]
    path = "M" + " L".join(f"{left:g} {top:g}" for left, top in drawn)
    floor = HEIGHT - BOTTOM
    last_samples, last_rate = points[-1]
    return Line(
        path=path,
        area=f"{path} L{drawn[-1][0]:g} {floor} L{drawn[0][0]:g} {floor} Z",
        samples=[Tick(at=x(value), label=count(value)) for value in _round_steps(most)],
        rates=_rates(),
        last=drawn[-1],
        last_value=f"{last_rate:.2f}",
        caption=f"Success rate of the recent training episodes: {last_rate:.2f} after "
        f"{count(last_samples)} samples." + "".join(f" Set: {what}." for _, what in set_at),
        marks=[Tick(at=x(min(samples, most)), label=what) for samples, what in set_at],
    )


def _round_steps(most: int) -> list[int]:
    """0 and up to five round numbers up to ``most``."""
    raw = most / 4
    magnitude = 10.0 ** math.floor(math.log10(max(raw, 1)))
    step = next(m * magnitude for m in (1, 2, 2.5, 5, 10) if m * magnitude >= raw)
    step = max(int(step), 1)
    return list(range(0, most + 1, step))
