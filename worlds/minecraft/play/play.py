"""Minecraft, for the env server."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from messages.world import Condition, Interface, RewardTerm, Task, View
from voxeldojo.world_interface import Ints, World
from worlds.common.feature_matrix import FeatureMatrix
from worlds.minecraft.card.features import counted_items
from worlds.minecraft.play import rewards, views, warm_up, world_kinds
from worlds.minecraft.play.actions import NOOP, PrimitiveActions, item_action
from worlds.minecraft.play.autocraft import Autocraft
from worlds.minecraft.play.conditions import Judge
from worlds.minecraft.play.features import feature_matrix
from worlds.minecraft.play.readings import Readings
from worlds.minecraft.play.runtime import RUNTIME
from worlds.play import Embedder, Play, Term, WarmUp


class Minecraft(Play):
    """The play of Minecraft. Its worlds are `voxeldojo.world_interface.World`: an action is
    MineDojo's vector of eight numbers."""

    noop = NOOP
    programs = RUNTIME
    kinds = world_kinds.KINDS

    def make_world(self, kind: str, size: int, task: Task, **options: Any) -> World:
        return world_kinds.make_world(kind, size, task, **options)

    def unjailable(self, kind: str) -> str:
        if kind == "minedojo":
            return "world=minedojo starts and talks to processes of its own, which the jail forbids"
        return ""

    def load(self, world: World) -> None:
        world.load()
        world.observation(0)
        world.above(0)

    def above(self, world: World, environment: int) -> NDArray[np.uint8]:
        return world.above(environment)

    def readings(self, world: World, embedder: Embedder | None = None) -> Readings:
        return Readings(world, embedder)

    def view(self, readings: Readings, environment: int) -> View:
        return views.view(readings, environment)

    def changes(self, before: View, after: View) -> dict[str, str]:
        return views.changes(before, after)

    def judge(self, condition: Condition, world: World) -> Judge:
        return Judge(condition, world)

    def features(
        self, interface: Interface, task: Task, choices: int, world: World
    ) -> FeatureMatrix:
        items = counted_items(interface, task.success)
        return feature_matrix(interface.observations, interface.targets, items, choices, world)

    def actions(self, names: list[str], world: World) -> PrimitiveActions:
        return PrimitiveActions(names, world)

    def item_action(
        self, readings: Readings, environment: int, verb: str, item: str
    ) -> Ints | None:
        return item_action(readings, environment, verb, item)

    def reward(self, term: RewardTerm, world: World) -> Term:
        return rewards.reward(term, world)

    def assistant(self, success: Condition, world: World) -> Autocraft:
        return Autocraft(success, world)

    def warm_up(self) -> WarmUp:
        return warm_up.warm_up()


PLAY = Minecraft()
