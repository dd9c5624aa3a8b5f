"""Overrides below a reference of a launch file, such as ``parameters: ${learner}``.

Hydra would put the override in the reference's place, and all else that it stands for would be gone
without a word. So what it refers to is overridden: ``nodes.learner.parameters.gamma=0.9`` is
``learner.gamma=0.9``.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from rlgpt.composing.override_keys import is_below, key_of

REFERENCE = re.compile(r"\$\{(?P<group>\w+)\}")


def compose_with(overrides: list[str], compose: Callable[[list[str]], DictConfig]) -> DictConfig:
    """The launch with its overrides, those below a reference with the key that it leads to.
    ``compose``: Hydra's, which takes most of a second."""
    deep = [each for each in overrides if is_below("nodes", each)]
    if not deep:
        return compose(overrides)
    with suppress(HydraException, OmegaConfBaseException):
        found = compose(overrides)
        if not _may_replace([_key(each) for each in deep], _written(found)):
            return found
    known = _written(compose([each for each in overrides if each not in deep]))
    return compose([_followed(each, known) if each in deep else each for each in overrides])


def _written(config: DictConfig) -> Any:
    """As plain data, with the references as they are written."""
    return OmegaConf.to_container(config, resolve=False)


def _may_replace(keys: list[list[str]], found: Any) -> bool:
    """Whether one of the overridden keys may have taken a reference's place: what it is in has
    nothing that is not overridden, too."""
    for parts in keys:
        place = found
        for at, part in enumerate(parts[:-1], start=1):
            place = place.get(part) if isinstance(place, dict) else None
            own = {other[at] for other in keys if other[:at] == parts[:at] and len(other) > at}
            if not isinstance(place, dict) or (at > 1 and place.keys() <= own):
                return True
    return False


def _key(override: str) -> list[str]:
    return key_of(override).split(".")


def _followed(override: str, known: Any) -> str:
    _, equals, value = override.partition("=")
    parts, place = _key(override), known
    for at, part in enumerate(parts[:-1], start=1):
        place = place.get(part) if isinstance(place, dict) else None
        if isinstance(place, str) and (found := REFERENCE.fullmatch(place)):
            return f"++{'.'.join([found['group'], *parts[at:]])}{equals}{value}"
    return override
