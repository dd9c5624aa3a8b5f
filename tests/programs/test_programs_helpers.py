"""The helpers of coded actions and the richer observations, in the embedded world."""

import numpy as np
import pytest

from messages.program import Program, ProgramReport
from messages.world import Condition, OpenSession, SeedRange, Task
from nodes.env_server.games import make_world
from nodes.env_server.programs import ProgramRefused, compile_program
from nodes.env_server.session import Session
from worlds.minecraft.play.readings import MOB_GRID
from worlds.minecraft.play.runtime import RUNTIME

SEEDS = 4


def play(
    source: str, inventory: dict[str, int] | None = None, **options: str
) -> list[ProgramReport]:
    """Run a program on a few seeds; it says with assert what must have come of it. ``options`` are
    the world's."""
    never = Condition(kind="have", name="dragon_egg")
    task = Task(id="t", prompt="", success=never, inventory=inventory or {}, horizon=4000)
    seeds = SeedRange(first=0, count=SEEDS)
    request = OpenSession(session="s", task=task, size=SEEDS, seeds=seeds)
    world = make_world("embedded", SEEDS, task, generate_world_type="flat", **options)
    session = Session(request, world)
    try:
        return session.run_program(Program(name="p", source=source, max_steps=1000))[1]
    finally:
        session.close()


def assert_works(reports: list[ProgramReport]) -> None:
    said = [f"{r.count} x {r.status} line {r.line}: {r.error}" for r in reports]
    assert [(r.status, r.count) for r in reports] == [("finished", SEEDS)], said


def test_walk_on_moves_ahead_for_at_least_its_steps() -> None:
    assert_works(
        play("""
def action(obs):
    x, _, z = obs.position
    obs = walk_on(obs, 20)
    assert hypot(obs.position[0] - x, obs.position[2] - z) > 3, obs.position
    assert 20 <= obs.steps <= 40, obs.steps
    before = obs.steps
    obs = walk_on(obs, 0)
    assert obs.steps == before
""")
    )


def test_look_at_turns_to_within_half_a_camera_bin() -> None:
    assert_works(
        play("""
def action(obs):
    for dx, dy, dz in [(5, 0, 0), (-3, 4, 2), (0, 0, -4), (1, -1, 0.5)]:
        obs = look_at(obs, dx, dy, dz)
        wrong = (degrees(atan2(-dx, dz)) - obs.yaw + 180) % 360 - 180
        assert abs(wrong) < 7.6, wrong
        wrong = -degrees(atan2(dy - 1.62, hypot(dx, dz))) - obs.pitch
        assert abs(wrong) < 7.6, wrong
    assert obs.steps <= 8
""")
    )


def test_roam_in_the_sea_swims_on() -> None:
    assert_works(
        play(
            """
def action(obs):
    for _ in range(20):
        obs = jump()
    assert obs.block(0, 0, 0) == "water", obs.block(0, 0, 0)
    x, _, z = obs.position
    obs = roam(obs, 96)
    assert hypot(obs.position[0] - x, obs.position[2] - z) > 5, obs.position
""",
            flat_world_seed_string="3;7,60*1,9*9;1;",
        )
    )


def test_walk_to_arrives_or_ends_at_its_step_limit() -> None:
    assert_works(
        play("""
def action(obs):
    x, y, z = obs.position
    obs = walk_to(obs, 5, -3)
    assert hypot(obs.position[0] - x - 5, obs.position[2] - z + 3) < 0.5, obs.position
    assert obs.steps < 60, obs.steps
    before = obs.steps
    obs = walk_to(obs, 50, 0, max_steps=10)
    assert obs.steps - before <= 11
""")
    )


def test_dig_at_digs_that_block_and_place_at_puts_one_there() -> None:
    assert_works(
        play(
            """
def action(obs):
    dx, dz = 1, 1
    obs = dig_at(obs, dx, -1, dz)
    assert obs.block(dx, -1, dz) == "air", obs.block(dx, -1, dz)
    obs = place_at(obs, "cobblestone", dx, -1, dz)
    assert obs.block(dx, -1, dz) == "cobblestone", obs.block(dx, -1, dz)
    obs = place_at(obs, "crafting_table", dx, 0, dz)
    assert obs.block(dx, 0, dz) == "crafting table", obs.block(dx, 0, dz)
    assert obs.nearby_table and not obs.nearby_furnace
    assert find(obs, "crafting table") == (dx, 0, dz)
    obs = equip("iron_shovel")
    assert obs.held == "iron_shovel" and obs.equipment[0] == "iron_shovel"
""",
            {"crafting_table": 1, "cobblestone": 2, "iron_shovel": 1},
        )
    )


def test_an_equipped_item_stays_in_its_slot() -> None:
    assert_works(
        play(
            """
def action(obs):
    obs = equip("iron_pickaxe")
    obs = equip("iron_helmet")
    assert obs.equipment[4] == "iron_helmet", obs.equipment
    before = obs
    obs = equip("iron_pickaxe")
    assert obs.held == "iron_pickaxe" and obs.inventory == before.inventory
    obs = equip("iron_helmet")
    assert obs.equipment == before.equipment and obs.inventory == before.inventory
    assert obs.steps == before.steps + 2
    destroy("iron_pickaxe")
    try:
        equip("iron_pickaxe")
    except ValueError as error:
        assert "no iron_pickaxe in the inventory to equip" in f"{error}", error
        return
    raise RuntimeError("no error")
""",
            {"iron_pickaxe": 1, "iron_helmet": 1, "dirt": 1},
        )
    )


def test_place_at_does_not_try_again_without_an_item() -> None:
    # A block may take the place of grass, so the cell still counts as free once grass grows there.
    assert_works(
        play(
            """
def action(obs):
    obs = place_at(obs, "tallgrass", 0, 0, 2)
    assert "tallgrass" not in obs.inventory
    try:
        place_at(obs, "tallgrass", 1, 0, 1)
    except ValueError as error:
        assert "no tallgrass in the inventory to place" in f"{error}", error
        return
    raise RuntimeError("no error")
""",
            {"tallgrass": 1},
        )
    )


def test_helpers_give_up_on_impossible_actions() -> None:
    assert_works(
        play("""
def action(obs):
    obs = dig_at(obs, 7, 3, 7)
    assert obs.steps < 20, obs.steps
    before = obs.steps
    obs = place_at(obs, "dirt", 0, 6, 0)
    assert obs.steps == before
    assert find(obs, "diamond ore") is None
    assert obs.light > 10 and obs.oxygen == 300, (obs.light, obs.oxygen)
    try:
        find(obs, "dimond" + " ore")  # a name that stands there is checked before it runs
    except ValueError as error:
        assert "diamond ore" in f"{error}", error
        return
    raise RuntimeError("no error")
""")
    )


def test_mobs_behind_blocks_are_not_seen() -> None:
    task = Task(
        id="t", prompt="", success=Condition(kind="have", name="dirt"), biome="plains", horizon=9
    )
    scene = {"generate_world_type": "flat", "initial_mobs": ["cow"] * 6}
    world = make_world("embedded", 16, task, **scene, initial_mob_range=8)
    world.reset(np.arange(16), np.arange(16))
    angles = np.radians(np.array(MOB_GRID, np.float32)).astype(np.float32)
    kinds, away = (each.copy() for each in world.mobs(angles, 20.0))
    _, walls = world.rays(angles, 20.0)
    assert (kinds > 0).any()
    assert (away[kinds > 0] <= walls[kinds > 0] + 1e-3).all()
    assert (away[kinds == 0] == 20.0).all()
    row = int(np.flatnonzero((kinds > 0).any(1))[0])
    few, ranges = world.mobs(angles, 20.0, np.array([row]))
    assert few.shape == ranges.shape == (1, len(MOB_GRID))
    np.testing.assert_array_equal(few[0], kinds[row])
    world.close()


def test_voxels_light_and_status_of_one_environment_equal_those_of_the_batch() -> None:
    task = Task(id="t", prompt="", success=Condition(kind="have", name="dirt"), horizon=9)
    world = make_world("embedded", 3, task)
    world.reset(np.arange(3), np.arange(3))
    every_row = world.voxels(5).copy()
    np.testing.assert_array_equal(world.voxels(5, np.array([2, 0])), every_row[[2, 0]])
    status = {name: value.copy() for name, value in world.status().items()}
    for row in range(3):
        seen = world.observation(row)
        assert status["oxygen"][row] == seen["life_stats"]["oxygen"][0]
        assert world.light()[row] == seen["location_stats"]["light_level"][0]
        assert bool(status["table"][row]) == bool(seen["nearby_tools"]["table"])
    world.close()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("look_at(obs, 1)", "look_at is called as look_at(obs, dx, dy, dz)"),
        ("walk_to(obs, 1, 2, steps=3)", "walk_to is called as walk_to(obs, dx, dz, max_steps=...)"),
        ("f = dig_at\n    attack()", "dig_at may only be called, not passed around"),
        ("walk_to = 3\n    attack()", "walk_to is a function of the API and cannot be assigned"),
        ("x = [dig_at(obs, 0, i, 0) for i in range(3)]", "cannot be called in a lambda"),
    ],
)
def test_wrong_calls_and_assignments_of_helpers_are_refused(line: str, words: str) -> None:
    with pytest.raises(ProgramRefused, match="line 2") as refused:
        compile_program(f"def action(obs):\n    {line}\n", RUNTIME)
    assert any(words in problem.message for problem in refused.value.problems)


def test_a_program_may_define_its_own_look_at_and_errors_name_its_own_lines() -> None:
    reports = play("""
def aim(obs, yaw, pitch):
    raise RuntimeError("the helpers' own must be called")

def look_at(obs, x):
    return turn(x)

def action(obs):
    obs = look_at(obs, 15)
    obs = dig_at(obs, 0, -1, 0, 5)
    obs = walk_to(obs, "far", 0)
""")
    assert [(r.status, r.line) for r in reports] == [("error", 11)], reports
    assert "TypeError" in reports[0].error
