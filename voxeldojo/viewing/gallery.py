"""Draws the pictures of the docs."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from voxeldojo.engine.mobs.placing import place_mob
from voxeldojo.game import STILL, Game
from voxeldojo.rules import BIOMES
from voxeldojo.rules.mobs import MOB_IDS
from voxeldojo.viewing.png import write_png
from voxeldojo.viewing.shown_world import CannotSee, open_game

ACROSS = 6  # pictures in a row of the sheet
SMALL = (80, 128)
SIZE = (160, 256)
AREA = 128  # columns that a Game holds along each side
SETTLING = 40  # ticks before a picture is taken
NIGHT = 18000
HOLLOW = 24  # y of the floor among the ores, above the caves full of lava
MOBS = ("cow", "sheep", "pig", "chicken", "zombie", "skeleton", "creeper", "spider", "enderman")


def draw_gallery(folder: Path) -> Iterator[Path]:
    """Draw all pictures into ``folder`` and yield the path of each.

    The sheet of biomes leaves out those that the world cannot make.

    Raises:
        OSError: the folder cannot be written to.
    """
    tiles = []
    for biome in BIOMES:
        try:
            game, _ = open_game(biome.name, 3)
        except CannotSee:
            continue
        with closing(game):
            tiles.append(_settled(game).world.rgb(0, *SMALL).copy())
    yield _write(folder / "biomes.png", sheet(tiles))
    for name, draw in (("day", day), ("night", night), ("underground", underground)):
        yield _write(folder / f"{name}.png", draw())


def sheet(tiles: list[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """Pictures of one size side by side, a line of black between them."""
    _, height, width = tiles[0].shape
    rows = -(-len(tiles) // ACROSS)
    image = np.zeros((3, rows * (height + 2), ACROSS * (width + 2)), np.uint8)
    for number, tile in enumerate(tiles):
        top, left = number // ACROSS * (height + 2), number % ACROSS * (width + 2)
        image[:, top : top + height, left : left + width] = tile
    return image


def day() -> NDArray[np.uint8]:
    """Animals on a plain."""
    return _with_mobs(MOBS[:4], 6000)


def night() -> NDArray[np.uint8]:
    """Monsters at night."""
    return _with_mobs(MOBS[4:], NIGHT)


def underground() -> NDArray[np.uint8]:
    """A small cave with ores in its wall, and a torch."""
    game, _ = open_game("forest", 3)
    with closing(game):
        _dig_cave(game)
        return _settled(game).world.rgb(0, *SIZE).copy()


def _dig_cave(game: Game) -> None:
    player = game.player
    x, z = int(np.floor(player["x"])), int(np.floor(player["z"]))
    floor = HOLLOW - int(np.floor(player["y"]))
    ores = {(-4, 1): 56, (-3, 3): 73, (-1, 4): 14, (1, 4): 15, (2, 3): 16, (4, 2): 21, (3, 1): 56}
    names = {
        56: "diamond_ore", 73: "redstone_ore", 14: "gold_ore", 15: "iron_ore", 16: "coal_ore",
        21: "lapis_ore",
    }  # fmt: skip
    for east in range(-3, 4):
        for up in range(4):
            for south in range(-2, 7):
                game.tick(STILL, f"setblock ~{east} ~{floor + up} ~{south} air")
    for (east, up), ore in ores.items():
        game.tick(STILL, f"setblock ~{east} ~{floor + up} ~7 {names[ore]}")
    for east, up in ((-2, 1), (0, 2), (2, 1), (1, 0)):
        game.tick(STILL, f"setblock ~{east} ~{floor + up} ~7 {names[list(ores.values())[up]]}")
    game.tick(STILL, f"setblock ~2 ~{floor} ~4 torch")
    game.move_to(x + 0.5, float(HOLLOW), z + 0.5)
    game.turn_to(0.0, 4.0)


def _with_mobs(names: tuple[str, ...], time: int) -> NDArray[np.uint8]:
    game, _ = open_game("plains", 8)
    with closing(game):
        _place_mobs(game, names, time)
        return game.world.rgb(0, *SIZE).copy()


def _place_mobs(game: Game, names: tuple[str, ...], time: int) -> None:
    game.turn_to(0.0, 12.0)
    world, player = game.world, game.player
    player["time"] = time
    for number, name in enumerate(names):
        east = (number - (len(names) - 1) / 2) * 2.0
        x, z = float(player["x"]) + east, float(player["z"]) + 4.5 + number % 2
        column = int(np.floor(x)) & (AREA - 1), int(np.floor(z)) & (AREA - 1)
        y = float(world.state.ground[0][column]) + 1.0
        placed = place_mob(world.state, world.rules, 0, MOB_IDS[name], x, y, z)
        if placed >= 0:
            world.state.mobs[0, placed]["yaw"] = 180.0 + 25.0 * (number % 3 - 1)


def _settled(game: Game) -> Game:
    for _ in range(SETTLING):
        game.tick(STILL)
    return game


def _write(path: Path, image: NDArray[np.uint8]) -> Path:
    write_png(path, image.repeat(2, 1).repeat(2, 2) if image.shape[1] <= SIZE[0] else image)
    return path
