"""How long an answer may be and how large its numbers, stated in its schema for a server that keeps
to it.

Small models otherwise answer an empty list, or write thoughts or digits until they are cut off. The
bounds are for the writing only: any other answer is checked by its type and by the agent that
asked.
"""

from collections.abc import Sequence
from typing import Any

from messages.chat import (
    DecomposeQuestion,
    GuardQuestion,
    PlanQuestion,
    ProgramQuestion,
    Question,
    SpecQuestion,
)
from nodes.common.checks.spec_check import clonable
from worlds import card
from worlds.common.mineclip_feature import MINECLIP
from worlds.common.pictures import RGB, SIZED

_LISTS: dict[str, tuple[int, int]] = {
    "subtasks": (1, 64),
    "sub_actions": (1, 12),
    "observations": (1, 16),
    "actions": (0, 32),
    "macros": (0, 8),
    "guards": (0, 6),
    "rewards": (1, 16),
    "targets": (0, 16),
    "negatives": (0, 16),
    "clone": (0, 8),
}
"""Fewest and most items."""
_PROSE: dict[str, int] = {
    "thoughts": 700,  # the prompts ask for three sentences
    "seen": 1_500,
    "why": 300,
    "description": 600,
    "purpose": 300,
    "reason": 800,
    "suggestion": 800,
    "name": 100,
    "source": 12_000,  # the longest program of the rulebook has 8,936
    "when": 2_000,
}
"""Most characters."""
_SUMS = 1_500
"""Most characters of a plan's thoughts, which count what the recipes take."""
_REMARKS = 300
"""Most characters of a program's thoughts. Small models write the program there first, and then
none."""
_SHORTEST = len("def action(obs):\n    use()")
"""Fewest characters of a program."""
_LENGTHS = ("minLength", "maxLength")
_LISTED = 100  # most characters of a string in a list: a name, or some words
_ITEM = "[a-z0-9_]{1,40}"  # the longest name of an item has 29 characters
_INTEGERS = (0, 10_000_000)
"""Least and largest. The largest that an answer needs is a training's budget in samples."""


def bounded(schema: Any) -> Any:
    """The schema with bounds on its lists, prose and integers."""
    if isinstance(schema, list):
        return [bounded(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    whole = {key: bounded(value) for key, value in schema.items()}
    if whole.get("type") == "integer":
        whole["minimum"], whole["maximum"] = _INTEGERS
    properties = whole.get("properties")
    if isinstance(properties, dict):
        for name, value in properties.items():
            _bound(name, value)
    return whole


def narrowed(schema: dict[str, Any], question: Question) -> dict[str, Any]:
    """The schema with what the question itself leaves to choose from, in place."""
    if isinstance(question, SpecQuestion):
        fields = schema["properties"]
        verbs = "|".join(card(question.task.game).specs.with_item)
        pictures = SIZED if RGB.name in question.observations else ""
        _choose(fields["observations"], question.observations, pictures)
        _choose(fields["actions"], question.actions, f"({verbs}):{_ITEM}" if verbs else "")
        programs = clonable(question)
        _choose(fields["clone"], programs)
        fields["clone"]["maxItems"] = len(programs)
        if MINECLIP.name not in question.observations:
            schema["$defs"]["RewardTerm"]["properties"]["negatives"]["maxItems"] = 0
    elif isinstance(question, PlanQuestion):
        schema["properties"]["thoughts"]["maxLength"] = _SUMS
    elif isinstance(question, ProgramQuestion | GuardQuestion):
        schema["properties"]["thoughts"]["maxLength"] = _REMARKS
        source = schema["properties"]["source"]
        if isinstance(question, GuardQuestion) and question.proposal.method == "rl":
            source["maxLength"] = 0  # a policy learns what it does: there is no program
        else:
            source["minLength"] = _SHORTEST
    elif isinstance(question, DecomposeQuestion):
        for name in ("SubAction", "GuardProposal"):
            method = schema["$defs"][name]["properties"]["method"]
            method["enum"] = [each for each in method["enum"] if each in question.methods]
        guards = schema["properties"]["guards"]
        guards["maxItems"] = min(guards["maxItems"], question.most_guards)
        if question.most_sub_actions is not None:
            found = schema["properties"]["sub_actions"]
            found["maxItems"] = min(found["maxItems"], question.most_sub_actions)
    return schema


def _choose(field: dict[str, Any], known: Sequence[str], more: str = "") -> None:
    """Have a list's strings be some of the ``known``, where any are, or match ``more``."""
    if not known:
        return
    names = {"type": "string", "enum": list(known)}
    if more:
        field["items"] = {"anyOf": [names, {"type": "string", "pattern": f"^{more}$"}]}
    else:
        field["items"] = names
        field["maxItems"] = min(field["maxItems"], len(known))


def without_prose_bounds(schema: Any) -> Any:
    """The schema for servers that know ``maxItems`` and refuse the lengths of strings."""
    if isinstance(schema, list):
        return [without_prose_bounds(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: without_prose_bounds(value) for key, value in schema.items() if key not in _LENGTHS
    }


def _bound(name: str, value: Any) -> None:
    if value.get("type") == "array" and name in _LISTS:
        value["minItems"], value["maxItems"] = _LISTS[name]
        if value["items"].get("type") == "string":
            value["items"]["maxLength"] = _LISTED
    elif value.get("type") == "string" and name in _PROSE and "enum" not in value:
        value["maxLength"] = _PROSE[name]
