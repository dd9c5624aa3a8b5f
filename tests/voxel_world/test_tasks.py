"""MineDojo's tasks as data: how many, what they say, and what their arguments may be."""

from collections import Counter

import pytest

from voxeldojo.tasks import (
    InventoryItem,
    Placed,
    UnknownTask,
    WrongArgument,
    WrongValue,
    argument_names,
    make_kwargs,
    meta_tasks,
    task_ids,
    task_kwargs,
    task_spec,
    task_suite,
    tech_items,
    templates,
    world_settings,
)

VOXELS = {
    "use_voxel": True,
    "voxel_size": {"xmin": -1, "ymin": -1, "zmin": -1, "xmax": 1, "ymax": 1, "zmax": 1},
    "use_lidar": False,
}
NEAR_10 = {
    "initial_mob_spawn_range_low": [-10, 1, -10],
    "initial_mob_spawn_range_high": [10, 1, 10],
}
ONE = {"target_quantities": 1, "reward_weights": 1}


def refused(error: type[Exception], words: str, meta_task: str, **given: object) -> None:
    with pytest.raises(error, match=words):
        make_kwargs(meta_task, **{"image_size": (160, 256), **given})


def harvest(**given: object) -> dict[str, object]:
    wanted = {"target_names": "log", "target_quantities": 1, "image_size": 64}
    return make_kwargs("harvest", **{**wanted, **given})


def test_there_are_as_many_tasks_of_each_kind_as_in_minedojo() -> None:
    counts = {"harvest": 895, "combat": 471, "techtree": 213, "survival": 2}
    assert {kind: len(task_ids(kind)) for kind in counts} == counts
    assert len(task_ids("programmatic")) == 1581
    assert len(task_ids("creative")) == 1560
    assert task_ids("playthrough") == ["playthrough"]
    everything = task_ids()
    assert len(everything) == len(set(everything)) == 1581 + 1560 + 1


def test_templates_make_as_many_ids_as_minedojos() -> None:
    table = templates()
    assert len(table) == 74
    assert sum(map(len, table.values())) == 1582
    sizes = Counter(map(len, table.values()))
    # Ids per template -> how many templates have so many, out of MineDojo's repository.
    assert sizes == {
        1: 20, 2: 5, 3: 5, 4: 2, 5: 1, 9: 9, 10: 1, 12: 2, 13: 6, 18: 2, 27: 5, 30: 2, 36: 1,
        60: 6, 70: 1, 80: 1, 94: 2, 96: 1, 108: 1, 162: 1,
    }  # fmt: skip
    assert len(table["harvest_{quantity}_{natural_items}"]) == 96
    assert len(table["harvest_{quantity}_{ore_type}_with_{pickaxe_material}_pickaxe"]) == 60


def test_every_task_has_a_prompt_and_arguments_that_hold() -> None:
    for name in task_ids():
        spec = task_spec(name)
        assert spec.id == name
        assert spec.prompt.strip()
        assert "{" not in spec.prompt
        settings = world_settings(spec.kind, task_kwargs(spec, image_size=(160, 256)))
        assert settings.image_size == (160, 256)


@pytest.mark.parametrize(
    ("name", "prompt", "kwargs"),
    [
        (
            "harvest_milk_with_empty_bucket_and_cow",
            "obtain milk from a cow with an empty bucket and a cow nearby",
            {
                "target_names": "milk_bucket",
                "initial_mobs": "cow",
                "initial_inventory": {"mainhand": {"name": "bucket"}},
                **ONE,
                **NEAR_10,
            },
        ),
        (
            "harvest_wool_with_shears_and_sheep",
            "shear a sheep with shears and a sheep nearby",
            {
                "target_names": "wool",
                "initial_mobs": "sheep",
                "initial_inventory": {"mainhand": {"name": "shears"}},
                **ONE,
                **NEAR_10,
            },
        ),
        (
            "harvest_8_log",
            "obtain 8 log",
            {"target_names": "log", "target_quantities": 8, "reward_weights": 1},
        ),
        (
            "techtree_from_stone_to_iron_shovel",
            "starting from stone tools, craft and use a iron shovel",
            {
                "tech_item": "iron_shovel",
                "initial_inventory": {
                    "mainhand": {"name": "stone_pickaxe"},
                    1: {"name": "stone_axe"},
                    2: {"name": "stone_hoe"},
                    3: {"name": "stone_sword"},
                    4: {"name": "stone_shovel"},
                },
            },
        ),
        (
            "combat_zombie_extreme_hills_iron_armors_wooden_sword_shield",
            "combat a zombie in night extreme hills with a wooden sword, shield, and a full suite"
            " of iron armors",
            {
                "target_names": "zombie",
                "initial_mobs": "zombie",
                "initial_mob_spawn_range_low": [-7, 1, -7],
                "initial_mob_spawn_range_high": [7, 1, 7],
                "start_at_night": True,
                "always_night": True,
                "initial_inventory": {
                    "mainhand": {"name": "wooden_sword"},
                    "feet": {"name": "iron_boots"},
                    "legs": {"name": "iron_leggings"},
                    "chest": {"name": "iron_chestplate"},
                    "head": {"name": "iron_helmet"},
                    "offhand": {"name": "shield"},
                },
                "specified_biome": "extreme_hills",
                "allow_mob_spawn": False,
                **ONE,
            },
        ),
    ],
)
def test_tasks_have_the_prompts_and_arguments_of_published_samples(
    name: str, prompt: str, kwargs: dict[str, object]
) -> None:
    spec = task_spec(name)
    assert spec.prompt == prompt
    assert spec.kwargs == {**kwargs, **VOXELS}
    assert spec.guidance


def test_prompts_leave_out_a_quantity_of_one_and_name_boots() -> None:
    assert task_spec("harvest_1_log").prompt == "obtain log"
    # MineDojo's text asks for leggings here.
    assert task_spec("techtree_from_wood_to_leather_boots").prompt.endswith("a leather boots")


def test_creative_tasks_name_their_collection_and_source() -> None:
    assert task_spec("creative:0").prompt == "Explore the world to find plains."
    collections = Counter(task_spec(name).collection for name in task_ids("creative"))
    assert collections == {"youtube": 1042, "gpt3": 302, "manual": 216}
    assert task_spec("creative:1000").source == ("RPgAeIm_bVI", 0, 833)
    assert task_spec("Playthrough").id == "playthrough"


def test_the_suite_names_only_tasks_that_exist() -> None:
    suite = task_suite()
    assert {name: [len(part) for part in parts.values()] for name, parts in suite.items()} == {
        "programmatic": [16, 16],
        "creative": [16, 16],
    }
    for parts in suite.values():
        for names in parts.values():
            assert all(task_spec(name).id == name for name in names)


def test_a_spec_cannot_be_changed_by_its_users() -> None:
    task_spec("harvest_1_log").kwargs.clear()
    task_spec("survival_sword_food").kwargs["initial_inventory"]["mainhand"]["name"] = "dirt"
    assert task_spec("harvest_1_log").kwargs["target_names"] == "log"
    held = task_spec("survival_sword_food").kwargs["initial_inventory"]
    assert held["mainhand"] == {"name": "iron_sword"}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("harvest_1_logs", "did you mean harvest_1_log"),
        ("creative:1560", "creative:0 to creative:1559"),
        ("creative:first", "creative:NUMBER"),
        ("", "there is no task ''"),
    ],
)
def test_an_unknown_task_is_refused_with_the_nearest_names(name: str, words: str) -> None:
    with pytest.raises(UnknownTask) as caught:
        task_spec(name)
    assert words in str(caught.value)
    # What MineDojo raises is caught as before.
    assert isinstance(caught.value, (ValueError, AssertionError, KeyError))


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="there are harvest, combat"):
        task_ids("harvesting")


def test_meta_tasks_take_what_minedojos_take() -> None:
    assert set(meta_tasks()) == {
        "harvest", "combat", "techtree", "survival", "playthrough", "creative", "open-ended",
    }  # fmt: skip
    counts = {name: len(argument_names(name)) for name in meta_tasks()}
    # As many as the constructors of MineDojo's classes have.
    assert counts == {
        "harvest": 28, "combat": 31, "techtree": 26, "survival": 19, "playthrough": 19,
        "creative": 16, "open-ended": 29,
    }  # fmt: skip
    for name in ("drawing_str", "allow_mob_spawn", "fast_reset_random_teleport_range"):
        assert name not in argument_names("harvest")
        assert name in argument_names("combat")
    assert "specified_biome" not in argument_names("techtree")


def test_meta_task_arguments_get_defaults_and_one_value_for_each_target() -> None:
    kwargs = harvest(target_names=["log", "dirt"], target_quantities=[2, 3], specified_biome=4)
    assert kwargs["target_quantities"] == {"log": 2, "dirt": 3}
    assert kwargs["reward_weights"] == {"log": 1.0, "dirt": 1.0}
    assert kwargs["image_size"] == (64, 64)
    assert kwargs["fast_reset"] is True
    assert kwargs["sim_name"] == "HarvestMeta"
    assert make_kwargs("Open-Ended", image_size=64)["fast_reset"] is False
    assert make_kwargs("creative", image_size=64)["use_voxel"] is True


def test_a_ready_made_task_can_be_changed() -> None:
    kwargs = task_kwargs(task_spec("harvest_1_log"), image_size=64, use_voxel=False, world_seed=7)
    assert kwargs["use_voxel"] is False
    assert kwargs["world_seed"] == 7


def test_inventories_come_as_lists_or_as_minedojos_dicts() -> None:
    listed = harvest(initial_inventory=[InventoryItem("head", "iron_helmet"), (3, "log", 2, 5)])
    said = {"head": {"name": "iron_helmet"}, 3: {"name": "log", "variant": 2, "quantity": 5}}
    assert harvest(initial_inventory=said)["initial_inventory"] == listed["initial_inventory"]
    placed = world_settings("harvest", listed).inventory
    assert placed == [Placed(39, "iron_helmet", 0, 1), Placed(3, "log", 2, 5)]


@pytest.mark.parametrize(
    ("given", "time", "passes"),
    [
        ({"start_at_night": False}, None, True),
        ({}, 13000, True),
        ({"always_night": True}, 18000, False),
    ],
)
def test_the_time_of_day_follows_the_night_options_of_a_task(
    given: dict, time: int | None, passes: bool
) -> None:
    kwargs = make_kwargs("combat", target_names="cow", target_quantities=1, image_size=64, **given)
    settings = world_settings("combat", kwargs)
    assert (settings.time, settings.time_passes) == (time, passes)
    assert world_settings("harvest", harvest(start_at_night=True)).time == 18000


def test_world_settings_follow_from_the_task() -> None:
    spec = task_spec("combat_shulker_end_iron_armors_iron_sword_shield")
    settings = world_settings(spec.kind, task_kwargs(spec, image_size=64))
    assert (settings.world, settings.biome) == ("specified_biome", 9)
    assert settings.mobs_spawn is False
    assert settings.initial_mobs is not None
    assert settings.initial_mobs.mobs == ["shulker"]
    assert settings.voxels == VOXELS["voxel_size"]
    assert settings.rays is None
    assert settings.teleport_range == 200


def test_spawn_rates_are_for_what_can_be_spawned() -> None:
    ranges = {"spawn_range_low": (-5, 1, -5), "spawn_range_high": (5, 1, 5)}
    found = harvest(target_names="milk_bucket", spawn_rate=0.1, **ranges)
    assert found["spawn_rate"] == {"cow": 0.1}
    extra = world_settings("harvest", found).extra
    assert extra is not None
    assert extra.rates == {"cow": 0.1}
    wanted = {"target_names": "log", "target_quantities": 1}
    refused(WrongValue, "nothing can be spawned for 'log'", "harvest", **wanted, spawn_rate=0.1)
    refused(
        WrongValue, "spawn_range_low and spawn_range_high", "harvest", **wanted,
        spawn_rate={"cow": 0.5},
    )  # fmt: skip
    refused(WrongValue, "'log' cannot be spawned", "harvest", **wanted, spawn_rate={"log": 0.5})
    refused(WrongArgument, "is a dict", "techtree", tech="stone", spawn_rate=0.5, **ranges)


def test_techs_are_items_that_have_to_be_used() -> None:
    assert tech_items("archery", None) == ["bow"]
    assert len(tech_items("redstone", None)) == 13
    assert make_kwargs("techtree", tech="stone", image_size=1)["use_items_reward_weights"] == (
        dict.fromkeys(tech_items("stone", None), 10.0)
    )
    refused(WrongValue, "one of the two", "techtree")
    refused(WrongValue, "one of the two", "techtree", tech="stone", tech_item="stone_axe")
    refused(
        WrongValue, "no tech has the item 'stone_axes'; did", "techtree", tech_item="stone_axes"
    )


@pytest.mark.parametrize(
    ("error", "words", "given"),
    [
        (WrongArgument, "takes no argument 'specified_biom'; did you mean", {"specified_biom": 1}),
        (WrongArgument, "takes no argument 'drawing_str'", {"drawing_str": ""}),
        (WrongArgument, "needs the argument 'target_quantities'", {"target_quantities": ...}),
        (WrongArgument, "whole number", {"target_quantities": "one"}),
        (WrongArgument, "True or False", {"use_voxel": 1}),
        (WrongArgument, "three numbers", {"initial_mobs": "cow", "initial_mob_spawn_range_low": 1}),
        (WrongArgument, "a dict of x, y, z, yaw, pitch", {"start_position": {"x": 1}}),
        (WrongArgument, "not an InventoryItem", {"initial_inventory": ["log"]}),
        (WrongValue, "a biome's name or id", {"specified_biome": 1.5}),
        (WrongValue, "there is no item 'logg'; did you mean log", {"target_names": "logg"}),
        (
            WrongValue,
            "there is no biome 'plain'; did you mean plains",
            {"specified_biome": "plain"},
        ),
        (WrongValue, "no biome has the id 999", {"specified_biome": 999}),
        (WrongValue, "there is no mob 'cows'; did you mean cow", {"initial_mobs": "cows"}),
        (WrongValue, "initial_mob_spawn_range_low and", {"initial_mobs": "cow"}),
        (WrongValue, "one of normal, clear", {"initial_weather": "snow"}),
        (WrongValue, "at most 20", {"start_health": 21}),
        (WrongValue, "slots are 0 to 40", {"initial_inventory": [(41, "log")]}),
        (WrongValue, "no slot 'hat'", {"initial_inventory": [("hat", "log")]}),
        (WrongValue, "filled twice", {"initial_inventory": [(0, "log"), ("mainhand", "log")]}),
        (WrongValue, "2 entries for 1 targets", {"target_quantities": [1, 2]}),
        (WrongValue, "the targets are", {"reward_weights": {"dirt": 1}}),
        (WrongValue, "xmin is above xmax", {"voxel_size": {**VOXELS["voxel_size"], "xmin": 2}}),
        (WrongValue, "at least 1 pixel", {"image_size": (0, 5)}),
    ],
)
def test_wrong_arguments_are_refused_in_a_sentence(
    error: type[Exception], words: str, given: dict[str, object]
) -> None:
    wanted = {"target_names": "log", "target_quantities": 1, **given}
    wanted = {name: value for name, value in wanted.items() if value is not ...}
    refused(error, words, "harvest", **wanted)


def test_arguments_that_contradict_each_other_are_refused() -> None:
    refused(WrongValue, "more than 1", "survival", target_days=1)
    refused(WrongValue, "there is no mob 'log'", "combat", target_names="log", target_quantities=1)
    refused(WrongValue, "no depth map", "open-ended", use_depth=True)
    refused(WrongValue, "world_file_path", "open-ended", generate_world_type="from_file")
    refused(WrongValue, "needs a spec", "open-ended", generate_world_type="specified_biome")
    refused(UnknownTask, "no meta task 'build'", "build")
    # As MineDojo's own: names are TypeErrors, values are AssertionErrors.
    assert issubclass(WrongArgument, TypeError)
    assert issubclass(WrongValue, AssertionError)
