"""The JSON schema of an answer, which goes with its question."""

from collections.abc import Mapping
from typing import Any

import msgspec

from messages.chat import ANSWERS, Question, SpecQuestion, game_of
from messages.world import REWARDS
from nodes.llm.answers.answer_bounds import bounded, narrowed
from worlds import card
from worlds.common.mineclip_feature import MINECLIP


def answer_schema(question: Question) -> dict[str, Any]:
    """JSON schema of the answer, in the dialect of strict structured output: one object at the
    root, every property required, no others, no defaults, lists and prose bounded."""
    schema = msgspec.json.schema(ANSWERS[type(question)])
    definitions = {name: _strict(body) for name, body in schema["$defs"].items()}
    game = card(game_of(question))
    rewards = {**game.specs.rewards, **REWARDS}
    if isinstance(question, SpecQuestion) and MINECLIP.name not in question.observations:
        del rewards[MINECLIP.name]  # this run has no weights of it
    kinds = {"Condition": game.conditions.kinds, "RewardTerm": rewards}
    for name, known in kinds.items():
        if name in definitions:
            definitions[name] = _of_kinds(definitions[name], known)
    root = definitions.pop(schema["$ref"].rpartition("/")[2])
    schema = {**root, "$defs": definitions} if definitions else root
    return narrowed(bounded(schema), question)


def _of_kinds(schema: dict[str, Any], kinds: Mapping[str, str]) -> dict[str, Any]:
    """A type whose ``kind`` is one of the game's kinds, each with its meaning."""
    meanings = " ".join(f"``{kind}``: {meaning}." for kind, meaning in kinds.items())
    # The first clause of the type's docstring; the rest of it is for readers of the code.
    intro = schema["description"].partition(":")[0].partition(". ")[0].rstrip(".")
    properties = {**schema["properties"], "kind": {"enum": sorted(kinds)}}
    return {**schema, "description": f"{intro}. {meanings}", "properties": properties}


def _strict(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    strict = {key: _strict(value) for key, value in schema.items() if key != "default"}
    if isinstance(strict.get("properties"), dict):
        strict["required"] = list(strict["properties"])
        strict["additionalProperties"] = False
    return strict
