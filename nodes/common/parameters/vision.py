"""A critic with vision: its settings in the launch, for the nodes that take part in it.

`nodes.critic.parameters` turns it on (``vision``) and sets which pictures are taken (``pictures``);
the fast agent requests them, the critic sends them to the language model. Both read the settings in
this one place. docs/llm.md describes it.
"""

from collections.abc import Mapping
from typing import Any, cast

import msgspec

from messages.world import Pictures
from models.picture_check import pictures_problem
from nodes.config import ConfigError, node_values

_ONLY_PICTURES = "only a critic that sees pictures can judge it"
_ADVICE = "set nodes.critic.parameters.vision=true, with a model that sees (docs/llm.md)"


class StrictPictures(Pictures, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Pictures as a launch file writes them."""


def pictures_for_the_critic(config: Mapping[str, Any], players: int = 1) -> Pictures | None:
    """The pictures that a tryout of so many players takes; None if the critic uses none.

    Raises:
        ConfigError: they are no valid `Pictures`, or cannot be taken.
    """
    values = node_values(config, "critic")
    if values.get("vision") is not True:
        return None
    try:
        wanted = msgspec.convert(values.get("pictures") or {}, StrictPictures)
    except msgspec.ValidationError as error:
        raise ConfigError(f"nodes.critic.parameters.pictures: {error}") from error
    # The env server would reject them too, but only at each tryout.
    if problem := pictures_problem(wanted, players):
        raise ConfigError(f"nodes.critic.parameters.pictures: {problem}")
    return Pictures(**msgspec.structs.asdict(wanted))


def judging_problem(config: Mapping[str, Any]) -> str:
    """Why no node of a launch can judge what only pictures show, as a sentence; empty if the critic
    can. Of a launch as it is composed, with its ``llm``."""
    if problem := blind_critic(config):
        return problem
    profile = config.get("llm")
    profile = cast("dict[str, Any]", profile) if isinstance(profile, dict) else {}
    if profile.get("kind") != "replay" and profile.get("vision") is not True:
        return f"{_ONLY_PICTURES}, and the model sees none: {_ADVICE}"
    return ""


def blind_critic(config: Mapping[str, Any]) -> str:
    """That the critic is not to see any pictures, as a sentence; empty if it is. Of a launch as it
    is composed, or as its nodes have it: a critic that is to see does not start without a model
    that does."""
    if node_values(config, "critic").get("vision") is True:
        return ""
    return f"{_ONLY_PICTURES}: {_ADVICE}"


def check_that_the_model_sees(config: Mapping[str, Any]) -> None:
    """Checked before anything is played. A replay needs no vision: its answers are recorded.

    Raises:
        ConfigError: the language model of the launch is not shown pictures.
    """
    found = node_values(config, "llm").get("profile")
    profile: dict[str, Any] = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
    kind = profile.get("kind", "rulebook")
    if kind == "replay" or (kind != "rulebook" and profile.get("vision") is True):
        return
    if kind == "rulebook":
        reason = "llm=rulebook looks at no pictures"
        advice = "choose a model that sees (docs/llm.md)"
    else:
        reason = f"{profile.get('model', 'the model')} is not marked as seeing pictures"
        advice = "set llm.vision=true if it does"
    raise ConfigError(
        f"nodes.critic.parameters.vision=true, and {reason}: {advice}, or set "
        "nodes.critic.parameters.vision=false"
    )
