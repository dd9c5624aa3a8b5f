"""Garbage at make(), at its environments and at their commands: refused in words, or taken."""

import math
import random
from typing import Any

import numpy as np

from models.tasks import argument_names, meta_tasks
from nodes.env_server.minedojo_api import Environment, InventoryItem, make

TRIES, CALLS = 600, 400
REFUSALS = (TypeError, ValueError, AssertionError, KeyError)
VALUES: list[Any] = [
    None, True, False, -1, 0, 1, 5, 99, 2**70, -0.5, 1.5, math.nan, math.inf, "", "log", "plains",
    "cow", "iron", "night", "²", "a" * 300, b"log", [], {}, (), (1, 2), (1, 2, 3), [-5, 1, -5],
    [(0.0, 0.0, 5.0)], [(math.nan, 0, 1)], {"x": 1}, {"cow": 0.5}, {"log": 1}, [None], [[]],
    ["log", "dirt"], ["log", "log"], [InventoryItem("mainhand", "log")], [InventoryItem(99, "log")],
    [(0, "log", None, None)], {"mainhand": {"name": "log"}}, np.array([1, 2, 3]), np.float32(2.0),
    np.int64(3), object(), {"xmin": -1, "xmax": 1, "ymin": -1, "ymax": 1, "zmin": -1, "zmax": 1},
    {"x": 0, "y": 70, "z": 0, "yaw": 0, "pitch": 0}, "<DrawBlock x='1' y='2' z='3' type='stone'/>",
    "3;7,2*3,2;1;", "flat", "default", "rain",
]  # fmt: skip
GOOD: dict[str, dict[str, Any]] = {
    "harvest": {"target_names": "log", "target_quantities": 1},
    "combat": {"target_names": "cow", "target_quantities": 1},
    "techtree": {"tech": "iron"},
    "survival": {"target_days": 2},
}
COMMANDS = [
    "execute_cmd", "spawn_mobs", "set_block", "set_inventory", "teleport_agent", "set_time",
    "set_weather", "random_teleport", "reverse_action", "clear_inventory",
]  # fmt: skip
VERBS = ["summon", "kill", "time", "weather", "replaceitem", "tp", "clear", "setblock", "gamemode"]


def test_odd_arguments_are_refused_in_words() -> None:
    chance = random.Random(5)
    sentences: list[str] = []
    for _ in range(TRIES):
        kind = chance.choice(meta_tasks())
        given = {"image_size": 8, "area": 32, **GOOD.get(kind, {})}
        for name in chance.sample(argument_names(kind), chance.choice([1, 1, 2, 3])):
            given[name] = chance.choice(VALUES)
        try:
            make(kind, **given).close()
        except REFUSALS as refused:
            sentences.append(str(refused))
    assert all(" " in sentence for sentence in sentences)
    assert TRIES // 2 < len(sentences) < TRIES - TRIES // 20


def _call(env: Environment, chance: random.Random) -> None:
    kind = chance.randrange(4)
    if kind == 0:
        env.step(chance.choice(VALUES))
    elif kind == 1:
        action = env.action_space.sample()
        action[chance.randrange(8)] = chance.choice([-1, 0, 3, 24, 35, 243, 2**40])
        env.step(action)
    elif kind == 2:
        words = [str(chance.choice([*VALUES, "~", "~1", "@p"])) for _ in range(chance.randrange(7))]
        env.execute_cmd(f"/{chance.choice(VERBS)} {' '.join(words)}")
    else:
        values = [chance.choice(VALUES) for _ in range(chance.choice([1, 2, 5]))]
        getattr(env, chance.choice(COMMANDS))(*values)


def test_odd_steps_and_commands_are_refused_in_words() -> None:
    chance = random.Random(6)
    env = make("harvest", image_size=8, area=32, world_seed=7, use_voxel=True, use_lidar=True,
               **GOOD["harvest"])  # fmt: skip
    env.reset()
    sentences: list[str] = []
    for _ in range(CALLS):
        try:
            _call(env, chance)
        except (*REFUSALS, AttributeError) as refused:
            sentences.append(str(refused))
    assert all(sentences)
    assert CALLS // 10 < len(sentences) < CALLS
    seen, _, _, info = env.step(env.no_op())
    assert all(space.contains(seen[key]) for key, space in env.observation_space.items())
    assert info["total_time"] > 0
    env.close()
