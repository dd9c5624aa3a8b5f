"""The scripts for ways to get things other than digging and crafting, by the names that
rules/sources.yaml gives them."""

import math
from collections.abc import Callable
from typing import Any

from voxeldojo.actions import USE
from voxeldojo.demonstrations.buckets import cast_obsidian, empty, fill
from voxeldojo.demonstrations.building import place_near
from voxeldojo.demonstrations.digging import drops_of
from voxeldojo.demonstrations.dimensions import enter_nether, leave_nether
from voxeldojo.demonstrations.farming import grow, till_by_water
from voxeldojo.demonstrations.felling import fell_trees
from voxeldojo.demonstrations.fighting import (
    arm,
    battle,
    duel,
    fight_at_night,
    is_dark,
    keep_watch,
    outside,
    warily,
)
from voxeldojo.demonstrations.fishing import fish
from voxeldojo.demonstrations.gathering import gather, pick_up, wander
from voxeldojo.demonstrations.hunting import close_in, hunt, look_at_mob, nearest_mob
from voxeldojo.demonstrations.obtaining import Deed, Obtaining
from voxeldojo.demonstrations.player import BLOCK_IDS, GaveUp, Player
from voxeldojo.demonstrations.sea_battles import RESERVE, sea_battle
from voxeldojo.demonstrations.sea_fort import BLOCKS, STONE
from voxeldojo.demonstrations.sheltering import MORNING, wait_for
from voxeldojo.demonstrations.travelling import travel
from voxeldojo.engine.mobs.table import HOSTILE
from voxeldojo.obtainable.derivations import Rule
from voxeldojo.rules.mobs import MOB_IDS

NIGHT = range(14_000, 22_000)
PATIENCE = 400_000  # ticks to wait for a chicken's egg
NIGHTS = 8  # of looking for mobs, before it gives up
LIVING = ("spawns there", "laid out at the start")  # origins of mobs that need not be made
BATTLES = 400
RATION, RATIONS = "cooked_beef", 8  # food for a battle, to heal in it
STEPS = 40  # mobs to go to before giving up
BY_NIGHT = frozenset(
    ("zombie", "skeleton", "spider", "creeper", "witch", "enderman", "husk", "stray", "slime",
     "zombie_villager")
)  # fmt: skip


def _kill(obtaining: Obtaining, rule: Rule, count: int) -> None:
    kind = rule.how.removeprefix("kill a ")
    player = obtaining.player
    way = obtaining.way(f"mob:{kind}")
    if way.how not in LIVING:
        obtaining.do(way, 1)
    if kind not in BY_NIGHT:
        if int(player.world.rules.mob[MOB_IDS[kind]]["nature"]) == HOSTILE:
            _do_battle(obtaining, kind, rule, count)
        else:
            obtaining.go_where(way)
            hunt(player, kind, rule.gives, count)
        return
    obtaining.go_where(way)
    for _ in range(NIGHTS):
        arm(obtaining)
        if outside(player, kind) < 0:
            wait_for(player, NIGHT)
        with player.at_once():
            fight_at_night(player, kind, rule.gives, count)
        if player.have(rule.gives) >= count:
            keep_watch(player, MORNING)
            return


def _do_battle(obtaining: Obtaining, kind: str, rule: Rule, count: int) -> None:
    """Fight mobs that spawn by day as well, in the place where they live."""
    player = obtaining.player
    at_sea = bool(player.world.rules.mob[MOB_IDS[kind]]["swims"])
    for _ in range(BATTLES):
        if player.have(rule.gives) >= count:
            return
        arm(obtaining)
        if player.have(RATION) <= (RESERVE if at_sea else 0):
            obtaining.obtain(RATION, RATIONS)
        if at_sea:
            obtaining.obtain(STONE, BLOCKS)
        obtaining.go_where(obtaining.way(f"mob:{kind}"))
        if nearest_mob(player, kind) < 0:
            wander(player)
        fight = sea_battle if at_sea else battle
        fight(player, kind, rule.gives, count)
    raise GaveUp(f"{BATTLES} battles did not bring {count} {rule.gives}")


def use_on(
    player: Player, kind: str, item: str, fits: Callable[[Any], bool] = lambda mob: True
) -> None:
    """Use an item on the nearest mob of a kind for which ``fits`` is true.

    Raises:
        GaveUp: none was found.
    """
    for _ in range(STEPS):
        number = nearest_mob(player, kind, fits)
        if number < 0:
            wander(player)
            continue
        mob = player.world.state.mobs[0, number]
        for _ in range(400):
            if int(mob["kind"]) == 0:
                break
            if close_in(player, mob):
                player.equip(item)
                look_at_mob(player, mob)
                player.act(function=USE)
                return
    raise GaveUp(f"no {kind} was found")


def _on_mob(kind: str, item: str, fits: Callable[[Any], bool] = lambda mob: True) -> Deed:
    def deed(obtaining: Obtaining, rule: Rule, count: int) -> None:
        player = obtaining.player
        for _ in range(STEPS):
            if player.have(rule.gives) >= count:
                return
            use_on(player, kind, item, fits)
            player.wait(12)
            pick_up(player, rule.gives)

    return deed


def _cut(obtaining: Obtaining, rule: Rule, count: int) -> None:
    """Dig with shears in hand: the block then drops itself."""
    block = next(need for need in rule.needs if need.startswith("block:")).removeprefix("block:")
    obtaining.player.equip("shears")
    gather(obtaining.player, {block}, rule.gives, count)


def _await_egg(obtaining: Obtaining, rule: Rule, count: int) -> None:
    player = obtaining.player
    for _ in range(PATIENCE // 100):
        if player.have(rule.gives) >= count:
            return
        number = nearest_mob(player, "chicken")
        if number < 0:
            wander(player)
            continue
        if drops_of(player, rule.gives, 30.0):
            pick_up(player, rule.gives)
        mob = player.world.state.mobs[0, number]
        if (
            math.hypot(
                float(mob["x"]) - float(player.body["x"]), float(mob["z"]) - float(player.body["z"])
            )
            > 5.0
        ):
            close_in(player, mob)
        else:
            player.wait(40)


def _kill_carrier(obtaining: Obtaining, rule: Rule, count: int) -> None:
    """Kill endermen that carry the block, which they drop; it is visible from afar."""
    player = obtaining.player
    block = BLOCK_IDS[rule.gives]
    for _ in range(NIGHTS):
        arm(obtaining)
        wait_for(player, NIGHT)
        with player.at_once():
            while is_dark(player) and player.have(rule.gives) < count:
                number = nearest_mob(
                    player, "enderman", lambda mob: int(mob["carried"]) >> 4 == block
                )
                if number < 0:
                    warily(player, lambda: wander(player))
                    continue
                duel(player, number)
                pick_up(player, rule.gives)
        if player.have(rule.gives) >= count:
            keep_watch(player, MORNING)
            return


def _place_block(obtaining: Obtaining, rule: Rule, count: int) -> None:
    """Place a block that has to stand somewhere beside the player."""
    place_near(obtaining.player, rule.needs[0])


DEEDS: dict[str, Deed] = {
    "kill": _kill,
    "found there": travel,
    "the task begins there": leave_nether,
    "light a portal of obsidian": enter_nether,
    "cast a portal out of lava and water": enter_nether,
    "place it": _place_block,
    "break the leaves of an oak": fell_trees,
    "cut leaves with shears": _cut,
    "cut grass with shears": _cut,
    "cut a bush with shears": _cut,
    "cut vines with shears": _cut,
    "cut a cobweb with shears": _cut,
    "shear a sheep": _on_mob("sheep", "shears"),
    "shear a mooshroom": _on_mob("mooshroom", "shears"),
    "milk a cow": _on_mob("cow", "bucket"),
    "milk a mooshroom": _on_mob("mooshroom", "bucket"),
    "milk a mooshroom into a bowl": _on_mob("mooshroom", "bowl"),
    "wait until a hen has laid": _await_egg,
    "kill an enderman that carries the block": _kill_carrier,
    "fish": fish,
    "fill a bucket": fill,
    "fill a bottle": fill,
    "empty the bucket": empty,
    "pour lava into water": cast_obsidian,
    "pour water over lava": cast_obsidian,
    "till the ground": till_by_water,
    "sow and wait": grow,
    "plant and wait": grow,
}
