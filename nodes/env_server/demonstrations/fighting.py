"""Fighting mobs that fight back: the nearest danger first, creepers by hitting and running."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from models.rules.mobs import MOB_IDS
from nodes.env_server.demonstrations.digging import drops_of
from nodes.env_server.demonstrations.gathering import pick_up, wander
from nodes.env_server.demonstrations.hunting import (
    MEALS,
    close_in,
    hunt,
    look_at_mob,
    nearest_mob,
    take_weapon,
)
from nodes.env_server.demonstrations.obtaining import Obtaining
from nodes.env_server.demonstrations.player import ATTACK, EQUIP, Disturbed, Player
from nodes.env_server.demonstrations.sheltering import DAY, FED, WELL, eat_to_heal, hide
from nodes.env_server.worlds.embedded.mobs.table import HOSTILE
from nodes.env_server.worlds.embedded.mobs.weapons import RECOVERY

CHASE = 1200  # ticks after one mob
NIGHTFALL, DAWN = 13_200, 23_600  # ticks of the day
WEAK = 9.0  # points of life
RECOVERY_TICKS = 2_000
ARMOUR = ("iron_chestplate", "iron_leggings")
MEALS_TAKEN = 5
MEATS = {"cow": "beef", "pig": "porkchop", "sheep": "mutton"}
THREAT = 6.0  # metres from which one that is after the player comes first
NEAR = 4.0  # metres from which one stops on one's way
ARM = 3.4  # metres in which one in a hole is struck at
HEEDLESS = 6  # ticks before
FUSE = 10  # ticks of a creeper's 30 after which one runs
SAFE = 8.0  # metres: it calms down from 7 on
KEPT = 4.5  # metres from a creeper while the arm recovers
CREEPER = MOB_IDS["creeper"]
SKY = 4  # metres below the ground's height that still count as outside
FIRST, SECOND = 30.0, 60.0  # degrees to the side, when the way straight off is blocked


def away_from(player: Player, mob: Any) -> float:
    body = player.body
    return math.dist(
        (float(mob["x"]), float(mob["y"]), float(mob["z"])),
        (float(body["x"]), float(body["y"]), float(body["z"])),
    )


def outside(player: Player, kind: str) -> int:
    """The number of the nearest mob of a kind that is not in a cave, -1 if there is none."""
    mobs, state = player.world.state.mobs[0], player.world.state
    last = state.ground.shape[1] - 1
    best, number = math.inf, -1
    for index in np.flatnonzero(mobs["kind"] == MOB_IDS[kind]):
        mob = mobs[index]
        top = int(state.ground[0, math.floor(mob["x"]) & last, math.floor(mob["z"]) & last])
        far = away_from(player, mob)
        if float(mob["y"]) > top - SKY and far < best:
            best, number = far, int(index)
    return number


def arm(obtaining: Obtaining) -> None:
    """An iron sword, iron on the body, and what the animals around have for a meal."""
    player = obtaining.player
    for kind, meat in MEATS.items():
        if nearest_mob(player, kind) >= 0 and not player.have(meat):
            hunt(player, kind, meat, MEALS_TAKEN)
            break
    obtaining.obtain("iron_sword")
    for name in ARMOUR:
        if not player.wears(name):
            obtaining.obtain(name)
            player.act(function=EQUIP, slot=player.slot_of(name))


def fight_at_night(player: Player, kind: str, item: str, count: int) -> None:
    """Kills those of a kind that are about outside, and whoever comes at the player, until there
    are ``count`` of an item or it is day."""
    while player.have(item) < count and is_dark(player):
        if _threat(player, NEAR) is None:
            _look_after_itself(player)
        number = outside(player, kind)
        if number >= 0:
            duel(player, number)
        elif (threat := _threat(player)) is not None:
            _blow(player, threat)
        else:
            _warily(player, lambda: wander(player))
        if drops_of(player, item):
            _warily(player, lambda: pick_up(player, item))


def _warily(player: Player, going: Callable[[], Any]) -> Any:
    """Does something that takes its time, until somebody comes too near."""
    begun = player.steps

    def somebody() -> bool:
        return player.steps - begun > HEEDLESS and _threat(player, NEAR) is not None

    player.watch = somebody
    try:
        return going()
    except Disturbed:
        return False
    finally:
        player.watch = None


def keep_watch(player: Player, hours: range) -> None:
    """Waits in a hole for a time of the day; who gets at the player there is fought."""
    hidden = False
    for _ in range(DAY):
        if int(player.body["time"]) % DAY in hours:
            return
        if (threat := _threat(player, ARM)) is not None:
            _blow(player, threat)
            hidden = False
        elif not hidden:
            _warily(player, lambda: hide(player))
            hidden = True
        else:
            eat_to_heal(player)
            player.idle(3)


def is_dark(player: Player) -> bool:
    return NIGHTFALL < int(player.body["time"]) % DAY < DAWN


def _look_after_itself(player: Player) -> None:
    """Meat for one who is hungry and has none; a hole for one who is weak and will get well."""
    if float(player.body["food"]) < FED and not any(player.have(name) for name in MEALS):
        for kind, meat in MEATS.items():
            if (number := nearest_mob(player, kind)) >= 0:
                duel(player, number)
                _warily(player, lambda meat=meat: pick_up(player, meat))
                break
    eat_to_heal(player)
    if float(player.body["life"]) >= WEAK or float(player.body["food"]) < FED:
        return
    hide(player)
    for _ in range(RECOVERY_TICKS // 3):
        eat_to_heal(player)
        if float(player.body["life"]) >= WELL or float(player.body["food"]) < FED:
            return
        player.idle(3)


def duel(player: Player, number: int) -> None:
    """Until a mob is gone or out of reach for too long."""
    quarry = player.world.state.mobs[0, number]
    kind = int(quarry["kind"])
    for _ in range(CHASE):
        if int(quarry["kind"]) != kind:
            return
        mob = _threat(player)
        _blow(player, quarry if mob is None else mob)


def _blow(player: Player, mob: Any) -> None:
    """A tick of fighting a mob, or some of going there."""
    eat_to_heal(player)
    take_weapon(player)
    if int(mob["kind"]) == CREEPER:
        _hit_and_run(player, mob)
    elif _warily(player, lambda: close_in(player, mob)):
        look_at_mob(player, mob)
        player.act(function=ATTACK)


def _threat(player: Player, within: float = THREAT) -> Any:
    """The nearest of those that are after the player, a lit creeper before all; None without."""
    mobs, rules = player.world.state.mobs[0], player.world.rules
    best, found = within, None
    for index in np.flatnonzero((mobs["kind"] > 0) & (mobs["target"] < 0)):
        mob = mobs[index]
        if int(rules.mob[int(mob["kind"])]["nature"]) != HOSTILE:
            continue
        far = away_from(player, mob)
        if int(mob["kind"]) == CREEPER and int(mob["counter"]) > 0:
            far -= THREAT
        if far < best:
            best, found = far, mob
    return found


def _hit_and_run(player: Player, mob: Any) -> None:
    far, fuse = away_from(player, mob), int(mob["counter"])
    rested = int(player.body["cooldown"]) + 0.5 >= RECOVERY[player.item_in_hand()]
    dangerous = fuse >= FUSE or (fuse > 0 and not rested)
    if dangerous and far < SAFE:
        run_from(player, mob)
    elif not rested and far < KEPT:
        look_at_mob(player, mob)
        player.act(move=2)
    elif _warily(player, lambda: close_in(player, mob)):
        look_at_mob(player, mob)
        player.act(function=ATTACK)


def run_from(player: Player, mob: Any) -> None:
    """A tick of sprinting away from a mob, over what is in the way or round it."""
    body = player.body
    x, z = float(body["x"]), float(body["z"])
    dx, dz = x - float(mob["x"]), z - float(mob["z"])
    turn = math.radians((0.0, FIRST, -SECOND)[player.stuck // 4 % 3])
    away = math.atan2(dz, dx) + turn
    _, yaw = player.angles_to(x + 8.0 * math.cos(away), player.eyes[1], z + 8.0 * math.sin(away))
    player.act(move=1, gait=1 if player.blocked else 3, yaw=yaw)
    moved = math.hypot(float(body["x"]) - x, float(body["z"]) - z)
    player.blocked = moved < 0.05
    player.stuck = player.stuck + 1 if player.blocked else 0
