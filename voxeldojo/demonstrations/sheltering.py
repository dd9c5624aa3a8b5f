"""Shelter: a hole for the night, and a cell in the rock for as long as one likes."""

import math
from collections.abc import Iterator
from itertools import islice, product

from voxeldojo.actions import PLACE, USE
from voxeldojo.demonstrations.digging import dig
from voxeldojo.demonstrations.footing import HARMFUL, WATER, Costs, Ground
from voxeldojo.demonstrations.gathering import surface
from voxeldojo.demonstrations.going import go, step_aside
from voxeldojo.demonstrations.hunting import MEALS
from voxeldojo.demonstrations.obtaining import Obtaining
from voxeldojo.demonstrations.player import (
    BLOCK_IDS,
    SIDES,
    Cell,
    GaveUp,
    OutOfSteps,
    Player,
)

DAY = 24_000  # ticks
MORNING = range(12_000)  # ticks of the day
WELL, FED = 17.0, 18.0  # points of life, and of food from which on life comes back
FULL = 20.0  # points of food: with these it comes back fast
COVERS = ("cobblestone", "dirt", "planks", "stone", "sand")
WALLS = 12  # cobblestone with which a cell is closed
PLACES = 12  # that are tried for a cell
DEPTH = 16  # blocks that one digs down at most
ROOF = 3  # blocks of rock over the lid
FAR = 48  # blocks to dry ground
MIDDLE = 0.15  # metres from it
# Endermen carry off what is soft.
ROCK = {BLOCK_IDS[name] for name in ("stone", "cobblestone", "coal_ore", "iron_ore", "sandstone")}


def wait_for(player: Player, hours: range) -> None:
    """Waits in a hole in the ground, which it closes above its head, for a time of the day."""
    if int(player.body["time"]) % DAY in hours:
        return
    hide(player)
    for _ in range(DAY // 3):
        if int(player.body["time"]) % DAY in hours:
            return
        eat_to_heal(player)
        player.idle(3)


def eat_to_heal(player: Player, fed: float = FED) -> None:
    """A player who is full gets well. ``fed``: points of food from which on it does not eat."""
    if float(player.body["life"]) < WELL and float(player.body["food"]) < fed:
        meal = next((name for name in MEALS if player.have(name)), None)
        if meal is not None:
            player.equip(meal)
            player.act(function=USE)


def hide(player: Player) -> None:
    """Digs itself in, three blocks deep, where no water runs in. In the open it stays where it
    cannot."""
    if not _is_dry(player, player.feet):
        _go_ashore(player)
    to_the_middle(player)
    for _ in range(3):
        x, y, z = player.feet
        if not dig(player, (x, y - 1, z)):
            return
        player.wait(8)
    close_above(player)


def _go_ashore(player: Player) -> None:
    """To the nearest dry ground under the sky that there is a way to, if any."""
    for cell in islice(_dry_ground(player), PLACES):
        try:
            go(player, lambda there, cell=cell: there == cell, cell)
            return
        except OutOfSteps:
            raise
        except GaveUp:
            pass


def _dry_ground(player: Player) -> Iterator[Cell]:
    """Cells to stand on the highest block of a column, the nearest first."""
    ground = Ground(player, player.feet, FAR)
    solid = Costs(player, may_dig=False).solid
    x, _, z = player.feet
    around = range(-FAR, FAR + 1)
    for dx, dz in sorted(product(around, around), key=lambda way: math.hypot(*way)):
        top = surface(ground, x + dx, z + dz)
        if top is None or not solid[ground.block(x + dx, top, z + dz)]:
            continue
        if _is_dry(player, (x + dx, top + 1, z + dz)):
            yield x + dx, top + 1, z + dz


def _is_dry(player: Player, cell: Cell) -> bool:
    """Whether there is no water in or beside a hole that is dug there."""
    x, y, z = cell
    return not any(
        player.block((x + dx, y + up, z + dz)) in WATER
        for dx, dz in ((0, 0), *SIDES)
        for up in range(-4, 2)
    )


def close_above(player: Player) -> bool:
    """Puts a lid one block above the head, leaning on the wall of the hole."""
    x, y, z = player.feet
    for dx, dz in SIDES:
        if player.block((x, y + 2, z)):
            return True
        cover = next((name for name in COVERS if player.have(name)), None)
        if cover is None:
            return False
        player.look_at(x + 0.5 + 0.5 * dx, y + 2.5, z + 0.5 + 0.5 * dz)
        if player.target()[0]:
            player.act(function=PLACE, slot=player.slot_of(cover))
    return player.block((x, y + 2, z)) != 0


def to_the_middle(player: Player) -> None:
    """To the middle of the block it stands on: who leans over its edge does not fall."""
    for _ in range(40):
        x, _, z = player.feet
        body = player.body
        if math.hypot(x + 0.5 - float(body["x"]), z + 0.5 - float(body["z"])) < MIDDLE:
            return
        _, yaw = player.angles_to(x + 0.5, player.eyes[1], z + 0.5)
        player.act(yaw=yaw)
        player.act(move=1, gait=2)  # sneaking


def wall_in(obtaining: Obtaining) -> None:
    """A cell just big enough to stand in, deep in the rock, with rock on every side.

    Raises:
        GaveUp: there is no rock.
    """
    player = obtaining.player
    obtaining.obtain("wooden_pickaxe")
    obtaining.obtain("cobblestone", WALLS)
    for _ in range(PLACES):
        if _sink(player) and close_above(player) and _sealed(player):
            return
        _climb_out(player)
        step_aside(player)
    raise GaveUp("there is no rock to hide in")


def _sink(player: Player) -> bool:
    """Straight down until there is rock around and over the head. False: a cave or a fluid."""
    to_the_middle(player)
    for _ in range(DEPTH):
        x, y, z = player.feet
        if _roofed(player):
            return True
        below = player.block((x, y - 2, z))
        if below in WATER or below in HARMFUL or not Costs(player, may_dig=False).solid[below]:
            return False
        if not dig(player, (x, y - 1, z)):
            return False
        player.wait(8)
    return False


def _roofed(player: Player) -> bool:
    x, y, z = player.feet
    around = [(x + dx, y + up, z + dz) for dx, dz in SIDES for up in range(ROOF + 2)]
    return all(player.block(cell) in ROCK for cell in [*around, (x, y - 1, z)])


def _sealed(player: Player) -> bool:
    x, y, z = player.feet
    return _roofed(player) and player.block((x, y + 2, z)) in ROCK


def _climb_out(player: Player) -> None:
    x, y, z = player.feet

    def higher(cell: Cell) -> bool:
        return cell[1] >= y + 4

    go(player, higher, (x + 3, y + 8, z), slack=8.0)
