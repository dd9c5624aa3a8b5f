"""What the helpers and the program for mining do about bedrock, caves and lava."""

import msgspec

from messages.program import Program
from messages.world import Condition, OpenSession, SeedRange, Task
from nodes.env_server.games import make_world
from nodes.env_server.session import Session
from nodes.llm.rulebook.rules import Book

SEEDS = 4
ROCK = "3;minecraft:bedrock,70*minecraft:stone,minecraft:grass;1;"  # one stands at y 72
TOP = (0.5, 72.0, 0.5, 0.0, 0.0)
TASK = Task(
    id="t",
    prompt="",
    success=Condition(kind="have", name="diamond"),
    inventory={"iron_pickaxe": 1},
    horizon=1500,
)


def cuboid(x: int, y: int, z: int, to_x: int, to_y: int, to_z: int, block: str) -> str:
    return (
        f'<DrawCuboid x1="{x}" y1="{y}" z1="{z}" x2="{to_x}" y2="{to_y}" z2="{to_z}" '
        f'type="{block}"/>'
    )


def played(task: Task, source: str, drawing: str) -> Session:
    """A program on a flat world of rock in which something is drawn."""
    world = make_world(
        "embedded",
        SEEDS,
        task,
        generate_world_type="flat",
        flat_world_seed_string=ROCK,
        drawing_str=drawing,
        start_position=TOP,
    )
    seeds = SeedRange(first=5000, count=SEEDS)
    session = Session(OpenSession(session="s", task=task, size=SEEDS, seeds=seeds), world)
    reports = session.run_program(Program(name="p", source=source, max_steps=task.horizon))[1]
    errors = [f"line {each.line}: {each.error}" for each in reports if each.error]
    assert not errors, errors
    return session


def assert_works(source: str, drawing: str) -> None:
    """The program says with assert what must have come of it."""
    session = played(msgspec.structs.replace(TASK, horizon=3000), source, drawing)
    assert {each.ended for each in session.episodes()} == {"running"}, session.endings()
    session.close()


def successes(drawing: str) -> int:
    session = played(TASK, Book().program("mine_down.py", TASK.success, TASK.inventory), drawing)
    won = sum(each.success for each in session.episodes())
    session.close()
    return won


def test_what_lies_behind_bedrock_is_given_up():
    """It was struck for as long as the call may take."""
    assert_works(
        """
def action(obs):
    obs = dig_at(obs, 2, -3, 0)
    assert obs.steps < 100, obs.steps
""",
        cuboid(-4, 70, -4, 4, 71, 4, "bedrock"),
    )


def test_sink_steps_to_the_side_of_a_cave_that_runs_along_the_line_of_sight():
    assert_works(
        """
def action(obs):
    for _ in range(6):
        obs = sink(obs)
    assert obs.position[1] < 69, obs.position
    assert obs.life == 20
""",
        cuboid(-1, 55, -30, 1, 70, 30, "air"),
    )


def test_who_is_unhurt_falls_five_metres_into_a_cave():
    assert_works(
        """
def action(obs):
    obs = sink(obs)
    for _ in range(15):
        obs = noop()
    assert 65 < obs.position[1] < 67, obs.position
    assert obs.life >= 17, obs.life
""",
        cuboid(-6, 66, -6, 6, 70, 6, "air"),
    )


def test_an_ore_over_a_pit_of_lava_is_not_dug_from_above():
    """It lies under the feet; the ground that was dug on the way to it was one's own."""
    ores = cuboid(0, 69, 0, 0, 69, 0, "diamond_ore") + cuboid(6, 70, 0, 6, 70, 0, "diamond_ore")
    pit = cuboid(-1, 66, -1, 1, 68, 1, "air") + cuboid(-1, 63, -1, 1, 65, 1, "lava")
    assert successes(pit + ores) == SEEDS


def test_a_vein_that_cannot_be_reached_is_left_for_another_one():
    """Each of its blocks was tried twice, and one went away in between."""
    cut_off = cuboid(-6, 68, -2, -2, 71, 2, "bedrock")
    vein = cuboid(-5, 69, -1, -3, 70, 1, "diamond_ore")
    other = cuboid(3, 66, 6, 3, 66, 6, "diamond_ore")
    assert successes(cut_off + vein + other) == SEEDS
