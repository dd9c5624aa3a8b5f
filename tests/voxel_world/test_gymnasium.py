import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import voxeldojo  # noqa: F401 - registers the environments
from voxeldojo.actions import PRIMITIVES, action
from voxeldojo.environments.spaces import Names, to_ids
from voxeldojo.rules import item_id

ID = "voxeldojo/HarvestLog-v0"
SMALL = {"area": 32, "image_size": (64, 96)}


@pytest.mark.parametrize(("first", "name"), [("import voxeldojo", ID), ("", f"voxeldojo:{ID}")])
def test_environments_are_made_by_name_from_any_folder(
    tmp_path: Path, first: str, name: str
) -> None:
    program = f"""
import gymnasium
{first}
environment = gymnasium.make("{name}", **{SMALL})
environment.reset(seed=1)
environment.close()
print(environment.spec.id)
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == (f"{ID}\n", "")


@pytest.mark.filterwarnings("ignore:.*value is (-)?infinity.*:UserWarning")
def test_the_environment_passes_gymnasiums_check_env() -> None:
    environment = gymnasium.make(ID, ids=True, render_mode="rgb_array", **SMALL)
    check_env(environment.unwrapped)
    environment.close()


def test_names_are_numbered_by_a_table_that_is_made_with_the_space() -> None:
    """Not by one that is made of all names again at each observation."""
    blocks = Names((2, 1), ["air", "stone", "log"])
    space = gymnasium.spaces.Dict({"blocks": blocks})
    blocks.names = np.array([], "U5")  # nothing is to be made of them any more
    seen = to_ids(space, {"blocks": np.array([["log"], ["air"]])})
    assert seen["blocks"].tolist() == [[2], [0]]


def test_a_single_environment_observes_minedojos_dictionary() -> None:
    environment = gymnasium.make(ID, quantity=2, max_episode_steps=5, **SMALL)
    seen, info = environment.reset(seed=11)
    assert info["seed"] == 11
    assert environment.observation_space.contains(seen)
    assert environment.action_space.nvec.tolist() == [3, 3, 4, 25, 25, 8, 244, 36]
    again, _ = environment.reset(seed=11)
    assert (again["rgb"] == seen["rgb"]).all()
    for step in range(5):
        seen, reward, terminated, truncated, _ = environment.step(np.array(PRIMITIVES["jump"]))
        assert environment.observation_space.contains(seen)
        assert (reward, terminated, truncated) == (0.0, False, step == 4)
    environment.close()


def test_reward_is_the_gain_and_success_ends() -> None:
    environment = gymnasium.make(ID, quantity=3, inventory={"log": 1}, **SMALL)
    environment.reset(seed=1)
    world = environment.unwrapped.play.world  # type: ignore[attr-defined]
    rewards = []
    for gained in (1, 2):
        world.state.slots[0:1, 0]["count"] += gained
        _, reward, terminated, _, info = environment.step(np.array(PRIMITIVES["noop"]))
        rewards.append(reward)
    assert rewards == [1.0, 2.0]
    assert terminated
    assert info["success"]
    environment.close()


def test_what_the_player_puts_on_is_not_lost() -> None:
    helmets = {"target": "iron_helmet", "inventory": {"iron_helmet": 1, "log": 1}}
    environment = gymnasium.make(ID, **helmets, **SMALL)
    environment.reset(seed=1)
    world = environment.unwrapped.play.world  # type: ignore[attr-defined]
    slot = int(np.flatnonzero(world.inventory()[0][0] == item_id("iron_helmet"))[0])
    put_on = np.array(action(function="equip", slot=slot))
    _, reward, terminated, _, info = environment.step(put_on)
    assert item_id("iron_helmet") in world.worn()[0]
    assert (reward, terminated, info["success"]) == (0.0, False, False)
    world.state.slots[0, slot]["item"] = item_id("iron_helmet")
    world.state.slots[0, slot]["count"] = 1
    _, reward, terminated, _, info = environment.step(np.array(PRIMITIVES["noop"]))
    assert (reward, terminated, info["success"]) == (1.0, True, True)
    environment.close()


def test_a_vector_environment_truncates_and_resets_by_itself() -> None:
    vector = gymnasium.make_vec(
        ID,
        num_envs=3,
        vectorization_mode="vector_entry_point",
        max_episode_steps=4,
        area=32,
    )
    seen, _ = vector.reset(seed=5)
    assert vector.observation_space.contains(seen)
    start = seen["position"].copy()
    forward = np.tile(PRIMITIVES["sprint"], (3, 1))
    for _ in range(4):
        seen, reward, terminated, truncated, _ = vector.step(forward)
        assert vector.observation_space.contains(seen)
    assert truncated.all()
    assert not terminated.any()
    assert not reward.any()
    # The step after the last one begins the next episodes.
    seen, _, _, truncated, _ = vector.step(forward)
    assert not truncated.any()
    fresh, _ = vector.reset(seed=5)
    assert (fresh["position"] == start).all()
    vector.close()


@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_environments_in_processes_of_their_own_show_what_those_of_one_process_do(
    context: str,
) -> None:
    """Names too, which Gymnasium alone does not pass through shared memory."""
    one = gymnasium.make_vec(ID, num_envs=2, vectorization_mode="sync", **SMALL)
    several = gymnasium.make_vec(
        ID, num_envs=2, vectorization_mode="async", vector_kwargs={"context": context}, **SMALL
    )
    first, _ = several.reset(seed=5)
    names = [each.copy() for each in first["inventory"]["name"]]
    assert_equal(first, one.reset(seed=5)[0])
    one.action_space.seed(1)
    for _ in range(5):
        actions = one.action_space.sample()
        seen, expected = several.step(actions)[0], one.step(actions)[0]
        assert_equal(seen, expected)
        assert several.observation_space.contains(seen)
    assert_equal(first["inventory"]["name"], tuple(names))  # what was returned is the caller's own
    several.close()
    one.close()


def assert_equal(seen: Any, expected: Any) -> None:
    assert type(seen) is type(expected)
    if isinstance(seen, dict):
        assert seen.keys() == expected.keys()
        for key in seen:
            assert_equal(seen[key], expected[key])
    else:
        np.testing.assert_array_equal(seen, expected)


@pytest.mark.parametrize("mode", ["sync", "vector_entry_point"])
@pytest.mark.parametrize(("given", "cut_off"), [({}, 2), (None, 2), (-1, None), (1, 1)])
def test_both_kinds_of_vectors_take_the_limit_of_steps_as_gymnasium_does(
    mode: Any, given: Any, cut_off: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("voxeldojo.environments.vector.HORIZON", 2)
    monkeypatch.setattr(gymnasium.spec(ID), "max_episode_steps", 2)
    options = {} if given == {} else {"max_episode_steps": given}
    options |= {"ids": True} if mode == "sync" else {}
    vector = gymnasium.make_vec(ID, num_envs=1, vectorization_mode=mode, **options, **SMALL)
    vector.reset(seed=5)
    ends = [vector.step(np.array([PRIMITIVES["noop"]]))[3][0] for _ in range(2)]
    assert ends == [step + 1 == cut_off for step in range(2)]
    vector.close()


@pytest.mark.parametrize(
    ("actions", "said"),
    [
        (np.zeros((2, 8), int), r"actions are 3 x 8 whole numbers, not array\(\[\[0, 0, .*\]\]\)"),
        (np.full((3, 8), np.nan), "actions are 3 x 8 whole numbers, not .*nan.*"),
        (None, "actions are 3 x 8 whole numbers, not None"),
        ([[0] * 8, [0, 0, 0, 12, 12, 8, 0, 0], [0] * 8], r"actions\[1, 5\] is 0 to 7, not 8"),
        (np.full((3, 8), 2**63, np.uint64), r"actions\[0, 0\] is 0 to 2, not 9223372036854775808"),
    ],
)
def test_a_vector_refuses_what_are_no_actions_in_one_sentence(actions: Any, said: str) -> None:
    vector = gymnasium.make_vec(ID, num_envs=3, area=32)
    vector.reset(seed=1)
    with pytest.raises(ValueError, match=f"^{said}$"):  # a dot matches no end of a line
        vector.step(actions)
    vector.step(np.zeros((3, 8), np.uint8))
    vector.close()


def test_a_vector_of_one_call_takes_no_mode_of_drawing_but_none() -> None:
    gymnasium.make_vec(ID, num_envs=2, render_mode=None, **SMALL).close()
    with pytest.raises(ValueError, match="leave render_mode='rgb_array' out, or add vectorizatio"):
        gymnasium.make_vec(ID, num_envs=2, render_mode="rgb_array", **SMALL)


def test_unknown_target_is_refused() -> None:
    with pytest.raises(ValueError, match="did you mean log"):
        gymnasium.make(ID, target="logg")


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ({"image_size": (0, 5)}, "image_size"),
        ({"image_size": (10**6, 10**6)}, "1 to 4096"),
        ({"image_size": 64}, "image_size"),
        ({"use_voxel": "no"}, "use_voxel is true or false"),
        ({"voxel_radius": 1.5}, "voxel_radius is 0 to 16 blocks, not 1.5"),
        ({"use_lidar": True, "lidar_rays": [(1, 2)]}, "pitch, yaw, metres"),
        ({"use_lidar": True, "lidar_rays": [(float("nan"), 0.0, 5.0)]}, "finite"),
        ({"use_lidar": True, "lidar_rays": [(0.0, 0.0, -5.0)]}, "above 0"),
        ({"use_lidar": True, "lidar_rays": []}, "pitch, yaw, metres"),
    ],
)
def test_impossible_observations_are_refused_when_the_world_is_made(option: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        gymnasium.make(ID, **option)


def test_sizes_as_numpy_has_them_are_accepted() -> None:
    rays = list(np.array([(0.0, 0.0, 5.0), (10.0, -5.0, 5.0)]))
    size = tuple(np.array([24, 32]))
    environment = gymnasium.make(ID, image_size=size, use_lidar=True, lidar_rays=rays, area=32)
    seen, _ = environment.reset(seed=1)
    assert seen["rgb"].shape == (3, 24, 32)
    assert len(seen["rays"]["block_name"]) == len(rays)
    environment.close()
