"""Commands about what the player carries."""

from voxeldojo.engine.hands.hotbar import place_of
from voxeldojo.game.commands.meanings import count, item, quantity, slot
from voxeldojo.game.commands.selectors import select_player
from voxeldojo.game.commands.source import NotDone, Source
from voxeldojo.game.single_world import SingleWorld
from voxeldojo.rules import item_names

MOST = 64  # items that one command gives
SLOTS = 41
ANY = "-1"


def give(game: SingleWorld, source: Source, words: list[str]) -> None:
    if not 2 <= len(words) <= 4:
        raise NotDone("it needs @p ITEM [COUNT [VARIANT]]")
    select_player(game, source, words[0])
    name = item(words[1])
    many = quantity(words[2]) if len(words) > 2 else 1
    game.give(name, min(many, MOST), count(words[3]) if len(words) > 3 else 0)


def replaceitem(game: SingleWorld, source: Source, words: list[str]) -> None:
    if not 4 <= len(words) <= 6 or words[0] != "entity":
        raise NotDone("it needs entity @p SLOT ITEM [COUNT [VARIANT]]")
    select_player(game, source, words[1])
    place, name = slot(words[2], game.selected), item(words[3])
    many = quantity(words[4]) if len(words) > 4 else 1
    variant = count(words[5]) if len(words) > 5 else 0
    game.set_slot(place, name, many, variant)


def clear(game: SingleWorld, source: Source, words: list[str]) -> None:
    """Take items away, those of the first slots first."""
    if len(words) > 4:
        raise NotDone("it needs [@p [ITEM [VARIANT [COUNT]]]]")
    select_player(game, source, words[0] if words else None)
    name = item(words[1]) if len(words) > 1 else None
    variant = count(words[2]) if len(words) > 2 and words[2] != ANY else None
    left = count(words[3]) if len(words) > 3 and words[3] != ANY else None
    slots = game.world.state.slots[0]
    for number in range(SLOTS):
        held = slots[place_of(game.selected, number)]
        if name not in (None, item_names[held["item"]]) or variant not in (None, held["variant"]):
            continue
        taken = int(held["count"]) if left is None else min(left, int(held["count"]))
        if left is not None:
            left -= taken
        if taken == held["count"]:
            game.set_slot(number, "air", 0, 0)
        else:
            held["count"] -= taken  # what is left keeps its wear
