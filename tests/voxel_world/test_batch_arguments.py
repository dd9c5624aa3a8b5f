"""What is no reset and no step of a batch of worlds is refused, and nothing has changed then."""

from typing import Any

import numpy as np
import pytest

from tests.voxel_world.arena import embedded, whole_state
from voxeldojo.actions import PRIMITIVES
from voxeldojo.engine import EmbeddedWorld

STAND = np.tile(PRIMITIVES["noop"], (3, 1))


@pytest.fixture(scope="module")
def world() -> EmbeddedWorld:
    world = embedded(3)
    world.reset(np.arange(3), np.arange(3))
    return world


@pytest.mark.parametrize(
    ("environments", "seeds", "said"),
    [
        (np.array([True, False, False]), [5, 6, 7], "environments are a row of whole numbers"),
        ([0], [True], r"seeds are a row of whole numbers, not \[True\]"),
        ([0], [1.5], r"seeds are a row of whole numbers, not \[1.5\]"),
        ([0], ["1"], r"seeds are a row of whole numbers, not \['1'\]"),
        ([0], [2**70], "seeds are a row of whole numbers"),
        ([[0], [1, 2]], [1, 2], "environments are a row of whole numbers"),
        (0, 1, "environments are a row of whole numbers, not 0"),
        ([3], [1], r"environments are numbered 0 to 2, not \[3\]"),
        ([0], [-1], r"a seed is 0 to 2\*\*63 - 1"),
        ([0], [2**64 - 1], r"a seed is 0 to 2\*\*63 - 1"),
        ([0, 1], [1], r"as many seeds as environments, not \(1,\) for \(2,\)"),
        ([1, 0, 1], [1, 2, 3], r"an environment is named twice: \[1, 0, 1\]"),
    ],
)
def test_what_is_no_reset_is_refused(
    world: EmbeddedWorld, environments: Any, seeds: Any, said: str
) -> None:
    before = whole_state(world)
    with pytest.raises(ValueError, match=said):
        world.reset(environments, seeds)
    assert whole_state(world) == before


def test_a_reset_of_no_environment_does_nothing(world: EmbeddedWorld) -> None:
    before = whole_state(world)
    world.reset([], [])  # type: ignore[arg-type]
    assert whole_state(world) == before


def test_an_environment_that_has_not_begun_cannot_take_a_step() -> None:
    world = embedded(3)
    with pytest.raises(ValueError, match="environment 0 has not begun: reset it"):
        world.step(STAND, np.ones(3, np.bool_))
    world.reset(np.array([0, 2]), np.array([4, 5]))
    before = whole_state(world)
    with pytest.raises(ValueError, match="environment 1 has not begun: reset it"):
        world.step(STAND, np.ones(3, np.bool_))
    assert whole_state(world) == before
    world.step(STAND, np.array([True, False, True]))
    world.reset(np.array([1]), np.array([6]))
    world.step(STAND, np.ones(3, np.bool_))
    assert world.age().tolist() == [2, 1, 2]


@pytest.mark.parametrize("number", [-1, 3])
def test_one_environment_that_there_is_not_is_refused(world: EmbeddedWorld, number: int) -> None:
    for read in (world.cause_of_death, world.observation, world.above):
        with pytest.raises(ValueError, match=f"environments are numbered 0 to 2, not {number}"):
            read(number)
    with pytest.raises(TypeError):
        world.rgb(0.5, 4, 4)  # type: ignore[arg-type]
