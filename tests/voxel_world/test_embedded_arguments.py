"""What is no argument of an embedded world is refused when one is made, by the argument's name."""

import time
from typing import Any

import gymnasium
import numpy as np
import pytest

import rlgpt  # noqa: F401 - registers the environments
from voxeldojo import EmbeddedWorld
from voxeldojo.tasks.staging import staging_of

HUGE, WRITTEN_BY_NOTHING = 10**400, 10**5000
LONG = "x" * 10**6
FIVE = r"^start_position: it is five numbers \(x, y, z, yaw, pitch\)"
NAMES = "^initial_mobs: it is a list of names, or one text with commas"
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"area": 64.0}, "area is a whole number of columns, not 64.0"),
    ({"area": 48}, "area is 32, 64, 128 or 256 columns, not 48"),
    ({"area": WRITTEN_BY_NOTHING}, "not a number of thousands of digits"),
    ({"start_health": "x"}, "start_health is a finite number, not 'x'"),
    ({"start_food": "1"}, "start_food is a finite number, not '1'"),
    ({"start_health": 21}, "start_health is above 0 and up to 20"),
    ({"break_speed_multiplier": True}, "break_speed_multiplier is a finite number, not True"),
    ({"break_speed_multiplier": HUGE}, "break_speed_multiplier is a finite number"),
    ({"inventory": 5}, "inventory is a dict of item -> how many, not 5"),
    ({"inventory": {"log": True}}, "inventory has names and whole numbers, not 'log': True"),
    ({"inventory": {5: 1}}, "inventory has names and whole numbers, not 5: 1"),
    ({"strict": "x"}, "strict is true or false, not 'x'"),
    ({"biome": 5}, "a biome is a name, not 5"),
    ({"start_time": 1.5}, "^start_time: it is a whole number, not 1.5"),
    ({"start_position": (0, 64, 0, float("nan"), 0)}, "start_position: a yaw is a finite number"),
    ({"start_position": [1, 2, 3, 4]}, rf"{FIVE}, not \[1, 2, 3, 4\]$"),
    ({"start_position": [HUGE, 2, 3, 4, 5]}, rf"{FIVE}, not \[10+\.\.\.0+, 2, 3, 4, 5\] \(415 "),
    ({"start_position": "x"}, f"{FIVE}, not 'x'$"),
    ({"initial_mobs": ["cow", 3]}, rf"{NAMES}, not \['cow', 3\]$"),
    ({"initial_mobs": 5}, f"{NAMES}, not 5$"),
    ({"initial_mob_spawn_range_low": [1, "x"]}, r"_low: it is three numbers .*, not \[1, 'x'\]$"),
    ({"initial_mob_spawn_range_high": [HUGE, 1, 1]}, r"_high: it is three numbers .*, not \[10+"),
    ({"drawing_str": 5}, "^drawing_str: it is a text, not 5$"),
    ({"allow_mob_spawn": 1}, "^allow_mob_spawn: it is true or false, not 1$"),
    ({"start_tim": 1}, "there is no option start_tim; did you mean start_time"),
    ({"use_lidar": True, "lidar_rays": [(0, 0, HUGE)]}, "lidar_rays are"),
    ({"lidar_rays": "x"}, "lidar_rays are .*, not 'x'$"),
    ({"lidar_rays": []}, r"lidar_rays are .*, not \[\]$"),
    ({"lidar_rays": [[1, 2]]}, r"lidar_rays are .*, not \[1, 2\]$"),
    ({"drawing_str": "hello"}, r"^drawing_str: a drawing is made of elements .*, not 'hello'$"),
    ({"drawing_str": "<DrawBlock"}, "^drawing_str: the XML is not well-formed"),
    ({"drawing_str": "<DrawBlock type='ston' x='1' y='2' z='3'/>"}, "no block 'ston'; did you"),
    ({"drawing_str": "\ud800"}, "^drawing_str: the XML is not well-formed"),
    ({"initial_mobs": [LONG]}, r"there is no mob 'x+\.\.\.x+' \(1,000,002 characters\)$"),
    ({"biome": LONG}, r"there is no biome 'x+\.\.\.x+' \(1,000,002 characters\)$"),
    ({"inventory": {LONG: 1}}, r"there is no item 'x+\.\.\.x+' \(1,000,002 characters\)$"),
    ({"initial_slots": f"head={LONG}"}, r"there is no item 'x+\.\.\.x+'"),
    ({"initial_slots": LONG}, r"^'x+\.\.\.x+' \(1,000,002 characters\) is not SLOT=ITEM"),
    ({"initial_slots": f"{'9' * 5000}=log"}, r"^'9+\.\.\.9+=log' .* is not SLOT=ITEM"),
    ({LONG: 1}, r"there is no option x+\.\.\.x+ \(1,000,000 characters\)$"),
]


@pytest.mark.parametrize(("options", "said"), WRONG, ids=range(len(WRONG)))
def test_options_that_are_none_are_refused_in_a_sentence(
    options: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValueError, match=said) as refused:
        EmbeddedWorld(1, **{"area": 32, **options})
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize(
    ("option", "given", "meant"),
    [
        ("start_time", np.int64(100), 100),
        ("start_position", np.array([8.5, 70.0, 9.5, 90.0, 10.0]), (8.5, 70.0, 9.5, 90.0, 10.0)),
        ("start_position", tuple(np.float32([8, 70, 9, 90, 10])), (8.0, 70.0, 9.0, 90.0, 10.0)),
        ("initial_mob_range", np.int32(5), 5),
        ("initial_mob_spawn_range_low", np.array([-2, 0, -2]), [-2.0, 0.0, -2.0]),
        ("initial_mob_spawn_range_high", list(np.float32([2, 1, 2])), [2.0, 1.0, 2.0]),
        ("initial_mobs", np.array(["cow", "pig"]), ["cow", "pig"]),
    ],
)
def test_numbers_and_arrays_of_numpy_are_taken(option: str, given: Any, meant: Any) -> None:
    box = {"initial_mob_spawn_range_low": [-2, 0, -2], "initial_mob_spawn_range_high": [2, 1, 2]}
    around = box if option in box else {}
    assert getattr(staging_of({**around, option: given}), option) == meant
    environment = gymnasium.make("voxeldojo/HarvestLog-v0", area=32, **{**around, option: given})
    environment.reset(seed=1)
    environment.close()


def test_arrays_of_numpy_that_are_refused_are_quoted_as_numbers() -> None:
    with pytest.raises(ValueError, match=rf"{FIVE}, not \[1, 2\]$"):
        EmbeddedWorld(1, area=32, start_position=np.array([1, 2]))


@pytest.mark.parametrize(
    ("size", "said"),
    [
        (True, "the number of environments is a whole number, not True"),
        (2.0, "the number of environments is a whole number, not 2.0"),
        (0, "a world needs at least one environment, not 0"),
        (10**9, "1,000,000,000 environments do not fit into memory"),
        (10**30, "a world has at most 2,147,483,647 environments"),
        (WRITTEN_BY_NOTHING, "not a number of thousands of digits"),
    ],
    ids=["a boolean", "a fraction", "none", "a billion", "30 digits", "5,000 digits"],
)
def test_impossible_numbers_of_environments_are_refused_at_once(size: Any, said: str) -> None:
    began = time.process_time()  # not what other processes take
    with pytest.raises(ValueError, match=said):
        EmbeddedWorld(size, area=32)
    with pytest.raises(ValueError, match=said):
        gymnasium.make_vec("rlgpt/HarvestLog-features-v0", num_envs=size)
    assert time.process_time() - began < 20.0  # it took 41 s, and as much memory as there was


def test_more_worlds_than_the_machine_has_memory_for_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("voxeldojo.engine.enough_memory.MEMORY", 10**7)
    with pytest.raises(ValueError, match=r"^2 environments do not fit into memory: they take"):
        EmbeddedWorld(2, area=128)
    EmbeddedWorld(1, area=128).close()
