"""Using the items of tech tree tasks: tools on blocks, armour on the body, blocks on the ground."""

from voxeldojo.actions import ATTACK, EQUIP, USE
from voxeldojo.demonstrations.building import free_spots, place_near
from voxeldojo.demonstrations.farming import SOIL, till
from voxeldojo.demonstrations.gathering import approach, gather, nearest
from voxeldojo.demonstrations.obtaining import Obtaining
from voxeldojo.demonstrations.player import Player
from voxeldojo.rules import ITEMS

ENTRIES = {item.name: item for item in ITEMS}


def use_tech(obtaining: Obtaining, name: str) -> None:
    """Use an item once, in the way that the task counts."""
    player = obtaining.player
    entry = ENTRIES[name]
    if entry.slot != "mainhand":
        player.act(function=EQUIP, slot=player.slot_of(name))
    elif name == "bow":
        obtaining.obtain("arrow")
        player.equip("bow")
        for _ in range(25):
            player.act(function=USE)
        player.wait(3)
    elif entry.block:
        place_near(player, name)
    elif name.endswith("_hoe"):
        till(player, name)
    elif entry.durability:
        _strike_something(player, name)
    else:
        _use_on_the_ground(player, name)


def _use_on_the_ground(player: Player, name: str) -> None:
    """Use an item on the ground nearby. Some are placed there; for the others the place does not
    matter."""
    player.equip(name)
    before = player.have(name)
    for cell in free_spots(player):
        player.look_at(cell[0] + 0.5, float(cell[1]), cell[2] + 0.5)
        player.act(function=USE)
        if player.have(name) < before:
            return


def _strike_something(player: Player, name: str) -> None:
    """Dig a block with a tool, which then counts as used."""
    player.equip(name)
    for _ in range(3):
        cell = nearest(player, SOIL)
        if cell is not None:
            approach(player, cell)
            player.equip(name)
            dig_with(player, cell)
        else:
            gather(player, {"stone"}, "cobblestone", player.have("cobblestone") + 1)


def dig_with(player: Player, cell: tuple[int, int, int]) -> None:
    """Dig a block with the item in the hand."""
    player.look_at(*(c + 0.5 for c in cell))
    for _ in range(200):
        player.act(function=ATTACK)
        if player.block(cell) == 0:
            return
