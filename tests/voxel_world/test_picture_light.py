"""How bright the picture is: the figures of Minecraft's lightmap at MineDojo's gamma of 2."""

from collections.abc import Iterator

import numpy as np
import pytest

from voxeldojo.engine.picture.lightmap import fill_lightmap
from voxeldojo.engine.state import END, NETHER, OVERWORLD, RAIN
from voxeldojo.game import STILL, Game
from voxeldojo.viewing.shown_world import open_game

NOON, MIDNIGHT = 6000, 18000
BRIGHT, DIM = 1.0, 0.2  # the sun at noon and at midnight
STONE = 1
OPEN_SKY = 240  # sky light 15, block light 0


def lightmap(dimension: int, sun: float, vision: float = 0.0) -> np.ndarray:
    table = np.empty((256, 3))
    fill_lightmap(dimension, sun, vision, table)
    return table


@pytest.mark.parametrize(
    ("dimension", "sun", "level", "colour"),
    [
        (OVERWORLD, BRIGHT, OPEN_SKY, (1.00, 1.00, 1.00)),
        (OVERWORLD, DIM, OPEN_SKY, (0.77, 0.77, 1.00)),
        (OVERWORLD, DIM, 0, (0.22, 0.22, 0.22)),
        (OVERWORLD, BRIGHT, 0, (0.22, 0.22, 0.22)),
        (OVERWORLD, DIM, 7, (1.00, 1.00, 0.78)),
        (OVERWORLD, DIM, 1, (0.37, 0.32, 0.28)),
        (NETHER, DIM, 0, (0.925, 0.77, 0.65)),
        (NETHER, DIM, 3, (1.00, 0.97, 0.80)),
        (END, BRIGHT, 0, (1.00, 1.00, 1.00)),
    ],
)
def test_the_lightmap_has_the_games_colours(
    dimension: int, sun: float, level: int, colour: tuple[float, ...]
) -> None:
    assert lightmap(dimension, sun)[level] == pytest.approx(colour, abs=0.0051)


def test_night_vision_makes_the_dark_bright_and_fades_with_its_strength() -> None:
    assert lightmap(OVERWORLD, DIM, 1.0).min() > 0.98
    dark, half = lightmap(OVERWORLD, DIM)[0, 0], lightmap(OVERWORLD, DIM, 0.5)[0, 0]
    assert dark + 0.2 < half <= 1.0


@pytest.fixture
def stage() -> Iterator[Game]:
    """A stone floor to the horizon, the player looking down at it."""
    game, _ = open_game("plains", 5)
    state, player = game.world.state, game.player
    state.blocks[0] = state.meta[0] = 0
    state.light[0] = OPEN_SKY
    state.blocks[0, :, :, 62:64] = STONE
    player["x"], player["y"], player["z"] = player["west"] + 64.5, 66.0, player["north"] + 64.5
    player["yaw"], player["pitch"] = 0.0, 90.0
    player["ceiling"], player["time"] = 127, NOON
    state.mobs[0]["kind"] = 0
    yield game
    game.close()


def colour(game: Game) -> np.ndarray:
    return game.world.rgb(0, 48, 48).astype(float).reshape(3, -1).mean(1)


def test_the_picture_follows_the_lightmap(stage: Game) -> None:
    """The same stone, so the colours are to each other as the lightmap's."""
    day = colour(stage)
    stage.player["time"] = MIDNIGHT
    assert colour(stage) / day == pytest.approx((0.77, 0.77, 1.0), abs=0.02)
    stage.world.state.light[0] = 7
    assert colour(stage) / day == pytest.approx((1.0, 1.0, 0.78), abs=0.02)
    stage.world.state.light[0, :, :, :127] = 0
    stage.world.state.light[0, :, :, 127] = OPEN_SKY  # it has been worked out: this is a cave
    assert colour(stage) / day == pytest.approx((0.22, 0.22, 0.22), abs=0.02)


def test_rain_and_thunder_dim_the_night_by_the_clock(stage: Game) -> None:
    stage.player["time"] = 13000
    clear = colour(stage)
    stage.player["weather"] = RAIN
    assert (colour(stage) < clear).any()


def test_night_vision_lights_a_cave_and_ends(stage: Game) -> None:
    stage.player["time"] = MIDNIGHT
    stage.world.state.light[0, :, :, :127] = 0
    dark = colour(stage)
    assert stage.tick(STILL, "effect @p night_vision 60") == ""
    stage.player["pitch"] = 90.0
    lit = colour(stage)
    assert (lit > 3.0 * dark).all()
    assert stage.tick(STILL, "effect @p clear") == ""
    assert (colour(stage) < lit / 3.0).all()
