"""The sums that a planner writes before its plan: they come out as the plan does."""

import json
import math
import re
from collections import defaultdict

import pytest

from messages.chat import PlanQuestion
from messages.world import Condition, Task
from nodes.common.questions.asking import render
from nodes.llm.examples.example import prompts_for
from nodes.llm.rulebook import rulebook_backend
from tests.planning.test_planning import NO_WAY, STARTS
from voxeldojo.rules import CRAFTS
from worlds import card
from worlds.minecraft.card.planning import PLANNING

_ENTRY = re.compile(
    r"(?P<item>\w+) (?P<parts>[\d+]+)(=(?P<total>\d+))?(, (?P<held>\d+) held, (?P<gain>\d+))?"
    r"(: (?P<takes>.+))?"
)
_TAKEN = re.compile(r"(?:(\d+)\*(\d+)=)?(\d+) (\w+)(?: burnt)?")
_TIMES = re.compile(r"(\d+)/(\d+)=(\d+)")


def have(item: str, quantity: int) -> Condition:
    return Condition(kind="have", name=item, quantity=quantity)


@pytest.mark.parametrize("inventory", STARTS, ids=lambda start: ",".join(start) or "nothing")
def test_the_sums_of_every_craft_add_up_to_the_quantities_of_its_plan(inventory: dict[str, int]):
    for craft in CRAFTS:
        if craft.item not in NO_WAY:
            check(have(craft.item, 7), inventory)


def check(goal: Condition, inventory: dict[str, int]) -> None:
    gains = PLANNING.gains(PLANNING.plan_for(goal, inventory))
    taken: defaultdict[str, list[int]] = defaultdict(list)
    read: list[tuple[str, int]] = []
    for text in PLANNING.sums(goal, inventory).split("; "):
        entry = _ENTRY.fullmatch(text)
        assert entry, text
        parts = [int(part) for part in entry["parts"].split("+")]
        total = int(entry["total"] or parts[0])
        assert sum(parts) == total, text
        # What is taken by the entries before, then what is kept or wanted.
        assert parts[: len(taken[entry["item"]])] == taken[entry["item"]], text
        if entry["held"]:
            assert total - int(entry["held"]) == int(entry["gain"]), text
        gain = int(entry["gain"] or total)
        for take in (entry["takes"] or "").split(", "):
            if product := _TAKEN.fullmatch(take):
                times, each, amount, item = product.groups()
                assert times is None or int(times) * int(each) == int(amount), text
                taken[item].append(int(amount))
            elif times := _TIMES.fullmatch(take):
                assert int(times[1]) == gain
                assert math.ceil(gain / int(times[2])) == int(times[3]), text
        read.append((entry["item"], gain))
    assert read[::-1] == gains


def test_sums_of_a_game_without_numbers_to_divide():
    diamonds = card("crafter").planning.sums(have("diamond", 1), {"wood": 1, "wood_pickaxe": 1})
    assert diamonds == (
        "diamond 1: iron_pickaxe; iron_pickaxe 1: 3 wood, 4 stone, 1 coal, 1 iron; "
        "iron 1: stone_pickaxe; stone_pickaxe 1: 3 wood, 1 stone; coal 1; stone 4+1=5; "
        "wood 3+3=6, 1 held, 5"
    )


def test_what_a_goal_takes_beside_itself_has_sums_of_its_own():
    fight = Condition(kind="killed", name="zombie", quantity=1)
    assert PLANNING.sums(fight, {}).startswith("stone_sword 1: ")
    assert PLANNING.sums(fight, {"iron_sword": 1}) == ""
    for item in ("bow", "stone_hoe"):
        check(Condition(kind="used", name=item), {"planks": 1})


@pytest.mark.parametrize("stated", [False, True])
def test_the_planners_example_is_the_rulebooks_answer(stated: bool):
    task = Task(id="ladder", prompt="make 2 ladders", success=have("ladder", 2), horizon=1000)
    question = PlanQuestion(task=task, inventory={"planks": 1}, quantities=stated)
    system, _ = render(prompts_for(question), question)
    example = json.loads(system.content.partition("```json\n")[2].partition("```")[0])
    answer = rulebook_backend.plan(question)
    assert example["thoughts"] == answer.thoughts
    assert bool(answer.thoughts) != stated
    assert [each["success"] for each in example["subtasks"]] == [
        {"kind": "have", "name": each.success.name, "quantity": each.success.quantity}
        for each in answer.subtasks
    ]
