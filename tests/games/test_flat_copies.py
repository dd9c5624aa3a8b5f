"""Copies of environments of the flat forms see what the originals would have seen."""

import copy
import pickle
from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest

import rlgpt  # noqa: F401 - registers the environments
from worlds.minecraft.card.features import FEATURES

FORMS = {
    "features": {"observations": list(FEATURES), "targets": ["wood", "cow"]},
    "pixels": {"image_size": (16, 24)},
}


def unpickled(made: Any) -> Any:
    return pickle.loads(pickle.dumps(made))


def walked(environment: Any, shape: tuple[int, ...]) -> np.ndarray:
    """What is seen in eight steps."""
    return np.array([environment.step(np.full(shape, choice))[0] for choice in range(1, 9)])


@pytest.mark.parametrize("copied", [copy.deepcopy, unpickled])
@pytest.mark.parametrize("form", list(FORMS))
@pytest.mark.parametrize("shape", [(), (3,)], ids=["single", "batch"])
def test_a_copy_goes_on_to_see_what_the_original_would(
    shape: tuple[int, ...], form: str, copied: Callable[[Any], Any]
) -> None:
    name, options = f"rlgpt/HarvestLog-{form}-v0", {"area": 32, **FORMS[form]}
    making: Any = partial(gymnasium.make_vec, num_envs=3) if shape else gymnasium.make
    original = making(name, **options)
    original.reset(seed=3)
    walked(original, shape)
    other = copied(original)
    seen = walked(other, shape)
    assert (seen[1:] != seen[:-1]).any()
    assert np.array_equal(walked(original, shape), seen)
    original.close()
    other.close()
