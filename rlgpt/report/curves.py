"""Learning curves of a run: success rate of the recent training episodes over primitive samples.

The learner writes them as TensorBoard events, which hold every PPO iteration and survive a killed
learner; they are read here.
"""

import math
from pathlib import Path

import msgspec

from nodes.common.goals.goal_ids import file_name
from rlgpt.curves.joining import read_curves

_MOST_POINTS = 400  # more than the chart has pixels for


class Curve(msgspec.Struct, frozen=True, kw_only=True):
    """``points`` are (primitive samples, success rate), by samples."""

    name: str  # of the event folder, a policy's
    points: list[tuple[int, float]]


def read(tensorboard: Path, of: str | None = None) -> list[Curve]:
    """Every success-rate curve under a TensorBoard folder; none if there is no such folder. ``of``:
    only those of policies of this goal, and no other's files are read."""
    begins = None if of is None else file_name(of)
    if begins is not None and "~" in begins:  # cut: the policies' names are cut elsewhere
        begins = None
    every = read_curves(
        tensorboard, lambda policy: begins is None or f"{policy}+".startswith(f"{begins}+")
    )
    found = {key: each for key, each in every.items() if "success" in key[1]}
    policies = [policy for policy, _ in found]
    curves: list[Curve] = []
    for (policy, tag), (steps, values, _) in found.items():
        name = policy if policies.count(policy) == 1 else f"{policy}/{tag}"
        points = list(zip(steps.tolist(), values.tolist(), strict=True))
        curves.append(Curve(name=name, points=_thinned(points)))
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
