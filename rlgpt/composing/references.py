"""Overrides below a reference of a launch file, such as ``parameters: ${learner}``.

Hydra would put the override in the reference's place, and all else that it stands for would be gone
without a word. So what it refers to is overridden: ``nodes.learner.parameters.gamma=0.9`` is
``learner.gamma=0.9``.
"""

import re
from collections.abc import Callable
from typing import Any

REFERENCE = re.compile(r"\$\{(?P<group>\w+)\}")


def followed(overrides: list[str], raw: Callable[[list[str]], Any]) -> list[str]:
    """The overrides, those below a reference with the key that it leads to. ``raw``: composes the
    launch with the overrides that it is given, its references as they are written."""
    deep = [each for each in overrides if each.lstrip("+").startswith("nodes.")]
    if not deep:
        return overrides
    composed = raw([each for each in overrides if each not in deep])
    return [_followed(each, composed) if each in deep else each for each in overrides]


def _followed(override: str, composed: Any) -> str:
    key, equals, value = override.lstrip("+").partition("=")
    parts, place = key.split("."), composed
    for at, part in enumerate(parts[:-1], start=1):
        place = place.get(part) if isinstance(place, dict) else None
        if isinstance(place, str) and (found := REFERENCE.fullmatch(place)):
            return f"++{'.'.join([found['group'], *parts[at:]])}{equals}{value}"
    return override
