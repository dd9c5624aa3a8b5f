"""make() of our own: MineDojo's calls, rewards and refusals."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from voxeldojo.engine import EmbeddedWorld
from voxeldojo.engine.grid import block_at, meta_at
from voxeldojo.game import Game, Keys
from voxeldojo.minedojo_api import Environment, InventoryItem, NotInThisWorld, make
from voxeldojo.minedojo_api.spawns import Box
from voxeldojo.rules import craft_index, item_id
from voxeldojo.rules.mobs import MOB_IDS
from voxeldojo.tasks import UnknownTask, WrongArgument, WrongValue, make_kwargs, world_settings

SMALL: dict[str, Any] = {"image_size": (24, 32), "area": 64, "world_seed": 5}
GYM_SAMPLE = [
    [-4.495460510253906, 1.0, -2.0760960578918457],
    [7.518158912658691, 1.0, 2.576030731201172],
]
USE, DROP, ATTACK, CRAFT, EQUIP, PLACE, DESTROY = range(1, 8)


def act(env: Environment, function: int = 0, argument: int = 0, slot: int = 0, **turn: int) -> Any:
    action = env.no_op()
    action[5:] = function, argument, slot
    action[3] += turn.get("down", 0)
    action[4] += turn.get("right", 0)
    return env.step(action)


@pytest.fixture
def planks() -> Iterator[Environment]:
    env = make(
        "harvest",
        target_names="planks",
        target_quantities=8,
        use_voxel=True,
        initial_inventory=[InventoryItem("mainhand", "log", 1, 3), (5, "dirt", 0, 2)],
        **SMALL,
    )
    yield env
    env.close()


def test_a_harvest_task_begins_with_its_items_and_ends_with_success(planks: Environment) -> None:
    assert planks.task_prompt == "Harvest 8 planks."
    seen = planks.reset()
    assert seen["inventory"]["name"][:6].tolist() == ["log", *["air"] * 4, "dirt"]
    assert seen["inventory"]["variant"][0] == 1
    seen, reward, done, info = act(planks, CRAFT, craft_index("planks"))
    # Crafting takes three ticks, and only the last one's reward comes back.
    assert (reward, done, planks.is_successful) == (0.0, False, False)
    assert seen["delta_inv"]["inc_name_by_craft"].tolist() == ["planks"]
    assert seen["delta_inv"]["dec_name_by_craft"][0] == "log"
    assert info["stat"]["craft_item"]["minecraft"]["planks"] == 4
    assert info["total_time"] == 3
    _, _, done, _ = act(planks, CRAFT, craft_index("planks"))
    assert done
    assert planks.is_successful


def test_commands_take_a_tick_and_are_rewarded_by_the_next_step(planks: Environment) -> None:
    planks.reset()
    seen, reward, _, info = planks.unwrapped.set_inventory([InventoryItem(7, "planks", 0, 3)])
    assert (seen["inventory"]["name"][7], reward, info["total_time"]) == ("planks", 0, 1)
    seen, reward, _, _ = act(planks)
    assert reward == 3.0
    assert seen["delta_inv"]["inc_name_by_other"].tolist() == ["planks"]
    seen, reward, _, _ = act(planks, DESTROY, slot=7)
    assert (seen["inventory"]["name"][7], reward) == ("air", 0.0)


def test_the_world_below_is_reset_alone_and_shows_its_first_observation(
    planks: Environment,
) -> None:
    planks.reset()
    planks.set_time(13000)
    seen = planks.unwrapped.reset()
    assert set(seen) == set(planks.observation_space.spaces)
    assert planks.prev_obs is seen
    assert planks.prev_info["total_time"] == 0


def test_runtime_commands_change_the_world_and_unknown_ones_are_skipped(
    planks: Environment,
) -> None:
    planks.reset()
    seen = planks.teleport_agent(20.5, 90.0, 21.5, 45.0, 10.0)[0]
    assert seen["location_stats"]["yaw"].item() == 45.0
    seen = planks.set_block(["stone", "gold_ore"], [[0, 1, 1], [1, 0, 0]])[0]
    assert "gold ore" in seen["voxels"]["block_name"]
    planks.set_time(13000)
    assert planks.prev_info["world_time"] == 13001
    seen = planks.spawn_mobs("cow", [1, 0, 1])[0]
    assert planks.unwrapped.skipped == ""
    assert (planks.unwrapped.game.world.state.mobs[0]["kind"] == MOB_IDS["cow"]).any()
    planks.execute_cmd("/summon cwo ~ ~ ~")
    assert "did you mean cow" in planks.unwrapped.skipped
    planks.spawn_mobs(["cwo", "cow", "pgi"], [1, 0, 1])
    assert [name in planks.unwrapped.skipped for name in ("cwo", "~ cow", "pgi")] == [1, 0, 1]
    ticks = planks.unwrapped.game.ticks
    with pytest.raises(WrongValue, match="there is no slot"):  # before anything is done
        planks.set_inventory([InventoryItem(0, "log", 0, 1), InventoryItem("ear", "log", 0, 1)])
    assert planks.unwrapped.game.ticks == ticks
    planks.execute_cmd("/kill @e[type=cow]")
    kinds = planks.unwrapped.game.world.state.mobs[0]["kind"]
    assert not (kinds == MOB_IDS["cow"]).any()
    seen = planks.set_weather("thunder")[0]
    assert seen["location_stats"]["is_raining"]
    planks.execute_cmd("/gamemode 1")
    assert "no command" in planks.unwrapped.skipped
    seen = planks.clear_inventory()[0]
    assert set(seen["inventory"]["name"]) == {"air"}
    seen = planks.kill_agent()[0]
    assert seen["life_stats"]["life"].item() == 0.0
    seen = act(planks)[0]
    assert seen["life_stats"]["life"].item() == 20.0


def test_a_space_that_was_seeded_stays_seeded(planks: Environment) -> None:
    planks.observation_space.seed(3)
    assert planks.observation_space is planks.observation_space


def test_the_space_of_keys_compares_and_contains_as_others_do(planks: Environment) -> None:
    space = planks.unwrapped.action_space
    assert space.contains(space.no_op())
    for wrong in (np.zeros(3), np.array(["log", "planks"]), ["log"], None):
        assert not space["equip"].contains(wrong)
    other = make("harvest_1_log", **SMALL)
    assert space == other.unwrapped.action_space
    assert space["equip"] != space["craft"]
    other.close()


def test_the_experience_of_a_dragon_is_within_the_space(planks: Environment) -> None:
    planks.reset()
    seen = planks.unwrapped.step({"chat": "/xp 12000"})[0]
    assert seen["life_stats"]["xp"].item() == 12000.0
    assert planks.observation_space.contains(seen)


def test_a_fast_reset_keeps_the_world_and_fills_the_hands(planks: Environment) -> None:
    planks.reset()
    before = int(planks.unwrapped.game.player["changes"])
    planks.set_block("stone", [0, 3, 0])
    act(planks, DROP)
    seen = planks.reset()
    assert planks.unwrapped.game.player["changes"] > before
    assert seen["inventory"]["quantity"][0] == 3.0
    assert seen["delta_inv"]["inc_name_by_other"].tolist() == ["air"]
    assert planks.prev_info["stat"]["deaths"] == 1
    assert not planks.is_successful


def test_a_full_reset_makes_the_world_again() -> None:
    env = make("open-ended", use_voxel=True, **SMALL)
    first = env.reset()
    env.set_block("stone", [1, 0, 1])
    again = env.reset()
    assert np.array_equal(first["voxels"]["block_name"], again["voxels"]["block_name"])
    assert np.array_equal(first["rgb"], again["rgb"])
    assert env.step(env.no_op())[1:3] == (0.0, False)
    env.close()


def test_tools_that_are_used_unlock_the_tech_tree() -> None:
    kit = [InventoryItem("mainhand", "wooden_shovel")]
    env = make("techtree", tech_item="wooden_shovel", initial_inventory=kit, **SMALL)
    env.reset()
    env.set_block("dirt", [0, -1, 0])
    reward, done = act(env, down=6)[1:3]
    for _ in range(40):
        reward, done = act(env, ATTACK)[1:3]
        if done:
            break
    assert (reward, done, env.is_successful) == (10.0, True, True)
    env.close()


def test_a_bow_counts_as_used_when_its_arrow_flies() -> None:
    kit = [InventoryItem("mainhand", "bow"), InventoryItem(9, "arrow", quantity=2)]
    env = make("techtree", tech_item="bow", initial_inventory=kit, **SMALL)
    env.reset()
    for _ in range(8):
        assert act(env, USE)[1:3] == (0.0, False)  # drawn
    info = act(env)[3]  # let go
    assert env.is_successful
    assert info["stat"]["use_item"]["minecraft"]["bow"] == 1
    assert act(env)[3]["stat"]["use_item"]["minecraft"]["bow"] == 1  # once
    env.close()


def test_the_same_seed_or_world_seed_makes_the_same_world() -> None:
    def start(**seeds: Any) -> list[float]:
        env = make("survival", image_size=16, area=64, **seeds)
        position = env.reset()["location_stats"]["pos"].tolist()
        env.close()
        return position

    assert start(world_seed="a text") == start(world_seed="a text") != start(world_seed=9)
    assert start(seed=1) == start(seed=1) != start(seed=2)


def test_a_seed_given_before_the_first_reset_decides_its_world() -> None:
    """As of any gym environment: make, seed, reset."""

    def start(seed: int) -> list[float]:
        env = make("survival", image_size=16, area=64)
        env.seed(seed)
        position = env.reset()["location_stats"]["pos"].tolist()
        env.close()
        return position

    assert start(1) == start(1) != start(2)


def test_an_episode_may_begin_in_a_village() -> None:
    env = make("open-ended", spawn_in_village=True, use_voxel=True, **SMALL,
               voxel_size={"xmin": -9, "ymin": -3, "zmin": -9, "xmax": 9, "ymax": 9, "zmax": 9},
               generate_world_type="specified_biome", specified_biome="savanna")  # fmt: skip
    for _ in range(2):
        seen = env.reset()
        assert {"grass path", "crops", "acacia fence"} & set(seen["voxels"]["block_name"].ravel())
        act(env)
        assert env.prev_obs["life_stats"]["life"].item() == 20.0
    env.close()


def test_options_that_the_engine_lacks_are_refused_in_words() -> None:
    for task, kwargs, sentence in [
        ("open-ended", {"spawn_in_village": True, "generate_world_type": "flat"}, "no village"),
        ("harvest_1_log_jungle_", {}, "did you mean"),
        (
            "open-ended",
            {"generate_world_type": "from_file", "world_file_path": "a"},
            "reads no saved worlds",
        ),
        (
            "open-ended",
            {"start_position": dict(x=5, y=700, z=3, yaw=0, pitch=0)},
            "outside every world",
        ),
        ("open-ended", {"drawing_str": "<DrawBlok x='1'/>"}, "a drawing has no DrawBlok"),
        ("open-ended", {"drawing_str": "<DrawBlock"}, "not well-formed"),
    ]:
        with pytest.raises((NotInThisWorld, UnknownTask), match=sentence):
            make(task, image_size=16, **kwargs)
    with pytest.raises(WrongArgument, match="image_size"):
        make("harvest_1_log")


def test_wrong_actions_are_refused_as_minedojo_does(planks: Environment) -> None:
    with pytest.raises(RuntimeError, match="call reset"):
        planks.step(planks.no_op())
    planks.reset()
    for wrong in ([0] * 7, [0.0] * 8, [3, 0, 0, 12, 12, 0, 0, 0], [-1] + [0] * 7, "no", None):
        with pytest.raises(AssertionError):
            planks.step(wrong)  # type: ignore[arg-type]
    for function in (EQUIP, PLACE, DESTROY):
        with pytest.raises(ValueError, match="it is empty"):
            act(planks, function, slot=20)
    planks.step([0, 0, 0, 12, 12, 0, 0, 0])


def _world(size: tuple[int, int]) -> EmbeddedWorld:
    """The batch interface's world with MineDojo's own settings: all biomes, from sunrise on."""
    options: dict[str, Any] = {"generate_world_type": "default", "start_time": 0}
    return EmbeddedWorld(1, biome="plains", area=64, image_size=size, **options)


def test_ticks_of_a_game_equal_those_of_the_batch_interface() -> None:
    """Walking, turning, digging and using, step by step, in both."""
    settings = world_settings("open-ended", make_kwargs("open-ended", use_voxel=True, image_size=9))
    game, world = Game(settings, seed=3, area=64), _world((9, 9))
    world.reset(np.zeros(1, np.int64), np.array([3]))
    chance = np.random.default_rng(1)
    for _ in range(400):
        forward, left, gait = chance.integers(3), chance.integers(3), chance.integers(4)
        pitch, yaw = chance.integers(11, 14), chance.integers(11, 14)
        function = int(chance.choice([0, USE, ATTACK, ATTACK, ATTACK]))
        action = np.array([[forward, left, gait, pitch, yaw, function, 0, 0]])
        world.step(action, np.ones(1, np.bool_))
        game.tick(
            Keys(
                pitch=15.0 * (pitch - 12),
                yaw=15.0 * (yaw - 12),
                forward=(0, 1, -1)[forward],
                left=(0, 1, -1)[left],
                gait=int(gait),
                attack=function == ATTACK,
                use=function == USE,
            )
        )
        for name in ("x", "y", "z", "yaw", "pitch", "life", "dig", "rest", "changes", "ground"):
            assert game.player[name] == world.state.players[0][name]
    assert np.array_equal(game.world.state.blocks, world.state.blocks)
    assert np.array_equal(game.world.state.mobs, world.state.mobs)
    assert np.array_equal(game.world.state.slots, world.state.slots)


def test_a_combat_task_places_its_mob_and_rewards_the_kill() -> None:
    env = make("combat_pig_plains_barehand", image_size=(24, 32), area=64, world_seed=5, seed=3)
    for _ in range(2):
        env.reset()
        game = env.unwrapped.game
        mobs = game.world.state.mobs[0]
        pigs = np.flatnonzero(mobs["kind"] == MOB_IDS["pig"])
        assert len(pigs)
        pig = int(pigs[-1])
        paid = 0.0
        for _ in range(200):
            # Kept before the crosshair, as a pig would rather run.
            yaw = math.radians(float(game.player["yaw"]))
            mobs[pig]["x"] = float(game.player["x"]) - 1.5 * math.sin(yaw)
            mobs[pig]["y"] = float(game.player["y"]) + 1.0
            mobs[pig]["z"] = float(game.player["z"]) + 1.5 * math.cos(yaw)
            _, reward, done, info = act(env, ATTACK)
            paid += reward
            if done:
                break
        assert (paid, done, env.is_successful) == (1.0, True, True)
        assert info["stat"]["kill_entity"]["pig"] >= 1
        assert info["stat"]["damage_dealt"] >= 10
    env.close()


def test_places_of_initial_mobs_are_drawn_as_gym_draws_them() -> None:
    """Drawn with gym 0.21's Box(low, high, seed=7).sample() in MineDojo's own environment."""
    box = Box((-10, 1, -10), (10, 1, 10), 2, 7)
    drawn = box.sample()
    assert drawn.dtype == np.float32
    assert np.allclose(drawn, GYM_SAMPLE)


def test_spawn_rates_keep_to_height_and_light() -> None:
    env = make(
        "harvest", target_names="beef", target_quantities=1, seed=1, **SMALL,
        spawn_rate={"cow": 1.0, "bat": 1.0, "diamond_ore": 1.0},
        spawn_range_low=(-3, 2, -3), spawn_range_high=(3, 2, 3),
    )  # fmt: skip
    env.reset()
    before = int(env.unwrapped.game.player["changes"])
    act(env)
    kinds = env.unwrapped.game.world.state.mobs[0]["kind"]
    assert (kinds == MOB_IDS["cow"]).sum() == 1
    assert not (kinds == MOB_IDS["bat"]).any()  # it is light
    assert env.unwrapped.game.player["changes"] == before  # and far above diamonds
    assert env.unwrapped.prev_info["total_time"] == 2
    env.close()


def test_drawings_are_built_when_an_episode_begins() -> None:
    env = make("open-ended", **SMALL)
    env.reset()
    x, y, z = (int(v) for v in env.prev_obs["location_stats"]["pos"])
    env.close()
    drawing = (
        f'<DrawCuboid x1="{x}" y1="{y + 5}" z1="{z}" x2="{x + 1}" y2="{y + 6}" z2="{z + 1}"'
        f' type="wool" colour="RED"/><DrawBlock x="{x}" y="{y + 5}" z="{z}" type="gold_block"/>'
        f'<DrawLine x1="{x}" y1="{y + 8}" z1="{z}" x2="{x + 4}" y2="{y + 8}" z2="{z}"'
        ' type="stone"/>'
        f'<DrawSphere x="{x}" y="{y + 12}" z="{z}" radius="1" type="glass"/>'
        f'<DrawEntity x="{x + 2}" y="{y}" z="{z}" type="PigZombie"/>'
        f'<DrawItem x="{x + 3}" y="{y + 1}" z="{z}" type="diamond"/>'
    )
    env = make("open-ended", drawing_str=drawing, **SMALL)
    for _ in range(2):
        env.reset()
        state = env.unwrapped.game.world.state

        def read(dx: int, dy: int, dz: int, state: Any = state) -> tuple[int, int]:
            place = x + dx, y + dy, z + dz
            return int(block_at(state, 0, *place)), int(meta_at(state, 0, *place))

        assert (read(0, 5, 0), read(1, 6, 1), read(4, 8, 0)) == ((41, 0), (35, 14), (1, 0))
        assert (read(0, 13, 0), read(1, 13, 0)[0]) == ((20, 0), 0)
        assert (state.mobs[0]["kind"] == MOB_IDS["zombie_pigman"]).sum() == 1
        assert (state.drops[0]["count"] == 1).sum() == 1
    env.close()


def test_start_items_are_a_stack_at_most_whichever_way_an_episode_begins() -> None:
    kit = [(1, "log", 0, 1000), (2, "iron_sword", 0, 500), (3, "egg", 0, 17), (4, "dirt", 0, 5)]
    with make("open-ended", initial_inventory=kit, fast_reset=True, **SMALL) as env:
        for _ in ("full", "fast"):
            seen = env.reset()
            assert seen["inventory"]["name"][1:5].tolist() == ["log", "iron sword", "egg", "dirt"]
            assert seen["inventory"]["quantity"][1:5].tolist() == [64.0, 1.0, 16.0, 5.0]
            assert env.observation_space["inventory"].contains(seen["inventory"])


def test_picked_up_items_are_counted_one_by_one() -> None:
    """As Minecraft's own statistic, which adds the quantity of a stack."""
    with make("open-ended", **SMALL) as env:
        env.reset()
        game = env.unwrapped.game
        x, y, z = (float(game.player[axis]) for axis in "xyz")
        for _ in range(5):
            game.world.lay_item(0, item_id("diamond"), 0, (x, y, z))
        for _ in range(20):
            info = act(env)[3]
        assert game.held()["diamond"] == 5
        assert info["stat"]["pickup"]["minecraft"]["diamond"] == 5


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64])
def test_a_start_position_may_be_numbers_of_numpy(kind: Any) -> None:
    place = dict(zip(("x", "y", "z", "yaw", "pitch"), kind([8, 80, 9, 90, 10]), strict=True))
    env = make("open-ended", generate_world_type="flat", start_position=place, **SMALL)
    found = env.reset()["location_stats"]
    assert (*found["pos"][::2].tolist(), found["yaw"], found["pitch"]) == (8.0, 9.0, 90.0, 10.0)
    assert {type(value) for value in env.settings.position.values()} <= {int, float}
    env.close()
