"""Maps keys of a keyboard to a player's keys in a tick."""

from voxeldojo.game import Game, Keys
from voxeldojo.rules import CRAFTS

TURN = 7.5  # degrees for an arrow key
KEYS = {
    "w": "forward", "s": "back", "a": "left", "d": "right", " ": "jump", "c": "sneak",
    "r": "sprint",
    "up": "look up", "down": "look down", "turn left": "turn left", "turn right": "turn right",
    "f": "attack", "e": "use", "q": "drop",
}  # fmt: skip


def keys_of(held: set[str], *, yaw: float = 0.0, pitch: float = 0.0) -> Keys:
    """``held``: values of KEYS that are down. ``yaw``, ``pitch``: degrees by which a mouse turned.
    Other keys are ignored."""
    gait = 1 if "jump" in held else 2 if "sneak" in held else 3 if "sprint" in held else 0
    return Keys(
        yaw=yaw + TURN * (("turn right" in held) - ("turn left" in held)),
        pitch=pitch + TURN * (("look down" in held) - ("look up" in held)),
        forward=("forward" in held) - ("back" in held),
        left=("left" in held) - ("right" in held),
        gait=gait,
        attack="attack" in held,
        use="use" in held,
        drop="drop" in held,
    )


def craftable(game: Game) -> list[tuple[int, str]]:
    """(craft argument, item) of everything that the masks allow."""
    allowed = game.world.masks()["craft_smelt"][0]
    return [(n, craft.item) for n, craft in enumerate(CRAFTS) if allowed[n]]


def bag(game: Game) -> list[tuple[int, str, int]]:
    """(slot, item, quantity) of the slots that hold something."""
    items, counts = game.world.inventory()
    return [
        (n, game.world.item_names[item], int(count))
        for n, (item, count) in enumerate(zip(items[0], counts[0], strict=True))
        if item
    ]
