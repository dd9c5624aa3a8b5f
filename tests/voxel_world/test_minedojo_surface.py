"""What else MineDojo's environments have: spaces, dictionaries of keys, prompts, infos."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Dict

from voxeldojo.minedojo_api import Environment, InventoryItem, make
from voxeldojo.rules import craft_index
from voxeldojo.rules.mobs import MOB_IDS

BOX = {"xmin": -2, "ymin": -1, "zmin": -3, "xmax": 1, "ymax": 2, "zmax": 0}
KIT = [InventoryItem("mainhand", "log", 1, 3), (5, "crafting_table"), (7, "planks", 0, 2)]


@pytest.fixture
def env() -> Iterator[Environment]:
    arguments: dict[str, Any] = {
        "image_size": (24, 32), "area": 32, "world_seed": 7, "use_voxel": True, "voxel_size": BOX,
        "use_lidar": True, "initial_inventory": KIT, "target_names": "stick",
        "target_quantities": 4, "initial_mobs": "cow", "seed": 1,
        "initial_mob_spawn_range_low": (0, 1, 2), "initial_mob_spawn_range_high": (0, 1, 2),
    }  # fmt: skip
    with make("harvest", **arguments) as found:
        yield found


def test_every_observation_is_within_the_observation_space(env: Environment) -> None:
    space = env.observation_space
    seen = env.reset()
    for _ in range(30):
        assert set(space) == set(seen)
        for key, entry in space.items():
            assert entry.contains(seen[key]), key
        seen = env.step([1, 0, 0, 12, 13, 0, 0, 0])[0]
    voxels, rays = space["voxels"], space["rays"]
    assert isinstance(voxels, Dict)
    assert isinstance(rays, Dict)
    assert voxels["block_name"].shape == (4, 4, 4)
    assert rays["entity_name"].contains(np.array(["cow"]))


def test_a_step_by_a_dictionary_of_keys_is_one_tick(env: Environment) -> None:
    env.reset()
    keys = env.unwrapped.action_space.no_op()
    assert keys in env.unwrapped.action_space
    assert all(env.unwrapped.action_space.sample() in env.unwrapped.action_space for _ in range(9))
    before = env.prev_info["total_time"]
    seen, reward, done, info = env.unwrapped.step({**keys, "craft": "planks", "camera": [0, 30.0]})
    assert (reward, done, info["total_time"]) == (0, False, before + 1)
    assert seen["inventory"]["quantity"][[0, 7]].tolist() == [2.0, 2.0]
    assert "planks" in seen["inventory"]["name"][1:5]
    assert info["yaw"] == seen["location_stats"]["yaw"].item()
    # A table makes what hands make, if there is one.
    env.unwrapped.step({"craft_with_table": "stick"})
    assert "stick" not in env.prev_obs["inventory"]["name"]
    env.unwrapped.step({"camera": (50.0, 150.0)})
    env.unwrapped.step({"place": "crafting_table"})
    assert env.prev_obs["nearby_tools"]["table"]
    env.unwrapped.step({"craft_with_table": "stick"})
    assert "stick" in env.prev_obs["inventory"]["name"]
    # The next step of the task is paid for it all.
    assert env.step(env.no_op())[1] == 4.0


def test_a_command_with_an_action_also_presses_its_keys(env: Environment) -> None:
    env.reset()
    before, at = (
        env.prev_info["total_time"],
        env.prev_info["xpos"],
    )
    env.set_time(13000, action={"forward": 1, "drop": 1})
    assert env.prev_info["total_time"] == before + 1
    assert env.prev_obs["inventory"]["quantity"][0] == 2.0
    assert env.prev_info["xpos"] != at or env.prev_info["distance_travelled_cm"] > 0
    env.execute_cmd("/no such", action={"drop": 1})
    assert env.prev_obs["inventory"]["quantity"][0] == 1.0
    assert "no command" in env.unwrapped.skipped
    env.unwrapped.step({"chat": "/clear"})
    assert set(env.prev_obs["inventory"]["name"]) == {"air"}


def test_reverse_action_finds_the_numbered_action_of_keys(env: Environment) -> None:
    env.reset()
    none = env.action_space.no_op().tolist()
    for keys, columns in [
        ({}, {}),
        ({"forward": 1, "back": 1, "left": 1, "right": 1}, {}),
        ({"forward": 1, "left": 1, "jump": 1, "sprint": 1}, {0: 1, 1: 1, 2: 1}),
        ({"back": 1, "right": 1, "sneak": 1}, {0: 2, 1: 2, 2: 2}),
        ({"camera": [15.0, -30.0], "attack": 1, "use": 1}, {3: 13, 4: 10, 5: 3}),
        ({"camera": [-180.0, 180.0]}, {3: 0, 4: 24}),
        ({"camera": [100.0, 0.0]}, {3: 19}),
        ({"craft": "stick", "drop": 1}, {5: 4, 6: craft_index("stick")}),
        ({"craft_with_table": "chest"}, {5: 4, 6: craft_index("chest")}),
        ({"smelt": "glass"}, {5: 4, 6: craft_index("glass")}),
        ({"equip": "crafting_table", "drop": 1}, {5: 5, 7: 5}),
        ({"place": "planks"}, {5: 6, 7: 7}),
        ({"drop": 1, "use": 1}, {5: 1}),
    ]:
        found = env.reverse_action({**env.unwrapped.action_space.no_op(), **keys})
        expected = [columns.get(column, value) for column, value in enumerate(none)]
        assert found.tolist() == expected, keys
    with pytest.raises(ValueError, match="cannot place dirt, there is none"):
        env.reverse_action({"place": "dirt"})


def test_prompts_can_be_replaced_and_gyms_attributes_have_values(env: Environment) -> None:
    assert env.get_prompt() == env.task_prompt == "Harvest 4 stick."
    env.specify_prompt("Make sticks.")
    env.specify_guidance("From planks.")
    assert (env.task_prompt, env.task_guidance) == ("Make sticks.", "From planks.")
    assert (env.spec, env.reward_range) == (None, (-np.inf, np.inf))
    assert env.info_prev_reset is None
    env.reset()
    assert not env.is_terminated
    kinds = env.unwrapped.game.world.state.mobs[0]["kind"]
    assert (kinds == MOB_IDS["cow"]).any()
    env.reset()
    assert env.info_prev_reset is not None
    assert env.info_prev_reset["stat"]["deaths"] == 1
