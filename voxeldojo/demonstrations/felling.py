"""Apples: leaves without a trunk decay by themselves and drop what they drop when they are broken
one by one, which takes several times as long as felling trees."""

import math

from voxeldojo.demonstrations.digging import dig, drops_of, take_tool
from voxeldojo.demonstrations.gathering import approach, nearest, pick_up, wander
from voxeldojo.demonstrations.going import breathe, go
from voxeldojo.demonstrations.obtaining import Obtaining, tools_of
from voxeldojo.demonstrations.player import BLOCK_IDS, Cell, GaveUp, OutOfSteps, Player
from voxeldojo.obtainable.derivations import Rule

SCATTERED = 48.0  # metres in which one goes back for what has fallen since
BY = 2.0  # metres from where it lies, at which one has come to it
AXES = tools_of("tool:axe")
TRUNK = {BLOCK_IDS["log"]}


def fell_trees(obtaining: Obtaining, rule: Rule, count: int) -> None:
    """Fells tree after tree and picks up what falls out of those before, until there are ``count``
    of what the leaves drop.

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
            player.pause()  # to go round by them all takes until it is night
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
    """Digs one block of a trunk and lets it lie. False: it cannot be got at."""
    try:
        take_tool(player, player.block(cell))
        approach(player, cell)
        return dig(player, cell)
    except OutOfSteps:
        raise
    except GaveUp:
        return False


def _fetch(player: Player, item: str, cell: Cell) -> bool:
    """Goes to an item that lies far off and picks it up. False: it did not get it."""
    before = player.have(item)
    try:
        go(player, lambda there: math.dist(there, cell) <= BY, cell, slack=BY)
        pick_up(player, item)
    except OutOfSteps:
        raise
    except GaveUp:
        pass
    return player.have(item) > before
