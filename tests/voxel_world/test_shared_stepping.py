"""Worlds that several threads step, and look about in, at once."""

from typing import Any

import numpy as np
import pytest

from tests.voxel_world.arena import embedded, whole_state
from voxeldojo.engine.threads import shared_stepping

WORLDS = 11
STEPS = 120
INVALID = (9, 0, 0, 12, 12, 0, 0, 0)
WALK = (1, 0, 0, 12, 12, 0, 0, 0)


@pytest.fixture
def few_are_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_stepping, "FEWEST", WORLDS // 2)
    monkeypatch.setattr("voxeldojo.engine.embedded_world.MANY_RAYS", WORLDS)


def played(threads: int) -> list[bytes]:
    """The state of worlds in which some players walk and dig, and some stand still."""
    world = embedded(WORLDS, biome="plains")
    assert len(world.share_among(threads)) == threads - 1
    world.reset(np.arange(WORLDS), np.arange(WORLDS) + 70)
    random = np.random.default_rng(3)
    for _ in range(STEPS):
        actions = np.tile(WALK, (WORLDS, 1))
        actions[:, 2] = random.integers(0, 4, WORLDS)
        actions[:, 4] = random.integers(11, 14, WORLDS)
        actions[:, 5] = random.choice([0, 3], WORLDS)
        world.step(actions, random.random(WORLDS) < 0.95)
    state = whole_state(world)
    world.close()
    return state


@pytest.mark.usefixtures("few_are_shared")
@pytest.mark.parametrize("threads", [2, 3])
def test_worlds_are_the_same_by_any_number_of_threads(
    threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared: list[int] = []
    step = shared_stepping.ACT

    def counted(*arguments: Any) -> None:
        shared.append(len(arguments[3]))
        step(*arguments)

    monkeypatch.setattr(shared_stepping, "ACT", counted)
    alone = played(1)
    assert shared == []
    assert played(threads) == alone
    assert len(shared) > STEPS
    assert max(shared) < WORLDS / threads
    shared.clear()
    monkeypatch.setattr(shared_stepping, "FEWEST", WORLDS + 1)
    assert played(threads) == alone
    assert shared == []  # it would not pay


@pytest.mark.usefixtures("few_are_shared")
def test_an_invalid_action_is_refused_before_any_world_is_stepped() -> None:
    world = embedded(WORLDS, biome="plains")
    world.share_among(2)
    world.reset(np.arange(WORLDS), np.arange(WORLDS))
    before = whole_state(world)
    actions = np.tile(WALK, (WORLDS, 1))
    actions[WORLDS - 1] = INVALID
    with pytest.raises(ValueError, match=f"environment {WORLDS - 1}: move is 0 to 2, not 9"):
        world.step(actions, np.ones(WORLDS, bool))
    assert whole_state(world) == before
    world.close()


@pytest.mark.usefixtures("few_are_shared")
def test_rays_are_the_same_by_any_number_of_threads() -> None:
    world = embedded(WORLDS, biome="forest")
    world.reset(np.arange(WORLDS), np.arange(WORLDS))
    rays = np.random.default_rng(0).uniform(-1, 1, (40, 2)).astype(np.float32)

    def seen(*rows: Any) -> list[bytes]:
        return [part.tobytes() for part in world.rays(rays, 20.0, *rows)]

    some = np.arange(WORLDS)[::-1][: WORLDS - 1]
    alone = seen(), seen(some)
    assert alone[0] != alone[1]
    world.share_among(3)
    assert (seen(), seen(some)) == alone
    world.close()
