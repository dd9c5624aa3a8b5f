"""Commands that place blocks."""

from voxeldojo.game.commands.meanings import block, block_place, metadata
from voxeldojo.game.commands.source import NotDone, Source
from voxeldojo.game.single_world import SingleWorld

ANYWAY, IF_EMPTY = "replace", "keep"  # what setblock does with a block that is there
OUTSIDE = "the place is outside the window that is held around the player"
FILLED = 32768  # blocks, as in the game


def setblock(game: SingleWorld, source: Source, words: list[str]) -> None:
    mode = words[5] if len(words) > 5 else ANYWAY
    if not 4 <= len(words) <= 6 or mode not in (ANYWAY, IF_EMPTY):
        raise NotDone(f"it needs X Y Z BLOCK [METADATA [{ANYWAY} or {IF_EMPTY}]]")
    x, y, z = block_place(words[:3], source.place)
    kind, meta = block(words[3]), metadata(words[4] if len(words) > 4 else "0")
    if not game.holds(x, z):
        raise NotDone(OUTSIDE)
    if mode == IF_EMPTY and (there := game.block_at(x, y, z)) and there[0]:
        raise NotDone(f"at {x} {y} {z} is a block")
    game.put(x, y, z, kind, meta)


def fill(game: SingleWorld, source: Source, words: list[str]) -> None:
    if not 7 <= len(words) <= 8:
        raise NotDone("it needs X1 Y1 Z1 X2 Y2 Z2 BLOCK [METADATA]")
    first, second = block_place(words[:3], source.place), block_place(words[3:6], source.place)
    kind, meta = block(words[6]), metadata(words[7] if len(words) > 7 else "0")
    spans = [range(min(a, b), max(a, b) + 1) for a, b in zip(first, second, strict=True)]
    volume = len(spans[0]) * len(spans[1]) * len(spans[2])
    if volume > FILLED:
        raise NotDone(f"it fills {FILLED} blocks at most")
    if not all(game.holds(x, z) for x in (first[0], second[0]) for z in (first[2], second[2])):
        raise NotDone(OUTSIDE)
    source.spend(volume)
    for x in spans[0]:
        for y in spans[1]:
            for z in spans[2]:
                game.put(x, y, z, kind, meta)
