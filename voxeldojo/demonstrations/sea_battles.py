"""Battles with guardians, fought from a fort in the sea over their monument."""

import math
from typing import Any

from voxeldojo.actions import ATTACK
from voxeldojo.demonstrations.digging import drops_of
from voxeldojo.demonstrations.diving import come_up, dive, is_short_of_air, open_above, swim
from voxeldojo.demonstrations.fighting import recover
from voxeldojo.demonstrations.going import go
from voxeldojo.demonstrations.hunting import (
    MEALS,
    afloat,
    angles_to_mob,
    in_sight,
    kills,
    nearest_mob,
    rested,
    take_weapon,
    within_reach,
)
from voxeldojo.demonstrations.player import Cell, GaveUp, OutOfSteps, Player
from voxeldojo.demonstrations.running_away import away_from, pursuers
from voxeldojo.demonstrations.sea_fort import build, enter, leave, place_of, stands, stay
from voxeldojo.demonstrations.sheltering import FULL, WELL, eat_to_heal
from voxeldojo.rules.mobs import MOB_IDS

ROUNDS = 60  # of one battle
RESERVE = 3  # meals for the way back
WATCH, QUIET = 900, 160  # ticks in the fort, and of those without a mob beside it
BESIDE, LOWEST = 3.2, 61.0  # metres to a mob outside the ring; y down to which the player ducks
AIMED = 40  # ticks of a beam of 60 or 80, after which the player goes back behind the ring
BELOW = 1.2  # metres to the side of the middle, within which a drop is got by sinking
DIVE = 60  # ticks of sinking and rising for it
LURE, SEEN = 400, 3  # ticks of swimming out, and how many are to see the player
FAR = 30.0  # metres from the fort to which it swims out
WEAK = 12.0  # points of life below which it does not show itself
LOST = 8  # rounds without a kill, after which the battle is over
BEAM = 0.025  # points of life that each pursuer in sight costs in a tick, behind iron armour
AIM = 16.0  # metres within which a guardian aims
SHORE = 4.0  # metres to dry ground at which the player is there


def sea_battle(player: Player, kind: str, item: str, count: int) -> None:
    """Kill mobs of a kind until there are ``count`` of an item, none come any more, or little is
    left to eat: then the player goes ashore first.

    Raises:
        GaveUp: there is no place for a fort, or it could not be built.
    """
    cell = place_of(player, player.feet)
    if cell is None:
        raise GaveUp("there is no shallow place for a fort in the sea")
    vain = 0
    for _ in range(ROUNDS):
        if player.have(item) >= count or vain >= LOST:
            return
        player.pause()
        if sum(map(player.have, MEALS)) <= RESERVE:
            _go_ashore(player)
            recover(player)
            return
        enter(player, cell)
        if not stands(player, cell):
            build(player, cell)
        before = kills(player, kind)
        _hold(player, kind, item, cell)
        vain = vain + 1 if kills(player, kind) == before else 0
        if drops_of(player, item):
            leave(player, cell)
            dive(player, item, BEAM * _in_sight(player))
            enter(player, cell)
        if float(player.body["life"]) >= WELL:
            _lure(player, kind, cell)


def _hold(player: Player, kind: str, item: str, cell: Cell) -> None:
    """Strike at all that come, from inside the fort, until none has come for a while and the player
    is well."""
    quiet = 0
    for _ in range(WATCH):
        if quiet > QUIET and float(player.body["life"]) >= WELL:
            return
        eat_to_heal(player, FULL)
        if _lies_below(player, item, cell):
            _fetch(player, item, cell)
            continue
        take_weapon(player)
        near = [
            mob
            for mob in player.world.state.mobs[0]
            if int(mob["kind"]) == MOB_IDS[kind] and away_from(player, mob) < BESIDE
        ]
        quiet = 0 if near else quiet + 1
        here = [mob for mob in near if within_reach(player, mob)]
        if here and rested(player):
            pitch, yaw = angles_to_mob(player, min(here, key=lambda mob: float(mob["life"])))
            player.act(gait=1, pitch=pitch, yaw=yaw, function=ATTACK)
        else:
            # Mobs outside the ring are struck from under it, in less time than a beam takes.
            ducks = near and rested(player) and float(player.body["y"]) > LOWEST
            safe = float(player.body["life"]) >= WEAK and not _is_aimed_at(player)
            stay(player, cell, up=not (ducks and safe))


def _is_aimed_at(player: Player) -> bool:
    return any(int(mob["counter"]) > AIMED for mob in pursuers(player))


def _lies_below(player: Player, item: str, cell: Cell) -> bool:
    return any(
        max(abs(x - cell[0] - 0.5), abs(z - cell[2] - 0.5)) < BELOW
        for x, _, z in drops_of(player, item)
    )


def _fetch(player: Player, item: str, cell: Cell) -> None:
    """Sink to an item below the fort, and rise again."""
    before = player.have(item)
    for _ in range(DIVE):
        if player.have(item) > before or is_short_of_air(player):
            break
        stay(player, cell, up=False)
    come_up(player)


def _lure(player: Player, kind: str, cell: Cell) -> None:
    """Swim out of the fort towards mobs until some have seen the player, or it is far away."""
    leave(player, cell)
    for _ in range(LURE):
        hurt = float(player.body["life"]) < WEAK
        number = nearest_mob(player, kind, lambda mob: _is_in_the_open(player, mob))
        off = math.dist((float(player.body["x"]), float(player.body["z"])), (cell[0], cell[2]))
        if hurt or number < 0 or off > FAR or _in_sight(player) >= SEEN:
            return
        mob = player.world.state.mobs[0, number]
        swim(player, float(mob["x"]), float(mob["z"]), up=True)


def _is_in_the_open(player: Player, mob: Any) -> bool:
    """Whether a mob can see who swims at the surface, and has not yet."""
    place = float(mob["x"]), float(mob["y"]), float(mob["z"])
    return int(mob["target"]) == 0 and open_above(player, *place)


def _in_sight(player: Player) -> int:
    """How many pursuers see the player from nearby."""
    return sum(away_from(player, mob) < AIM and in_sight(player, mob) for mob in pursuers(player))


def _go_ashore(player: Player) -> None:
    """Go back to where the player last stood on dry ground, if it can."""
    cell = player.ashore
    if cell is None or not afloat(player):
        return
    try:
        go(player, lambda there: math.dist(there, cell) < SHORE, cell, slack=SHORE)
    except OutOfSteps:
        raise
    except GaveUp:
        pass
