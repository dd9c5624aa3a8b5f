"""A goal's condition and MineDojo's own success flag become true at the same step, while the
scripted player does its tasks: judged in MineDojo's own game, and in a batch where the same actions
are taken."""

import math
from typing import Any

import numpy as np
import pytest

from messages.world import Episode
from voxeldojo.actions import DROP, NO_OP
from voxeldojo.demonstrations.player import Player, Succeeded
from voxeldojo.demonstrations.scripts import play
from voxeldojo.game import Game
from voxeldojo.meta_tasks import Outcome
from voxeldojo.minedojo_api import make
from voxeldojo.minedojo_api.environment import LAGGING
from voxeldojo.rules import item_names
from voxeldojo.tasks import task_spec
from voxeldojo.world_interface import Ints, World
from worlds.card import Goals
from worlds.minecraft.card.conditions import CONDITIONS
from worlds.minecraft.play.conditions import Judge
from worlds.minecraft.play.readings import Readings
from worlds.minecraft.play.views import view
from worlds.minecraft.play.world_kinds import make_world

SEED = 1
MIDDLE = 180.0  # of the camera's numbers, a degree each
TASKS = [
    "combat_endermite_end_diamond_armors_diamond_sword_shield",
    "combat_zombie_pigman_nether_diamond_armors_diamond_sword_shield",
    "combat_mooshroom_mushroom_island_barehand",
    "combat_cow_plains_barehand",
    "techtree_from_barehand_to_wooden_sword",
    "techtree_from_wood_to_stone_sword",
    "techtree_from_stone_to_iron_sword",
    "harvest_milk_with_empty_bucket_and_cow",
    "harvest_wool_with_shears_and_sheep",
    "harvest_1_glass_with_furnace_and_fuel",
    "harvest_1_chest_with_crafting_table",
]
LONG = [
    "techtree_from_diamond_to_redstone_piston",  # put down
    "techtree_from_wood_to_leather_boots",  # put on
    "techtree_from_iron_to_redstone_compass",  # looked at
    "harvest_8_log_taiga",
    "harvest_1_iron_ingot",
]


class GameWorld:
    """MineDojo's own game as a world: it keeps the statistics of use itself."""

    def __init__(self, game: Game) -> None:
        self._game = game

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game.world, name)

    def used(self) -> Ints:
        counts = self._game.statistics.tree()["use_item"]["minecraft"]
        return np.array([[counts[name] for name in item_names]], np.int64)


class Twin:
    """The same task in a batch, where the same actions are taken. Single degrees, by which the
    scripted player turns, are none of a batch's actions: the player is turned by hand."""

    def __init__(self, goals: Goals, task: str) -> None:
        known = goals.task(task)
        self._world: Any = make_world("embedded", 1, known, strict=False)
        self._world.reset(np.zeros(1, np.int64), np.array([SEED]))
        self._readings = Readings(self._world)
        self._judge = Judge(known.success, self._world)
        self._start = tuple(each.copy() for each in self._readings.counters())

    def step(self, action: Any) -> bool:
        """Whether the goal is reached after it."""
        player = self._world.state.players[0]
        pitch, yaw = float(action[3]) - MIDDLE, float(action[4]) - MIDDLE
        player["pitch"] = min(90.0, max(-90.0, player["pitch"] + pitch))
        yaw += player["yaw"]
        player["yaw"] = yaw - 360.0 * math.floor((yaw + 180.0) / 360.0)
        moves = [*action[:3], 12, 12, *action[5:]]
        self._world.step(np.array([moves], np.int64), np.ones(1, np.bool_))
        if moves[5] in LAGGING:  # of the pause before the next block a batch forgets two ticks
            player["rest"] = max(0, int(player["rest"]) - 2)
        self._readings.forget()
        return bool(self._judge.holds(self._readings, self._start, 0)[0])


class Watcher:
    """Compares after every step of an environment."""

    def __init__(self, environment: Any, goals: Goals, task: str) -> None:
        world: Any = GameWorld(environment.unwrapped.game)
        self._environment, self._advance = environment, environment.advance
        self._readings = Readings(world)
        self._task = goals.task(task)
        self._judge = Judge(self._task.success, world)
        self._start = tuple(each.copy() for each in self._readings.counters())
        self._before = view(self._readings, 0)
        self._twin = Twin(goals, task)
        self.steps = 0
        self.last = False
        environment.advance = self.advance

    def advance(self, action: Any) -> Outcome:
        outcome = self._advance(action)
        self.steps += 1
        self._readings.forget()
        self.last = bool(self._judge.holds(self._readings, self._start, 0)[0])
        assert self.last == outcome.success, self.steps
        assert self._twin.step(action) == outcome.success, self.steps
        if outcome.success:
            episode = Episode(
                environment=0, seed=SEED, success=True, steps=1, reward=0.0, ended="running",
                before=self._before, after=view(self._readings, 0),
            )  # fmt: skip
            assert CONDITIONS.holds(self._task.success, episode)
        return outcome


@pytest.mark.parametrize(
    "task", [*TASKS, *(pytest.param(task, marks=pytest.mark.slow) for task in LONG)]
)
def test_the_condition_holds_when_the_flag_is_raised(goals: Goals, task: str) -> None:
    environment = make(task, image_size=(1, 1), cam_interval=1, world_seed=SEED, seed=SEED)
    environment.reset()
    watcher = Watcher(environment, goals, task)
    with pytest.raises(Succeeded):
        play(Player(environment, 5_000), task_spec(task))
    assert watcher.last
    assert watcher.steps > 5


def test_the_time_since_death_equals_minedojos_count(goals: Goals) -> None:
    """Also over actions that take three ticks."""
    environment = make("survival", image_size=(1, 1), world_seed=SEED, seed=SEED)
    environment.reset()
    world: World = environment.unwrapped.game.world
    no_op = environment.no_op()
    drop = [*no_op[:5], DROP, 0, 0]
    for action in [no_op] * 7 + [drop] * 5:
        environment.advance(action)
        counted = environment.unwrapped.game.statistics.tree()["time_since_death"]
        assert world.age().tolist() == [counted]
    assert counted == 7 + 3 * 5
    assert int(no_op[5]) == NO_OP
    days = goals.task("survival").success
    judge = Judge(days, world)
    readings = Readings(world)
    start = readings.counters()
    for ticks, lived in ((2_399_999, False), (2_400_000, True)):
        environment.unwrapped.game.player["ticks"] = ticks
        readings.forget()
        assert judge.holds(readings, start, 0).tolist() == [lived]
