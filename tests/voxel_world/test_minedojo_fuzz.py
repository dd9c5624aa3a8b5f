"""Garbage at our own make(): what is refused is refused in a sentence, and harms nothing."""

import random
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

from voxeldojo.minedojo_api import Environment, InventoryItem, NotInThisWorld, make
from voxeldojo.tasks import UnknownTask, WrongArgument, WrongValue, meta_tasks

REFUSALS = (WrongArgument, WrongValue, UnknownTask, NotInThisWorld)
MAKES = 400
ACTIONS = 400
SIZES = np.array([3, 3, 4, 25, 25, 8, 244, 36])
# What a hasty caller or a program that a language model wrote might give.
JUNK: list[Any] = [
    None, True, False, 0, 1, -1, 7, 10**30, -(10**30), 0.5, float("nan"), float("inf"), "", "log",
    "Log", "diamond", "cow", "plains", "night", "\0", "log " * 50, b"log", [], {}, (), ["log"],
    ["log", "log"], ["log", 3], {"log": 1}, {"log": -1}, {3: 4}, [0, 0, 0], (1, 2), [[1, 2, 3]],
    [float("nan")] * 3, {"x": 0, "y": 70, "z": 0, "yaw": 0, "pitch": 0}, {"x": "a"}, object(),
    [InventoryItem("mainhand", "log", 0, 1)], [InventoryItem(99, "log", 0, 1)], [(0, "log", 0, -3)],
    np.zeros(3), np.int64(3), {"xmin": -1, "xmax": 1, "ymin": -1, "ymax": 1, "zmin": -1, "zmax": 1},
    {"xmin": 5, "xmax": -5}, [(0.0, 0.0, 9.0)], {1}, make, 3 + 4j, "3;7,2*3,2;1;",
]  # fmt: skip
NAMES = [
    "target_names", "target_quantities", "reward_weights", "tech", "tech_item", "target_days",
    "per_day_reward", "success_reward", "initial_mobs", "initial_mob_spawn_range_low",
    "initial_mob_spawn_range_high", "spawn_rate", "spawn_range_low", "spawn_range_high",
    "initial_inventory", "start_position", "start_health", "start_food", "start_time",
    "start_at_night", "initial_weather", "drawing_str", "always_night", "allow_mob_spawn",
    "break_speed_multiplier", "generate_world_type", "flat_world_seed_string", "specified_biome",
    "seed", "world_seed", "fast_reset", "fast_reset_random_teleport_range", "use_voxel",
    "voxel_size", "use_lidar", "lidar_rays", "event_level_control", "image_size", "cam_interval",
    "sim_name", "no_such_argument",
]  # fmt: skip
# And what fits, as far as the kind and the other arguments allow.
SOUND: dict[str, Any] = {
    "start_health": 10, "start_food": 3.5, "initial_weather": "rain", "seed": 3, "world_seed": "7",
    "fast_reset": True, "use_voxel": True, "use_lidar": True, "lidar_rays": [(0.0, 0.0, 9.0)],
    "specified_biome": "plains", "initial_mobs": "cow", "break_speed_multiplier": 2.0,
    "start_at_night": True, "cam_interval": 5, "sim_name": "s", "reward_weights": 2,
    "initial_inventory": [InventoryItem("mainhand", "log", 0, 1)],
    "initial_mob_spawn_range_low": [-3, 1, -3], "initial_mob_spawn_range_high": [3, 1, 3],
}  # fmt: skip
GIVEN: dict[str, dict[str, Any]] = {
    "harvest": {"target_names": "log", "target_quantities": 1},
    "combat": {"target_names": "cow", "target_quantities": 1},
    "techtree": {"tech_item": "wooden_sword"},
    "survival": {"target_days": 1},
}


@pytest.fixture
def env() -> Iterator[Environment]:
    made = make(
        "open-ended",
        image_size=(8, 8),
        area=32,
        world_seed=5,
        use_voxel=True,
        initial_inventory=[InventoryItem(0, "log", 0, 9), InventoryItem(5, "dirt", 0, 9)],
    )
    yield made
    made.close()


def _made(kind: str, arguments: dict[str, Any]) -> tuple[Environment | None, str]:
    """The environment, or the sentence with which it was refused."""
    try:
        return make(kind, area=32, **arguments), ""
    except REFUSALS as refusal:
        return None, str(refusal)
    except Exception as other:
        pytest.fail(f"{kind!r} with {arguments!r}: {type(other).__name__}: {other}")


def test_arguments_are_taken_or_refused_in_a_sentence() -> None:
    chance = random.Random(3)
    kinds = [*meta_tasks(), "harvest_1_log", "creative:7", "harvest_1_lgo", ""]
    made = refused = 0
    for _ in range(MAKES):
        kind = chance.choice(kinds)
        arguments = {"image_size": (8, 8), **GIVEN.get(kind, {})}
        names = chance.sample(NAMES, chance.choice((1, 1, 2, 3, 6)))
        for name in names:
            sound = name in SOUND and chance.random() < 0.5
            arguments[name] = SOUND[name] if sound else chance.choice(JUNK)
        env, said = _made(kind, arguments)
        if env is None:
            assert 10 < len(said) < 1000, arguments
            refused += 1
            continue
        made += 1
        if made % 8 == 0:
            env.reset()
            env.step(env.no_op())
        env.close()
    assert made > 20
    assert refused > 150


def _spoilt(chance: np.random.Generator) -> Any:
    """An action that is none: a wrong shape, dtype or range, or no numbers at all."""
    good = chance.integers(0, SIZES)
    column = int(chance.integers(8))
    high, low = good.copy(), good.copy()
    high[column], low[column] = SIZES[column] + chance.integers(0, 10**6), -1
    others: list[Any] = [
        good[:column], np.append(good, 0), good.reshape(2, 4), good.reshape(1, 8), good[column],
        good.astype(np.float64), good + 0.5, good.astype(bool), good.astype(str), high, low,
        good * np.nan, good.astype(complex), good.astype(object), None, "attack", {}, {"camera": 3},
        [[1], [2, 3]], [*good.tolist()[:7], "0"], [2**70] * 8, iter(good),
    ]  # fmt: skip
    return others[int(chance.integers(len(others)))]


def test_invalid_actions_are_refused_and_no_time_passes(env: Environment) -> None:
    env.reset()
    chance = np.random.default_rng(5)
    before = env.unwrapped.game.ticks
    slots = env.unwrapped.game.world.state.slots.copy()
    for _ in range(ACTIONS):
        with pytest.raises(AssertionError, match=r"action"):
            env.step(_spoilt(chance))
    assert env.unwrapped.game.ticks == before
    assert np.array_equal(env.unwrapped.game.world.state.slots, slots)
    env.step(env.no_op())
    assert env.unwrapped.game.ticks == before + 1


def _shapes(seen: Any) -> Any:
    if isinstance(seen, dict):
        return {name: _shapes(part) for name, part in seen.items()}
    array = np.asarray(seen)
    # Names are as wide as the longest of them.
    return array.shape, array.dtype.kind


def test_any_action_in_range_is_played_unless_its_slot_is_empty(env: Environment) -> None:
    shapes = _shapes(env.reset())
    chance = np.random.default_rng(7)
    kinds = (list, np.int8, np.uint8, np.int32, np.int64, np.uint64)
    played = 0
    for number in range(ACTIONS):
        action = chance.integers(0, SIZES)
        kind = kinds[number % len(kinds)]
        given = action.tolist() if kind is list else action.astype(np.int64)
        if kind not in (list, np.int8) or action[6] < 128:
            given = given if kind is list else action.astype(kind)
        held = env.unwrapped.game.world.state.slots[0, action[7]]["item"]
        if action[5] in (5, 6, 7) and held == 0:
            with pytest.raises(ValueError, match="it is empty"):
                env.step(given)
            continue
        seen, reward, done, info = env.step(given)
        assert _shapes(seen) == shapes
        assert isinstance(done, bool)
        assert np.isfinite(reward)
        assert len(info["inventory"]) == 41
        played += 1
    assert played > ACTIONS // 2


def test_steps_before_the_reset_are_refused_and_after_the_end_report_it() -> None:
    env = make(
        "harvest", target_names="dirt", target_quantities=1, image_size=(8, 8), area=32,
        world_seed=5,
    )  # fmt: skip
    calls = [
        partial(env.step, env.no_op()),
        partial(env.execute_cmd, "/time set 0"),
        partial(env.spawn_mobs, "cow", [0, 0, 1]),
    ]
    for call in calls:
        with pytest.raises(RuntimeError, match="call reset"):
            call()
    env.reset()
    env.execute_cmd("/replaceitem entity @p slot.weapon.mainhand minecraft:dirt 1 0")
    assert env.step(env.no_op())[2]
    # MineDojo goes on after the end, and says each time that it is over.
    assert [env.step(env.no_op())[2] for _ in range(5)] == [True] * 5
    env.reset()
    env.close()


def test_odd_commands_are_refused_in_words(env: Environment) -> None:
    env.reset()
    chance = random.Random(13)
    words = ["~", "-1", "1e400", "@p", "@e[type=item]", "set", "slot.hotbar.9", "nan", "minecraft:",
             "slot.weapon.mainhand", "stone", "entity", "²", "\t", "/", "9" * 20]  # fmt: skip
    verbs = ["summon", "kill", "time", "weather", "replaceitem", "tp", "clear", "setblock",
             "spreadplayers", "op", ""]  # fmt: skip
    for _ in range(200):
        rest = " ".join(chance.choice(words) for _ in range(chance.randint(0, 7)))
        seen, reward, done, _info = env.execute_cmd(f"/{chance.choice(verbs)} {rest}")
        assert (reward, done) == (0, False)
        assert np.isfinite(seen["location_stats"]["pos"]).all()
