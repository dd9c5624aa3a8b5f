"""Crafter's picture, which is put together of tiles, is the one that the package draws."""

import numpy as np
import pytest

from worlds.crafter.card.crafter_names import ACTIONS
from worlds.crafter.play.package_game import Game

NOOP, LEFT, SLEEP = (ACTIONS.index(name) for name in ("noop", "move_left", "sleep"))


def drawn_by_the_package(game: Game) -> np.ndarray:
    env = game._env
    kept, env._world.random = env._world.random, np.random.RandomState([game._seed, game.steps])
    try:
        return env.render()
    finally:
        env._world.random = kept


def play(game: Game, steps: int, actions: list[int], seed: int = 0) -> list[float]:
    """The daylight of each step; every picture is compared."""
    daylight = []
    chance = np.random.default_rng(seed)
    for _ in range(steps):
        game.player.health = 9  # it lives on
        game.step(int(chance.choice(actions)))
        np.testing.assert_array_equal(game.picture(), drawn_by_the_package(game))
        daylight.append(game.daylight)
    return daylight


@pytest.mark.parametrize("seed", [3, 4])
def test_days_and_nights_with_creatures(seed: int) -> None:
    game = Game()
    game.reset(seed)
    daylight = play(game, 400, list(range(len(ACTIONS))), seed)
    assert min(daylight) < 0.1 < 0.9 < max(daylight)
    assert any(name != "player" for name in kinds(game))


def kinds(game: Game) -> set[str]:
    return {type(each).__name__.lower() for each in game._world.objects}


def test_a_sleeper_sees_grey() -> None:
    game = Game()
    game.reset(0)
    game.player.inventory["energy"] = 1
    play(game, 30, [SLEEP])
    assert game.player.sleeping
    seen = game.picture()[:49, :63]
    assert (seen[..., 0] == seen[..., 1]).all()


def test_what_lies_beyond_the_border() -> None:
    game = Game()
    game.reset(0)
    for x, y in ((0, 0), (63, 63), (2, 61)):
        game._world._obj_map[tuple(game.player.pos)] = 0
        game.player.pos = np.array([x, y])
        game._world._obj_map[x, y] = 1
        np.testing.assert_array_equal(game.picture(), drawn_by_the_package(game))


@pytest.mark.parametrize("amount", [0, 1, 9])
def test_everything_that_a_player_can_have(amount: int) -> None:
    game = Game()
    game.reset(0)
    for item in game.player.inventory:
        game.player.inventory[item] = amount
    np.testing.assert_array_equal(game.picture(), drawn_by_the_package(game))
