"""How the stock's programs explore: out of caves, and off islands."""

from math import hypot

from messages.program import Program
from messages.world import Condition, OpenSession, SeedRange
from nodes.env_server.games import make_world
from nodes.env_server.session import Session
from nodes.llm.rulebook.rules import Book
from tests.programs.test_programs_goals import assert_works, named

HARD_ROCK = "3;7,60*1,2*3,2;1;"  # a flat world of stone under a meadow

# Down a stair of twenty steps, into the dark, where the pickaxe is thrown away.
INTO_THE_DARK = """
def action(obs):
    been = {}
    obs = explore(obs, 3, been)
    for _ in range(20):
        for dy in (1, 0, -1):
            if obs.block(1, dy, 0) != "air":
                obs = dig_at(obs, 1, dy, 0)
        x, _, z = obs.position
        obs = walk_to(obs, floor(x) + 1.5 - x, floor(z) + 0.5 - z)
    obs = destroy("diamond_pickaxe")
    assert obs.light < 8, obs.light
    begun = obs.steps
    while obs.light < 8:
        assert obs.steps < begun + 200, (obs.steps - begun, obs.position)
        obs = explore(obs, 1, been)
"""


def test_one_leaves_a_cave_by_the_way_that_led_into_it() -> None:
    """By hand, to dig up through twenty blocks of stone takes 3,000 steps."""
    assert_works(
        INTO_THE_DARK,
        {"diamond_pickaxe": 1},
        flat_world_seed_string=HARD_ROCK,
        start_position=(0.5, 64.0, 0.5, 0.0, 0.0),
    )


def test_a_hunter_leaves_a_small_island_though_no_other_land_is_in_sight() -> None:
    """From each of its shores its meadow was in sight, and drew one back."""
    task = named("harvest_1_chicken")
    source = Book().program("hunt.py", Condition(kind="have", name="beef"), {})
    world = make_world("embedded", 1, task)
    request = OpenSession(session="s", task=task, size=1, seeds=SeedRange(first=900_003, count=1))
    session = Session(request, world)
    try:
        x, _, z = session.episodes()[0].after.position
        session.run_program(Program(name="p", source=source, max_steps=1500))
        there = session.episodes()[0].after.position
    finally:
        session.close()
    assert hypot(there[0] - x, there[2] - z) > 40, there
