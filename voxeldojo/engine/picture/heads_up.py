"""The heads-up display: crosshair, hand, hot bar with counts, hearts, armour, food, air and
experience, at the game's places."""

import math

import numpy as np
from numpy.typing import NDArray

from voxeldojo.engine.compiling.kernels import kernel
from voxeldojo.engine.hands.hotbar import place_of
from voxeldojo.engine.picture.camera import FLUID_EYES, WATERY
from voxeldojo.engine.picture.textures import ICON

SMALLEST_HEIGHT, SMALLEST_WIDTH = 100, 200  # smaller pictures show the world alone
SKIN = (198, 148, 112)
SLEEVE = (0, 150, 160)


def _bits(*rows: str) -> NDArray[np.uint8]:
    return np.array([[int(c) for c in row] for row in rows], np.uint8)


DIGITS = np.stack(
    [
        _bits(*(rows[3 * n : 3 * n + 3] for n in range(5)))
        for rows in (
            "111101101101111", "010110010010111", "111001111100111", "111001111001111",
            "101101111001001", "111100111001111", "111100111101111", "111001010010010",
            "111101111101111", "111101111001111",
        )
    ]
)  # fmt: skip
# Symbols of 9 x 9: 0 nothing, 1 the edge, 2 the filling, 3 a glint.
HEART = _bits(
    "011000110", "122101221", "123212221", "122222221", "122222221",
    "012222210", "001222100", "000121000", "000010000",
)  # fmt: skip
MEAT = _bits(
    "000011110", "000122221", "001222221", "001232221", "001222210",
    "001222100", "012111000", "132100000", "011000000",
)  # fmt: skip
PLATE = _bits(
    "011000110", "122111221", "122222221", "112222211", "012232210",
    "012222210", "012222210", "012222210", "001111100",
)  # fmt: skip
BUBBLE = _bits(
    "000000000", "001111100", "012222210", "012332210", "012322210",
    "012222210", "012222210", "001111100", "000000000",
)  # fmt: skip
SYMBOLS = np.stack([HEART, MEAT, PLATE, BUBBLE])
COLOURS = np.array([(226, 26, 22), (176, 100, 40), (214, 214, 220), (90, 150, 236)])
IS_HEART, IS_MEAT, IS_PLATE, IS_BUBBLE = range(4)


@kernel
def fill(image, y, x, height, width, r, g, b):
    for row in range(max(0, y), min(image.shape[1], y + height)):
        for col in range(max(0, x), min(image.shape[2], x + width)):
            image[0, row, col] = r
            image[1, row, col] = g
            image[2, row, col] = b


@kernel
def symbol(image, kind, y, x, scale, part):
    """A heart or the like, filled to a half where ``part`` is 1, wholly where it is 2."""
    for row in range(9 * scale):
        for col in range(9 * scale):
            bit = SYMBOLS[kind, row // scale, col // scale]
            if bit == 0 or not (0 <= y + row < image.shape[1] and 0 <= x + col < image.shape[2]):
                continue
            left = col // scale < 5 if kind != IS_MEAT else col // scale >= 4
            filled = bit >= 2 and (part >= 2 or (part == 1 and left))
            for c in range(3):
                value = 18
                if filled:
                    value = COLOURS[kind, c] if bit == 2 else 250
                elif bit >= 2:
                    value = 52
                image[c, y + row, x + col] = value


@kernel
def number(image, value, y, x, scale, r, g, b):
    """A number whose last digit ends at column ``x``, with a shadow."""
    while True:
        digit = value % 10
        value //= 10
        x -= 4 * scale
        for shadow in range(1, -1, -1):
            for row in range(5):
                for col in range(3):
                    if DIGITS[digit, row, col] == 1:
                        top = y + (row + shadow) * scale
                        left = x + (col + shadow) * scale
                        if shadow == 1:
                            fill(image, top, left, scale, scale, 50, 50, 50)
                        else:
                            fill(image, top, left, scale, scale, r, g, b)
        if value == 0:
            return


@kernel
def icon(looks, image, item, y, x, size):
    """An item's picture, ``size`` pixels square."""
    for row in range(max(0, -y), min(size, image.shape[1] - y)):
        for col in range(max(0, -x), min(size, image.shape[2] - x)):
            value = looks.icons[item, row * ICON // size, col * ICON // size]
            if value >> np.uint32(24) > 0:
                image[0, y + row, x + col] = value & np.uint32(255)
                image[1, y + row, x + col] = (value >> np.uint32(8)) & np.uint32(255)
                image[2, y + row, x + col] = (value >> np.uint32(16)) & np.uint32(255)


@kernel
def crosshair(image, scale):
    y = image.shape[1] // 2
    x = image.shape[2] // 2
    for step in range(-4 * scale, 4 * scale + 1):
        for thick in range(scale):
            for c in range(3):
                image[c, y + thick, x + step] = 255 - image[c, y + thick, x + step]
                if step < 0 or step >= scale:
                    image[c, y + step, x + thick] = 255 - image[c, y + step, x + thick]


@kernel
def hand(state, looks, w, image):
    """An arm or the held item in the lower right; nearer to the middle during a blow."""
    player = state.players[w]
    height = image.shape[1]
    width = image.shape[2]
    size = height // 3
    y = height - (size * 17) // 20
    x = width - (size * 27) // 20
    if player.digging == 1:
        swing = 0.5 + 0.5 * math.sin(player.ticks * 1.1)
        y -= int(size * 0.22 * swing)
        x -= int(size * 0.32 * swing)
    item = state.slots[w, 0].item
    if item != 0:
        icon(looks, image, item, y, x, size)
        return
    for row in range(max(0, y), height):
        start = x + (row - y) // 2 + size // 3
        shade = 1.0 - 0.2 * (row - y) / size
        for col in range(start, min(width, start + size // 3)):
            edge = 0.82 if col - start < size // 9 else 1.0
            for c in range(3):
                tone = SKIN[c] if row - y < size * 0.62 else SLEEVE[c]
                image[c, row, col] = np.uint8(tone * shade * edge)


@kernel
def bars(state, rules, w, view, image, left, scale):
    """Hearts, armour, food, air and experience above the hot bar."""
    player = state.players[w]
    height = image.shape[1]
    right = left + 182 * scale
    line = height - 39 * scale
    life = math.ceil(player.life)
    food = math.ceil(player.food)
    armour = 0
    for place in range(36, 40):
        armour += rules.item[state.slots[w, place].item].armour
    for n in range(10):
        x = left + 8 * n * scale
        symbol(image, IS_HEART, line, x, scale, life - 2 * n)
        symbol(image, IS_MEAT, line, right - (8 * n + 9) * scale, scale, food - 2 * n)
        if armour > 0:
            symbol(image, IS_PLATE, line - 10 * scale, x, scale, armour - 2 * n)
        if view[FLUID_EYES] == WATERY and player.air > 30 * n:
            symbol(image, IS_BUBBLE, line - 10 * scale, right - (8 * n + 9) * scale, scale, 2)
    points = player.xp
    level = 0
    needed = 7.0
    while points >= needed and level < 1000:
        points -= needed
        level += 1
        needed = 2.0 * level + 7.0
        if level >= 30:
            needed = 9.0 * level - 158.0
        elif level >= 15:
            needed = 5.0 * level - 38.0
    top = height - 29 * scale
    fill(image, top, left, 5 * scale, 182 * scale, 24, 34, 20)
    fill(
        image,
        top + scale,
        left + scale,
        3 * scale,
        int(180 * scale * points / needed),
        126,
        240,
        30,
    )
    if level > 0:
        middle = (left + right) // 2 + 2 * scale * (2 if level > 9 else 1)
        number(image, level, top - 7 * scale, middle, scale, 128, 255, 32)


@kernel
def draw_heads_up(state, rules, looks, w, view, image):
    """Draw the display over ``image`` (3, height, width), as in MineDojo's picture."""
    height = image.shape[1]
    width = image.shape[2]
    if height < SMALLEST_HEIGHT or width < SMALLEST_WIDTH:
        return
    scale = max(1, min(width // 320, height // 240))
    hand(state, looks, w, image)
    crosshair(image, scale)
    left = width // 2 - 91 * scale
    top = height - 22 * scale
    for row in range(max(0, top), height):
        for col in range(max(0, left), min(width, left + 182 * scale)):
            at = (col - left) // scale
            line = (row - top) // scale
            edge = line == 0 or line == 21 or at == 0 or at == 181
            for c in range(3):
                if edge:
                    image[c, row, col] = 20
                elif line == 1 or line == 20 or (at - 1) % 20 == 0 or (at - 1) % 20 == 19:
                    image[c, row, col] = 130
                else:
                    image[c, row, col] = np.uint8(image[c, row, col] * 0.42)
    selected = state.players[w].selected
    for side in range(2):  # the frame around what is in the hand
        fill(
            image,
            top - scale + 22 * side * scale,
            left + (20 * selected - 1) * scale,
            2 * scale,
            24 * scale,
            230,
            230,
            230,
        )
        fill(
            image,
            top - scale,
            left + (20 * selected - 1 + 22 * side) * scale,
            24 * scale,
            2 * scale,
            230,
            230,
            230,
        )
    for place in range(9):
        slot = state.slots[w, place_of(selected, place)]
        if slot.item == 0:
            continue
        x = left + (3 + 20 * place) * scale
        icon(looks, image, slot.item, top + 3 * scale, x, 16 * scale)
        if slot.count > 1:
            number(image, slot.count, top + 14 * scale, x + 17 * scale, scale, 255, 255, 255)
        durability = rules.item[slot.item].durability
        if durability > 0 and slot.wear > 0:
            part = max(0.0, 1.0 - slot.wear / durability)
            fill(image, top + 16 * scale, x + 2 * scale, 2 * scale, 13 * scale, 0, 0, 0)
            wide = max(1, int(13.0 * scale * part))
            bad = int(255.0 * (1.0 - part))
            fill(image, top + 16 * scale, x + 2 * scale, scale, wide, bad, 255 - bad, 0)
    bars(state, rules, w, view, image, left, scale)
