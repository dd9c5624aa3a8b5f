"""The schema of an answer allows what the question offers and the agents' checks accept, and no
list or text without an end."""

import json
import math
import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from messages.chat import SpecQuestion, TriedNote
from messages.plan import SubAction
from nodes.common.questions.asking import render
from nodes.llm.answers.answer_bounds import without_prose_bounds
from nodes.llm.answers.answer_schema import answer_schema
from nodes.llm.examples.example import question_of
from nodes.llm.lessons.lessons import lessons
from nodes.llm.prompt_pages import samples
from tests.agent_stack import LOG, TASK
from tests.bus_processes import ROOT
from worlds import card

DIG = SubAction(name="dig", method="rl", success=LOG)
QUESTION = SpecQuestion(task=TASK, sub_action=DIG, observations=["rays"], actions=["attack"])


def test_schemas_are_strict_all_the_way_down():
    schema = answer_schema(SpecQuestion(task=TASK, sub_action=DIG))
    assert schema["type"] == "object"
    for part in [schema, *schema["$defs"].values()]:
        assert part["additionalProperties"] is False
        assert part["required"] == list(part["properties"])
        assert all("default" not in field for field in part["properties"].values())


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    """Each object in a schema."""
    if isinstance(schema, dict):
        yield schema
    for part in schema.values() if isinstance(schema, dict) else schema:
        if isinstance(part, dict | list):
            yield from parts(part)


def beyond(value: Any, schema: dict[str, Any], parts: dict[str, Any]) -> Iterator[str]:
    """The names of the fields whose text or list is longer than the schema allows."""
    schema = parts[schema["$ref"].split("/")[-1]] if "$ref" in schema else schema
    if isinstance(value, dict):
        for name, part in value.items():
            field = schema["properties"][name]
            longest = field.get("maxItems" if isinstance(part, list) else "maxLength", math.inf)
            if isinstance(part, list | str) and len(part) > longest:
                yield name
            yield from beyond(part, field, parts)
    elif isinstance(value, list):
        for part in value:
            yield from beyond(part, schema["items"], parts)


@pytest.mark.parametrize("name", sorted(samples()))
def test_every_list_and_text_has_an_end(name: str):
    _, question = samples()[name]
    found = answer_schema(question)
    for part in parts(found):
        if part.get("type") == "array":
            assert "maxItems" in part
        elif part.get("type") == "string":
            assert part.keys() & {"maxLength", "enum", "pattern"}, part
    # Hosted servers refuse this one.
    assert "maxLength" in str(found)
    assert "maxLength" not in str(without_prose_bounds(found))


@pytest.mark.parametrize("name", ["ProgramQuestion", "GuardQuestion"])
def test_a_program_is_not_empty_where_the_schema_holds(name: str):
    found = answer_schema(samples()[name][1])
    assert found["properties"]["source"]["minLength"] == len("def action(obs):\n    use()")
    assert "minLength" not in str(without_prose_bounds(found))


def test_a_guard_by_rl_has_no_program():
    """Its prompt asks for an empty ``source``; text that must be there goes on until it is cut."""
    _, question = samples()["GuardQuestion"]
    by_rl = msgspec.structs.replace(
        question, proposal=msgspec.structs.replace(question.proposal, method="rl")
    )
    source = answer_schema(by_rl)["properties"]["source"]
    assert source["maxLength"] == 0
    assert "minLength" not in source


def test_each_of_the_rulebooks_answers_is_within_the_bounds():
    """A copy of a longer one would be cut in the middle of its code."""
    counts = {"DecomposeQuestion": 30, "ProgramQuestion": 200, "SpecQuestion": 30}
    for each in lessons(counts, seed=1, held_out=True):
        schema = answer_schema(question_of(each))
        assert list(beyond(json.loads(each.answer), schema, schema.get("$defs", {}))) == []


def test_schemas_bound_lists_by_the_question():
    _, plan = samples()["PlanQuestion"]
    assert answer_schema(plan)["properties"]["subtasks"]["minItems"] == 1
    _, decompose = samples()["DecomposeQuestion"]
    few = msgspec.structs.replace(decompose, most_sub_actions=2)
    assert answer_schema(few)["properties"]["sub_actions"]["maxItems"] == 2


def test_a_schema_offers_what_there_is_to_choose_from():
    tried = TriedNote(name="dig_1", sub_action="dig", success=LOG, rate=0.5, episodes=20)
    question = msgspec.structs.replace(QUESTION, programs=[tried])
    offered = answer_schema(question)["properties"]
    assert offered["observations"]["items"]["enum"] == ["rays"]
    assert allows(offered["actions"], "attack")
    assert not allows(offered["actions"], "jump")
    assert offered["clone"]["items"]["enum"] == ["dig_1"]
    nothing = msgspec.structs.replace(question, programs_to_clone=False)
    assert answer_schema(nothing)["properties"]["clone"]["maxItems"] == 0


def allows(field: dict[str, Any], name: str) -> bool:
    """Whether a list of names may hold this one."""
    items = field["items"]
    return any(
        name in each["enum"] if "enum" in each else re.search(each["pattern"], name) is not None
        for each in items.get("anyOf", [items])
    )


def test_actions_on_an_item_are_allowed_where_the_prompt_offers_them():
    agent, question = samples()["SpecQuestion"]
    prompt = render(ROOT / "nodes" / agent / "prompts", question)[1].content
    verbs = re.findall(r"(\w+):ITEM", prompt)
    assert tuple(verbs) == card("minecraft").specs.with_item
    actions = answer_schema(question)["properties"]["actions"]
    for verb in verbs:
        assert allows(actions, f"{verb}:light_weighted_pressure_plate")
        assert card("minecraft").specs.action_problem(f"{verb}:planks") == ""
    for wrong in ("craft:", "craft:Planks", "smelt:log", "xcraft:planks", "craft:a b"):
        assert not allows(actions, wrong)
    assert answer_schema(QUESTION)["properties"]["actions"]["maxItems"] > len(QUESTION.actions)
    crafter = msgspec.structs.replace(TASK, game="crafter")
    closed = answer_schema(msgspec.structs.replace(QUESTION, task=crafter))["properties"]["actions"]
    assert not allows(closed, "craft:planks")
    assert closed["maxItems"] == 1


def test_pictures_of_other_sizes_are_allowed_where_pictures_are_offered():
    pictured = msgspec.structs.replace(QUESTION, observations=["rays", "rgb"])
    seen = answer_schema(pictured)["properties"]["observations"]
    assert allows(seen, "rgb")
    assert allows(seen, "rgb_120x160")
    assert not allows(seen, "rgb_1x2")
    assert not allows(answer_schema(QUESTION)["properties"]["observations"], "rgb_120x160")


def test_mineclips_reward_is_allowed_only_where_its_weights_are():
    def term(*observations: str) -> dict[str, Any]:
        question = msgspec.structs.replace(QUESTION, observations=list(observations))
        return answer_schema(question)["$defs"]["RewardTerm"]

    assert "mineclip" not in str(term("rays"))
    assert term("rays")["properties"]["negatives"]["maxItems"] == 0
    assert "mineclip" in term("rays", "mineclip")["properties"]["kind"]["enum"]
    assert term("rays", "mineclip")["properties"]["negatives"]["maxItems"] == 16
