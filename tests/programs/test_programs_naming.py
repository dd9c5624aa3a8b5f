"""Minecraft's two namings: a name of the wrong kind is said, not searched for in vain."""

import pytest

from messages.program import CheckProgram, Program
from messages.world import Condition
from nodes.env_server.programs.checking import problems_of
from worlds.minecraft.card.conditions import CONDITIONS
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
        'find(obs, "wood")',
        'nearest(obs, "stone")',
        'obs.facing_mob == "cow"',
        'look_out(obs, "cow")',
        'obs.facing in ("wood", "log")',
        'obs.inventory.get("log", 0)',
        'equip("wooden_pickaxe")',
        'find(obs, "no such thing")',
        'obs.held == ""',
    ],
)
def test_right_and_unknown_names_are_no_problem(line: str):
    assert said(line) == []


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
