"""Minecraft's two namings: a name of the wrong kind is said, not searched for in vain."""

import ast

import pytest

from messages.program import CheckProgram, Program
from messages.world import Condition
from nodes.env_server.programs.checking import problems_of
from worlds.minecraft.card.conditions import CONDITIONS
from worlds.minecraft.card.language import LANGUAGE
from worlds.minecraft.play.runtime import RUNTIME


def said(line: str, kind: str = "action") -> list[tuple[int, str]]:
    body = f"    spot = {line}\n    attack()\n"
    source = f'NAME = "log"\n\n\ndef action(obs):\n{body}'
    if kind == "reward":
        source = f'NAME = "log"\n\n\ndef reward(before, obs):\n    return 1 if {line} else 0\n'
    check = CheckProgram(program=Program(name="p", source=source), kind=kind)  # type: ignore[arg-type]
    return [(problem.line, problem.message) for problem in problems_of(check, RUNTIME)]


WOOD = "log is an item; the block is called wood"
LOG = "wood is a block; the item is log"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('find(obs, "log")', WOOD),
        ('nearest(obs, "planks")', "planks is an item; the block is called wooden planks"),
        ('nearest(obs, "cow")', "cow is a mob and no block"),
        ('nearest_mob(obs, "wood")', "wood is a block and no mob"),
        ('find(obs, "diamond")', "diamond is an item; it comes from the block diamond ore"),
        ('obs.facing == "log"', WOOD),
        ('obs.facing == "cow"', "cow is a mob and no block"),
        ('look_out(obs, "log")', WOOD),
        ('obs.killed.get("wood", 0)', "wood is a block and no mob"),
        ('obs.block(0, -1, 0) != "log"', WOOD),
        ('equip("wood")', LOG),
        ('obs.inventory.get("wood", 0)', LOG),
        ('obs.inventory["wood"]', LOG),
        ('"wood" in obs.inventory', LOG),
        ('place("crafting table")', "crafting table is a block; the item is crafting_table"),
        ('find(obs, block="log")', WOOD),
        ('find(radius=4, block="log", obs=obs)', WOOD),
        ('nearest(obs, block="log")', WOOD),
        ('nearest_mob(obs, mob="wood")', "wood is a block and no mob"),
        ('look_out(obs, name="log")', WOOD),
        ('place_at(obs, item="grass block", dx=1, dy=0, dz=0)',
         "grass block is a block; the item is grass"),
        ('hold_for(obs, "log")', WOOD),
        ('hold_for(obs, block="log")', WOOD),
        ('gather_at(obs, "wood", 1, 0, 0)', LOG),
        ('gather_at(obs, dx=1, dy=0, dz=0, item="wood")', LOG),
        ('nearest(obs, "forest")', "forest is a biome and no block"),
        ('obs.facing == "tree"', "there is no block called 'tree'"),
        ('nearest_mob(obs, "sheap")', "there is no mob 'sheap'; did you mean sheep?"),
        ('look_out(obs, "no such thing")',
         "there is no block or mob called 'no such thing'"),
        ('craft("stik")', "there is no item 'stik'; did you mean stick or string?"),
        ('craft("quartz block")', "no item is called quartz block; it is quartz_block"),
    ],
)  # fmt: skip
def test_a_name_of_the_other_naming_is_a_problem_with_the_right_name(line: str, message: str):
    assert said(line) == [(5, message)]


def test_a_name_that_is_bound_once_is_a_problem_where_it_is_bound():
    assert said("find(obs, NAME) or nearest(obs, NAME)") == [
        (1, f"{WOOD}; NAME is used as a block in line 5")
    ]


@pytest.mark.parametrize(
    "line",
    [
        'hold_for(obs, "wood")',
        'gather_at(obs, "log", 1, 0, 0)',
        'find(obs, block="wood")',
        'find(obs, "wood")',
        'nearest(obs, "stone")',
        'obs.facing_mob == "cow"',
        'look_out(obs, "cow")',
        'obs.facing in ("wood", "log")',
        'obs.inventory.get("log", 0)',
        'equip("wooden_pickaxe")',
        'obs.held == ""',
    ],
)
def test_right_names_are_no_problem(line: str):
    assert said(line) == []


def test_a_helper_that_the_program_defines_itself_may_take_any_names():
    own = "\n\n\ndef gather_at(obs, block, dx, dy, dz):\n    return hold_for(obs, block)\n"
    source = "def action(obs):\n    gather_at(obs, 'wood', 1, 0, 0)\n" + own
    check = CheckProgram(program=Program(name="p", source=source))
    assert problems_of(check, RUNTIME) == []


def test_every_named_argument_is_one_that_the_stub_declares():
    stub = ast.parse(LANGUAGE.stub.read_text("utf-8"))
    declared = {
        node.name: [each.arg for each in node.args.args]
        for node in stub.body
        if isinstance(node, ast.FunctionDef)
    }
    for function, (place, keyword, kind) in LANGUAGE.named_arguments.items():
        assert declared[function][place] == keyword
        assert kind in LANGUAGE.naming
    # And none of its kind is left out.
    takes = {name for name, names in declared.items() if {"block", "item", "mob"} & set(names)}
    assert takes <= LANGUAGE.named_arguments.keys()


def test_names_in_code_rewards_are_checked_too():
    assert said('obs.facing == "log"', "reward") == [(5, WOOD)]


def test_problems_of_conditions_name_the_other_name():
    def problem(kind: str, name: str) -> str:
        return CONDITIONS.problem(Condition(kind=kind, name=name))

    assert problem("facing", "log") == WOOD
    assert problem("have", "wood") == LOG
    assert problem("near", "cow") == "cow is a mob and no block"
    assert problem("facing", "cow") == ""
    assert "did you mean" in problem("have", "wooden_pickax")
