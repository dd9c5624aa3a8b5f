"""Checks the arguments of environments, their seeds and their actions: Python and NumPy accept or
convert many wrong values, and fail later with a message that does not name the argument."""

from collections.abc import Iterable, Mapping
from typing import Any, cast

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from voxeldojo.names import quoted
from voxeldojo.rules import item_id
from voxeldojo.tasks.argument_types import is_integer
from voxeldojo.tasks.world_options import checked_length

LARGEST_SEED = 2**63 - 1


def checked_target(target: Any) -> int:
    """The item's number.

    Raises:
        ValueError: there is no such item.
    """
    if not isinstance(target, str) or target == "air":
        raise ValueError(f"a target is the name of an item, not {quoted(target)}")
    return item_id(checked_length("item", target))


def checked_count(name: str, value: Any) -> int:
    """Raises ValueError: it is no whole number from 1 on."""
    if not is_integer(value):
        raise ValueError(f"{name} is a whole number, not {quoted(value)}")
    if value < 1:
        raise ValueError(f"{name} is at least 1, not {quoted(value)}")
    return int(value)


def checked_names(argument: str, value: Any) -> list[str]:
    """A list of names, whatever names they are.

    Raises:
        ValueError: it is something else; a single text, too, of which each letter would count.
    """
    several = isinstance(value, Iterable) and not isinstance(value, str | bytes)
    found: list[Any] = list(cast("Iterable[Any]", value)) if several else [None]
    if not all(isinstance(name, str) for name in found):
        raise ValueError(f"{argument} is a list of names, not {quoted(value)}")
    return found


def check_no_options(options: Any) -> None:
    """The options of ``reset``, of which Gymnasium leaves to an environment which it has.

    Raises:
        ValueError: there are some, which would be taken for granted and change nothing.
    """
    if options is not None and not (isinstance(options, Mapping) and not options):
        raise ValueError(
            f"reset has no options here, not {quoted(options)}: leave them out; the seed is an "
            "argument of its own, and all else is given when the environment is made"
        )


def check_steppable(begun: bool, closed: bool) -> None:
    """Raises ValueError: the environment is closed; ResetNeeded: no episode has begun."""
    if closed:
        raise ValueError("the environment is closed: make another one")
    if not begun:
        raise ResetNeeded("call reset before the first step")


def checked_seed(seed: Any) -> int:
    """Raises ValueError: the world cannot use such a seed."""
    if not is_integer(seed):
        raise ValueError(f"a seed is a whole number, not {quoted(seed)}")
    if not 0 <= seed <= LARGEST_SEED:
        raise ValueError(f"a seed is 0 to 2**63 - 1, not {quoted(seed)}")
    return int(seed)


def checked_action(action: Any, space: spaces.MultiDiscrete) -> NDArray[np.int64]:
    """One MineDojo action, as whole numbers.

    Raises:
        ValueError: it is none.
    """
    return _numbers_below(space.nvec, action, "an action is", "action")


def checked_actions(actions: Any, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The actions of a batch. ``sizes``, of the same shape: how many values each number has.

    Raises:
        ValueError: they are none.
    """
    return _numbers_below(sizes, actions, "actions are", "actions")


def _numbers_below(sizes: NDArray[Any], value: Any, what: str, name: str) -> NDArray[np.int64]:
    """NumPy would turn NaN and fractions into some whole numbers."""
    found = whole_numbers(value)
    if found is None or found.shape != sizes.shape:
        count = " x ".join(map(str, sizes.shape))
        raise ValueError(f"{what} {count} whole numbers, not {quoted(value)}")
    wrong = (found < 0) | (found >= sizes)
    if wrong.any():
        place = tuple(np.argwhere(wrong)[0].tolist())
        raise ValueError(
            f"{name}[{', '.join(map(str, place))}] is 0 to {sizes[place] - 1}, not {found[place]}"
        )
    return found.astype(np.int64)


def whole_numbers(value: Any) -> NDArray[Any] | None:
    """An array of whole numbers; None for anything else, a ragged list for example."""
    try:
        found: NDArray[Any] = np.asarray(value)
    except ValueError:
        return None
    return found if found.dtype.kind in "iu" else None
