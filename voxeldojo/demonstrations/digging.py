"""Digging single blocks with the right tool, and picking up what drops."""

import numpy as np

from voxeldojo.actions import ATTACK, EQUIP
from voxeldojo.demonstrations.player import BLOCK_NAMES, Cell, NoTool, Player
from voxeldojo.rules import item_id, item_names

AIMS = ((0.5, 0.5, 0.5), (0.5, 0.9, 0.5), (0.5, 0.1, 0.5), (0.1, 0.5, 0.5), (0.9, 0.5, 0.5),
        (0.5, 0.5, 0.1), (0.5, 0.5, 0.9))  # fmt: skip
OBSTACLES = 8
TIERS = ("wooden", "golden", "stone", "iron", "diamond")


def dig(player: Player, cell: Cell, keep: bool = False) -> bool:
    """Dig a block, and blocks that hide it. ``keep``: only with a tool that makes it drop its item.

    False: it could not be reached, or does not break.
    """
    for _ in range(OBSTACLES):
        start = player.block(cell)
        if start == 0 or player.world.rules.block[start]["hardness"] < 0.0:
            return start == 0
        if player.world.rules.block[start]["selectable"] == 0:
            return True
        hit, at = _aim(player, cell)
        if hit == 0:
            return False
        if not _break(player, at, keep and at == cell):
            return False
        if at == cell and player.block(cell) == 0:
            return True
    return player.block(cell) == 0


def _aim(player: Player, cell: Cell) -> tuple[int, Cell]:
    """Look at a block. Returns the block under the crosshair, which may be one that hides it."""
    best: tuple[int, Cell] = (0, cell)
    for dx, dy, dz in AIMS:
        player.look_at(cell[0] + dx, cell[1] + dy, cell[2] + dz)
        hit, at = player.target()
        if hit and at == cell:
            return hit, at
        if hit and best[0] == 0:
            best = (hit, at)
    if best[0]:
        player.look_at(*(c + 0.5 for c in best[1]))
        hit, at = player.target()
        return hit, at
    return best


def _break(player: Player, cell: Cell, keep: bool) -> bool:
    block = player.block(cell)
    take_tool(player, block, keep)
    rules = player.world.rules
    hardness = float(rules.block[block]["hardness"])
    if hardness < 0.0:
        return False
    patience = 40 + int(hardness * 100 * 5)
    for _ in range(patience):
        player.act(function=ATTACK)
        if player.block(cell) != block:
            return True
        if player.target()[1] != cell:
            player.look_at(*(c + 0.5 for c in cell))
            if player.target()[1] != cell:
                return True  # something fell or flowed in between; the caller aims again
    return False


def take_tool(player: Player, block: int, keep: bool = True) -> None:
    """Take the cheapest tool that suits a block into the hand, or none if there is none.

    Raises:
        NoTool: ``keep``, and no tool makes the block drop its item.
    """
    rules, slots = player.world.rules, player.world.state.slots[0]["item"][:36]
    entry = rules.block[block]
    best, price = -1, 1e9
    for item in {int(item) for item in slots if item}:
        speed = float(rules.speeds[item, entry["material"]])
        if speed <= 1.0 or (entry["needs_tool"] and not rules.harvests[item, block]):
            continue
        name = item_names[item]
        tier = next((n for n, word in enumerate(TIERS) if name.startswith(word)), 0)
        if tier < price:
            best, price = item, tier
    if best >= 0:
        player.equip(item_names[best])
    elif keep and entry["needs_tool"] and not rules.harvests[slots[0], block]:
        raise NoTool(f"there is no tool for {BLOCK_NAMES[block]}")
    elif rules.item[slots[0]]["tool"] and not entry["needs_tool"]:
        _lower_tool(player)


def _lower_tool(player: Player) -> None:
    """Take something that does not wear out into the hand, if there is anything."""
    rules, slots = player.world.rules, player.world.state.slots[0]["item"][:36]
    for number, item in enumerate(slots):
        if item and rules.item[item]["durability"] == 0 and rules.item[item]["slot"] == 0:
            player.act(function=EQUIP, slot=number)
            return


def drops_of(player: Player, name: str, within: float = 12.0) -> list[tuple[float, float, float]]:
    """Positions of item entities of a kind, the nearest first."""
    drops = player.world.state.drops[0]
    body = player.body
    here = np.array([float(body[axis]) for axis in "xyz"])
    found = []
    for drop in drops[(drops["count"] > 0) & (drops["item"] == item_id(name))]:
        place = np.array([float(drop[axis]) for axis in "xyz"])
        away = float(np.linalg.norm(place - here))
        if away < within:
            found.append((away, (float(place[0]), float(place[1]), float(place[2]))))
    return [place for _, place in sorted(found)]
