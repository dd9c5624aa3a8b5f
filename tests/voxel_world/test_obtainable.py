"""The oracle: what can be had at all, by the rules and in this engine, and why not."""

import json
import subprocess
import sys

import numpy as np
import pytest

from tests.voxel_world.arena import embedded
from voxeldojo.obtainable import coverage, explain, judge, measure
from voxeldojo.obtainable.__main__ import main
from voxeldojo.obtainable.derivations import World, derive
from voxeldojo.rules import BIOMES, BLOCKS
from voxeldojo.rules.mobs import MOBS
from voxeldojo.rules.sources import OTHER_BIOMES, overworld_biomes, sources
from voxeldojo.tasks import task_spec

# Share of a block's biomes in which two worlds suffice to find one.
SHARE: dict[str, float] = {
    "clay": 0.2, "deadbush": 0.3, "monster_egg": 0.2, "snow_layer": 0.3, "reeds": 0.1,
    "pumpkin": 0.2,
    "sand": 0.1, "lava": 0.2, "brown_mushroom": 0.1, "red_mushroom": 0.1, "red_flower": 0.4,
    "double_plant": 0.4, "melon_block": 0.3, "mossy_cobblestone": 0.3,
}  # fmt: skip
NEVER = ["chorus_plant", "monster_egg", "spawn_egg"]


def test_all_but_ten_tasks_can_be_done_by_the_rules() -> None:
    found = measure()
    assert found.programmatic.ids == 1581
    missing = {entry.id for entry in found.programmatic.not_by_rules}
    glass = ("glass_swampland", "glass_swampland_with_furnace_and_fuel")
    assert missing == {f"harvest_{n}_{name}" for n in (1, 8) for name in (*NEVER, *glass)}
    for kind in ("combat", "techtree", "survival", "creative", "playthrough"):
        family = found.families[kind]
        assert family.by_rules == family.ids, kind
    for family in found.families.values():
        assert family.today <= family.by_rules
        assert family.today + len(family.not_today) == family.ids
        assert all(entry.reason for entry in [*family.not_by_rules, *family.not_today])


@pytest.mark.parametrize(
    "name",
    [
        "harvest_1_log",
        "harvest_1_cobblestone_with_iron_pickaxe",
        "harvest_8_iron_ingot_forest",
        "harvest_1_diamond",
        "techtree_from_barehand_to_diamond_sword",
    ],
)
def test_tasks_of_wood_stone_iron_and_diamonds_are_obtainable_in_this_engine(name: str) -> None:
    assert judge(task_spec(name), engine=True).obtainable


def test_a_reason_names_the_first_step_that_is_missing() -> None:
    lacking = judge(task_spec("harvest_1_chorus_plant"), engine=True)
    assert not lacking.obtainable
    assert lacking.reason
    assert judge(task_spec("harvest_1_spawn_egg"), engine=False).reason == "nothing gives spawn_egg"


def test_a_way_is_printed_in_an_order_in_which_it_can_be_done() -> None:
    for name in ("harvest_1_elytra", "harvest_1_beacon", "harvest_1_cake", "playthrough"):
        had: set[str] = set()
        steps = explain(task_spec(name), engine=False)
        for rule in steps:
            assert set(rule.needs) <= had, rule
            had.add(rule.gives)
        assert len(steps) == len(had)
    assert steps[-1].gives == "dragon_egg"


def test_holding_the_target_at_the_start_does_not_make_it_obtainable() -> None:
    spec = task_spec("harvest_1_stick")
    kwargs = {**spec.kwargs, "target_names": "spawn_egg", "target_quantities": 1}
    kwargs["initial_inventory"] = {"mainhand": {"name": "spawn_egg"}}
    given = type(spec)(id="given", kind="harvest", prompt="give", kwargs=kwargs)
    assert not judge(given, engine=False).obtainable


def test_a_world_of_one_biome_has_only_what_that_biome_gives() -> None:
    taiga = derive(World(("taiga",)))
    assert "rabbit" in taiga
    assert "cocoa" not in taiga
    assert "mob:squid" in taiga
    assert "block:block" not in taiga
    # No oaks: apples are in villages' chests only.
    assert [rule.gives for rule in taiga.steps("apple")][-2:] == ["place:village", "apple"]
    everywhere = derive(World(tuple(overworld_biomes())))
    assert set(taiga.found) <= set(everywhere.found)


def test_more_items_at_the_start_never_make_less_obtainable() -> None:
    for biome in ("plains", "desert", "ocean", "nether", "the_end"):
        bare = set(derive(World((biome,))).found)
        assert bare <= set(derive(World((biome,), ("diamond_pickaxe",), ("cow",))).found)
        assert set(derive(World((biome,), engine=True)).found) <= bare


def test_the_engine_generates_what_the_table_has() -> None:
    """Flags must neither run ahead of the engine nor fall behind it."""
    names = {block.id: block.name for block in BLOCKS}
    generated: dict[str, set[str]] = {}
    for biome in BIOMES:
        if biome.name in OTHER_BIOMES:
            continue
        world = embedded(2, {"area": 128}, biome=biome.name)
        world.reset(np.arange(2), np.arange(2))
        found = np.flatnonzero(np.bincount(world.state.blocks.ravel(), minlength=256))
        generated[biome.name] = {names[number] for number in found.tolist()}
        world.close()
    flagged: set[str] = set()
    missing: dict[str, list[str]] = {}
    for entry in sources().blocks:
        if not entry.engine or entry.block == "oak_leaves":
            continue
        flagged.add(entry.block)
        spots = sources().spots(entry.within, entry.without)
        places = {spot.removeprefix("biome:") for spot in spots}
        places = set(generated) if "place:overworld" in places else places & set(generated)
        having = {name for name in places if entry.block in generated[name]}
        # Rare things need not be in two windows of every biome.
        share = SHARE.get(entry.block, 0.5)
        if len(having) < len(places) * share:
            missing[entry.block] = sorted(places - having)
    assert not missing, missing
    unflagged = set.union(*generated.values()) - flagged - {"air", "bedrock"}
    assert not unflagged & {entry.block for entry in sources().blocks}, (
        "set the flag `engine` of these blocks in voxeldojo/rules/sources.yaml"
    )


def test_the_command_prints_a_table_and_json() -> None:
    command = [sys.executable, "-m", "voxeldojo", "coverage"]
    shown = subprocess.run(
        [*command, "--quick"], capture_output=True, text=True, check=True, timeout=300
    ).stdout
    assert "harvest_1_chorus_plant: nothing gives chorus_plant" in shown
    rows = 0
    for line, untried in zip(shown.splitlines(), coverage().splitlines(), strict=True):
        if line != untried:  # a sample of them was made, reset and stepped
            name, ids, made, reset, stepped, *shares = line.split()
            assert [name, ids, "0", "0", "0", *shares] == untried.split()
            assert made == reset == stepped != "0"
            rows += 1
    assert rows == 7
    told = json.loads(coverage(json=True))
    assert told["programmatic"]["ids"] == 1581
    assert set(told["families"]) == {
        "harvest", "combat", "techtree", "survival", "creative", "playthrough",
    }  # fmt: skip
    unknown = subprocess.run(
        [*command, "--why", "harvest_1_logs"], capture_output=True, text=True, timeout=120
    )
    assert unknown.returncode == 2
    assert "did you mean harvest_1_log" in unknown.stderr


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--engine"], "--engine is of one task: name it, --why ID --engine"),
        (["--engine", "--json"], "--engine is of one task"),
        (["--why", "harvest_1_cake", "--json"], "--json and --quick are of the whole report"),
        (["--why", "harvest_1_cake", "--quick"], "--json and --quick are of the whole report"),
        (["--js"], "unrecognized arguments: --js"),
    ],
)
def test_options_that_do_not_go_together_are_refused_before_anything_is_tried(
    given: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(given)
    told = capsys.readouterr()
    assert said in told.err
    assert not told.out


def test_one_task_of_each_template_is_made_reset_and_stepped() -> None:
    found = measure("sample")
    tried = [found.families[kind] for kind in found.families]
    assert sum(family.tried for family in tried) >= 74
    for family in tried:
        assert family.made == family.tried
        assert [entry for entry in family.failed] == []


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_every_task_is_made_reset_and_stepped() -> None:
    found = measure("all")
    assert found.programmatic.tried == found.programmatic.reset == 1581
    assert found.families["creative"].reset == 1560
    assert found.families["playthrough"].reset == 1


@pytest.mark.parametrize("engine", [False, True])
def test_a_mob_can_be_met_in_each_biome_where_it_spawns(engine: bool) -> None:
    """By the lists that the engine spawns from, which say it a second time."""
    missing = {
        (mob.name, biome)
        for mob in MOBS
        for entry in mob.spawn
        if entry.kind != "monument"  # which only some biomes have
        for spot in sources().spots(entry.within, entry.without)
        for biome in (overworld_biomes() if spot == "place:overworld" else [spot.split(":")[1]])
        if f"mob:{mob.name}" not in derive(World((biome,), engine=engine))
    }
    assert missing == set()
