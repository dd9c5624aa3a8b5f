"""What is done by hand beyond digging and crafting, by the words of models/rules/sources.yaml."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from nodes.env_server.demonstrations.building import place_near
from nodes.env_server.demonstrations.digging import dig, drops_of
from nodes.env_server.demonstrations.gathering import approach, gather, pick_up, wander
from nodes.env_server.demonstrations.ground import Ground
from nodes.env_server.demonstrations.hunting import close_in, hunt, look_at_mob, nearest_mob
from nodes.env_server.demonstrations.obtaining import Deed, Obtaining
from nodes.env_server.demonstrations.player import (
    BLOCK_IDS,
    PLACE,
    SIDES,
    USE,
    Cell,
    GaveUp,
    Player,
)
from nodes.env_server.demonstrations.walking import go
from nodes.env_server.obtainable.derivations import Rule

DAY = 24_000  # ticks
NIGHT, AFTER_DAWN = range(14_000, 22_000), range(23_600, 24_000)
BY_DAY_TOO = frozenset(("spider", "creeper", "enderman", "witch"))  # the sun does not burn them
SWORDS = ("stone_sword", "iron_sword", "golden_sword", "diamond_sword", "wooden_sword")
COVERS = ("dirt", "cobblestone", "planks", "stone", "sand")
PATIENCE = 400_000  # ticks that a crop may take
STEPS = 40  # mobs that one goes to before giving up
RIPE = {"wheat": 7, "carrots": 7, "potatoes": 7, "beetroots": 3}
SEEDS = {
    "wheat": "wheat_seeds",
    "carrots": "carrot",
    "potatoes": "potato",
    "beetroots": "beetroot_seeds",
}
WATER = {BLOCK_IDS[name] for name in ("water", "flowing_water")}
LAVA = {BLOCK_IDS[name] for name in ("lava", "flowing_lava")}
SOIL = {BLOCK_IDS[name] for name in ("dirt", "grass", "grass_path")}
FARMLAND = BLOCK_IDS["farmland"]
BY_NIGHT = frozenset(
    ("zombie", "skeleton", "spider", "creeper", "witch", "enderman", "husk", "stray", "slime",
     "zombie_villager")
)  # fmt: skip


def _kill(obtaining: Obtaining, rule: Rule, count: int) -> None:
    kind = rule.how.removeprefix("kill a ")
    player = obtaining.player
    if kind in BY_NIGHT and nearest_mob(player, kind) < 0:
        if not any(player.have(sword) for sword in SWORDS):
            obtaining.obtain("stone_sword")
        wait_for(player, AFTER_DAWN if kind in BY_DAY_TOO else NIGHT)
    hunt(player, kind, rule.gives, count)


def wait_for(player: Player, hours: range) -> None:
    """Waits in a hole in the ground, which it closes above its head, for a time of the day."""
    if int(player.body["time"]) % DAY in hours:
        return
    hide(player)
    for _ in range(DAY):
        if int(player.body["time"]) % DAY in hours:
            return
        player.act()


def hide(player: Player) -> None:
    """Digs itself in, three blocks deep. In the open it stays where it cannot."""
    x, y, z = player.feet
    for depth in range(1, 4):
        cell = (x, y - depth, z)
        if not dig(player, cell):
            return
        player.wait(8)
    cover = next((name for name in COVERS if player.have(name)), None)
    if cover is None:
        return
    # The lid leans on the wall of the hole, one block above the head.
    x, y, z = player.feet
    for dx, dz in SIDES:
        player.look_at(x + 0.5 + 0.5 * dx, y + 2.5, z + 0.5 + 0.5 * dz)
        if player.target()[0]:
            player.act(function=PLACE, slot=player.slot_of(cover))
        if player.block((x, y + 2, z)):
            return


def use_on(
    player: Player, kind: str, item: str, fits: Callable[[Any], bool] = lambda mob: True
) -> None:
    """Uses an item on the nearest mob of a kind that is fit for it.

    Raises:
        GaveUp: none is met.
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
    raise GaveUp(f"no {kind} was met")


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
    """Shears are a tool as any other: the block drops itself."""
    block = next(need for need in rule.needs if need.startswith("block:")).removeprefix("block:")
    obtaining.player.equip("shears")
    gather(obtaining.player, {block}, rule.gives, count)


def _break_leaves(obtaining: Obtaining, rule: Rule, count: int) -> None:
    gather(obtaining.player, {"leaves"}, rule.gives, count)


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


def still(player: Player, fluid: set[int], wet: bool = True) -> Cell:
    """The nearest source of a fluid with air above it.

    Raises:
        GaveUp: there is none anywhere near.
    """
    for _ in range(12):
        ground = Ground(player, player.feet, 120)
        cells = ground.cells_of(fluid)
        feet = np.array(player.feet)
        away = np.abs(cells - feet) @ np.array([1.0, 1.6, 1.0]) if len(cells) else np.zeros(0)
        for index in np.argsort(away, kind="stable")[:4000]:
            x, y, z = (int(c) for c in cells[index])
            if player.meta((x, y, z)) == 0 and ground.block(x, y + 1, z) == 0:
                return x, y, z
        wander(player)
    raise GaveUp("there is nothing to fill a bucket with")


def _fill(obtaining: Obtaining, rule: Rule, count: int) -> None:
    player = obtaining.player
    fluid = LAVA if rule.gives == "lava_bucket" else WATER
    for _ in range(8):
        if player.have(rule.gives) >= count:
            return
        cell = still(player, fluid)
        beside(player, cell)
        player.equip("glass_bottle" if rule.gives == "potion" else "bucket")
        for dx, dz in ((0.5, 0.5), (0.2, 0.5), (0.8, 0.5), (0.5, 0.2), (0.5, 0.8)):
            player.look_at(cell[0] + dx, cell[1] + 0.8, cell[2] + dz)
            if player.target()[0]:  # grass on the bank: only what is open can be dipped into
                dig(player, player.target()[1])
                player.equip("glass_bottle" if rule.gives == "potion" else "bucket")
                player.look_at(cell[0] + dx, cell[1] + 0.8, cell[2] + dz)
            player.act(function=USE)
            if player.have(rule.gives) >= count:
                return


def beside(player: Player, cell: Cell) -> None:
    """Goes to dry ground from which a cell is within reach, a little above it or level with it."""

    def arrived(there: Cell) -> bool:
        dx, dy, dz = there[0] - cell[0], there[1] - cell[1], there[2] - cell[2]
        dry = player.block(there) not in WATER | LAVA
        return dry and 1 <= max(abs(dx), abs(dz)) <= 2 and 0 <= dy <= 2

    go(player, arrived, cell, slack=3.0)


def _make_obsidian(obtaining: Obtaining, rule: Rule, count: int) -> None:
    """Water poured beside a pool of lava runs over it."""
    player = obtaining.player
    lava = still(player, LAVA)
    beside(player, lava)
    player.equip("water_bucket")
    x, y, z = player.feet
    # At the edge of the pool: the water lies on the ground there and spreads over the lava.
    for dx, dz in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        edge = (x + dx, y - 1, z + dz)
        if player.block(edge) in LAVA:
            continue
        player.look_at(edge[0] + 0.5, edge[1] + 1.0, edge[2] + 0.5)
        player.act(function=USE)
        if player.have("water_bucket") == 0:
            break
    player.wait(60)
    for _ in range(20):
        if player.have("bucket") == 0:
            break
        player.equip("bucket")
        player.act(function=USE)


def _till(obtaining: Obtaining, rule: Rule, count: int) -> None:
    player = obtaining.player
    hoe = next(name for name in HOES if player.have(name))
    try:
        water = still(player, WATER)
        beside(player, water)
    except GaveUp:
        pass
    cell = _soil(player)
    approach(player, cell)
    player.equip(hoe)
    player.look_at(cell[0] + 0.5, cell[1] + 1.0, cell[2] + 0.5)
    player.act(function=USE)


HOES = ("wooden_hoe", "stone_hoe", "iron_hoe", "golden_hoe", "diamond_hoe")


def _soil(player: Player) -> Cell:
    """Soil under the open sky beside the player, best close to water."""
    ground = Ground(player, player.feet, 8)
    cells = ground.cells_of(SOIL)
    wet = ground.cells_of(WATER)
    best, price = None, math.inf
    for x, y, z in cells.tolist():
        if ground.block(x, y + 1, z) != 0 or ground.block(x, y + 2, z) != 0:
            continue
        far = abs(x - player.feet[0]) + abs(y - player.feet[1]) + abs(z - player.feet[2])
        dry = not any(
            abs(x - wx) <= 4 and abs(z - wz) <= 4 and 0 <= wy - y <= 1
            for wx, wy, wz in wet.tolist()
        )
        if far + 20 * dry < price and (x, y + 1, z) != player.feet:
            best, price = (x, y, z), far + 20 * dry
    if best is None:
        raise GaveUp("there is no soil here")
    return best


def _grow(obtaining: Obtaining, rule: Rule, count: int) -> None:
    """Sows one plant and waits beside it until it is ripe."""
    player = obtaining.player
    crop = rule.gives.removeprefix("block:")
    seeds = SEEDS[crop]
    obtaining.obtain(seeds)
    if not _near(player, {FARMLAND}):
        obtaining.do(obtaining.way("block:farmland"), 1)
    field = _near(player, {FARMLAND})
    if not field:
        raise GaveUp("the ground was not tilled")
    cell = field[0]
    player.look_at(cell[0] + 0.5, cell[1] + 0.95, cell[2] + 0.5)
    player.equip(seeds)
    player.act(function=USE)
    plant = (cell[0], cell[1] + 1, cell[2])
    if player.block(plant) != BLOCK_IDS[crop]:
        raise GaveUp(f"{seeds} were not sown")
    for _ in range(PATIENCE):
        if player.block(plant) != BLOCK_IDS[crop]:
            raise GaveUp(f"the {crop} were lost")
        if player.meta(plant) >= RIPE[crop]:
            return
        player.act()


def _near(player: Player, blocks: set[int]) -> list[Cell]:
    cells = Ground(player, player.feet, 5).cells_of(blocks)
    feet = player.feet
    found = [(x, y, z) for x, y, z in cells.tolist() if abs(y - feet[1]) < 4]
    return sorted(found, key=lambda cell: math.dist(cell, feet))


def _place_block(obtaining: Obtaining, rule: Rule, count: int) -> None:
    """A block that is to stand somewhere is put down beside the player."""
    place_near(obtaining.player, rule.needs[0])


DEEDS: dict[str, Deed] = {
    "kill": _kill,
    "place it": _place_block,
    "break the leaves of an oak": _break_leaves,
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
    "fill a bucket": _fill,
    "fill a bottle": _fill,
    "pour water over lava": _make_obsidian,
    "till the ground": _till,
    "sow and wait": _grow,
    "plant and wait": _grow,
}
