"""The scripted player does tasks through actions alone. All templates: voxeldojo demonstrate."""

import errno
import json
import math
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from voxeldojo.demonstrations import __main__ as demonstrating_command
from voxeldojo.demonstrations import demonstrate as demonstrating
from voxeldojo.demonstrations.__main__ import main
from voxeldojo.demonstrations.demonstrate import (
    Demonstration,
    demonstrate,
    easiest,
    keep,
    table,
)
from voxeldojo.demonstrations.farming import HOES
from voxeldojo.demonstrations.fighting import duel
from voxeldojo.demonstrations.fishing import fish
from voxeldojo.demonstrations.footing import Costs, Ground
from voxeldojo.demonstrations.going import follow
from voxeldojo.demonstrations.hand_work import DEEDS
from voxeldojo.demonstrations.hunting import kills, nearest_mob
from voxeldojo.demonstrations.obtaining import Obtaining, tools_of
from voxeldojo.demonstrations.paths import Paths
from voxeldojo.demonstrations.player import BLOCK_NAMES, SIDES, Player
from voxeldojo.demonstrations.sheltering import wall_in
from voxeldojo.demonstrations.travelling import NEAR, nearest_of
from voxeldojo.engine.hands.fishing import CATCH, FIRST, FISHES, JUNKS
from voxeldojo.game import STILL
from voxeldojo.minedojo_api import InventoryItem, make
from voxeldojo.obtainable.derivations import GIVEN, rules
from voxeldojo.obtainable.oracle import targets_of, worlds_of
from voxeldojo.rules import item_id
from voxeldojo.rules.mobs import MOB_IDS
from voxeldojo.tasks import task_spec, templates

WITHOUT_A_SCRIPT = {
    "harvest potatoes",  # a poisonous one among them
    "kill the dragon and dig up its egg",
    "take it from the frame in an end ship",
}
DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(
    "task",
    [
        "harvest_1_furnace",
        "harvest_wool_with_shears_and_sheep",
        "harvest_milk_with_empty_bucket_and_cow",
        "harvest_1_obsidian_with_diamond_pickaxe_and_water_bucket",
        "combat_zombie_plains_diamond_armors_diamond_sword_shield",
        "combat_creeper_plains_iron_armors_wooden_sword_shield",
        "combat_sheep_extreme_hills_iron_armors_diamond_sword_shield",  # it sits in a hole
        "techtree_from_barehand_to_wooden_sword",
    ],
)
def test_the_script_does_a_task_of_each_kind(task: str) -> None:
    played = demonstrate(task, seed=1, limit=6000)
    assert played.success, played.reason
    assert 0 < played.steps < 6000


def test_the_script_mines_a_diamond_from_bare_hands() -> None:
    played = demonstrate("harvest_1_diamond", seed=1, limit=20_000)
    assert played.success, played.reason


@pytest.mark.parametrize("sword", ["stone_sword", "iron_sword"])
def test_creepers_are_killed_before_they_explode(sword: str) -> None:
    env = make(
        "open-ended", image_size=(1, 1), cam_interval=1, area=64, world_seed=1, start_time=14_000,
        generate_world_type="flat", allow_mob_spawn=False,
        initial_inventory=[InventoryItem("mainhand", sword)],
    )  # fmt: skip
    env.reset()
    player = Player(env, 3000)
    env.spawn_mobs(["creeper", "creeper"], [[7, 0, 0], [0, 0, 9]])
    for number in (1, 2):
        duel(player, nearest_mob(player, "creeper"))
        assert kills(player, "creeper") == number
    assert float(player.body["life"]) == 20.0
    assert not (player.world.state.mobs[0]["kind"] == MOB_IDS["creeper"]).any()
    env.close()


def test_the_survival_script_walls_the_player_in_with_rock_on_all_sides() -> None:
    spec = task_spec("survival")
    env = make("survival", image_size=(1, 1), cam_interval=1, world_seed=1)
    env.reset()
    player = Player(env, 6000)
    wall_in(Obtaining(player, worlds_of(spec, engine=True)[0], DEEDS))
    before = player.steps
    player.idle(24)
    assert player.steps == before + 8
    x, y, z = player.feet
    walls = [(x + dx, y + up, z + dz) for dx, dz in SIDES for up in (0, 1)]
    for cell in [*walls, (x, y - 1, z), (x, y + 2, z)]:
        assert BLOCK_NAMES[player.block(cell)] in ("stone", "cobblestone", "coal_ore", "iron_ore")
    env.close()


def test_a_result_takes_the_place_of_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "kept.json"
    kept.write_text("[]")
    monkeypatch.setattr(demonstrating, "RESULTS", kept)
    task = "harvest_1_log"
    template = task_spec(task).template
    assert f"| `{template}` | `{task}` |  | not run |" in table()
    keep(Demonstration(task, 1, False, 7, 0, 1.0, "it is dark"))
    assert f"| `{template}` | `{task}` | 1 | not done: it is dark |" in table()
    keep(Demonstration(task, 1, True, 1234, 0, 1.0))
    keep(Demonstration(task, 2, True, 99, 0, 1.0))
    assert f"| `{template}` | `{task}` | 1 | 1,234 |" in table()


def test_results_that_are_kept_at_the_same_time_are_all_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "kept.json"
    kept.write_text("[]")
    monkeypatch.setattr(demonstrating, "RESULTS", kept)
    played = [Demonstration("harvest_1_log", seed, True, 9, 0, 1.0) for seed in range(64)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(keep, played))
    assert {entry["seed"] for entry in json.loads(kept.read_bytes())} == set(range(64))
    assert [each.name for each in tmp_path.iterdir()] == ["kept.json"]


@pytest.mark.parametrize("where", ["kept.json", "nowhere/kept.json"])
def test_a_result_that_cannot_be_written_leaves_the_file_and_ends_in_a_sentence(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(draft: Path, target: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    (tmp_path / "kept.json").write_text("[]")
    played = Demonstration("harvest_1_log", 1, True, 9, 0, 1.0)
    monkeypatch.setattr(demonstrating_command, "demonstrate", lambda *_: played)
    monkeypatch.setattr(demonstrating, "RESULTS", tmp_path / where)
    monkeypatch.setattr(demonstrating.os, "replace", full)
    assert main(["harvest_1_log", "--write"]) == 2
    told = capsys.readouterr()
    assert "harvest_1_log: done" in told.out
    assert told.err.startswith("voxeldojo demonstrate: --write cannot keep a result in ")
    assert told.err.count("\n") == 1
    assert [each.name for each in tmp_path.iterdir()] == ["kept.json"]
    assert (tmp_path / "kept.json").read_text() == "[]"


def test_the_docs_page_shows_the_stored_results() -> None:
    assert table() in (DOCS / "demonstrations.md").read_text()


def test_a_demonstration_is_repeated_by_the_same_seed(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        main(["combat_pig_plains_barehand", "--seed", "4", "--json"])
    first, second = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert first["success"]
    assert {**first, "seconds": 0} == {**second, "seconds": 0}


def _player(task: str, **kwargs: Any) -> tuple[Player, Obtaining]:
    env = make(task, image_size=(1, 1), cam_interval=1, world_seed=1, seed=1, **kwargs)
    env.reset()
    player = Player(env, 5000)
    return player, Obtaining(player, worlds_of(task_spec(task), engine=True)[0], DEEDS)


def test_given_items_that_are_used_up_are_made_again() -> None:
    player, obtaining = _player("harvest_1_obsidian_with_water_bucket")
    assert obtaining.way("water_bucket").how == GIVEN
    player.env.unwrapped.game.set_slot(player.slot_of("water_bucket"), "air", 0, 0)
    assert obtaining.way("water_bucket").how == "fill a bucket"


def test_more_of_a_given_item_than_is_held_is_made() -> None:
    player, obtaining = _player("techtree_from_stone_to_iron_axe")
    assert obtaining.way("stone_pickaxe").how == GIVEN
    for name, count in {"cobblestone": 3, "stick": 2, "crafting_table": 1}.items():
        player.env.unwrapped.game.give(name, count, 0)
    obtaining.obtain("stone_pickaxe", 2)
    assert player.have("stone_pickaxe") == 2
    player.env.close()


def test_a_script_that_needs_a_hoe_takes_any_hoe() -> None:
    assert set(tools_of("tool:hoe")) == set(HOES)
    assert set(tools_of("tool:iron_pickaxe|bow")) == {"iron_pickaxe", "bow"}
    player, obtaining = _player("harvest_1_wheat_forest")
    player.env.unwrapped.game.give("stone_hoe", 1, 0)
    obtaining.need_tool("tool:hoe")
    assert not player.have("wooden_hoe")


@pytest.mark.parametrize(
    ("task", "way"),
    [
        ("harvest_1_redstone_with_golden_pickaxe", "break redstone_ore"),  # not off a witch
        ("harvest_1_glowstone", "craft"),  # off a witch sooner than by a portal of ten obsidian
    ],
)
def test_the_way_of_least_effort_counts_how_rare_a_mob_is(task: str, way: str) -> None:
    _, obtaining = _player(task)
    [target] = targets_of(task_spec(task))
    assert obtaining.way(target).how == way


def test_every_source_by_hand_has_a_script() -> None:
    """Else where it leads through the End or into a chest."""
    by_hand = {
        rule.how
        for rule in rules()
        if rule.engine and ":" not in rule.gives and rule.gives != "fuel"
        if not rule.how.startswith(("break ", "kill a "))
    }
    assert by_hand - {*DEEDS, "craft", "smelt"} == WITHOUT_A_SCRIPT


def test_the_script_catches_fish() -> None:
    env = make(
        "open-ended", image_size=(1, 1), cam_interval=1, area=64, world_seed=1,
        generate_world_type="flat", flat_world_seed_string="3;7,60*1,2*9;1;", start_time=1000,
        allow_mob_spawn=False, initial_inventory=[InventoryItem("mainhand", "fishing_rod")],
    )  # fmt: skip
    env.reset()
    player = Player(env, 5000)
    for command in ("fill ~-3 62 ~-3 ~ 62 ~3 stone", "tp ~ 63 ~"):
        assert env.unwrapped.game.tick(STILL, command) == ""
    obtaining = Obtaining(player, worlds_of(task_spec("harvest_1_fish"), engine=True)[0], DEEDS)
    fish(obtaining, obtaining.way("fish"), 1)
    assert player.have("fish")
    env.close()


def test_a_fault_of_a_script_is_reported_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def play(*_: object) -> None:
        raise KeyError("hoe")

    monkeypatch.setattr(demonstrating, "play", play)
    played = demonstrate("harvest_1_log")
    assert not played.success
    assert played.reason == "a fault of the script: KeyError: 'hoe'"


def test_an_item_without_a_source_is_reported_at_once() -> None:
    played = demonstrate("harvest_1_chorus_plant")
    assert (played.success, played.steps) == (False, 0)
    assert played.reason == "nothing gives chorus_plant"


def test_too_few_steps_are_reported() -> None:
    played = demonstrate("harvest_1_diamond", seed=1, limit=50)
    assert not played.success
    assert played.steps == 50
    assert played.reason == "50 steps were not enough"


def test_the_easiest_task_of_each_template_belongs_to_the_template() -> None:
    for template, tasks in templates().items():
        assert easiest(template) in tasks
        assert task_spec(easiest(template)).template == template


@pytest.mark.parametrize(
    "wrong", [["--seeds", "0"], ["--limit", "-1"], ["--table"], ["--write", "--limit", "1"]]
)
def test_demonstrate_refuses_options_that_do_not_go_together(wrong: list[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["harvest_1_log", *wrong])


def test_a_part_of_an_options_name_is_none_of_demonstrate() -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["--tab"])


def test_an_unknown_task_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["harvest_1_dimond"]) == 2
    assert "harvest_1_diamond" in capsys.readouterr().err


@pytest.mark.parametrize("obstacle", ["63 waterlily", "64 leaves"])
def test_a_swimming_player_gets_through_lily_pads_and_under_leaves(obstacle: str) -> None:
    env = make(
        "open-ended", image_size=(1, 1), cam_interval=1, area=64, world_seed=1,
        generate_world_type="flat", flat_world_seed_string="3;7,56*1,6*9;1;", start_time=1000,
        allow_mob_spawn=False,
    )  # fmt: skip
    env.reset()
    player = Player(env, 1500)
    x, _, z = player.feet
    height, block = obstacle.split()
    row = f"fill {x - 8} {height} {z + 4} {x + 8} {height} {z + 5} {block}"
    for command in (row, "tp ~ 62 ~"):
        assert env.unwrapped.game.tick(STILL, command) == ""
    way = Paths(Ground(player, player.feet, 20), Costs(player)).find(
        player.feet, lambda cell: cell[2] >= z + 8, lambda cell: abs(z + 8.0 - cell[2])
    )
    assert way
    assert follow(player, way)
    env.close()


def test_the_script_walks_to_a_village_for_its_crops() -> None:
    player, obtaining = _player("harvest_8_beetroot")
    x, y, z = nearest_of(player, ["village"]) or (0, 0, 0)
    assert player.env.unwrapped.game.tick(STILL, f"tp {x + 60} {y + 30} {z}") == ""
    obtaining.go_where(obtaining.way("block:beetroots"))
    assert math.dist((x, z), player.feet[::2]) < NEAR


def test_the_script_does_not_fish_for_a_tripwire_hook() -> None:
    """The effort of a catch is how many it takes, so that what can be crafted is."""
    _, obtaining = _player("harvest_1_trapped_chest")
    assert obtaining.way("tripwire_hook").how == "craft"
    basket = np.searchsorted(FIRST, np.arange(len(CATCH)), side="right") - 1
    share = np.array((FISHES, JUNKS - FISHES, 1.0 - JUNKS))[basket]
    weight = np.bincount(basket, CATCH[:, 3])[basket]
    chance = dict.fromkeys(CATCH[:, 0].tolist(), 0.0)
    for row, one in zip(CATCH, share * CATCH[:, 3] / weight, strict=True):
        chance[int(row[0])] += one
    catches = [rule for rule in rules() if rule.how == "fish"]
    assert catches
    for rule in catches:
        assert rule.effort == pytest.approx(1.0 / chance[item_id(rule.gives)], rel=0.5)
