"""Fighting mobs that fight back: the nearest threat first; creepers by hitting and running away."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from voxeldojo.actions import EQUIP
from voxeldojo.demonstrations.digging import drops_of
from voxeldojo.demonstrations.digging_out import dig_out
from voxeldojo.demonstrations.fireballs import play_ball
from voxeldojo.demonstrations.gathering import pick_up, wander
from voxeldojo.demonstrations.going import breathe
from voxeldojo.demonstrations.hunting import (
    MEALS,
    QUARRIES,
    afloat,
    angles_to_mob,
    close_in,
    in_sight,
    kill_one,
    kills,
    nearest_mob,
    quarries,
    rested,
    strike,
    take_weapon,
    within_reach,
)
from voxeldojo.demonstrations.obtaining import Obtaining
from voxeldojo.demonstrations.player import Disturbed, Player
from voxeldojo.demonstrations.running_away import away_from, pursuers, run
from voxeldojo.demonstrations.sheltering import DAY, FED, FULL, MORNING, WELL, eat_to_heal, hide
from voxeldojo.engine.mobs.table import BLOW, SWELL
from voxeldojo.engine.state import OVERWORLD
from voxeldojo.rules.mobs import MOB_IDS

CHASE = 1200  # ticks of going after one mob
NIGHTFALL, DAWN = 13_200, 23_600  # ticks of the day
WEAK = 12.0  # points of life
RECOVERY_TICKS = 10_000
ARMOUR = ("iron_chestplate", "iron_leggings")
MEALS_TAKEN = 5
MEATS = {"cow": "beef", "pig": "porkchop", "sheep": "mutton"}
THREAT = 6.0  # metres within which a pursuing mob is fought before the quarry
NEAR = 4.0  # metres within which a pursuing mob interrupts other work
ARM = 3.4  # metres within which a player in a hole strikes at a mob
SHOT = 0.3  # factor for the distance of a mob that shoots, so that it counts as nearer
HEEDLESS = 6  # first ticks of a work, in which it is not interrupted
FUSE = 10  # ticks of a creeper's 30 after which the player runs
SAFE = 8.0  # metres: a creeper's fuse goes out from 7 on
WAIT, NEARER = 6, 0.2  # a creeper approaches if it comes these metres nearer within these ticks
KEPT = 4.5  # metres to keep from mobs that strike or explode, while the arm recovers
WEDGED = 16  # ticks without progress, after which running is given up
FLIGHT = 300  # ticks of running from pursuers
CLEAR = 8.0  # metres to the nearest pursuer from which the player digs in, and comes out again
SPOILS = ("arrow", "string", "gunpowder")  # rare things that monsters drop
CREEPER = MOB_IDS["creeper"]
SKY = 4  # metres below the surface that still count as outside


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
    """Get an iron sword, iron armour while it is day, and meat from the animals around."""
    player = obtaining.player
    for kind, meat in MEATS.items():
        while nearest_mob(player, kind) >= 0 and _meals(player) < MEALS_TAKEN:
            kill_one(player, kind)
            pick_up(player, meat)
    obtaining.obtain("iron_sword")
    for name in ARMOUR:
        if not player.wears(name) and not is_dark(player):
            obtaining.obtain(name)
            player.act(function=EQUIP, slot=player.slot_of(name))


def _meals(player: Player) -> int:
    return sum(player.have(name) for name in MEALS)


def fight_at_night(player: Player, kind: str, item: str, count: int) -> None:
    """Kill mobs of a kind outside, and pursuers, until there are ``count`` of an item or until it
    is day and no mob of the kind is left. (By day those that the sun does not burn are alone.)"""
    while player.have(item) < count and (is_dark(player) or outside(player, kind) >= 0):
        if _is_weak(player):
            recover(player)
        elif _threat(player, NEAR) is None:
            _find_a_meal(player)
        number = outside(player, kind)
        if number >= 0:
            duel(player, number)
        elif (threat := _threat(player)) is not None:
            _blow(player, threat)
        else:
            warily(player, lambda: wander(player))
        for loot in {item, *SPOILS}:
            if drops_of(player, loot):
                warily(player, lambda loot=loot: pick_up(player, loot))


def warily(player: Player, going: Callable[[], Any]) -> Any:
    """Call ``going``, which may take long, and interrupt it when a mob comes too near."""
    begun = player.steps

    def pressed() -> bool:
        return player.steps - begun > HEEDLESS and _threat(player, NEAR) is not None

    player.watch = pressed
    try:
        return going()
    except Disturbed:
        return False
    finally:
        player.watch = None


def keep_watch(player: Player, hours: range) -> None:
    """Wait in a hole for a time of the day, and fight mobs that reach the player there."""
    hidden = False
    for _ in range(DAY):
        if int(player.body["time"]) % DAY in hours:
            return
        if (threat := _threat(player, ARM)) is not None:
            _blow(player, threat)
            hidden = False
        elif not hidden:
            warily(player, lambda: hide(player))
            hidden = True
        else:
            eat_to_heal(player)
            player.idle(3)


def is_dark(player: Player) -> bool:
    """Whether it is night in the overworld; other dimensions have none."""
    return player.land == OVERWORLD and NIGHTFALL < int(player.body["time"]) % DAY < DAWN


def look_after(player: Player) -> None:
    """Eat if that helps. In the open at night, stay in a hole until morning; by day, a weak player
    rests before it goes on. Neither while it swims."""
    eat_to_heal(player, FULL)
    if afloat(player):
        return
    if not is_dark(player):
        _get_well(player)
        return
    x, y, z = player.feet
    ground = player.world.state.ground
    last = ground.shape[1] - 1
    if y > int(ground[0, x & last, z & last]) - SKY:
        keep_watch(player, MORNING)


def _get_well(player: Player) -> None:
    """If the player is weak: find a meal if it is hungry, and wait until its life is restored, as
    long as no threat is near."""
    if float(player.body["life"]) >= WEAK:
        return
    _find_a_meal(player)
    for _ in range(RECOVERY_TICKS // 3):
        eat_to_heal(player, FULL)
        life, food = float(player.body["life"]), float(player.body["food"])
        if life >= WELL or food < FED or _threat(player) is not None:
            return
        player.idle(3)


def _find_a_meal(player: Player) -> None:
    """Hunt an animal for its meat if the player is hungry and has no food."""
    if float(player.body["food"]) < FED and not any(player.have(name) for name in MEALS):
        for kind, meat in MEATS.items():
            if (number := nearest_mob(player, kind)) >= 0:
                duel(player, number)
                warily(player, lambda meat=meat: pick_up(player, meat))
                break
    eat_to_heal(player)


def _is_weak(player: Player) -> bool:
    """Whether a rest is needed and would help: a hungry player does not heal."""
    eat_to_heal(player)
    return float(player.body["life"]) < WEAK and float(player.body["food"]) >= FED


def recover(player: Player) -> None:
    """Run until no pursuer is near, then heal in a hole, and stay there while one waits outside and
    it is night. A pursuer that has already reached the player is fought."""
    for _ in range(FLIGHT):
        threat = _threat(player, NEAR)
        if threat is not None and _comes_close(player, threat):
            _blow(player, threat)
        elif _is_near(player) and player.stuck < WEDGED:
            run(player)
        else:
            break
    player.stuck = 0
    warily(player, lambda: hide(player))
    for _ in range(RECOVERY_TICKS // 3):
        eat_to_heal(player)
        well = float(player.body["life"]) >= WELL or float(player.body["food"]) < FED
        if _threat(player, NEAR) is not None or (well and not _is_near(player)):
            return
        if well and not is_dark(player):
            return
        player.idle(3)


def slay(player: Player, kind: str) -> None:
    """Kill one mob of a kind.

    Raises:
        GaveUp: none was found, or reached.
    """
    if kind not in ("creeper", "ghast"):
        kill_one(player, kind)
        return
    before = kills(player, kind)
    for number in quarries(player, kind):
        if kind == "creeper":
            dig_out(player, number)
            duel(player, number)
        else:
            play_ball(player, number)
        if kills(player, kind) > before:
            return
        if _is_weak(player):
            recover(player)


def battle(player: Player, kind: str, item: str, count: int) -> None:
    """Kill mobs of a kind that fights back, until there are ``count`` of an item or none is left
    nearby. A weak player goes away first and heals."""
    lost: set[int] = set()
    for _ in range(QUARRIES):
        if player.have(item) >= count:
            return
        player.pause()
        if float(player.body["life"]) < WEAK and not any(map(player.have, MEALS)):
            _find_a_meal(player)
            recover(player)
            return
        number = nearest_mob(player, kind, but=lost)
        if number < 0:
            return
        before = kills(player, kind)
        duel(player, number)
        if kills(player, kind) == before:
            lost.add(number)
        warily(player, lambda: pick_up(player, item))


def _is_near(player: Player) -> bool:
    """Whether a pursuer is near, in sight or not."""
    return any(away_from(player, mob) < CLEAR for mob in pursuers(player))


def duel(player: Player, number: int) -> None:
    """Fight a mob until it is dead or has been out of reach for too long, or the player is weak."""
    quarry = player.world.state.mobs[0, number]
    kind = int(quarry["kind"])
    for _ in range(CHASE):
        if int(quarry["kind"]) != kind or _is_weak(player):
            return
        eat_to_heal(player, FULL)
        if breathe(player):
            continue
        mob = _threat(player)
        _blow(player, quarry if mob is None else mob)


def _blow(player: Player, mob: Any) -> None:
    """One tick of fighting a mob, or some ticks of going to it."""
    eat_to_heal(player)
    take_weapon(player)
    far, creeper = away_from(player, mob), int(mob["kind"]) == CREEPER
    if creeper and int(mob["counter"]) and not _has_time(player, mob):
        if far < SAFE:
            run(player)
        else:
            _look(player, mob)
    elif not rested(player) and far < KEPT and _comes_close(player, mob):
        _look(player, mob, move=2)
    elif creeper and far < THREAT and in_sight(player, mob) and _let_come(player, mob):
        pass
    elif warily(player, lambda: close_in(player, mob)):
        strike(player, mob, move=2 if creeper else 0)


def _threat(player: Player, within: float = THREAT) -> Any:
    """The nearest pursuer in sight; None without one. A creeper with a lit fuse comes first, until
    the player is at a safe distance from it."""
    best, found = within, None
    for mob in pursuers(player):
        far = away_from(player, mob)
        if not _comes_close(player, mob):
            far *= SHOT
        if int(mob["kind"]) == CREEPER and int(mob["counter"]) > 0:
            far = far - SAFE if far < SAFE else math.inf
        if far < best and in_sight(player, mob):
            best, found = far, mob
    return found


def _has_time(player: Player, creeper: Any) -> bool:
    """Whether there is time for a blow at a lit creeper."""
    return int(creeper["counter"]) < FUSE and rested(player) and within_reach(player, creeper)


def _let_come(player: Player, creeper: Any) -> bool:
    """Stand still while a creeper comes within reach: walking towards it, the player would come so
    near that it lights its fuse. False: it does not come."""
    far = away_from(player, creeper)
    for _ in range(WAIT):
        if within_reach(player, creeper):
            return False
        _look(player, creeper)
        if int(creeper["counter"]) or away_from(player, creeper) < far - NEARER:
            return True
    return False


def _look(player: Player, mob: Any, move: int = 0) -> None:
    pitch, yaw = angles_to_mob(player, mob)
    player.act(move=move, gait=afloat(player), pitch=pitch, yaw=yaw)


def _comes_close(player: Player, mob: Any) -> bool:
    """Whether it only attacks from nearby, so that a step back while the arm recovers helps."""
    return int(player.world.rules.mob[int(mob["kind"])]["attack"]) in (BLOW, SWELL)
