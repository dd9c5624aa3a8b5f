"""What is drawn over the picture: crosshair, hand, hot bar with counts, hearts."""

import numpy as np
from numpy.typing import NDArray

from nodes.env_server.worlds.embedded.picture.textures import SIZE, Textures
from nodes.env_server.worlds.embedded.state import State

SMALLEST = (100, 200)  # pictures with fewer rows or columns show the world alone
SKIN = (198, 148, 112)
DIGITS = (
    "111101101101111",
    "010110010010111",
    "111001111100111",
    "111001111001111",
    "101101111001001",
    "111100111001111",
    "111100111101111",
    "111001010010010",
    "111101111101111",
    "111101111001111",
)
GLYPHS = [np.array([c == "1" for c in digit]).reshape(5, 3) for digit in DIGITS]
HEART = np.array([[c == "1" for c in row] for row in ("01010", "11111", "11111", "01110", "00100")])


def draw_heads_up(
    image: NDArray[np.uint8], state: State, environment: int, looks: Textures
) -> None:
    """Draws over ``image`` (3, height, width) what MineDojo's picture shows above the world."""
    _, height, width = image.shape
    if height < SMALLEST[0] or width < SMALLEST[1]:
        return
    slots = state.slots[environment]
    _hand(image, int(slots[0]["item"]), bool(state.players[environment]["digging"]), looks)
    _crosshair(image)
    cell = SIZE + 2
    left = width // 2 - 9 * cell // 2
    top = height - cell
    for number in range(9):
        x = left + number * cell
        frame = image[:, top : top + cell, x : x + cell]
        frame[:] = (frame * 0.45).astype(np.uint8)
        edge = 235 if number == 0 else 110
        frame[:, 0, :] = frame[:, -1, :] = frame[:, :, 0] = frame[:, :, -1] = edge
        if slots[number]["item"]:
            _icon(frame[:, 1:-1, 1:-1], looks.pixels[looks.icons[slots[number]["item"]]])
        if slots[number]["count"] > 1:
            _number(frame, int(slots[number]["count"]))
    _hearts(image, float(state.players[environment]["life"]), left, top - 7)


def _crosshair(image: NDArray[np.uint8]) -> None:
    _, height, width = image.shape
    y, x = height // 2, width // 2
    image[:, y, x - 4 : x + 5] = 255 - image[:, y, x - 4 : x + 5]
    image[:, y - 4 : y, x] = 255 - image[:, y - 4 : y, x]
    image[:, y + 1 : y + 5, x] = 255 - image[:, y + 1 : y + 5, x]


def _hand(image: NDArray[np.uint8], item: int, digging: bool, looks: Textures) -> None:
    """An arm, or what is held, in the lower right; nearer to the middle while it strikes."""
    _, height, width = image.shape
    size = height // 3
    y, x = height - int(size * 0.8), width - int(size * 1.35)
    if digging:
        y, x = y - size // 6, x - size // 4
    if item:
        pixels = looks.pixels[looks.icons[item]]
        rows = np.arange(size) * SIZE // size
        _icon(image[:, y : y + size, x : x + size], pixels[rows][:, rows])
        return
    for row in range(y, height):
        start = x + (row - y) // 2 + size // 3
        shade = 1.0 - 0.25 * (row - y) / size
        image[:, row, start : start + size // 3] = (np.array(SKIN) * shade).astype(np.uint8)[
            :, None
        ]


def _icon(target: NDArray[np.uint8], pixels: NDArray[np.uint8]) -> None:
    rows, columns = target.shape[1:]
    seen = pixels[:rows, :columns, 3] > 0
    for c in range(3):
        target[c][seen] = pixels[:rows, :columns, c][seen]


def _number(frame: NDArray[np.uint8], count: int) -> None:
    x = frame.shape[2] - 2
    for digit in reversed(str(count)):
        x -= 4
        glyph = GLYPHS[int(digit)]
        frame[:, -7:-2, x : x + 3][:, glyph] = 255


def _hearts(image: NDArray[np.uint8], life: float, left: int, top: int) -> None:
    for number in range(10):
        full = life > 2 * number
        colour = (220, 30, 30) if full else (60, 20, 20)
        patch = image[:, top : top + 5, left + 7 * number : left + 7 * number + 5]
        for c in range(3):
            patch[c][HEART] = colour[c]
