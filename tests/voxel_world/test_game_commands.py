"""Chat commands: who they are for, from where they count, and /execute."""

import math
import time

import numpy as np
import pytest

from voxeldojo.game import STILL, Game
from voxeldojo.game.commands import perform
from voxeldojo.rules.mobs import MOB_IDS

STONE, LEAVES, TALL_GRASS, WATER, FIRE = 1, 18, 31, 9, 51


@pytest.fixture
def stage(game: Game) -> Game:
    """A stone floor at y 63 without anybody but the player, at noon."""
    game.reset(5)
    state, player = game.world.state, game.player
    state.blocks[0] = state.meta[0] = 0
    state.blocks[0, :, :, 63] = STONE
    state.mobs[0]["kind"] = 0
    state.settings[0]["mobs_spawn"] = 0
    player["mobs"] = 0
    game.move_to(player["west"] + 64.5, 64.0, player["north"] + 64.5)
    return game


def place(game: Game) -> tuple[float, float, float]:
    player = game.player
    return float(player["x"]), float(player["y"]), float(player["z"])


def mobs(game: Game, kind: str) -> list[tuple[float, float, float]]:
    rows = game.world.state.mobs[0]
    return [
        (float(row["x"]), float(row["y"]), float(row["z"]))
        for row in rows[rows["kind"] == MOB_IDS[kind]]
    ]


def test_execute_counts_from_where_its_target_is(stage: Game) -> None:
    x, y, z = place(stage)
    assert perform(stage, "summon cow ~5 ~ ~-3") == ""
    assert perform(stage, "/execute @e[type=cow] ~1 ~2 ~ /setblock ~ ~ ~ stone") == ""
    cell = math.floor(x + 6.0), math.floor(y + 2.0), math.floor(z - 3.0)
    assert stage.block_at(*cell) == (STONE, 0)


def test_execute_runs_its_command_for_each_entity_that_is_selected(stage: Game) -> None:
    for east in (2, 4, 6):
        perform(stage, f"summon cow ~{east} ~ ~")
    assert perform(stage, "execute @e[type=cow] ~ ~ ~ summon chicken ~ ~ ~3") == ""
    cows, chickens = mobs(stage, "cow"), mobs(stage, "chicken")
    assert sorted((x, z + 3.0) for x, _, z in cows) == sorted((x, z) for x, _, z in chickens)
    assert len(chickens) == 3


def test_an_inner_execute_counts_from_the_place_of_the_outer_one(stage: Game) -> None:
    x, y, z = place(stage)
    command = "execute @p ~ ~10 ~ execute @e[type=!player,c=1] ~ ~1 ~ setblock ~ ~ ~ stone"
    assert "found nothing" in perform(stage, command)
    perform(stage, "summon cow ~3 ~ ~")
    assert perform(stage, command) == ""
    assert stage.block_at(math.floor(x + 3.0), math.floor(y + 1.0), math.floor(z)) == (STONE, 0)


@pytest.mark.parametrize(
    ("block", "meta", "asked", "done"),
    [
        (LEAVES, 5, "minecraft:leaves -1", True),
        (LEAVES, 5, "leaves *", True),
        (LEAVES, 5, "leaves 5", True),
        (LEAVES, 5, "leaves 4", False),
        (LEAVES, 5, "18 -1", True),
        (STONE, 0, "minecraft:leaves -1", False),
    ],
)
def test_detect_looks_at_the_block(
    stage: Game, block: int, meta: int, asked: str, done: bool
) -> None:
    x, y, z = (math.floor(value) for value in place(stage))
    stage.put(x, y - 1, z, block, meta)
    refused = perform(stage, f"execute @p ~ ~ ~ detect ~ ~-1 ~ {asked} time set 17000")
    assert (refused == "") == done == (stage.time == 17000)
    if not done:
        assert f"failed to detect as MineDojoAgent0: at {x} {y - 1} {z} is" in refused


def test_the_teleport_of_mcenv_moves_the_player_only_off_a_tree(stage: Game) -> None:
    """As its fast reset gives it: off a tree's top, but only off a tree's top."""
    x, y, z = (math.floor(value) for value in place(stage))
    line = (
        "/execute @p ~ ~ ~ execute @p ~ ~ ~ detect ~ ~-1 ~ minecraft:leaves -1"
        f" spreadplayers {x} {z} 11.73250119 12.73250119 false @p"
    )
    assert "failed to detect" in perform(stage, line)
    assert place(stage)[0] == x + 0.5
    stage.put(x, y - 1, z, LEAVES, 0)
    assert perform(stage, line) == ""
    there = place(stage)
    assert there[1] == 64.0
    assert 0.0 < max(abs(there[0] - x - 0.5), abs(there[2] - z - 0.5)) <= 13.3


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ("execute", "it needs"),
        ("execute @p ~ ~ ~", "it needs"),
        ("execute @p ~ ~ ~ fly", "no command fly"),
        ("execute @e[type=unicorn] ~ ~ ~ kill", "no mob unicorn"),
        ("execute @e[team=red] ~ ~ ~ kill", "not team=red"),
        ("execute @e[type=cow] ~ ~ ~ kill", "found nothing"),
        ("execute Herobrine ~ ~ ~ kill", "no Herobrine"),
        ("execute @p x ~ ~ kill", "no coordinate"),
        ("execute @p ~ ~ ~ detect ~ ~-1 ~ cheese -1 kill", "no block cheese"),
        ("execute @p ~ ~ ~ detect ~ ~-1 ~ stone variant=granite kill", "no count"),
        ("execute @p ~ ~ ~ detect ~999 ~-1 ~ stone -1 kill", "not loaded"),
        ("spreadplayers ~ ~ -1 20 false @p", "at least 0"),
        ("spreadplayers ~ ~ 5 5.5 false @p", "at least 6"),
        ("spreadplayers ~ ~ 0 20 maybe @p", "not true or false"),
        ("spreadplayers ~ ~ 0 1e99 false @p", "too big"),
        ("tp @p ~5 ~ ~ north ~", "north is no coordinate"),
        ("tp @p ~5 ~ ~ ~ down", "down is no coordinate"),
        ("setblock ~ ~-1 ~ leaves 0 keep", "is a block"),
        ("setblock ~ ~-1 ~ leaves 0 destroy", "it needs"),
        ("setblock ~ ~-1 ~ leaves 0 replace {}", "it needs"),
        ("clear @p log 0 1 {}", "it needs"),
        ("clear @p log oak", "oak is no count"),
        ("give @p log 1 0 {}", "it needs"),
        ("replaceitem entity @p slot.hotbar.0 log 1 0 {}", "it needs"),
        ("kill " + "x" * 300, "256 letters"),
    ],
)
def test_commands_that_fail_are_reported_and_change_nothing(
    stage: Game, wrong: str, why: str
) -> None:
    stage.set_slot(0, "log", 3, 0)
    before = place(stage), float(stage.player["life"]), stage.held()
    blocks = stage.world.state.blocks.copy()
    refused = perform(stage, wrong)
    assert why in refused
    assert refused.startswith(f"`{wrong[:80]}` was not done: ")
    assert (place(stage), float(stage.player["life"]), stage.held()) == before
    assert np.array_equal(stage.world.state.blocks, blocks)


def test_a_mob_that_gives_a_command_for_itself_must_name_for_whom(stage: Game) -> None:
    perform(stage, "summon cow ~3 ~ ~")
    assert "must name the player" in perform(stage, "execute @e[type=cow] ~ ~ ~ kill")
    assert "must name the player" in perform(stage, "execute @e[type=cow] ~ ~ ~ tp ~ ~1 ~")
    assert perform(stage, "execute @e[type=cow] ~ ~ ~ kill @e[type=cow,r=1]") == ""
    assert not mobs(stage, "cow")
    assert stage.player["life"] > 0.0


def test_nested_execute_commands_end_at_a_limit(stage: Game) -> None:
    for number in range(40):
        perform(stage, f"summon cow ~{number % 8} ~ ~{number // 8}")
    begun = time.process_time()  # not what other processes take
    said = perform(stage, "execute @e ~ ~ ~ " * 13 + "time add 1")
    assert "too many" in said
    for command in (
        "execute @e ~ ~ ~ execute @e ~ ~ ~ fill ~-9 70 ~-9 ~9 90 ~9 stone",
        "execute @e ~ ~ ~ execute @e ~ ~ ~ spreadplayers ~ ~ 0 3 false @e",
    ):
        assert "too many" in perform(stage, command)
    assert time.process_time() - begun < 60.0


def test_spread_players_stand_apart_on_dry_ground(stage: Game) -> None:
    x, _, z = (math.floor(value) for value in place(stage))
    last = stage.world.state.blocks.shape[1] - 1
    for east in range(-30, 31):
        for south in range(-30, 31):
            block = (STONE, WATER, FIRE)[(east + south) % 3]
            stage.world.state.blocks[0, (x + east) & last, (z + south) & last, 63] = block
    for _ in range(4):
        perform(stage, "summon cow ~ ~ ~")
    assert perform(stage, f"spreadplayers {x} {z} 4 20 false @p @e[type=cow]") == ""
    stood = [place(stage), *mobs(stage, "cow")]
    assert len(stood) == 5
    for number, one in enumerate(stood):
        assert one[1] == 64.0
        assert abs(one[0] - x) <= 21.0
        assert (math.floor(one[0]) - x + math.floor(one[2]) - z) % 3 == 0
        for other in stood[:number]:
            assert math.dist(one, other) > 2.5  # each in the middle of its column


def test_selectors_take_radius_count_and_box(stage: Game) -> None:
    for east in (2, 6, 20):
        perform(stage, f"summon cow ~{east} ~ ~")
    assert perform(stage, "kill @e[type=cow,r=8,rm=4]") == ""
    assert len(mobs(stage, "cow")) == 2
    assert perform(stage, "kill @e[type=cow,c=-1]") == ""  # the farthest
    x, y, z = (math.floor(value) for value in place(stage))
    [(left, _, _)] = mobs(stage, "cow")
    assert left < x + 4
    assert "found nothing" in perform(
        stage, f"kill @e[type=cow,x={x + 5},y={y},z={z},dx=3,dy=1,dz=1]"
    )
    assert perform(stage, f"kill @e[type=cow,x={x + 1},y={y},z={z},dx=3,dy=1,dz=1]") == ""
    assert not mobs(stage, "cow")


def test_kill_of_items_removes_drops_and_spares_the_player(stage: Game) -> None:
    stage.give("log", 5, 0)
    perform(stage, "summon cow ~3 ~ ~")
    perform(stage, "kill @e[type=cow]")
    drops = stage.world.state.drops[0]
    drops[0]["item"], drops[0]["count"] = 1, 1
    drops[0]["x"], drops[0]["y"], drops[0]["z"] = place(stage)
    stage.player["drops"] = max(1, int(stage.player["drops"]))
    assert perform(stage, "kill @e[type=item]") == ""
    assert not drops["count"].any()
    assert stage.player["life"] > 0.0


def test_tp_puts_whole_numbers_into_a_blocks_middle(stage: Game) -> None:
    x, _, z = (math.floor(value) for value in place(stage))
    assert perform(stage, f"tp {x + 3} 64 {z} 90 ~10") == ""
    assert place(stage) == (x + 3.5, 64.0, z + 0.5)
    assert float(stage.player["yaw"]) == 90.0
    stage.tick(STILL, "tp @p ~ ~ ~-2.25")
    assert np.isclose(place(stage)[2], z - 1.75)


def test_a_game_rule_ends_with_its_episode(stage: Game) -> None:
    """An episode depends on its seed alone, whatever was said in the one before."""
    stage.reset(5)
    rules = stage.world.state.settings.copy()
    for rule in ("doDaylightCycle", "doMobSpawning", "doWeatherCycle"):
        assert perform(stage, f"gamerule {rule} false") == ""
    assert (stage.world.state.settings != rules).all()
    stage.reset(5)
    assert (stage.world.state.settings == rules).all()


@pytest.mark.parametrize("wrong", ["~ ~-100 ~", "~5 256 ~", "~5 -0.1 ~", "~5 64 x"])
def test_a_start_outside_the_world_is_refused_and_the_old_one_stays(
    stage: Game, wrong: str
) -> None:
    assert perform(stage, "spawnpoint @p ~3 ~ ~") == ""
    before = [float(stage.player[f"spawn_{axis}"]) for axis in "xyz"]
    assert before[0] == place(stage)[0] + 3.0
    assert "was not done" in perform(stage, f"spawnpoint @p {wrong}")
    assert [float(stage.player[f"spawn_{axis}"]) for axis in "xyz"] == before


def test_no_player_is_spread_onto_plants_with_nothing_below(stage: Game) -> None:
    state = stage.world.state
    state.blocks[0, :, :, 63] = TALL_GRASS
    before = place(stage)
    x, _, z = (math.floor(value) for value in before)
    assert "there is no place" in perform(stage, f"spreadplayers {x} {z} 0 5 false @p")
    assert place(stage) == before
    state.blocks[0, :, :, 62] = STONE
    assert perform(stage, f"spreadplayers {x} {z} 0 5 false @p") == ""
    assert place(stage)[1] == 63.0


def test_setblock_keeps_what_is_there_if_it_is_told_to(stage: Game) -> None:
    x, y, z = (math.floor(value) for value in place(stage))
    assert perform(stage, "setblock ~ ~2 ~ leaves 1 keep") == ""
    assert stage.block_at(x, y + 2, z) == (LEAVES, 1)
    assert "is a block" in perform(stage, "setblock ~ ~2 ~ stone 0 keep")
    assert stage.block_at(x, y + 2, z) == (LEAVES, 1)
    assert perform(stage, "setblock ~ ~2 ~ stone 0 replace") == ""
    assert stage.block_at(x, y + 2, z) == (STONE, 0)


def test_absorption_that_a_command_ends_protects_no_longer(stage: Game) -> None:
    assert perform(stage, "effect @p absorption 100") == ""
    assert stage.player["absorption"] == 4.0
    assert perform(stage, "effect @p absorption 0") == ""
    assert stage.player["absorption"] == 0.0
