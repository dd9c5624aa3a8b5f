"""How textures are painted: styles that make 16 x 16 pixels of a few colours and numbers.

A texture is named by its recipe, a tuple (style, its figures ...); the same recipe always gives the
same pixels. Nothing of the game's own art is used.
"""

import zlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

SIZE = 16
Colour = tuple[int, ...]  # red, green, blue
Recipe = tuple[Any, ...]
Pixels = NDArray[np.float64]  # (16, 16, 4): red, green, blue, alpha (0: one looks through it)


class Painter:
    """Collects textures by recipe."""

    def __init__(self) -> None:
        self.numbers: dict[Recipe, int] = {}
        self.textures: list[Pixels] = []

    def number(self, recipe: Recipe) -> int:
        """The texture's number."""
        if recipe not in self.numbers:
            self.numbers[recipe] = len(self.textures)
            self.textures.append(np.zeros((SIZE, SIZE, 4)))
            self.textures[self.numbers[recipe]] = np.clip(self._paint(recipe), 0, 255)
        return self.numbers[recipe]

    def pixels(self, recipe: Recipe) -> Pixels:
        return self.textures[self.number(recipe)].copy()

    def _paint(self, recipe: Recipe) -> Any:
        chance = np.random.default_rng(zlib.crc32(repr(recipe).encode()))
        painted: Any = STYLES[recipe[0]](self, chance, *recipe[1:])
        if painted.shape[2] == 3:
            return np.concatenate([painted, np.full((SIZE, SIZE, 1), 255.0)], axis=2)
        return painted


def _rough(chance: np.random.Generator, colour: Colour, spread: float) -> Any:
    return np.array(colour, float) + chance.normal(0.0, spread, (SIZE, SIZE))[:, :, None]


def _soft(chance: np.random.Generator, cells: int = 4) -> Any:
    """Smooth noise that repeats at the edges, about -1 to 1."""
    coarse = np.kron(chance.normal(0.0, 1.0, (cells, cells)), np.ones((SIZE // cells,) * 2))
    for _ in range(SIZE // cells // 2 + 1):
        coarse = (coarse + np.roll(coarse, 1, 0) + np.roll(coarse, 1, 1)) / 3.0
        coarse = (coarse + np.roll(coarse, -1, 0) + np.roll(coarse, -1, 1)) / 3.0
    return coarse / max(1e-6, float(abs(coarse).max()))


def _clear() -> Pixels:
    return np.zeros((SIZE, SIZE, 4))


def grain(_: Painter, chance: Any, colour: Colour, spread: float = 8.0) -> Pixels:
    """Earth and stone: one colour, rough."""
    return _rough(chance, colour, spread) + (spread * _soft(chance))[:, :, None]


def bark(_: Painter, chance: Any, colour: Colour, dark: float = 18.0) -> Pixels:
    """Streaks from top to bottom."""
    pixels = _rough(chance, colour, 4.0)
    pixels += dark * np.sign(chance.normal(0.0, 1.0, SIZE))[None, :, None]
    pixels[chance.random((SIZE, SIZE)) > 0.9] -= dark
    return pixels


def birch(_: Painter, chance: Any, colour: Colour, dark: Colour) -> Pixels:
    """White bark with short dark dashes across."""
    pixels = _rough(chance, colour, 4.0)
    for row in range(1, SIZE, 4):
        start = int(chance.integers(0, 11))
        pixels[row : row + 2, start : start + 5] = dark
    return pixels


def rings(_: Painter, chance: Any, wood: Colour, rim: Colour) -> Pixels:
    """A cut trunk."""
    y, x = np.mgrid[0:SIZE, 0:SIZE] - 7.5
    distance = np.maximum(abs(x), abs(y))
    pixels = _rough(chance, wood, 5.0)
    pixels[distance.astype(int) % 3 == 1] -= 24.0
    pixels[distance > 7.0] = rim
    return pixels


def leaves(_: Painter, chance: Any, colour: Colour, holes: float = 0.16) -> Pixels:
    pixels = _rough(chance, colour, 16.0) + (14.0 * _soft(chance, 8))[:, :, None]
    alpha = np.where(chance.random((SIZE, SIZE)) < holes, 0.0, 255.0)
    return np.concatenate([pixels, alpha[:, :, None]], axis=2)


def planks(_: Painter, chance: Any, colour: Colour) -> Pixels:
    pixels = _rough(chance, colour, 4.0)
    pixels += chance.normal(0.0, 5.0, SIZE)[:, None, None]
    pixels[3::4] -= 34.0
    for board in range(4):
        pixels[board * 4 : board * 4 + 3, (board * 7 + 3) % SIZE] -= 26.0
    return pixels


def bricks(
    _: Painter, chance: Any, colour: Colour, mortar: Colour, width: int = 8, height: int = 4
) -> Pixels:
    pixels = _rough(chance, colour, 7.0)
    for row in range(SIZE // height):
        band = pixels[row * height : (row + 1) * height]
        shift = (row % 2) * width // 2
        for start in range(-1, SIZE // width + 1):
            left = start * width + shift
            band[:, max(0, left) : max(0, left + width)] += chance.normal(0.0, 7.0)
            if 0 <= left < SIZE:
                band[:, left] = mortar
        band[-1] = mortar
    return pixels


def cobble(
    _: Painter, chance: Any, colour: Colour, dark: Colour, stones: int = 11, moss: Any = None
) -> Pixels:
    """Rounded stones with dark joints; with moss in some of them."""
    y, x = np.mgrid[0:SIZE, 0:SIZE]
    centres = chance.random((stones, 2)) * SIZE
    away = np.empty((stones, SIZE, SIZE))
    for number, (cy, cx) in enumerate(centres):
        dy, dx = abs(y - cy), abs(x - cx)
        away[number] = np.hypot(np.minimum(dy, SIZE - dy), np.minimum(dx, SIZE - dx))
    order = np.sort(away, axis=0)
    nearest = away.argmin(axis=0)
    pixels = _rough(chance, colour, 5.0) + chance.normal(0.0, 13.0, stones)[nearest][:, :, None]
    if moss is not None:
        pixels[chance.random(stones)[nearest] < 0.4] = moss
        pixels += chance.normal(0.0, 5.0, (SIZE, SIZE))[:, :, None]
    pixels[order[1] - order[0] < 1.0] = dark
    return pixels


def specks(
    painter: Painter, chance: Any, base: Recipe, colour: Colour, amount: float = 0.26
) -> Pixels:
    """Clusters of another colour in a ground: ores."""
    pixels = painter.pixels(base)
    noise = _soft(chance, 4) + 0.25 * chance.random((SIZE, SIZE))
    for part, shade in ((amount, 0.72), (amount * 0.72, 1.0), (amount * 0.16, 1.25)):
        mask = noise > np.quantile(noise, 1.0 - part)
        pixels[mask, :3] = np.array(colour) * shade
    return pixels


def spots(
    painter: Painter, chance: Any, base: Recipe, colour: Colour, amount: float = 0.2
) -> Pixels:
    """Large smooth patches of another colour: a cow's hide, mushrooms' caps."""
    pixels = painter.pixels(base)
    noise = _soft(chance, 2) + 0.4 * _soft(chance, 4)
    pixels[noise > np.quantile(noise, 1.0 - amount), :3] = colour
    return pixels


def bands(_: Painter, chance: Any, spread: float, *rows: tuple[int, Colour]) -> Pixels:
    """Horizontal bands from top to bottom: (pixels, colour) each."""
    pixels = np.concatenate([np.tile(np.array(colour, float), (n, SIZE, 1)) for n, colour in rows])
    return pixels[:SIZE] + chance.normal(0.0, spread, (SIZE, SIZE))[:, :, None]


def frame(painter: Painter, _chance: Any, inner: Recipe, edge: Colour, width: int = 1) -> Pixels:
    pixels = painter.pixels(inner)
    for side in (
        np.s_[:width], np.s_[-width:], np.s_[:, :width], np.s_[:, -width:]
    ):  # fmt: skip
        pixels[side] = (*edge, 255)
    return pixels


def polished(_: Painter, chance: Any, colour: Colour) -> Pixels:
    """Blocks of metal and gems: light above and left, dark below and right."""
    pixels = _rough(chance, colour, 3.0) + (8.0 * _soft(chance))[:, :, None]
    pixels[0] += 30.0
    pixels[:, 0] += 30.0
    pixels[-1] -= 45.0
    pixels[:, -1] -= 45.0
    return pixels


def pane(_: Painter, _chance: Any, edge: Colour, middle: int = 0) -> Pixels:
    """Glass: an edge, two glints, else clear (or of the alpha ``middle``)."""
    pixels = _clear()
    pixels[:] = (*edge, middle)
    for side in (np.s_[0], np.s_[-1], np.s_[:, 0], np.s_[:, -1]):
        pixels[side] = (*edge, 255)
    for step in range(4):
        pixels[3 + step, 6 - step] = pixels[8 + step, 13 - step] = (235, 245, 248, 255)
    return pixels


def glaze(_: Painter, chance: Any, colour: Colour, alpha: int, spread: float = 6.0) -> Pixels:
    """One looks through it, tinted."""
    pixels = _rough(chance, colour, spread / 2) + (spread * _soft(chance))[:, :, None]
    return np.concatenate([pixels, np.full((SIZE, SIZE, 1), float(alpha))], axis=2)


def swirl(
    _: Painter, chance: Any, low: Colour, high: Colour, alpha: int = 255, cells: int = 4
) -> Pixels:
    """Two colours that run into one another: fluids, portals, marble."""
    part = (0.5 + 0.5 * _soft(chance, cells))[:, :, None]
    pixels = np.array(low) * (1.0 - part) + np.array(high) * part
    return np.concatenate([pixels, np.full((SIZE, SIZE, 1), float(alpha))], axis=2)


def fringe(painter: Painter, chance: Any, side: Recipe, above: Recipe, depth: int = 3) -> Pixels:
    """The side of ground that something grows or lies on."""
    pixels, cover = painter.pixels(side), painter.pixels(above)
    deep = depth + chance.integers(-1, 2, SIZE)
    for column in range(SIZE):
        pixels[: deep[column], column] = cover[: deep[column], column]
    return pixels


def art(
    painter: Painter, _chance: Any, base: Recipe | None, rows: Sequence[str], *palette: Any
) -> Pixels:
    """A drawing of 16 x 16 or 8 x 8 characters: 0..9 are colours of the palette, a blank is the
    base (clear where there is none)."""
    pixels = _clear() if base is None else painter.pixels(base)
    scale = SIZE // len(rows)
    for y, row in enumerate(rows):
        for x, character in enumerate(row):
            if character not in " .":
                colour = palette[int(character)]
                block = pixels[y * scale : (y + 1) * scale, x * scale : (x + 1) * scale]
                block[:] = colour if len(colour) == 4 else (*colour, 255)
    return pixels


def ink(painter: Painter, _chance: Any, base: Recipe, alpha: int) -> Pixels:
    """Another texture at this alpha."""
    pixels = painter.pixels(base)
    pixels[..., 3] = alpha
    return pixels


# What grows, on clear ground.


def blades(_: Painter, chance: Any, colour: Colour, tall: int = 7, every: int = 2) -> Pixels:
    """Blades that bend to either side."""
    pixels = _clear()
    for column in range(1, SIZE - 1, every):
        for row in range(min(SIZE, tall + int(abs(chance.normal(0.0, 3.0))))):
            place = (column + (row // 4) * (1 if (column // every) % 2 else -1)) % SIZE
            pixels[SIZE - 1 - row, place] = (*(c * (0.7 + 0.03 * row) for c in colour), 255)
    return pixels


def flower(_: Painter, _chance: Any, petals: Colour, heart: Colour, tall: int = 10) -> Pixels:
    pixels = _clear()
    top = SIZE - tall
    pixels[top + 3 :, 7] = (60, 120, 40, 255)
    pixels[12, 8:10] = pixels[13, 5:7] = (70, 140, 46, 255)
    pixels[top : top + 5, 5:10] = (*petals, 255)
    pixels[top, 5] = pixels[top, 9] = pixels[top + 4, 5] = pixels[top + 4, 9] = 0
    pixels[top + 2, 7] = (*heart, 255)
    return pixels


def bush(_: Painter, chance: Any, leaf: Colour, wood: Colour, full: float = 0.6) -> Pixels:
    """A stem and a loose crown: saplings, dead bushes."""
    pixels = _clear()
    pixels[8:, 7:9] = (*wood, 255)
    y, x = np.mgrid[0:SIZE, 0:SIZE]
    crown = (chance.random((SIZE, SIZE)) < full) & (np.hypot(y - 7.0, x - 7.5) < 6.2)
    shade = _rough(chance, leaf, 16.0)
    pixels[crown] = np.concatenate([shade, np.full((SIZE, SIZE, 1), 255.0)], axis=2)[crown]
    return pixels


def twigs(_: Painter, chance: Any, wood: Colour) -> Pixels:
    pixels = _clear()
    for _number in range(7):
        x, lean = 7.5, chance.normal(0.0, 0.7)
        for row in range(int(chance.integers(7, 13))):
            pixels[SIZE - 1 - row, int(np.clip(x, 0, 15))] = (*wood, 255)
            x += lean
    return pixels


def crop(_: Painter, chance: Any, young: Colour, ripe: Colour, part: float, fruit: Any) -> Pixels:
    """A field crop at ``part`` 0..1 of its growth; ``fruit``: colour of what it bears, or None."""
    pixels = _clear()
    tall = 3 + round(11 * part)
    colour = np.array(young) * (1.0 - part) + np.array(ripe) * part
    for column in range(1, SIZE, 2):
        height = max(2, tall - int(chance.integers(0, 3)))
        pixels[SIZE - height :, column] = (*colour, 255)
        pixels[SIZE - height : SIZE - height // 2, column, :3] *= 1.12
        if part > 0.4:
            pixels[SIZE - height + 1 : SIZE - height + 4, max(0, column - 1)] = (*colour, 255)
        if fruit is not None and part > 0.95:
            pixels[-3:, column] = (*fruit, 255)
    return pixels


def mushroom(_: Painter, _chance: Any, cap: Colour, dots: Any = None) -> Pixels:
    pixels = _clear()
    pixels[10:, 7:9] = (214, 204, 186, 255)
    pixels[7:10, 4:12] = pixels[6, 5:11] = (*cap, 255)
    if dots is not None:
        pixels[7, 6] = pixels[8, 9] = pixels[9, 5] = (*dots, 255)
    return pixels


def canes(_: Painter, chance: Any, colour: Colour, joint: Colour) -> Pixels:
    pixels = _clear()
    for column in (2, 6, 10, 13):
        pixels[:, column : column + 2] = (*colour, 255)
        pixels[int(chance.integers(1, 4)) :: 5, column : column + 2] = (*joint, 255)
    return pixels


def web(_: Painter, _chance: Any, colour: Colour) -> Pixels:
    pixels = _clear()
    y, x = np.mgrid[0:SIZE, 0:SIZE] - 7.5
    lines = (abs(abs(x) - abs(y)) < 0.6) | (abs(x) < 0.6) | (abs(y) < 0.6)
    turns = abs((np.maximum(abs(x), abs(y)) + 0.4 * np.minimum(abs(x), abs(y))) % 3.0) < 0.7
    pixels[lines | turns] = (*colour, 255)
    return pixels


def vines(_: Painter, chance: Any, colour: Colour, full: float = 0.55) -> Pixels:
    pixels = np.concatenate([_rough(chance, colour, 16.0), np.zeros((SIZE, SIZE, 1))], axis=2)
    streaks = chance.random((1, SIZE)) < full
    pixels[streaks & (chance.random((SIZE, SIZE)) < 0.85), 3] = 255.0
    return pixels


def flame(_: Painter, chance: Any) -> Pixels:
    pixels = _clear()
    for column in range(SIZE):
        height = 6 + int(chance.integers(0, 9))
        for row in range(height):
            part = row / height
            pixels[SIZE - 1 - row, column] = (255, 230 - 150 * part, 110 - 100 * part, 255)
    return pixels


def dust(_: Painter, chance: Any, colour: Colour, amount: float = 0.5) -> Pixels:
    """Powder on the ground, along both axes."""
    pixels = _clear()
    middle = np.zeros((SIZE, SIZE), bool)
    middle[6:10] = middle[:, 6:10] = True
    pixels[middle & (chance.random((SIZE, SIZE)) < amount + 0.3)] = (*colour, 255)
    return pixels


def ball(_: Painter, chance: Any, colour: Colour, radius: float = 5.5) -> Pixels:
    """A lump, lit from above on the left."""
    pixels = _clear()
    y, x = np.mgrid[0:SIZE, 0:SIZE] - 7.5
    inside = np.hypot(x, y) < radius
    light = 1.0 - 0.05 * (x + y)
    shade = _rough(chance, colour, 7.0) * light[:, :, None]
    pixels[inside] = np.concatenate([shade, np.full((SIZE, SIZE, 1), 255.0)], axis=2)[inside]
    pixels[(np.hypot(x, y) >= radius - 1.0) & inside, :3] *= 0.7
    return pixels


def heap(_: Painter, chance: Any, colour: Colour) -> Pixels:
    """Powder and seeds."""
    pixels = _clear()
    y, x = np.mgrid[0:SIZE, 0:SIZE]
    inside = (y > 6) & (abs(x - 7.5) < (y - 5) * 0.75) & (y < 14)
    inside &= chance.random((SIZE, SIZE)) < 0.85
    shade = np.concatenate([_rough(chance, colour, 22.0), np.full((SIZE, SIZE, 1), 255.0)], axis=2)
    pixels[inside] = shade[inside]
    return pixels


def egg(_: Painter, chance: Any, shell: Colour, dots: Colour) -> Pixels:
    pixels = _clear()
    y, x = np.mgrid[0:SIZE, 0:SIZE] - 7.5
    inside = (x / 4.6) ** 2 + (y / 6.4) ** 2 < 1.0
    pixels[inside] = (*shell, 255)
    pixels[inside & (chance.random((SIZE, SIZE)) < 0.22)] = (*dots, 255)
    return pixels


STYLES: dict[str, Callable[..., Pixels]] = {
    style.__name__: style
    for style in (
        grain, bark, birch, rings, leaves, planks, bricks, cobble, specks, spots, bands, frame,
        polished, pane, glaze, swirl, fringe, art, ink, blades, flower, bush, twigs, crop, mushroom,
        canes, web, vines, flame, dust, ball, heap, egg,
    )
}  # fmt: skip
