"""The answers of several env servers, put together as if one of them had played all
environments."""

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from messages.roll_out import RolledOut
from messages.world import Opened, Stepped

_Answer = TypeVar("_Answer", Opened, Stepped, RolledOut)
_OF_ENVIRONMENTS = ("features", "mask", "reward", "steps", "terminated", "truncated", "success")
_OF_ROLLOUTS = (*_OF_ENVIRONMENTS, "choices", "log_probs")
_OF_ENDS = ("final_features", "final_returns", "final_lengths")

Part = tuple[slice, _Answer]
"""The rows that an env server plays, and its answer."""


def opened_together(size: int, parts: Sequence[Part[Opened]]) -> Opened:
    """What all ``size`` environments begin with; see `stepped_together`."""
    one = parts[0][1]
    return Opened(
        fields=one.fields,
        choices=one.choices,
        **_columns(("features", "mask"), size, parts, axis=0),
        prefix_steps=sum(each.prefix_steps for _, each in parts),
    )


def stepped_together(size: int, parts: Sequence[Part[Stepped]]) -> Stepped:
    """The step of all ``size`` environments. Those of no part stand still: their rows are
    zero, ``steps`` too, and every choice is possible."""
    answers = [each for _, each in parts]
    matched = () if answers[0].matched is None else ("matched",)
    return Stepped(
        **_columns((*_OF_ENVIRONMENTS, *matched), size, parts, axis=0),
        **_joined(_OF_ENDS, answers),
        final_rows=np.concatenate([each.final_rows + rows.start for rows, each in parts]),
        prefix_steps=sum(each.prefix_steps for each in answers),
    )


def rolled_together(size: int, parts: Sequence[Part[RolledOut]]) -> RolledOut:
    """The rollout of all ``size`` environments, from equally many decisions of each part; see
    `stepped_together`."""
    answers = [each for _, each in parts]
    at = np.concatenate([each.final_at + np.array([0, rows.start]) for rows, each in parts])
    order = np.lexsort((at[:, 1], at[:, 0]))  # by decision, then by environment
    ends = {name: array[order] for name, array in _joined(_OF_ENDS, answers).items()}
    return RolledOut(
        **_columns(_OF_ROLLOUTS, size, parts, axis=1),
        **ends,
        final_at=at[order],
        prefix_steps=sum(each.prefix_steps for each in answers),
    )


def one_after_another(answers: Sequence[RolledOut]) -> RolledOut:
    """The rollout whose decisions came in several answers."""
    if len(answers) == 1:
        return answers[0]
    before = np.cumsum([0, *(len(each.choices) for each in answers[:-1])])
    return RolledOut(
        **_joined((*_OF_ROLLOUTS, *_OF_ENDS), answers),
        final_at=np.concatenate(
            [each.final_at + np.array([t, 0]) for t, each in zip(before, answers, strict=True)]
        ),
        prefix_steps=sum(each.prefix_steps for each in answers),
    )


def _joined(names: Sequence[str], answers: Sequence[_Answer]) -> dict[str, Any]:
    """The answers' arrays of these names, one after another."""
    return {name: np.concatenate([getattr(each, name) for each in answers]) for name in names}


def _columns(
    names: Sequence[str], size: int, parts: Sequence[Part[_Answer]], axis: int
) -> dict[str, Any]:
    """Arrays of these names for all environments, whose axis is ``axis``."""
    columns: dict[str, Any] = {}
    for name in names:
        arrays = [(rows, np.asarray(getattr(each, name))) for rows, each in parts]
        shape, dtype = arrays[0][1].shape, arrays[0][1].dtype
        blank = np.ones if name == "mask" else np.zeros  # some choice has to be possible
        columns[name] = blank((*shape[:axis], size, *shape[axis + 1 :]), dtype)
        for rows, array in arrays:
            columns[name][(*[slice(None)] * axis, rows)] = array
    return columns
