"""The profiles of `models/llm/`, as a launch has them."""

from typing import Any

from rlgpt.composing.composition import compose_launch, group_options

PROFILES = group_options("llm")
_REQUIRED = {"local": "llm.path=folder", "replay": "llm.transcript=run"}


def composed(name: str) -> dict[str, Any]:
    given = [_REQUIRED[name]] if name in _REQUIRED else []
    return compose_launch("harvest_log", [f"llm={name}", *given])["llm"]
