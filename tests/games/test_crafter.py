"""Crafter: its world is reproducible, shows what its picture shows, and is played by programs."""

import ast
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np
import pytest

import worlds
from messages.chat import DecomposeQuestion, GuardQuestion
from messages.plan import GuardProposal, Iteration, Line, Samples, Subtask
from messages.program import CheckProgram, Program
from messages.verdict import Verdict
from messages.world import Condition, OpenSession, SeedRange, Task
from nodes.env_server.programs.checking import problems_of
from nodes.env_server.programs.condition import CodeCondition
from nodes.env_server.session import Session
from nodes.llm.rulebook.rulebook_backend import decompose, guard
from nodes.llm.rulebook.rules import Book
from worlds.card import Unreachable
from worlds.crafter.card.card_parts import COUNTERS
from worlds.crafter.card.crafter_names import ACHIEVEMENTS, ACTIONS, ITEMS, MATERIALS, VITALS
from worlds.crafter.card.language import LANGUAGE
from worlds.crafter.card.score import SCORE
from worlds.crafter.play.crafter_world import CrafterWorld
from worlds.crafter.play.new_world import make_world
from worlds.crafter.play.observation import Observation, way_onto, way_to
from worlds.crafter.play.sight import Creature

pytest.importorskip("crafter", reason="crafter is not installed: pip install '.[crafter]'")
CARD, PLAY = worlds.card("crafter"), worlds.play("crafter")
WOOD = Condition(kind="have", name="collect_wood")
TASK = Task(id="wood", prompt="wood", success=WOOD, game="crafter", horizon=300)


def digest(*how: str) -> str:
    module = "worlds.crafter.play.fingerprint"
    told = subprocess.run(
        [sys.executable, "-m", module, *how], capture_output=True, text=True, check=True
    )
    return told.stdout


def test_a_seed_is_the_same_episode_in_every_process_drawn_or_not() -> None:
    assert digest() == digest() == digest("drawn")


def test_looking_changes_no_later_picture_of_the_night() -> None:
    alone, watched = CrafterWorld(1), CrafterWorld(1)
    for world in (alone, watched):
        world.reset(np.zeros(1, np.int64), np.array([3]))
    for _ in range(190):
        for world in (alone, watched):
            world.step(np.zeros((1, 1), np.int64), np.ones(1, bool))
        watched.rgb(0, 240, 240)  # of a film, beside a policy that sees pictures
    assert alone.sight(0).daylight < 0.6  # from some 150 steps on the picture is noisy
    np.testing.assert_array_equal(alone.rgb(0), watched.rgb(0))
    np.testing.assert_array_equal(alone.rgb(0), alone.rgb(0))


def test_a_picture_begins_an_episode_as_a_look_does() -> None:
    pictured, looked = CrafterWorld(2), CrafterWorld(2)
    looked.sight(1)
    np.testing.assert_array_equal(pictured.rgb(1), looked.rgb(1))


def test_actions_that_are_no_whole_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="actions are whole numbers, not float64"):
        CrafterWorld(1).step(np.full((1, 1), 0.7), np.ones(1, bool))


def test_a_new_world_is_the_one_that_the_package_makes() -> None:
    """Ground, creatures in their order, and where the random stream stands afterwards."""
    import crafter
    from crafter import worldgen

    env = crafter.Env()
    for seed in range(25):
        world, made = env._world, []
        for make in (worldgen.generate_world, make_world):
            world.reset(seed)
            player = crafter.objects.Player(world, (32, 32))
            world.add(player)
            make(world, player)
            creatures = [(type(each).__name__, *each.pos.tolist()) for each in world.objects]
            made.append((world._mat_map.copy(), creatures, world.random.random_sample()))
        (ground, *rest), (same_ground, *same_rest) = made
        np.testing.assert_array_equal(ground, same_ground)
        assert rest == same_rest


def test_conditions_that_can_never_hold_are_refused() -> None:
    """The package holds at most 9 of an item, and has 22 achievements; each can be unlocked again
    and again."""
    most = {**dict.fromkeys(ITEMS, 9), "achievements": 22}
    for name in COUNTERS:
        limit = most.get(name, 10_000)
        fits = Condition(kind="have", name=name, quantity=limit)
        assert CARD.conditions.problem(fits) == ""
        assert CARD.conditions.problem(msgspec.structs.replace(fits, quantity=limit + 1))
    many = Condition(kind="have", name="wood", quantity=10)
    said = "there are never more than 9 wood, so 10 cannot be had"
    assert CARD.conditions.problem(many) == said


def test_no_plan_asks_for_more_of_an_item_than_the_player_holds() -> None:
    planned = CARD.planning.plan_for
    for name in COUNTERS:
        for quantity in (1, 2, 3):
            wanted = Condition(kind="have", name=name, quantity=quantity)
            try:
                plan = planned(wanted, {})
            except Unreachable:
                assert quantity > 1
                continue
            assert not [each for each in plan if CARD.conditions.problem(each.success)]
    with pytest.raises(Unreachable, match=r"12 wood are needed at once, .* holds at most 9"):
        planned(Condition(kind="have", name="iron_pickaxe", quantity=2), {})


def test_names_of_actions_materials_items_and_achievements_are_the_packages_own() -> None:
    from crafter import constants

    assert list(ACTIONS) == constants.actions
    assert list(MATERIALS[1:-1]) == constants.materials
    assert sorted(ACHIEVEMENTS) == sorted(constants.achievements)
    assert {*ITEMS, *VITALS} == set(constants.items)


def test_a_player_knows_where_it_is_by_counting_its_steps() -> None:
    world, chance = CrafterWorld(4), np.random.RandomState(1)
    world.reset(np.arange(4), np.arange(4))
    for _ in range(500):
        world.step(chance.randint(0, 7, (4, 1)), np.ones(4, bool))
        for row in range(4):
            x, y = world._games[row].player.pos
            assert world.sight(row).position == (x - 32, y - 32)


def test_cells_out_of_view_are_unknown_until_they_were_seen() -> None:
    world = CrafterWorld(1)
    seen = PLAY.programs.observe(PLAY.readings(world), frozenset()).row(0, 0)
    assert seen.cell(5, 0) == "unknown"
    before = seen.cell(4, 0)
    world.step(np.array([[ACTIONS.index("move_left")]]), np.ones(1, bool))
    seen = PLAY.programs.observe(PLAY.readings(world), frozenset()).row(0, 1)
    assert seen.position == (-1, 0)
    assert seen.cell(5, 0) in (before, "grass")  # beside the view now, and remembered
    assert seen.cell(100, 0) == "void"


def test_a_way_from_an_earlier_observation_begins_where_that_was_made() -> None:
    """A reward compares the ways of two steps: memory goes on with the player, and what is seen of
    creatures is relative to the place of its own step."""
    world = CrafterWorld(1)
    world.reset(np.array([0]), np.array([3]))
    memory = world.sight(0).memory
    memory.ground[:] = MATERIALS.index("grass")
    cow, zombie = Creature("cow", 4, 0), Creature("zombie", -4, 3)
    world._sights[0] = replace(world.sight(0), creatures=(cow, zombie))
    memory.cows[:] = False
    before = PLAY.programs.observe(PLAY.readings(world), frozenset()).row(0, 0)
    ask: list[tuple[Any, Any]] = [(way_to, ["cow"]), (way_to, ["zombie"]), (way_onto, [(5, 1)])]
    expected = [way(before, what) for way, what in ask]
    assert expected[0] is not None
    assert (expected[0].x, expected[0].y, expected[0].cost) == (4, 0, 3)
    for place in ((20, 40), (0, 0), (63, 63)):
        memory.x, memory.y = place
        assert [way(before, what) for way, what in ask] == expected
        assert (memory.x, memory.y) == place


@pytest.mark.parametrize(
    ("ground", "creature", "food", "cause"),
    [
        ("lava", None, 9, "lava"),
        ("grass", Creature("cow", 1, 0), 0, "hunger, thirst or lack of sleep"),
        ("grass", Creature("zombie", 0, 1), 9, "zombie"),
        ("grass", None, 0, "hunger, thirst or lack of sleep"),
        ("path", None, 9, "arrow"),  # it is gone once it has hit
    ],
)
def test_the_cause_of_a_death_is_what_was_there(
    ground: str, creature: Creature | None, food: int, cause: str
) -> None:
    world = CrafterWorld(1)
    world.reset(np.array([0]), np.array([3]))
    sight = world.sight(0)
    sight.memory.ground[sight.memory.x, sight.memory.y] = MATERIALS.index(ground)
    near = (Creature("cow", 0, -1),) if creature is None else (Creature("cow", 0, -1), creature)
    world._sights[0] = replace(sight, health=0, food=food, creatures=near)
    assert world.cause_of_death(0) == cause


def test_conditions_count_items_and_achievements() -> None:
    assert CARD.conditions.problem(WOOD) == ""
    assert "collect_wodo" in CARD.conditions.problem(Condition(kind="have", name="collect_wodo"))
    world = CrafterWorld(2)
    readings = PLAY.readings(world)
    start = (readings.counters()[0].copy(),)
    judge = PLAY.judge(WOOD, world)
    assert not judge.holds(readings, start, 0).any()
    counted = readings.counters()[0]
    counted[1, COUNTERS.index("collect_wood")] += 1
    readings.forget()
    assert (readings.counters()[0] == start[0]).all()
    with pytest.raises(ValueError, match="quantity is at least 1, not 0"):
        PLAY.judge(msgspec.structs.replace(WOOD, quantity=0), world)
    with pytest.raises(ValueError, match="Crafter has no condition near wood"):
        PLAY.judge(Condition(kind="near", name="wood"), world)


def test_guards_named_by_the_rules_exist_and_compile() -> None:
    book = Book("crafter")
    rules = book.rules.guards.values()
    named = {f"{rule.file}{part}.py" for rule in rules for part in ("", "_when")}
    named |= {rule.learned_when for rule in rules if rule.learned_when}
    assert named == {path.name for path in CARD.rulebook.guards.glob("*.py")}
    for approach in book.rules.subtasks.values():
        assert set(approach.guards) <= set(book.rules.guards)
    for name in book.rules.guards:
        proposal = GuardProposal(name=name, when=book.guard(name).when)
        made = guard(GuardQuestion(task=TASK, proposal=proposal))
        for source, kind in ((made.when, "when"), (made.source, "action")):
            program = Program(name=name, source=source)
            assert problems_of(CheckProgram(program=program, kind=kind), PLAY.programs) == []


def test_guards_are_proposed_beside_what_is_learned() -> None:
    subtask = Subtask(name="wood", success=WOOD)
    question = DecomposeQuestion(task=TASK, subtask=subtask, most_guards=6)
    coded = decompose(question)
    assert ([each.method for each in coded.sub_actions], coded.guards) == (["code"], [])
    learned = decompose(msgspec.structs.replace(question, methods=("rl", "code"), history=[
        Iteration(subtask="wood", number=0, stages=[], success_rate=0.0, episodes=1, seconds=0.0,
                  samples=Samples(), lines=[Line(sub_action=coded.sub_actions[0], attempts=1,
                  verdict=Verdict(success=False, success_rate=0.0, reason=""))])]))  # fmt: skip
    assert [each.method for each in learned.sub_actions] == ["rl"]
    names = ["fight back", "drink", "eat", "shelter", "sleep"]
    assert [each.name for each in learned.guards] == names
    few = decompose(msgspec.structs.replace(question, methods=("rl",), most_guards=2))
    assert few.guards == []  # none of them is by rl


@pytest.mark.parametrize(
    ("creature", "holds"),
    [(("zombie", 1, 0), True), (("zombie", 2, 0), False), (("arrow left", 3, 0), True),
     (("arrow right", 3, 0), False), (("arrow up", 0, 2), True), (("cow", 1, 0), False)],
)  # fmt: skip
def test_fighting_back_begins_with_what_is_about_to_hurt(
    creature: tuple[str, int, int], holds: bool
) -> None:
    source = (CARD.rulebook.guards / "fight_back_when.py").read_text()
    sight = SimpleNamespace(creatures=(Creature(*creature),), sleeping=False)
    world = SimpleNamespace(sight=lambda environment: sight)
    shown: Any = SimpleNamespace(readings=SimpleNamespace(world=world))
    seen = Observation(shown, 0, 0)
    assert CodeCondition(source, PLAY.programs).holds(seen) is holds


def test_every_goal_has_a_plan_and_programs_that_compile() -> None:
    for name in COUNTERS:
        goal = Condition(kind="have", name=name)
        plan = CARD.planning.plan_for(goal, {})
        assert plan[-1].success == goal
        assert CARD.planning.shortfalls(plan, {}) == []
    programs = list(CARD.rulebook.programs.glob("*.py"))
    assert programs
    for path in programs:
        program = Program(name=path.stem, source=path.read_text())
        assert problems_of(CheckProgram(program=program), PLAY.programs) == []


def test_the_stub_declares_every_primitive_function_and_helper_of_the_language() -> None:
    stub = ast.parse(CARD.language.stub.read_text())
    functions = {n.name: len(n.args.args) for n in stub.body if isinstance(n, ast.FunctionDef)}
    assert {name: functions[name] for name in LANGUAGE.primitives} == LANGUAGE.primitives
    assert LANGUAGE.functions | LANGUAGE.helpers <= functions.keys()
    assert set(PLAY.programs.functions) == LANGUAGE.functions


def test_a_program_of_minecraft_is_refused_with_one_sentence() -> None:
    source = "def action(obs):\n    obs = forward_attack()\n    craft('planks')\n"
    asked = CheckProgram(program=Program(name="dig", source=source))
    (problem,) = problems_of(asked, PLAY.programs)
    assert problem.message == (
        "this is a program for minecraft, which has forward_attack, and not for crafter"
    )


def test_a_program_collects_wood_in_a_session() -> None:
    world = PLAY.make_world("crafter", 2, TASK)
    opening = OpenSession(session="a", task=TASK, size=2, seeds=SeedRange(first=3, count=2))
    session = Session(opening, world)
    source = (CARD.rulebook.programs / "collect.py").read_text()
    steps, _ = session.run_program(Program(name="wood", source=source, max_steps=300))
    assert steps > 0
    assert [episode.success for episode in session.episodes()] == [True, True]
    session.close()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"world": {"size": 9}}, "the crafter world has no option size"),
        ({"inventory": {"wood": 1}}, "begins with an empty inventory"),
    ],
)
def test_a_task_with_an_unknown_option_or_an_inventory_is_refused(
    changed: dict[str, dict[str, str | int]], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        PLAY.make_world("crafter", 1, msgspec.structs.replace(TASK, **changed))


def test_the_score_is_the_published_geometric_mean_of_rates() -> None:
    assert SCORE.of(dict.fromkeys(ACHIEVEMENTS, 1.0)) == pytest.approx(100)
    assert SCORE.of(SCORE.rates([[], []])) == 0
    half = {name: float(number < 11) for number, name in enumerate(ACHIEVEMENTS)}
    assert SCORE.of(half) == pytest.approx(101**0.5 - 1)
    published = [each.score for each in SCORE.published]
    assert published == sorted(published)
    with pytest.raises(ValueError, match="no score without an episode"):
        SCORE.rates([])
