"""Learning curves of a run: success rate of the recent training episodes over primitive samples.

The learner writes them as TensorBoard events, which hold every PPO iteration and survive a killed
learner; they are read here.
"""

import math
from pathlib import Path

import msgspec
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from nodes.goal_ids import file_name

_MOST_POINTS = 400  # more than the chart has pixels for


class Curve(msgspec.Struct, frozen=True, kw_only=True):
    """``points`` are (primitive samples, success rate), by samples."""

    name: str  # of the event folder, a policy's
    points: list[tuple[int, float]]


def read(tensorboard: Path) -> list[Curve]:
    """Every success-rate curve under a TensorBoard folder; none if there is no such folder."""
    folders = sorted({path.parent for path in tensorboard.rglob("events.out.tfevents.*")})
    curves: list[Curve] = []
    for folder in folders:
        try:
            accumulator = EventAccumulator(str(folder), size_guidance={"scalars": 0})
            accumulator.Reload()
            tags = sorted(tag for tag in accumulator.Tags()["scalars"] if "success" in tag)
        except Exception:  # of tensorboard's reader, for a half-written or foreign file
            continue
        for tag in tags:
            by_samples = {
                event.step: event.value
                for event in accumulator.Scalars(tag)
                if math.isfinite(event.value)
            }
            name = str(folder.relative_to(tensorboard))
            if len(tags) > 1:
                name = f"{name}/{tag}"
            if by_samples:
                curves.append(Curve(name=name, points=_thinned(sorted(by_samples.items()))))
    return curves


def of_policy(curves: list[Curve], policy: str) -> Curve | None:
    """The curve of a policy by its id, after which the learner names its folder."""
    if not policy:
        return None
    folder = file_name(policy)
    return next((c for c in curves if c.name.partition("/")[0] == folder), None)


def _thinned(points: list[tuple[int, float]]) -> list[tuple[int, float]]:
    step = max(1, math.ceil(len(points) / _MOST_POINTS))
    kept = points[::step]
    return kept if kept[-1] == points[-1] else [*kept, points[-1]]
