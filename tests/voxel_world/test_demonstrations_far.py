"""Where the scripted player needs more than a tool: portals, nights, battles. The count of all."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from benchmarks import demonstrations as counting
from voxeldojo.demonstrations.demonstrate import Demonstration, demonstrate
from voxeldojo.demonstrations.digging_out import dig_out
from voxeldojo.demonstrations.dimensions import RIM, enter_nether, leave_nether
from voxeldojo.demonstrations.fighting import NIGHTFALL, duel, is_dark, look_after, slay
from voxeldojo.demonstrations.hand_work import DEEDS
from voxeldojo.demonstrations.hunting import kills, nearest_mob
from voxeldojo.demonstrations.obtaining import Obtaining
from voxeldojo.demonstrations.player import BLOCK_NAMES, NoWay, Player
from voxeldojo.engine.state import NETHER, OVERWORLD
from voxeldojo.game import STILL
from voxeldojo.minedojo_api import InventoryItem, make
from voxeldojo.obtainable.derivations import Rule
from voxeldojo.obtainable.oracle import worlds_of
from voxeldojo.tasks import task_ids, task_spec

NO_RULE = Rule("place:nether", (), "", True)


def flat(limit: int = 4000, **kwargs: Any) -> Player:
    """On 60 layers of dirt over bedrock."""
    env = make(
        "open-ended", image_size=(1, 1), cam_interval=1, area=64, world_seed=1, seed=1,
        generate_world_type="flat", flat_world_seed_string="3;7,60*3;1;",
        **{"allow_mob_spawn": False, "start_time": 1000, **kwargs},
    )  # fmt: skip
    env.reset()
    return Player(env, limit)


def give(player: Player, **items: int) -> None:
    for name, count in items.items():
        player.env.unwrapped.game.give(name, count, 0)


def tick(player: Player, *commands: str) -> None:
    for command in commands:
        assert player.env.unwrapped.game.tick(STILL, command) == ""


def obtaining(player: Player) -> Obtaining:
    return Obtaining(player, worlds_of(task_spec("harvest_1_netherrack"), engine=True)[0], DEEDS)


def test_the_script_builds_a_portal_and_goes_to_the_nether_and_back() -> None:
    player = flat()
    give(player, obsidian=RIM, flint_and_steel=1, diamond_pickaxe=1)
    at_work = obtaining(player)
    enter_nether(at_work, NO_RULE, 1)
    assert player.land == NETHER
    assert player.have("obsidian") == 0
    before = player.steps
    enter_nether(at_work, NO_RULE, 1)
    assert player.steps == before, "who is there already need not go"
    leave_nether(at_work, NO_RULE, 1)
    assert player.land == OVERWORLD
    player.env.close()


def test_the_script_changes_dimension_for_items_that_are_only_there() -> None:
    player = flat()
    give(player, obsidian=RIM, flint_and_steel=1, diamond_pickaxe=1)
    at_work = obtaining(player)
    at_work.obtain("netherrack", 2)
    assert player.land == NETHER
    at_work.go_where(at_work.way("block:log"))
    assert player.land == OVERWORLD
    player.env.close()


@pytest.mark.parametrize(
    ("token", "lacking"),
    [
        ("block:chorus_flower", "kill the dragon and throw a pearl into the gateway"),
        ("nether_star", "build it of 4 soul sand and 3 skulls"),
    ],
)
def test_a_task_without_a_script_is_refused_before_the_first_step(token: str, lacking: str) -> None:
    player = flat()
    give(player, obsidian=1, skull=3, soul_sand=4, iron_sword=1, cooked_beef=8)
    at_work = obtaining(player)
    way = at_work.way(token)
    with pytest.raises(NoWay, match=f"there is no script for this: {lacking}"):
        (at_work.go_where if ":" in token else partial(at_work.do, count=1))(way)
    assert player.steps == 0
    player.env.close()


def test_the_night_is_spent_in_a_hole() -> None:
    player = flat(limit=8000, start_time=NIGHTFALL + 1)
    player.between = lambda: look_after(player)
    height = player.feet[1]
    assert is_dark(player)
    with player.at_once():
        player.pause()
    assert is_dark(player), "what is urgent is not put off"
    player.pause()
    assert not is_dark(player)
    assert player.feet[1] < height
    player.env.close()


def test_the_script_digs_out_a_creeper_in_a_hole_and_kills_it() -> None:
    player = flat(start_time=14_000, initial_inventory=[InventoryItem("mainhand", "wooden_sword")])
    x, y, z = player.feet
    hole = f"{x + 6} {y - 4} {z} {x + 6} {y - 3} {z}"
    tick(player, f"fill {hole} air", f"summon creeper {x + 6} {y - 4} {z}")
    number = nearest_mob(player, "creeper")
    dig_out(player, number)
    assert player.feet[1] >= y - 1, "the player is at the top of the stair"
    duel(player, number)
    assert kills(player, "creeper") == 1
    assert float(player.body["life"]) == 20.0
    player.env.close()


def test_a_ghast_is_killed_by_its_own_fireball() -> None:
    player = flat(start_time=14_000, initial_inventory=[InventoryItem("mainhand", "iron_sword")])
    x, y, z = player.feet
    tick(player, f"summon ghast {x} {y + 6} {z + 12}")
    slay(player, "ghast")
    assert kills(player, "ghast") == 1
    player.env.close()


def test_a_mob_that_is_absent_and_does_not_spawn_is_reported_without_a_search() -> None:
    player = flat()
    with pytest.raises(NoWay, match="there is no ghast left, and none spawns in this world"):
        slay(player, "ghast")
    assert player.steps == 0
    player.env.close()


def test_a_swimming_player_remembers_where_it_was_last_ashore() -> None:
    player = flat()
    player.act()
    ashore = player.feet
    assert player.ashore == ashore
    x, y, z = player.feet
    tick(player, f"fill {x} {y - 1} {z + 2} {x} {y - 1} {z + 6} water")
    for _ in range(20):
        player.look_at(x + 0.5, player.eyes[1], z + 20.0)
        player.act(move=1)
    assert BLOCK_NAMES[player.block(player.feet)] in ("water", "flowing_water")
    assert player.ashore is not None
    assert player.ashore != player.feet
    assert abs(player.ashore[2] - ashore[2]) <= 2
    player.env.close()


def test_the_drawn_ids_are_distinct_and_the_same_for_the_same_seed() -> None:
    drawn = counting.draw(131, 131)
    assert drawn == counting.draw(131, 131)
    assert len(set(drawn)) == 131
    assert set(drawn) <= set(task_ids("programmatic"))
    assert drawn != counting.draw(131, 132)
    assert drawn[:3] == [
        "harvest_1_fence_with_crafting_table",
        "harvest_1_monster_egg",
        "techtree_from_wood_to_stone_axe",
    ]


def test_a_count_continues_from_its_kept_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "kept.jsonl"
    done = Demonstration(counting.draw(1, 131)[0], 1, True, 204, 0, 1.0)
    file.write_text(json.dumps(
        {name: getattr(done, name) for name in done.__struct_fields__}
    ) + "\n")  # fmt: skip
    assert counting.main(["--ids", "2", "--keep", str(file)]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out == [
        out[0],
        "1 of 2 were done.",
        "* `harvest_1_monster_egg`: nothing gives monster_egg",
    ]
    assert out[0].endswith("harvest_1_monster_egg: not done: nothing gives monster_egg.")
    assert len(file.read_text().splitlines()) == 2


def test_tasks_that_took_few_steps_go_first() -> None:
    before = {
        "b": Demonstration("b", 1, True, 900, 0, 1.0),
        "c": Demonstration("c", 1, True, 20, 0, 1.0),
        "d": Demonstration("d", 1, False, 10, 0, 1.0, "it is dark"),
    }
    assert counting.cheapest_first(["d", "a", "b", "c"], before) == ["c", "b", "a", "d"]
    assert counting.cheapest_first(["b", "a"], {}) == ["b", "a"]


@pytest.mark.parametrize("wrong", [["--ids", "0"], ["--jobs", "0"], ["harvest_1_dimond"]])
def test_a_count_that_cannot_be_made_is_refused(
    wrong: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        counting.main(wrong)
    assert "error: " in capsys.readouterr().err


def test_a_file_of_results_that_cannot_be_used_is_refused_before_anything_is_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text("{}\n", "utf-8")
    missing = tmp_path / "missing" / "kept.jsonl"
    for option, file, why in (
        ("--keep", missing, "cannot be written: No such file or directory"),
        ("--keep", tmp_path, "cannot be written: Is a directory"),
        ("--keep", broken, ", line 1 is no result"),
        ("--order", missing, "cannot be read: No such file or directory"),
        ("--order", broken, ", line 1 is no result"),
    ):
        with pytest.raises(SystemExit, match="2"):
            counting.main(["--ids", "1", option, str(file)])
        assert f"error: {file}{' ' * (why[0] != ',')}{why}" in capsys.readouterr().err
    assert broken.read_text("utf-8") == "{}\n"


@pytest.mark.slow
def test_the_script_gets_netherrack_from_bare_hands() -> None:
    played = demonstrate("harvest_1_netherrack", seed=1)
    assert played.success, played.reason
