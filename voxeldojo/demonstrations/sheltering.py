"""Shelter: a hole for the night, and a closed cell in the rock for any time."""

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
WELL, FED = 17.0, 18.0  # points of life that are enough; points of food from which life returns
FULL = 20.0  # points of food with which life returns fast
COVERS = ("cobblestone", "dirt", "planks", "stone", "sand")
WALLS = 12  # cobblestone to close a cell
PLACES = 12  # that are tried
DEPTH = 16  # blocks to dig down, at most
ROOF = 3  # blocks of rock over the lid
FAR = 48  # blocks to dry ground, at most
MIDDLE = 0.15  # metres from the middle of a block
# Endermen take soft blocks away.
ROCK = {BLOCK_IDS[name] for name in ("stone", "cobblestone", "coal_ore", "iron_ore", "sandstone")}


def wait_for(player: Player, hours: range) -> None:
    """Wait for a time of the day in a hole in the ground that is closed above the head."""
    if int(player.body["time"]) % DAY in hours:
        return
    hide(player)
    for _ in range(DAY // 3):
        if int(player.body["time"]) % DAY in hours:
            return
        eat_to_heal(player)
        player.idle(3)


def eat_to_heal(player: Player, fed: float = FED) -> None:
    """Eat if the player is hurt, as life returns with enough food. ``fed``: points of food from
    which on it does not eat."""
    if float(player.body["life"]) < WELL and float(player.body["food"]) < fed:
        meal = next((name for name in MEALS if player.have(name)), None)
        if meal is not None:
            player.equip(meal)
            player.act(function=USE)


def hide(player: Player) -> None:
    """Dig a hole three blocks deep, where no water runs in, and close it. Stays in the open if that
    is impossible."""
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
    """Go to the nearest dry ground under the sky that can be reached, if there is any."""
    for cell in islice(_dry_ground(player), PLACES):
        try:
            go(player, lambda there, cell=cell: there == cell, cell)
            return
        except OutOfSteps:
            raise
        except GaveUp:
            pass


def _dry_ground(player: Player) -> Iterator[Cell]:
    """Cells on top of the highest block of a column, the nearest first."""
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
    """Whether a hole that is dug there has no water in it or beside it."""
    x, y, z = cell
    return not any(
        player.block((x + dx, y + up, z + dz)) in WATER
        for dx, dz in ((0, 0), *SIDES)
        for up in range(-4, 2)
    )


def close_above(player: Player) -> bool:
    """Place a lid one block above the head, against the wall of the hole."""
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
    """Go to the middle of the block under the feet: a player over its edge would not fall when it
    is dug."""
    for _ in range(40):
        x, _, z = player.feet
        body = player.body
        if math.hypot(x + 0.5 - float(body["x"]), z + 0.5 - float(body["z"])) < MIDDLE:
            return
        _, yaw = player.angles_to(x + 0.5, player.eyes[1], z + 0.5)
        player.act(yaw=yaw)
        player.act(move=1, gait=2)  # sneaking


def wall_in(obtaining: Obtaining) -> None:
    """Go into a cell just big enough to stand in, deep in the rock, with rock on every side.

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
    """Dig straight down until there is rock around and above. False: a cave or a fluid."""
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
