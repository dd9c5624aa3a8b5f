"""The flat forms: what Gymnasium, and whatever is written for it, may expect of them."""

import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import NameNotFound, ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, VectorEnv

import rlgpt  # noqa: F401 - registers the environments
from voxeldojo.actions import PRIMITIVES, split
from voxeldojo.meta_tasks import meta_task_of
from voxeldojo.rules import item_names
from voxeldojo.tasks import task_ids, task_kwargs, task_spec, world_settings
from worlds.minecraft.card.features import FEATURES as CARD_FEATURES
from worlds.minecraft.card.features import bounds, size
from worlds.minecraft.card.specs import SPECS
from worlds.minecraft.play.gymnasium.suggestions import suggestion

FEATURES, PIXELS = "rlgpt/HarvestLog-features-v0", "rlgpt/HarvestLog-pixels-v0"
MILK = "rlgpt/harvest_milk_with_empty_bucket_and_cow-features-v0"
SMALL = {"area": 32}
ACTIONS = list(PRIMITIVES)
ENDS = ("low", "high")


def actions_for(vector: VectorEnv[Any, Any, Any], seed: int) -> np.ndarray:
    chance = np.random.default_rng(seed)
    return chance.integers(vector.single_action_space.n, size=vector.num_envs)  # type: ignore[attr-defined]


LOADED = "print([m for m in ('torch', 'numba', 'torchrl', 'zmq') if m in sys.modules])"
KNOWN = f"print(gymnasium.spec('{FEATURES}').id)"


@pytest.mark.parametrize(
    "imports",
    [
        "import gymnasium; import rlgpt",
        "import rlgpt; import gymnasium",
        # Some libraries look whether it is there and import it later, or a part of it first.
        "import rlgpt, importlib.util; importlib.util.find_spec('gymnasium'); import gymnasium",
        "import rlgpt; import gymnasium.spaces",
        "import rlgpt; import gymnasium; importlib.reload(rlgpt)",
    ],
)
def test_importing_rlgpt_registers_the_ids_and_loads_neither_torch_nor_numba(imports: str) -> None:
    program = f"import importlib, sys; {imports}\n{LOADED}\n{KNOWN}"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["[]", FEATURES]


def test_the_command_starts_without_gymnasium() -> None:
    program = (
        "import sys, rlgpt.command_line\n"
        "print([m for m in ('gymnasium', 'numpy', 'voxeldojo.tasks') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_every_task_of_minedojo_is_registered_in_three_forms() -> None:
    tasks = task_ids("programmatic")
    assert len(tasks) == 1581
    for task in (*tasks, "playthrough"):
        for form in ("", "-features", "-pixels"):
            assert f"rlgpt/{task}{form}-v0" in gymnasium.registry
    assert gymnasium.spec("rlgpt/survival-v0").max_episode_steps is None
    assert gymnasium.spec("rlgpt/playthrough-pixels-v0").max_episode_steps == 115_200
    with pytest.raises(NameNotFound, match="Did you mean"):
        gymnasium.make("rlgpt/harvest_1_milkk-v0")


def test_what_a_task_is_suggested_to_see_and_to_do_exists() -> None:
    """Of what comes from the Nether, too, which is a place on the way and no item."""
    for name in (*task_ids("programmatic"), "playthrough"):
        spec = task_spec(name)
        settings = world_settings(spec.kind, task_kwargs(spec, image_size=8))
        held = {item.name: item.quantity for item in settings.inventory}
        found = suggestion(meta_task_of(spec).wanted, held)
        assert not [item for item in found.items if item not in item_names], name
        assert not [target for target in found.targets if SPECS.target_problem(target)], name
        assert all(split(action) for action in found.actions), name


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        (FEATURES, {}),
        ("rlgpt/harvest_1_quartz-features-v0", {}),
        (FEATURES, {"observations": ["compass", "rays"], "actions": ["forward", "attack"]}),
        (PIXELS, {"image_size": (24, 40)}),
        (MILK, {}),
        ("rlgpt/combat_zombie_plains_iron_armors_iron_sword_shield-pixels-v0", {}),
        ("rlgpt/MineDojo-features-v0", {"task_id": "creative:5"}),
    ],
)
@pytest.mark.filterwarnings("error")
def test_every_form_passes_gymnasiums_check_env(name: str, arguments: dict[str, Any]) -> None:
    environment = gymnasium.make(name, render_mode="rgb_array", **SMALL, **arguments)
    check_env(environment.unwrapped)
    environment.close()


def test_the_vector_of_features_has_the_stated_layout() -> None:
    environment = gymnasium.make(
        FEATURES, inventory={"planks": 3}, items=["log", "planks"], **SMALL
    )
    space = environment.observation_space
    assert isinstance(space, gymnasium.spaces.Box)
    assert space.dtype == np.float32
    layout = environment.get_wrapper_attr("layout")
    assert list(layout) == [
        "compass", "height", "life", "voxels", "rays", "facing", "target", "inventory",
        "previous_choice", "time",
    ]  # fmt: skip
    columns = [place for part in layout.values() for place in range(part.start, part.stop)]
    assert columns == list(range(*space.shape))
    names = environment.get_wrapper_attr("action_names")
    seen, info = environment.reset(seed=3)
    assert seen[layout["life"]].tolist() == [1.0, 1.0]
    assert seen[layout["inventory"]][:2].tolist() == pytest.approx([0.0, np.log(4)])
    assert not seen[layout["previous_choice"]].any()
    assert info["seed"] == 3
    # The planks are in the hand: they can be dropped, and not be taken there.
    impossible = [
        name for name, possible in zip(names, info["action_mask"], strict=True) if not possible
    ]
    assert impossible == ["equip:planks"]
    seen, _, _, _, _ = environment.step(names.index("turn_right"))
    assert seen[layout["previous_choice"]].argmax() == names.index("turn_right")
    assert seen[layout["time"]].tolist() == pytest.approx([1 / 1000])
    environment.close()


def test_each_column_of_each_feature_lies_within_its_bounds_before_it_is_clipped() -> None:
    """At night, among mobs to all sides, with something to eat and to count."""
    mobs = ["zombie", "skeleton", "creeper", "cow", "sheep"]
    vector = gymnasium.make_vec(
        FEATURES, num_envs=8, observations=list(CARD_FEATURES), targets=["wood", "cow"],
        items=["log"], inventory={"apple": 64, "iron_sword": 1, "log": 64}, start_time=18000,
        initial_mobs=mobs, **SMALL,
    )  # fmt: skip
    vector.reset(seed=3)
    space = vector.single_observation_space
    layout = vector.layout  # type: ignore[attr-defined]
    assert isinstance(space, gymnasium.spaces.Box)
    raw = vector._view.sight._matrix.matrix  # type: ignore[attr-defined]
    lowest, highest = raw.min(0), raw.max(0)
    for step in range(100):
        vector.step(actions_for(vector, step))
        lowest, highest = np.minimum(lowest, raw.min(0)), np.maximum(highest, raw.max(0))
    for name, columns in layout.items():
        assert (space.low[columns] <= lowest[columns]).all(), name
        assert (highest[columns] <= space.high[columns]).all(), name
    # What is below 0 or above 1 was met.
    for name in ("hostiles", "passives", "target"):
        assert lowest[layout[name]].min() < -0.1, name
    assert highest[layout["food"]].max() == pytest.approx(np.log(65))
    vector.close()


@pytest.mark.parametrize("name", list(CARD_FEATURES))
def test_a_feature_has_as_many_bounds_as_columns(name: str) -> None:
    for choices in (1, 29):
        low, high = np.array(bounds(name, choices)).T
        assert len(low) == size(name, choices)
        assert (low < high).all()


def test_a_seed_is_an_episode_whatever_was_played_before() -> None:
    mobs = {
        "initial_mobs": ["zombie", "cow", "sheep", "skeleton"] * 2,
        "biome": "plains",
        "start_time": 18000,
    }
    for name, options in ((FEATURES, mobs), (MILK, {})):
        environment = gymnasium.make(name, observations=list(CARD_FEATURES), **options, **SMALL)

        def walked(seed: int, environment: gymnasium.Env[Any, Any] = environment) -> np.ndarray:
            seen = [environment.reset(seed=seed)[0]]
            chance = np.random.default_rng(seed)
            for _ in range(12):
                action = int(chance.integers(environment.action_space.n))  # type: ignore[attr-defined]
                seen.append(environment.step(action)[0])
            return np.array(seen)

        first, again, other = walked(0), walked(0), walked(8)
        assert np.array_equal(again, first)
        assert not np.array_equal(first, other)
        assert np.array_equal(walked(0), first)
        environment.close()


@pytest.mark.parametrize("name", [FEATURES, PIXELS])
@pytest.mark.parametrize("seed", [5, [31, 4, 15]])
def test_a_vector_environment_plays_as_the_same_number_of_single_ones(name: str, seed: Any) -> None:
    """Over the ends of episodes too: both reset by themselves, to the same ones."""
    arguments = {"num_envs": 3, "actions": ACTIONS, **SMALL}
    batch = gymnasium.make_vec(name, max_episode_steps=4, **arguments)
    single = gymnasium.make_vec(name, vectorization_mode="sync", max_episode_steps=4, **arguments)
    assert batch.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert batch.observation_space == single.observation_space
    assert batch.action_space == single.action_space
    seen, info = batch.reset(seed=seed)
    expected, _ = single.reset(seed=seed)
    assert info["seed"].tolist() == ([5, 6, 7] if seed == 5 else seed)
    ends = 0
    for step in range(12):
        assert batch.observation_space.contains(seen)
        assert np.array_equal(seen, expected)
        actions = actions_for(batch, step)
        seen, *outcome, _ = batch.step(actions)
        expected, *other, _ = single.step(actions)
        for ours, theirs in zip(outcome, other, strict=True):
            assert np.array_equal(ours, theirs)
        ends += int(outcome[2].sum())
    assert ends >= 6
    batch.close()
    single.close()


@pytest.mark.parametrize("id", [FEATURES, PIXELS])
def test_a_vector_of_two_threads_plays_the_same(id: str) -> None:
    def played(threads: int) -> list[Any]:
        vector = gymnasium.make_vec(id, num_envs=9, actions=ACTIONS, threads=threads, **SMALL)
        seen = [vector.reset(seed=3)[0]]
        seen += [vector.step(actions_for(vector, step))[0] for step in range(8)]
        vector.close()
        return seen

    for alone, together in zip(played(1), played(2), strict=True):
        assert np.array_equal(alone, together)


@pytest.mark.parametrize(("threads", "problem"), [(0, "at least 1, not 0"), ("2", "whole number")])
def test_a_number_of_threads_that_is_none_is_refused(threads: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=f"threads is .*{problem}"):
        gymnasium.make_vec(FEATURES, num_envs=2, threads=threads, **SMALL)


def test_success_is_rewarded_and_terminates() -> None:
    vector = gymnasium.make_vec(FEATURES, num_envs=2, quantity=2, inventory={"log": 1}, **SMALL)
    vector.reset(seed=1)
    vector.play.world.state.slots[1, 0]["count"] += 2  # type: ignore[attr-defined]
    _, reward, terminated, truncated, info = vector.step(np.zeros(2, np.int64))
    assert reward.tolist() == [0.0, 2.0]
    assert terminated.tolist() == info["success"].tolist() == [False, True]
    assert not truncated.any()
    _, reward, terminated, _, _ = vector.step(np.zeros(2, np.int64))
    assert not reward.any()
    assert not terminated.any()
    vector.close()


@pytest.mark.parametrize("offset", [0, 1, 2])
def test_death_ends_an_episode_of_minedojos_tasks_also_within_a_long_action(offset: int) -> None:
    """Dropping takes three ticks. Who hits the ground in the first has risen by the last."""
    environment = gymnasium.make(MILK, **SMALL)
    environment.reset(seed=1)
    names = environment.get_wrapper_attr("action_names")
    game = environment.unwrapped._view.play.environment.unwrapped.game  # type: ignore[attr-defined]
    game.move_to(game.player["x"], game.player["y"] + 40.0, game.player["z"])
    for _ in range(offset):
        environment.step(names.index("noop"))
    for _ in range(40):
        _, _, terminated, _, info = environment.step(names.index("drop"))
        if terminated:
            break
    assert terminated
    assert not info["success"]
    environment.close()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"biome": 3}, "a biome is a name, not 3"),
        ({"horizon": float("nan")}, "a horizon is a whole number of steps, not nan"),
        ({"render_mode": "nope"}, "there is no render_mode 'nope'; there is rgb_array"),
        ({"actions": ["fly"]}, "there is no action 'fly'"),
        ({"actions": []}, "needs actions"),
        ({"observations": ["smell"]}, "there is no observation 'smell'"),
        ({"observations": []}, "needs observations"),
        ({"observations": ["mineclip"]}, "there is no observation 'mineclip'"),
        ({"targets": ["wod"]}, "did you mean wood"),
        ({"items": ["logg"]}, "did you mean log"),
        ({"horizon": 0}, "a horizon is at least 1"),
        ({"colour": "red"}, "no option colour"),
        ({"biome": "moon"}, "moon"),
        ({"target": 5}, "a target is the name of an item, not 5"),
        ({"target": "air"}, "a target is the name of an item, not 'air'"),
        ({"quantity": "x"}, "quantity is a whole number, not 'x'"),
        ({"quantity": float("nan")}, "quantity is a whole number, not nan"),
        ({"inventory": ["log"]}, "inventory is a dict of item -> how many"),
        ({"inventory": {5: 1}}, "inventory has names and whole numbers, not 5: 1"),
        ({"inventory": {"log": 1.5}}, "inventory has names and whole numbers, not 'log': 1.5"),
        ({"area": 64.0}, "area is a whole number of columns, not 64.0"),
        ({"break_speed_multiplier": "x"}, "break_speed_multiplier is a finite number, not 'x'"),
        ({"start_health": None}, "start_health is a finite number, not None"),
        ({"strict": "no"}, "strict is true or false, not 'no'"),
        ({"size": 5}, "there is no option size"),
        ({"observations": 5}, "observations is a list of names, not 5"),
        ({"observations": "life"}, "observations is a list of names, not 'life'"),
        ({"actions": [5]}, "actions is a list of names, not .5."),
        ({"items": "log"}, "items is a list of names, not 'log'"),
        (
            {"initial_mobs": "cow", **{f"initial_mob_spawn_range_{e}": "nan 1 1" for e in ENDS}},
            "initial_mob_spawn_range is made of blocks up to",
        ),
    ],
)
def test_invalid_options_are_refused_by_make(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        gymnasium.make(FEATURES, **{**SMALL, **arguments})


NO_ACTIONS = [None, "a", 3, float("nan"), [0] * 7, [[0] * 8], [[1], [1, 2]], {}]
NO_ACTIONS += [np.full(8, np.nan), np.zeros(8), np.zeros(8, bool), ["0"] * 8]


@pytest.mark.parametrize("name", ["rlgpt/HarvestLog-v0", "rlgpt/harvest_milk-v0"])
def test_what_is_no_action_of_the_dictionary_form_is_refused(name: str) -> None:
    environment = gymnasium.make(name, disable_env_checker=True, **SMALL).unwrapped
    environment.reset(seed=1)
    for action in NO_ACTIONS:
        with pytest.raises(ValueError, match="an action is 8 whole numbers, not"):
            environment.step(action)
    with pytest.raises(ValueError, match=r"action\[4\] is 0 to 24, not 25"):
        environment.step([0, 0, 0, 12, 25, 0, 0, 0])
    environment.close()


def test_seeds_and_limits_of_a_vector_are_whole_numbers() -> None:
    vector = gymnasium.make_vec(FEATURES, num_envs=2, **SMALL)
    for seed in ("ab", 1.5, float("nan"), True, [1, "x"], [1, 1.5], [True, False], [[1], [2]]):
        with pytest.raises(ValueError, match="a seed is a whole number, not"):
            vector.reset(seed=seed)  # type: ignore[arg-type]
    vector.reset(seed=np.array([1, 2]))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="actions are 2 whole numbers, not"):
        vector.step([[1], [1, 2]])
    vector.close()
    for limit in ("x", 1.5, float("nan")):
        with pytest.raises(ValueError, match="max_episode_steps is a whole number, not"):
            gymnasium.make_vec(FEATURES, num_envs=2, max_episode_steps=limit, **SMALL)


def test_a_seed_of_numpy_is_a_seed() -> None:
    environment = gymnasium.make("rlgpt/HarvestLog-v0", disable_env_checker=True, **SMALL).unwrapped
    _, info = environment.reset(seed=np.int64(5))  # type: ignore[arg-type]
    assert info["seed"] == 5
    environment.close()


@pytest.mark.parametrize("form", ["features", "pixels"])
def test_named_actions_turn_as_far_as_they_say_or_the_bins_are_refused(form: str) -> None:
    """Their bins are of 15 degrees: in other bins even ``noop`` would turn, by up to 180."""
    name = f"rlgpt/harvest_milk-{form}-v0"
    for other in (5, 15.2, 30, "15", float("nan"), None, True):
        with pytest.raises(ValueError, match=r"bins of 15 degrees, .* is .*: leave it"):
            gymnasium.make(name, cam_interval=other, **SMALL)
    environment = gymnasium.make(name, cam_interval=15.0, **SMALL)
    environment.reset(seed=1)
    names = environment.get_wrapper_attr("action_names")
    player = environment.unwrapped._view.play.world.state.players[0]  # type: ignore[attr-defined]
    for action, degrees in (("noop", 0.0), ("turn_right_15", 15.0), ("turn_left", -30.0)):
        before = float(player["yaw"])
        environment.step(names.index(action))
        turned = (float(player["yaw"]) - before + 180.0) % 360.0 - 180.0
        assert turned == pytest.approx(degrees, abs=1e-3)
    environment.close()


def test_a_missing_or_unknown_task_id_and_fast_reset_are_refused() -> None:
    with pytest.raises(ValueError, match="task_id='harvest_1_log'"):
        gymnasium.make("rlgpt/MineDojo-features-v0")
    with pytest.raises(ValueError, match="there is no task 'harvest_1_lgo'"):
        gymnasium.make("rlgpt/MineDojo-v0", task_id="harvest_1_lgo")
    with pytest.raises(TypeError, match="fast_reset"):
        gymnasium.make("rlgpt/harvest_1_log-v0", fast_reset=True)


@pytest.mark.parametrize("form", ["", "-features", "-pixels"])
@pytest.mark.parametrize("task", ["survival", "playthrough", "Playthrough"])
def test_minedojo_v0_does_not_cut_off_tasks_of_another_limit(task: str, form: str) -> None:
    """It has one limit for all tasks, 3,000 steps; these have one of their own, or none."""
    said = f"off after 3,000 steps, .* of {task.lower()}: make {task.lower()}-v0 in its place"
    with pytest.raises(ValueError, match=said):
        gymnasium.make(f"rlgpt/MineDojo{form}-v0", task_id=task, **SMALL)


def test_calls_out_of_order_and_out_of_range_are_refused() -> None:
    environment = gymnasium.make(FEATURES, **SMALL).unwrapped
    with pytest.raises(ResetNeeded):
        environment.step(0)
    with pytest.raises(ValueError, match="a seed is 0 to"):
        environment.reset(seed=2**63)
    environment.reset(seed=0)
    with pytest.raises(ValueError, match="an action is 0 to 28"):
        environment.step(29)
    environment.close()
    vector = gymnasium.make_vec(FEATURES, num_envs=2, **SMALL)
    with pytest.raises(ResetNeeded):
        vector.step(np.zeros(2, np.int64))
    with pytest.raises(ValueError, match="2 environments need as many seeds, not 3"):
        vector.reset(seed=[1, 2, 3])
    vector.reset(seed=[1, None])
    with pytest.raises(ValueError, match=r"actions\[1\] is 0 to \d+, not"):
        vector.step(np.array([0, 29]))
    vector.close()
    with pytest.raises(ValueError, match="max_episode_steps is at least 1"):
        gymnasium.make_vec(FEATURES, num_envs=2, max_episode_steps=0, **SMALL)


@pytest.mark.parametrize("name", [FEATURES, PIXELS, "rlgpt/HarvestLog-v0"])
def test_a_closed_environment_refuses_to_begin_again(name: str) -> None:
    """Its arrays are gone: a kernel that was given them would end the process."""
    environment = gymnasium.make(name, disable_env_checker=True, **SMALL)
    environment.reset(seed=1)
    environment.close()
    for _ in range(3):
        with pytest.raises(ValueError, match="the environment is closed: make another one"):
            environment.reset(seed=1)
    with pytest.raises(ValueError, match="the environment is closed: make another one"):
        environment.step(environment.action_space.sample())
    environment.close()
    vector = gymnasium.make_vec(name, num_envs=2, vectorization_mode="vector_entry_point", **SMALL)
    vector.reset(seed=1)
    vector.close()
    with pytest.raises(ValueError, match="the environment is closed: make another one"):
        vector.reset(seed=1)
    with pytest.raises(ValueError, match="the environment is closed: make another one"):
        vector.step(vector.action_space.sample())


@pytest.mark.parametrize("name", [FEATURES, PIXELS, "rlgpt/HarvestLog-v0", MILK])
def test_options_of_a_reset_are_refused(name: str) -> None:
    forms = [gymnasium.make(name, disable_env_checker=True, **SMALL)]
    if name != MILK:  # a vector of single environments has options of its own
        forms.append(gymnasium.make_vec(name, num_envs=1, **SMALL))
    for form in forms:
        for given in (5, "x", [], {"biome": "desert"}, {"reset_mask": np.ones(1)}):
            with pytest.raises(ValueError, match="reset has no options here, not "):
                form.reset(seed=1, options=given)  # type: ignore[arg-type]
        form.reset(seed=1, options=None)
        form.reset(seed=1, options={})
        form.close()


def test_the_task_of_an_id_cannot_be_another_one() -> None:
    for form in ("", "-features", "-pixels"):
        name = f"rlgpt/harvest_milk{form}-v0"
        for other in ("harvest_1_log", 5):
            with pytest.raises(ValueError, match=f"is of the task harvest_milk, not of .*{other}"):
                gymnasium.make(name, task_id=other, **SMALL)
    again = gymnasium.make("rlgpt/harvest_milk-v0", task_id="harvest_milk", **SMALL)
    assert "milk" in again.unwrapped.prompt  # type: ignore[attr-defined]
    again.close()


def test_values_of_a_wrong_type_are_refused_in_words() -> None:
    environment = gymnasium.make(FEATURES, disable_env_checker=True, **SMALL)
    with pytest.raises(ValueError, match="a seed is a whole number, not 'x'"):
        environment.reset(seed="x")  # type: ignore[arg-type]
    environment.reset(seed=1)
    with pytest.raises(ValueError, match=r"an action is 0 to \d+, not 1\.5"):
        environment.step(1.5)  # type: ignore[arg-type]
    environment.close()
    vector = gymnasium.make_vec(FEATURES, num_envs=2, **SMALL)
    vector.reset(seed=1)
    with pytest.raises(ValueError, match="whole numbers"):
        vector.step(np.array([0.5, 0]))
    vector.close()
    with pytest.raises(ValueError, match="the number of environments is a whole number, not '2'"):
        gymnasium.make_vec(FEATURES, num_envs="2", **SMALL)  # type: ignore[arg-type]


def test_pixel_observations_equal_the_rendered_picture() -> None:
    environment = gymnasium.make(PIXELS, image_size=(48, 64), render_mode="rgb_array", **SMALL)
    seen, _ = environment.reset(seed=2)
    assert (seen.shape, seen.dtype) == ((48, 64, 3), np.uint8)
    assert np.array_equal(seen, environment.render())
    assert seen.std() > 5.0
    environment.close()
