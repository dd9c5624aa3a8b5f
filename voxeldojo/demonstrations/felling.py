"""Getting apples by felling trees: leaves without a trunk decay and drop what they would drop when
broken. Breaking leaves one by one takes several times as long."""

import math

from voxeldojo.demonstrations.digging import dig, drops_of, take_tool
from voxeldojo.demonstrations.gathering import approach, nearest, pick_up, wander
from voxeldojo.demonstrations.going import breathe, go
from voxeldojo.demonstrations.obtaining import Obtaining, tools_of
from voxeldojo.demonstrations.player import BLOCK_IDS, Cell, GaveUp, OutOfSteps, Player
from voxeldojo.obtainable.derivations import Rule

SCATTERED = 48.0  # metres within which the player goes back for apples that fell later
BY = 2.0  # metres from an item, at which the player has arrived
AXES = tools_of("tool:axe")
TRUNK = {BLOCK_IDS["log"]}


def fell_trees(obtaining: Obtaining, rule: Rule, count: int) -> None:
    """Fell tree after tree and pick up what earlier ones dropped since, until there are ``count``
    of the item.

    Raises:
        GaveUp: there are no trees.
    """
    player = obtaining.player
    out_of_reach: set[Cell] = set()
    while player.have(rule.gives) < count:
        player.pause()
        for place in drops_of(player, rule.gives, SCATTERED):
            x, y, z = (math.floor(part) for part in place)
            if (x, y, z) in out_of_reach:
                continue
            player.pause()  # going to all of them can take until night
            if not _fetch(player, rule.gives, (x, y, z)):
                out_of_reach.add((x, y, z))
        if not any(player.have(axe) for axe in AXES):  # it wears out
            obtaining.obtain("stone_axe")
        trunk = nearest(player, TRUNK, out_of_reach)
        if trunk is None:
            wander(player)
        elif not breathe(player) and not _fell(player, trunk):
            out_of_reach.add(trunk)


def _fell(player: Player, cell: Cell) -> bool:
    """Dig one block of a trunk and leave its drop. False: it cannot be reached."""
    try:
        take_tool(player, player.block(cell))
        approach(player, cell)
        return dig(player, cell)
    except OutOfSteps:
        raise
    except GaveUp:
        return False


def _fetch(player: Player, item: str, cell: Cell) -> bool:
    """Go to an item far away and pick it up. False: it did not get it."""
    before = player.have(item)
    try:
        go(player, lambda there: math.dist(there, cell) <= BY, cell, slack=BY)
        pick_up(player, item)
    except OutOfSteps:
        raise
    except GaveUp:
        pass
    return player.have(item) > before
