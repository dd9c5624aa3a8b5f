"""How long an answer may be and how large its numbers, stated in its schema for a server that keeps
to it.

Small models otherwise answer an empty list, or write thoughts or digits until they are cut off. The
bounds are for the writing only: any other answer is checked by its type and by the agent that
asked.
"""

from typing import Any

from messages.chat import DecomposeQuestion, Question, SpecQuestion
from nodes.common.checks.spec_check import clonable

_LISTS: dict[str, tuple[int, int]] = {
    "subtasks": (1, 64),
    "sub_actions": (1, 12),
    "observations": (1, 16),
    "actions": (0, 32),
    "macros": (0, 8),
    "guards": (0, 6),
    "rewards": (1, 16),
    "targets": (0, 16),
}
"""Fewest and most items."""
_PROSE: dict[str, int] = {
    "thoughts": 1_500,
    "seen": 1_500,
    "why": 300,
    "description": 600,
    "purpose": 300,
    "reason": 800,
    "suggestion": 800,
    "name": 100,
    "source": 8_000,
    "when": 2_000,
}
"""Most characters."""
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
        for name in ("observations", "actions"):
            if known := getattr(question, name):
                found = schema["properties"][name]
                found["items"] = {"type": "string", "enum": list(known)}
                found["maxItems"] = min(found["maxItems"], len(known))
        programs, clone = clonable(question), schema["properties"]["clone"]
        clone["maxItems"] = len(programs)
        if programs:
            clone["items"] = {"type": "string", "enum": programs}
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


def without_prose_bounds(schema: Any) -> Any:
    """The schema for servers that know ``maxItems`` and refuse ``maxLength``."""
    if isinstance(schema, list):
        return [without_prose_bounds(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: without_prose_bounds(value) for key, value in schema.items() if key != "maxLength"}


def _bound(name: str, value: Any) -> None:
    if value.get("type") == "array" and name in _LISTS:
        value["minItems"], value["maxItems"] = _LISTS[name]
    elif value.get("type") == "string" and name in _PROSE and "enum" not in value:
        value["maxLength"] = _PROSE[name]
