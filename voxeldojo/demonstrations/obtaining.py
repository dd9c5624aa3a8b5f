"""Getting any item in the way that the oracle of voxeldojo/obtainable found."""

import math
from collections.abc import Callable
from contextlib import suppress

import msgspec

from voxeldojo.demonstrations.building import face, place_near, take_along
from voxeldojo.demonstrations.gathering import gather
from voxeldojo.demonstrations.player import GaveUp, NoTool, NoWay, Player
from voxeldojo.obtainable.derivations import A_BIOME, GIVEN, Rule, World, derive
from voxeldojo.rules import CRAFTS, ITEMS, Recipe

DEEPEST = 24  # items that need items, nested
ROUNDS = 12  # tries for one item
# Who smelts more than MANY items wears out pickaxes to dig them, and gets planks for new HANDLES.
MANY, HANDLES = 16, 8
COAL_TICKS, PLANKS_TICKS, SMELT_TICKS = 1600, 300, 200
# All blocks that give an item, of which the oracle names one.
SAME = {
    "dirt": {"dirt", "grass"},
    "sapling": {"leaves"},
    "redstone": {"redstone_ore", "lit_redstone_ore"},
}
CRAFTED = {craft.item: craft for craft in CRAFTS}
Deed = Callable[["Obtaining", Rule, int], None]


def tools_of(token: str) -> list[str]:
    """The tools of ``tool:a|b``, or all of a kind, ``tool:hoe``."""
    names = token.removeprefix("tool:").split("|")
    return [item.name for item in ITEMS if item.name in names or item.name.endswith(f"_{names[0]}")]


class Obtaining:
    """``deeds``: the script for each rule's ``how``."""

    def __init__(self, player: Player, world: World, deeds: dict[str, Deed]) -> None:
        self.player = player
        self._world = world
        self._derivation = derive(world)
        self._deeds = deeds
        self._depth = 0

    def obtain(self, name: str, count: int = 1) -> None:
        """Get items until there are ``count`` in the inventory.

        Raises:
            GaveUp: there is no way, or it failed.
        """
        if self._depth > DEEPEST:
            raise GaveUp(f"the way to {name} goes round in circles")
        self._depth += 1
        try:
            for _ in range(ROUNDS):
                if self.player.have(name) >= count:
                    return
                with suppress(NoTool):  # the next round makes the tool again
                    self._take_way(self.way(name, more=True), count)
            raise GaveUp(f"{ROUNDS} tries did not give {count} {name}")
        finally:
            self._depth -= 1

    def need_tool(self, token: str) -> None:
        """Get one of the tools of ``tool:a|b``, the one with the least effort."""
        tools = tools_of(token)
        if not any(self.player.have(tool) for tool in tools):
            self.obtain(self.way(token).needs[0])

    def way(self, token: str, more: bool = False) -> Rule:
        """The oracle's rule for a token. Items that were given at the start and are used up have to
        be made, and so have ``more`` than those that are held. Raises NoWay if no rule gives it."""
        rule = self._derivation.found.get(token)
        if rule is not None and rule.how == GIVEN and (more or not self.player.have(token)):
            held = (item for item in self._world.items if self.player.have(item))
            left = tuple(item for item in held if not more or item != token)
            self._world = msgspec.structs.replace(self._world, items=left)
            self._derivation = derive(self._world)
            rule = self._derivation.found.get(token)
        if rule is None:
            raise NoWay(f"nothing gives {token}")
        return rule

    def _take_way(self, rule: Rule, count: int) -> None:
        name = rule.gives
        if rule.how in ("craft", "smelt"):
            self._make(rule, count)
        elif rule.how.startswith("break ") and rule.how not in self._deeds:
            for need in rule.needs:
                if need.startswith("tool:"):
                    self.need_tool(need)
            self._break(rule.how.removeprefix("break "), name, count)
        else:
            self.do(rule, count)

    def do(self, rule: Rule, count: int) -> None:
        """Get what a rule needs and run its script."""
        kind = "kill" if rule.how.startswith("kill a ") else rule.how
        deed = self._deeds.get(kind)
        if deed is None:
            raise NoWay(f"there is no script for this: {rule.how}")
        for need in rule.needs:
            if need.startswith("tool:"):
                self.need_tool(need)
            elif ":" not in need:
                self.obtain(need)
        for need in rule.needs:
            if need.startswith(("block:", "mob:")):
                self.go_where(self.way(need))
        deed(self, rule, count)

    def go_where(self, rule: Rule) -> None:
        """Go to the place that a rule needs: first to its dimension, then on.

        Raises:
            NoWay: there is no script for the way there.
        """
        for need in rule.needs:
            if not need.startswith(("place:", "biome:")):
                continue
            way = self.way(need)
            self.go_where(way)
            if way.how == A_BIOME:
                continue
            deed = self._deeds.get(way.how)
            if deed is None:
                raise NoWay(f"there is no script for this: {way.how}")
            deed(self, way, 1)

    def _break(self, block: str, item: str, count: int) -> None:
        source = self.way(f"block:{block}")
        made = source.how not in ("generates there", "found there")
        if made:
            self.do(source, 1)
        else:
            self.go_where(source)
        gather(self.player, SAME.get(item, {block}), item, count, only_here=made)

    def _make(self, rule: Rule, count: int) -> None:
        name, player = rule.gives, self.player
        recipe, station = self._recipe(rule)
        times = math.ceil((count - player.have(name)) / recipe.count)
        # The station first: making it may use up ingredients of the recipe.
        item = {"table": "crafting_table", "furnace": "furnace"}.get(station)
        for _ in range(ROUNDS):
            if item is not None:
                self.obtain(item)
            if station == "furnace":
                self._need_fuel(times)
            for need, each in recipe.ingredients.items():
                self.obtain(need, each * times)
            if all(player.have(n) >= each * times for n, each in recipe.ingredients.items()) and (
                item is None or player.have(item)
            ):
                break
        else:
            raise GaveUp(f"the ingredients of {name} could not be collected together")
        if item is None:
            for _ in range(times):
                player.craft(name)
            return
        cell = place_near(player, item)
        if station == "furnace":
            player.equip("coal" if player.have("coal") else "planks")
        face(player, cell)
        for _ in range(times):
            if not player.craft(name):
                break
        take_along(player, cell, item)

    def _recipe(self, rule: Rule) -> tuple[Recipe, str]:
        craft = CRAFTED[rule.gives]
        for recipe in craft.recipes:
            if set(recipe.ingredients) <= set(rule.needs):
                return recipe, craft.station
        raise AssertionError(f"no recipe of {rule.gives} is {rule}")

    def _need_fuel(self, times: int) -> None:
        player = self.player
        ticks = SMELT_TICKS * times
        if player.have("coal") * COAL_TICKS >= ticks:
            return
        handles = HANDLES if times > MANY else 0
        self.obtain("planks", math.ceil(ticks / PLANKS_TICKS) + handles)
