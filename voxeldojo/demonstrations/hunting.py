"""Finding mobs, going to them and striking them."""

import math
from collections.abc import Callable, Container, Iterator
from typing import Any

import numpy as np

from voxeldojo.actions import ATTACK, NO_OP
from voxeldojo.demonstrations.digging import dig
from voxeldojo.demonstrations.footing import WATER
from voxeldojo.demonstrations.gathering import pick_up, wander
from voxeldojo.demonstrations.going import breathe, go
from voxeldojo.demonstrations.player import GaveUp, NoWay, OutOfSteps, Player
from voxeldojo.engine.mobs.aim import mob_on_ray
from voxeldojo.engine.mobs.weapons import RECOVERY
from voxeldojo.engine.rays import cast, direction
from voxeldojo.rules.mobs import MOB_IDS, mob_names

ARM = 2.7  # metres
LOOK, SOLID = 0.4, 0.5  # metres between two samples along a line; blocks of this height hide a mob
FLIERS = frozenset(("bat", "ghast"))
STRAIGHT = 7.0  # metres within which the player walks straight towards a mob
BENEATH = 1.5  # metres (horizontal) from a flying mob at which the player waits for it
CHASE = 900  # ticks of going after one mob
QUARRIES = 40  # mobs to go after before giving up
WALKS = 300  # to other ground without finding one, before giving up
WEAPONS = ("diamond_sword", "iron_sword", "diamond_axe", "iron_axe", "stone_sword", "stone_axe",
           "wooden_sword", "golden_sword", "wooden_axe")  # fmt: skip
HUNGRY, WEAK = 14.0, 12.0
MEALS = ("cooked_beef", "bread", "cooked_mutton", "cooked_porkchop", "cooked_chicken", "apple",
         "beef", "mutton", "porkchop", "carrot")  # fmt: skip


def nearest_mob(
    player: Player,
    kind: str,
    fits: Callable[[Any], bool] = lambda mob: True,
    but: Container[int] = (),
) -> int:
    """The number of the nearest mob of a kind, -1 if there is none in the window. ``but``: numbers
    of mobs to leave out."""
    mobs, body = player.world.state.mobs[0], player.body
    best, number = math.inf, -1
    for index in np.flatnonzero(mobs["kind"] == MOB_IDS[kind]):
        mob = mobs[index]
        away = math.dist(
            (float(mob["x"]), float(mob["y"]), float(mob["z"])),
            (float(body["x"]), float(body["y"]), float(body["z"])),
        )
        if away < best and int(index) not in but and fits(mob):
            best, number = away, int(index)
    return number


def hunt(player: Player, kind: str, item: str, count: int) -> None:
    """Kill mobs of a kind until there are ``count`` of an item.

    Raises:
        GaveUp: none was found.
    """
    while player.have(item) < count:
        kill_one(player, kind)
        pick_up(player, item)


def kill_one(player: Player, kind: str) -> None:
    """Kill the nearest mob of a kind that can be reached.

    Raises:
        GaveUp: none was found, or reached.
    """
    before = kills(player, kind)
    for number in quarries(player, kind):
        take_weapon(player)
        fight(player, kind, number)
        if kills(player, kind) > before:
            return


def quarries(player: Player, kind: str) -> Iterator[int]:
    """The numbers of mobs of a kind to go after, the nearest first. A mob that got away is left
    out; without others the player looks for some elsewhere.

    Raises:
        NoWay: there are none left, and no mobs spawn in this world.
        GaveUp: none was found, or too many got away.
    """
    lost: set[int] = set()
    chases = walks = 0
    while chases < QUARRIES:
        player.pause()
        number = nearest_mob(player, kind, but=lost)
        if number >= 0:
            chases += 1
            yield number
            lost.add(number)
            continue
        if not lost and not player.world.state.settings[0]["mobs_spawn"]:
            raise NoWay(f"there is no {kind} left, and none spawns in this world")
        walks += 1
        if walks > WALKS:
            raise GaveUp(f"{WALKS} walks led to no {kind}")
        wander(player)
        lost.clear()
    raise GaveUp(f"no {kind} was caught")


def kills(player: Player, kind: str) -> int:
    return int(player.world.state.kills[0, MOB_IDS[kind]])


def take_weapon(player: Player) -> None:
    for name in WEAPONS:
        if player.slot_of(name) >= 0:
            player.equip(name)
            return


def fight(player: Player, kind: str, number: int) -> None:
    """Go after one mob and strike it until it is dead or has been out of reach for too long."""
    mob = player.world.state.mobs[0, number]
    for _ in range(CHASE):
        if mob_names[int(mob["kind"])] != kind:
            return
        eat_if_weak(player)
        if breathe(player):
            continue
        if not close_in(player, mob):
            continue
        strike(player, mob)


def rested(player: Player) -> bool:
    """Whether a blow would have its full strength."""
    return int(player.body["cooldown"]) + 0.5 >= RECOVERY[player.item_in_hand()]


def strike(player: Player, mob: Any, move: int = 0) -> None:
    """Look at a mob and, if the arm has recovered, strike it in the same action. An earlier blow
    would be weak and start the recovery over."""
    pitch, yaw = angles_to_mob(player, mob)
    function = ATTACK if rested(player) else NO_OP
    player.act(move=move, gait=afloat(player), pitch=pitch, yaw=yaw, function=function)


def afloat(player: Player) -> int:
    """The gait to stay in place: swimming in water, where the player would sink."""
    return int(player.block(player.feet) in WATER)


def close_in(player: Player, mob: Any, reach: float = ARM) -> bool:
    """Come a step nearer to a mob. True: it is already within reach and in sight."""
    body = player.body
    x, y, z = float(mob["x"]), float(mob["y"]), float(mob["z"])
    flat = math.hypot(x - float(body["x"]), z - float(body["z"]))
    away = math.dist((x, y, z), (float(body["x"]), float(body["y"]), float(body["z"])))
    if within_reach(player, mob, reach):
        return True
    if mob_names[int(mob["kind"])] in FLIERS and _in_the_open(player, mob):
        _go_beneath(player, mob, flat)
        return False
    if away > STRAIGHT or (flat < 1.5 and away > reach + 0.6) or not _walks(player, x, y, z):
        cell = (math.floor(x), math.floor(y), math.floor(z))

        def near(there: tuple[int, int, int]) -> bool:
            gap = math.dist((there[0] + 0.5, there[1], there[2] + 0.5), (x, y, z))
            return gap <= max(2.0, reach - 0.4)

        try:
            go(player, near, cell, slack=2.0)
            if near(player.feet) and not within_reach(player, mob, reach):
                _dig_towards(player, mob)
        except OutOfSteps:
            raise
        except GaveUp:
            player.wait(10)
    return False


def _in_the_open(player: Player, mob: Any) -> bool:
    """Whether a mob is above the surface and not in a cave."""
    ground = player.world.state.ground
    last = ground.shape[1] - 1
    top = int(ground[0, math.floor(mob["x"]) & last, math.floor(mob["z"]) & last])
    return float(mob["y"]) > top


def _go_beneath(player: Player, mob: Any, flat: float) -> None:
    """Go below a flying mob, where it will come down. (There is no way to it in the air, and the
    search for one would take long.)"""
    x, z = float(mob["x"]), float(mob["z"])
    if flat < BENEATH:
        look_at_mob(player, mob)
        player.act()
    elif flat > STRAIGHT or not _walks(player, x, float(player.body["y"]), z):
        cell = (math.floor(x), player.feet[1], math.floor(z))
        try:
            go(
                player,
                lambda there: math.hypot(there[0] + 0.5 - x, there[2] + 0.5 - z) < BENEATH + 1.0,
                cell,
                slack=2.0,
            )
        except OutOfSteps:
            raise
        except GaveUp:
            player.wait(10)


def _dig_towards(player: Player, mob: Any) -> None:
    """Dig the block between the player and a mob nearby, which is in a hole."""
    look_at_mob(player, mob)
    block, cell = player.target()
    if block:
        dig(player, cell)
    else:
        player.act()


def within_reach(player: Player, mob: Any, reach: float = ARM) -> bool:
    body = player.body
    here = (float(body["x"]), float(body["y"]), float(body["z"]))
    away = math.dist((float(mob["x"]), float(mob["y"]), float(mob["z"])), here)
    return away <= reach + 0.6 and _in_line(player, mob)


def _walks(player: Player, x: float, y: float, z: float) -> bool:
    """Walk one tick straight towards a place. False: the player has been stuck for some ticks."""
    body = player.body
    _, yaw = player.angles_to(x, player.eyes[1], z)
    before = float(body["x"]), float(body["z"])
    # Jump up a step in the way.
    jump = y > float(body["y"]) + 0.4 or player.blocked
    player.act(move=1, gait=1 if jump else 0, yaw=yaw)
    moved = math.hypot(float(body["x"]) - before[0], float(body["z"]) - before[1])
    player.blocked = moved < 0.02
    player.stuck = player.stuck + 1 if moved < 0.02 else 0
    if player.stuck > 12:
        player.stuck = 0
        return False
    return True


def look_at_mob(player: Player, mob: Any) -> None:
    pitch, yaw = angles_to_mob(player, mob)
    if pitch or yaw:
        player.act(pitch=pitch, yaw=yaw)


def angles_to_mob(player: Player, mob: Any) -> tuple[int, int]:
    tall = 0.5 * float(player.world.rules.mob[int(mob["kind"])]["tall"])
    return player.angles_to(float(mob["x"]), float(mob["y"]) + tall, float(mob["z"]))


def _in_line(player: Player, mob: Any) -> bool:
    """Whether a ray from the eyes to the mob hits it before any block."""
    pitch, yaw = angles_to_mob(player, mob)
    look = direction(float(player.body["yaw"]) + yaw, float(player.body["pitch"]) + pitch)
    ex, ey, ez = player.eyes
    found, away = mob_on_ray(player.world.state, player.world.rules, 0, ex, ey, ez, *look, 3.0)
    if found < 0:
        return False
    hit = cast(player.world.state, player.world.rules, 0, ex, ey, ez, *look, float(away))
    return int(hit[0]) == 0


def in_sight(player: Player, mob: Any) -> bool:
    """Whether no solid block lies between the player's eyes and the mob's."""
    heights = player.world.rules.block["height"]
    tall = 0.8 * float(player.world.rules.mob[int(mob["kind"])]["tall"])
    eyes = np.array(player.eyes)
    way = np.array([float(mob["x"]), float(mob["y"]) + tall, float(mob["z"])]) - eyes
    steps = math.ceil(float(np.linalg.norm(way)) / LOOK)
    for number in range(1, steps):
        x, y, z = np.floor(eyes + way * (number / steps)).astype(int).tolist()
        if heights[player.block((x, y, z))] >= SOLID:
            return False
    return True


def eat_if_weak(player: Player) -> None:
    body = player.body
    if not (float(body["food"]) < HUNGRY and float(body["life"]) < WEAK):
        return
    for name in MEALS:
        if player.have(name):
            player.equip(name)
            player.act(function=1)
            take_weapon(player)
            return
