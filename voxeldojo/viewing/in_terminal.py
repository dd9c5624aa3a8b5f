"""Playing in a terminal: two pixels to a character cell, in true colour."""

import os
import select
import shutil
import sys
import termios
import time
import tty

import numpy as np
from numpy.typing import NDArray

from voxeldojo.command_name import refuse
from voxeldojo.exit_codes import REFUSED
from voxeldojo.game import Game, Keys
from voxeldojo.viewing.hands import KEYS, bag, craftable, keys_of

TICK = 0.05  # seconds
HOLD = 0.25  # seconds for which a key counts as down: a terminal only reports presses
ARROWS = {b"[A": "look up", b"[B": "look down", b"[D": "turn left", b"[C": "turn right"}
HELP = "wasd walk, arrows look, space jump, f hit, e use, q drop, 1-9 hold, p place, m craft, x end"


def half_blocks(image: NDArray[np.uint8]) -> str:
    """(3, 2 n, width) uint8 as n lines of characters whose upper half is the foreground."""
    lines: list[str] = []
    for row in range(0, image.shape[1] - 1, 2):
        upper, lower = image[:, row].T.tolist(), image[:, row + 1].T.tolist()
        last, line = None, []
        for (r, g, b), (i, j, k) in zip(upper, lower, strict=True):
            colours = f"\x1b[38;2;{r};{g};{b};48;2;{i};{j};{k}m"
            line.append("\u2580" if colours == last else colours + "\u2580")
            last = colours
        lines.append("".join(line) + "\x1b[0m")
    return "\r\n".join(lines)


def play_in_terminal(game: Game, prompt: str, ticks: int | None = None) -> int:
    """Play until x, the end of input, or ``ticks``, and restore the terminal."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        refuse("play", "this is no terminal; use --browser")
        return REFUSED
    before = termios.tcgetattr(sys.stdin)
    print(prompt, HELP, sep="\n", end="", flush=True)
    try:
        tty.setcbreak(sys.stdin)
        sys.stdout.write("\x1b[?25l\x1b[2J")
        _play(game, prompt, ticks)
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
        sys.stdout.write("\x1b[0m\x1b[?25h\r\n")
        sys.stdout.flush()
    return 0


def _play(game: Game, prompt: str, ticks: int | None) -> None:
    until: dict[str, float] = {}
    line = prompt
    while ticks is None or ticks > 0:
        start = time.monotonic()
        for key in _pressed():
            if key in ("x", ""):
                return
            if key in KEYS or key in ARROWS.values():
                until[KEYS.get(key, key)] = start + HOLD
            else:
                line = _order(game, key) or line
        held = {name for name, end in until.items() if end > start}
        until = {
            name: end
            for name, end in until.items()
            if not name.startswith(("turn", "look", "drop"))
        }
        game.tick(keys_of(held))
        columns, lines = shutil.get_terminal_size()
        width, height = max(8, min(columns, 200)), max(4, min(lines - 3, 60)) * 2
        state = ", ".join(f"{count} {name}" for _, name, count in bag(game)) or "nothing"
        life, food = float(game.player["life"]), float(game.player["food"])
        below = f"life {life:.0f}, food {food:.0f}; carried: {state}"
        sys.stdout.write(
            f"\x1b[H{half_blocks(game.world.rgb(0, height, width))}\r\n"
            f"\x1b[K{below[: columns - 1]}\r\n\x1b[K{line[: columns - 1]}"
        )
        sys.stdout.flush()
        if ticks is not None:
            ticks -= 1
        time.sleep(max(0.0, TICK - (time.monotonic() - start)))


def _order(game: Game, key: str) -> str:
    """Equip, place or craft; returns the line to show."""
    carried = {slot: name for slot, name, _ in bag(game)}
    if key.isdecimal():
        slot = int(key) - 1
        if slot not in carried:
            return f"slot {key} is empty"
        game.tick(Keys(equip=carried[slot]))
        return f"holding {carried[slot]}"
    if key == "p":
        if 0 not in carried:
            return "there is nothing in the hand to place"
        game.tick(Keys(place=carried[0]))
        return f"placed {carried[0]}"
    if key == "m":
        can = craftable(game)
        listed = ", ".join(f"{n}: {name}" for n, (_, name) in enumerate(can))
        sys.stdout.write(f"\r\n\x1b[Kcraft which? {listed or 'nothing can be crafted'} ")
        sys.stdout.flush()
        number = _number() if can else -1
        sys.stdout.write("\x1b[2J")
        if not 0 <= number < len(can):
            return "nothing crafted"
        game.tick(Keys(crafts=(can[number][0],)))
        return f"crafted {can[number][1]}"
    return HELP


def _pressed() -> list[str]:
    """Keys pressed since the last call: letters, names of arrows, "" at the end of input."""
    found: list[str] = []
    while select.select([sys.stdin], [], [], 0.0)[0]:
        data = os.read(sys.stdin.fileno(), 64)
        if not data:
            return [*found, ""]
        while data:
            if data[:1] == b"\x1b":
                found.append(ARROWS.get(data[1:3], "other"))
                data = data[3:]
            else:
                found.append(chr(data[0]).lower())
                data = data[1:]
    return found


def _number() -> int:
    digits = ""
    while True:
        data = os.read(sys.stdin.fileno(), 1)
        if data.isdigit():
            digits += data.decode()
            sys.stdout.write(data.decode())
            sys.stdout.flush()
        else:
            return int(digits) if digits else -1
