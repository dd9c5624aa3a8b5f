"""Every task of MineDojo as a goal: its start is MineDojo's to the bit, its success a condition,
its prompt understood. What is no goal is refused in a sentence before anything is started."""

import random
from pathlib import Path

import msgspec
import numpy as np
import pytest

from messages.program import Program
from messages.world import Condition, OpenSession, SeedRange, Task
from nodes.common.checks.task_check import task_problem
from nodes.env_server.session import Session
from rlgpt.composing.composition import compose_launch
from rlgpt.composing.configuration import check, check_plan
from rlgpt.composing.conversion import convert
from rlgpt.main import main
from rlgpt.refused import Refused
from voxeldojo.engine import EmbeddedWorld
from voxeldojo.engine.state import PLAYER, SETTING
from voxeldojo.minedojo_api import make
from voxeldojo.tasks import task_ids, templates
from worlds.card import Goals, Unclear
from worlds.minecraft.play.world_kinds import make_world

WAIT = "def action(obs):\n    for _ in range(5):\n        noop()\n"


def test_every_programmatic_task_is_a_goal_that_can_be_played(goals: Goals) -> None:
    names = [*task_ids("programmatic"), "playthrough"]
    assert len(names) == 1582
    for name in names:
        task = goals.task(name)
        assert (task.id, task_problem(task)) == (name, "")
        kinds = {"harvest": "have", "combat": "killed", "techtree": "used", "survival": "lived"}
        assert task.success.kind == kinds.get(goals.kind(name), "have")


def test_every_prompt_of_minedojo_is_understood_as_its_success_condition(goals: Goals) -> None:
    for name in [*task_ids("programmatic"), "playthrough"]:
        task = goals.task(name)
        assert goals.understood(task.prompt) == task.success
        begun = goals.open_task(task.prompt)
        assert begun.lacks_success
        assert (begun.inventory, begun.world) == (task.inventory, task.world)
        assert begun.horizon == task.horizon
        assert goals.open_task(f"  Please {task.prompt.title()}. ") == begun


@pytest.mark.parametrize(
    ("words", "kind", "name", "quantity"),
    [
        ("3 cobblestone", "have", "cobblestone", 3),
        ("Get three cobblestone!", "have", "cobblestone", 3),
        ("please harvest some wheat seeds", "have", "wheat_seeds", 1),
        ("craft a diamond pickaxe", "have", "diamond_pickaxe", 1),
        ("8 logs", "have", "log", 8),
        ("cook a chicken", "have", "cooked_chicken", 1),
        ("Cook 3 porkchops.", "have", "cooked_porkchop", 3),
        ("cook meat", "have", "cooked_beef", 1),
        ("bake 2 potatoes", "have", "baked_potato", 2),
        ("bake bread", "have", "bread", 1),
        ("smelt iron ore", "have", "iron_ingot", 1),
        ("smelt 3 iron ingots", "have", "iron_ingot", 3),
        ("smelt stone", "have", "stone", 1),
        ("get a chicken", "have", "chicken", 1),
        ("mine 3 stone", "have", "cobblestone", 3),
        ("mine two diamond ores", "have", "diamond", 2),
        ("mine iron ore", "have", "iron_ore", 1),
        ("dig clay", "have", "clay_ball", 1),
        ("dig leaves", "have", "leaves", 1),
        ("craft clay", "have", "clay", 1),
        ("a bucket of milk", "have", "milk_bucket", 1),
        ("Please, get two blocks of iron.", "have", "iron_block", 2),
        ("get a block of diamond", "have", "diamond_block", 1),
        ("get two blocks of coal", "have", "coal_block", 2),
        ("get 2 blocks of obsidian", "have", "obsidian", 2),
        ("get 3 bricks, please", "have", "brick", 3),
        ("mine lapis lazuli", "have", "dye", 1),
        ("place an oak door", "placed", "wooden_door", 1),
        ("kill 2 pig zombies", "killed", "zombie_pigman", 2),
        ("kill a Snow Golem", "killed", "snowman", 1),
        ("kill an evoker", "killed", "evocation_illager", 1),
        ("walk to the nearest plains", "in_biome", "plains", 1),
        ("kill a zombie", "killed", "zombie", 1),
        ("hunt two endermen", "killed", "enderman", 2),
        ("use an iron pickaxe", "used", "iron_pickaxe", 1),
        ("put on leather boots", "worn", "leather_boots", 1),
        ("place 3 torches", "placed", "torch", 3),
        ("survive for 3 days", "lived", "days", 3),
        ("go to the Nether", "in_dimension", "nether", 1),
        ("find a desert", "in_biome", "desert", 1),
        ("find the nether biome", "in_dimension", "nether", 1),
        ("climb up to y 100", "height", "above", 100),
        ("go below height 20", "height", "below", 20),
        ("dig down to level 12", "height", "below", 12),
        ("have 20 life", "health", "life", 20),
        ("get at least 15 hunger", "health", "food", 15),
    ],
)  # fmt: skip
def test_goals_in_plain_words_are_understood_as_conditions(
    goals: Goals, words: str, kind: str, name: str, quantity: int
) -> None:
    assert goals.understood(words) == Condition(kind=kind, name=name, quantity=quantity)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("build a house", "does not understand 'build a house'; it understands"),
        ("hole einen Baumstamm", "does not understand 'hole einen Baumstamm'; it understands"),
        ("asdfghjkl", "does not understand 'asdfghjkl'; it understands"),
        ("live 10 minutes", "understands .*'survive N days'"),
        ("obtain dimonds", "what comes nearest is 'obtain diamond'"),
        ("ride a pig", "what comes nearest is 'hunt a pig in forest' or 'hunt a pig in plains' or"),
        ("walk about in the Nether", "nearest is '[^']*nether[^']*' or '[^']*nether"),
        ("go up below y 3", "does not understand 'go up below y 3'"),
        ("obtain leaf", "what comes nearest is 'obtain leaves'"),
        ("kill a log", "does not understand 'kill a log'"),
        ("find slimes", "does not understand 'find slimes'"),  # and not: get a block of slime
        ("catch a rabbit", "does not understand 'catch a rabbit'"),
        ("get 3000 cobblestone", "a quantity is 1 to 2304, not 3000"),
        ("get 0 logs", "a quantity is 1 to 2304, not 0"),
        ("get -3 logs", "a quantity is 1 to 2304, not -3"),
        ("get 99999999999 logs", "a quantity is 1 to 2304, not 99999999999"),
    ],
)
def test_invalid_goals_are_refused(goals: Goals, words: str, sentence: str) -> None:
    with pytest.raises(Unclear, match=sentence):
        goals.understood(words)


@pytest.mark.parametrize(
    "name",
    [ids[len(ids) // 2] for template, ids in templates().items() if ids[0] != "playthrough"][::6],
)
def test_an_episode_of_a_minedojo_task_starts_as_minedojos_own(goals: Goals, name: str) -> None:
    """The same seed gives MineDojo's own environment and a batch the same world: blocks, slots,
    mobs, time of day and all else that is kept of a player."""
    seed = 5
    environment = make(name, image_size=(16, 16), world_seed=seed, seed=seed)
    environment.reset()
    there = environment.unwrapped.game.world.state
    batch = make_world("embedded", 2, goals.task(name))
    assert isinstance(batch, EmbeddedWorld)
    batch.reset(np.arange(2), np.array([seed + 1, seed]))
    here = batch.state
    for part in ("blocks", "light", "slots", "mobs", "drops", "kills"):
        np.testing.assert_array_equal(getattr(here, part)[1], getattr(there, part)[0], part)
    for field in PLAYER.names or ():
        if field != "fresh":  # MineDojo's was looked at
            assert here.players[1][field] == there.players[0][field], field
    for field in SETTING.names or ():
        if field not in ("half_yaw", "half_pitch", "strict"):  # of the picture; of the interface
            assert here.settings[1][field] == there.settings[0][field], field
    assert [here.players[0][axis] for axis in "xz"] != [here.players[1][axis] for axis in "xz"]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_sessions_of_a_sample_of_all_tasks_begin_and_step(goals: Goals) -> None:
    program = Program(name="wait", source=WAIT, max_steps=5)
    for name in random.Random(7).sample(task_ids("programmatic"), 120):
        task = goals.task(name)
        request = OpenSession(
            session=name, task=task, size=2, seeds=SeedRange(first=0, count=2), interface=None
        )
        session = Session(request, make_world("embedded", 2, task, area=64))
        session.run_program(program)
        for episode in session.episodes():
            assert (episode.steps, episode.ended) == (5, "running"), name
            assert episode.before.inventory == task.inventory, name
            assert not task.biome or episode.before.biome == task.biome, name
        session.close()


def test_items_that_a_subtask_lacks_are_not_in_its_slots(goals: Goals) -> None:
    """A session of a later subtask begins with another inventory: what is left of the armour is
    worn, the rest is packed."""
    task = goals.task("combat_zombie_forest_leather_armors_iron_sword_shield")
    left = {"torch": 70, "iron_sword": 1, "leather_helmet": 1}
    begun = msgspec.structs.replace(task, inventory=left)
    world = make_world("embedded", 1, begun)
    assert isinstance(world, EmbeddedWorld)
    world.reset(np.zeros(1, np.int64), np.zeros(1, np.int64))
    names = [world.item_names[item] for item in world.state.slots[0]["item"]]
    assert names[0] == "iron_sword"
    assert names[36:] == ["air", "air", "air", "leather_helmet", "air"]
    assert world.state.slots[0]["count"][:3].tolist() == [1, 64, 6]


def test_overrides_of_task_fields_replace_those_of_the_named_task() -> None:
    overrides = ["task.horizon=500", "task.world.start_time=18000", "task.inventory.torch=3"]
    composed = compose_launch("goal", ["task.id=harvest_1_cobblestone", *overrides])
    task = composed["task"]
    assert (task["horizon"], task["world"], task["inventory"]) == (
        500, {"start_time": 18000}, {"torch": 3},
    )  # fmt: skip
    assert task["prompt"] == "obtain cobblestone"
    assert composed["name"] == "harvest-1-cobblestone"
    composed = compose_launch("goal", ["prompt=get 3, or more, cobblestone", "task.biome=plains"])
    assert composed["task"]["prompt"] == "get 3, or more, cobblestone"
    assert composed["task"]["biome"] == "plains"
    assert not composed["task"]["success"]["kind"]
    assert "prompt" not in composed


@pytest.mark.parametrize(
    ("overrides", "sentence"),
    [
        ([], "which goal? add task.id=ID"),
        (["task.id="], "which goal? add task.id=ID"),
        (["task.id=HARVEST_1_LOG"], "did you mean harvest_1_log"),
        (["task.id=harvest_1_lgo"], "no task 'harvest_1_lgo'; did you mean harvest_1_log"),
        (["task.id=creative:9999"], "no creative task 9999"),
        (["task.id=survival", "prompt=3 logs"], "are two goals: give one of the two"),
        (["prompt=3 logs", "task.prompt=a stick"], "are two goals: leave task.prompt out"),
        (["prompt="], "the prompt is empty: add task.id=ID"),
        (["prompt=build a house"], "does not understand 'build a house'"),
        (["task.id=survival", "task.biome=narnia"], "task.biome: "),
        (["task.id=survival", "task.world.start_tmie=3"], "option; did you mean start_time"),
        (["task.id=survival", "task.world.start_tim=3"], "mean start_time or start_position"),
        (["task.id=survival", "task.world.start_time=-3"], "start_time is in ticks"),
        (
            ["task.id=survival", "task.world.start_position='0 90 0 0 0'"],
            "task.world.start_position: a task cannot set where the player begins: leave it out",
        ),
        (["task.id=survival", "task.world.start_time=noon"], "it is a whole number, not 'noon'"),
        (["task.id=survival", "task.world.drawing_str=5"], "drawing_str: it is a text, not 5"),
        (["task.id=survival", "task.world.allow_mob_spawn=2"], "it is true or false, not 2"),
        (
            ["task.id=survival", "task.world.initial_mob_spawn_range_low=2"],
            "it is three numbers (x, y, z), or one text with spaces, not 2",
        ),
        (["task.id=survival", "task.world.initial_slots='40=shield,neck=torch'"], "SLOT=ITEM"),
        (["task.id=survival", "task.world.initial_slots='1=trch'"], "there is no item 'trch'"),
        (["task.id=survival", "task.world.initial_slots='1=torch'"], "inventory has no torch"),
        (["task.id=survival", "task.world.start_health=0"], "above 0 and at most 20"),
        (["task.id=survival", "task.world.start_health=true"], "at most 20, not True"),
        (["task.id=survival", "task.world.area=-3"], "world.area: it is one of 32, 64, 128, 256"),
        (["task.id=survival", "task.world.area=64.0"], "world.area: it is one of 32, 64, 128, 256"),
        (["task.id=survival", "task.world.strict=2"], "world.strict: it is true or false, not 2"),
        (
            ["task.id=survival", "task.world.break_speed_multiplier=fast"],
            "world.break_speed_multiplier: it is a finite number above 0, not 'fast'",
        ),
        (
            ["prompt=Explore the world to find plains."],
            "goal: task creative:0: only a critic that sees pictures can judge it: set",
        ),
        (
            ["task.id=combat_shulker_end_leather_armors_iron_sword_shield", "world=minedojo"],
            "goal: the real MineDojo package lays out no initial mobs (shulker), which the task "
            "'combat_shulker_end_leather_armors_iron_sword_shield' has: world=embedded does",
        ),
        (
            ["task.id=harvest_1_log", "world=minedojo", "task.world.area=64"],
            "the real MineDojo package has no area (task.world), which the task 'harvest_1_log'",
        ),
        (
            ["prompt=place a monster egg"],
            "goal: prompt: the rulebook has no plan for 'place a monster egg': nothing in the "
            "rules leads to 'monster_egg'; what comes nearest is 'obtain egg' or 'obtain 8 egg'; a",
        ),
        (["prompt=find a dessert"], "what comes nearest is 'find desert' or"),
        (["prompt=go to the overworld"], "success: in the Overworld holds before the first step"),
        (
            ["prompt=go to the overworld", "task.biome=nether"],
            "brings about in_dimension 'overworld'; a language model",
        ),
        (["prompt=go to the end"], "no program that finds one; what comes nearest is"),
        (
            ["prompt=get a lava bucket"],
            "has no plan for 'get a lava bucket': the rulebook knows no way to get 'lava_bucket'",
        ),
        (["prompt=get a nether star"], "the rulebook has no program that builds one; what comes"),
        (
            ["prompt=kill a ghast"],
            "ghast is found in the biome nether alone, and a fight is planned for where an episode "
            "begins: task.biome=nether begins there; what comes nearest is",
        ),
        (["prompt=kill the dragon", "task.biome=nether"], "no ender_dragon is ever met in a world"),
        (["prompt=kill a mooshroom", "task.biome=plains"], "no mooshroom is ever met in a world"),
        (["prompt=kill a wither"], "task.world.initial_mobs=wither lays one out; what comes"),
        (["task.id=playthrough"], "1 more dragon_egg in the inventory': no way to the End can be"),
        (["task.id=playthrough", "limits.samples=9000"], "no way to the End can be"),
        (
            ["prompt=Defeat the Ender Dragon and obtain the trophy dragon egg"],
            "has no plan for 'Defeat the Ender Dragon and obtain the trophy dragon egg.': no way",
        ),
        (["prompt=get an elytra"], "nothing in the rules leads to 'elytra'; a language model may"),
        (
            ["task.id=harvest_1_elytra"],
            "goal: task.success: the rulebook has no plan for '1 more elytra in the "
            "inventory': nothing in the rules leads to 'elytra'",
        ),
        (
            ["task.id=survival", "task.success={kind: in_biome, name: nether}"],
            "goal: task.success: the rulebook has no plan for 'in the biome nether': nothing in",
        ),
        (["task.id=survival", "task.horizon=0"], "expected `int` >= 1"),
        (
            ["task.id=survival", "+task.inventory.log=2", "+task.inventory.stick=1.5"],
            "goal: `task.inventory.stick`: expected `int`, got `float`",
        ),
        (
            ["task.id=survival", "task.horizon=100"],
            "task.horizon: to be alive after 100 days takes 2,400,000 steps, and an episode has "
            "100: set task.horizon=2400000 or more",
        ),
        (["prompt=survive 2 days", "task.horizon=100"], "takes 48,000 steps, and an episode has"),
        (
            ["prompt=3 logs", "task.biome=plains", "task.world.generate_world_type=default"],
            "is not all of plains: leave one of the two out",
        ),
        (["task.id=x", "task.game=crafter"], "has no tasks by name"),
    ],
)  # fmt: skip
def test_impossible_task_options_are_refused(
    overrides: list[str],
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["launch", "goal", *overrides]) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert len(said.strip().splitlines()) == 1
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("prompt", "horizon"),
    [("survive 2 days", 48_000), ("stay alive for 30 ticks", 3000), ("3 logs", 3000)],
)
def test_an_episode_is_long_enough_for_the_length_of_life_that_words_ask_for(
    goals: Goals, prompt: str, horizon: int
) -> None:
    assert goals.open_task(prompt).horizon == horizon
    composed = compose_launch("goal", [f"prompt={prompt}"])["task"]
    assert (composed["horizon"], task_problem(convert(composed, Task))) == (horizon, "")


@pytest.mark.parametrize(
    "prompt", ["Explore the world to find plains.", "explore the world to find plains"]
)
def test_the_prompt_of_a_creative_task_is_that_task(goals: Goals, prompt: str) -> None:
    assert goals.open_task(prompt) == goals.task("creative:0")
    composed = compose_launch("goal", [f"prompt={prompt}"])
    assert composed["task"]["success"] == {"kind": "judged", "name": "creative:0", "quantity": 1}
    assert composed["task"]["id"] == "creative:0"


def test_a_creative_prompt_that_can_be_counted_is_counted(goals: Goals) -> None:
    assert goals.open_task("find diamonds").lacks_success


@pytest.mark.parametrize(
    ("launch", "overrides"),
    [
        ("goal", ["prompt=go to the end", "llm=openai", "llm.url=http://127.0.0.1:9"]),
        ("goal", ["prompt=go to the end", "nodes.planner.parameters.plan=false"]),
        ("goal", ["prompt=3 logs"]),
        ("goal", ["prompt=kill a ghast", "task.biome=nether"]),
        ("goal", ["prompt=kill two withers", "task.world.initial_mobs=wither"]),
        ("goal", ["task.id=harvest_1_elytra", "+unplanned=counted"]),
        ("goal", ["task.id=creative:0"]),  # judged, and not planned
        ("cell", ["task=minedojo", "task.id=harvest_1_elytra"]),  # a table counts it
    ],
)
def test_goals_that_the_rulebook_need_not_plan_or_can_are_not_refused(
    launch: str, overrides: list[str]
) -> None:
    check_plan(check({**compose_launch(launch, overrides), "run": "it"}, launch), launch)


def test_a_prompt_override_of_a_launch_file_without_a_prompt_is_refused() -> None:
    with pytest.raises(Refused, match="there is no `prompt` in the launch file"):
        compose_launch("harvest_log", ["prompt=3 logs"])
