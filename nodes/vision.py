"""A critic that sees: what the launch says about it, for the nodes that have a part in it.

`nodes.critic.parameters` turns it on (``vision``) and says which pictures there are to be
(``pictures``); the fast agent has them taken, the critic shows them to the language model. Both
read it in that one place. docs/llm.md has the whole way.
"""

from collections.abc import Mapping
from typing import Any, cast

import msgspec

from messages.world import Pictures
from models.pictures import pictures_problem
from nodes.config import ConfigError, node_values


class StrictPictures(Pictures, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Pictures as a launch file writes them."""


def pictures_for_the_critic(config: Mapping[str, Any], players: int = 1) -> Pictures | None:
    """Those that a tryout of so many players is to bring; None where the critic does not look at
    any.

    Raises:
        ConfigError: they are not said as `Pictures` are, or cannot be taken.
    """
    values = node_values(config, "critic")
    if values.get("vision") is not True:
        return None
    try:
        wanted = msgspec.convert(values.get("pictures") or {}, StrictPictures)
    except msgspec.ValidationError as error:
        raise ConfigError(f"nodes.critic.parameters.pictures: {error}") from error
    # The env server would refuse them too, but only at each tryout.
    if problem := pictures_problem(wanted, players):
        raise ConfigError(f"nodes.critic.parameters.pictures: {problem}")
    return Pictures(**msgspec.structs.asdict(wanted))


def check_that_the_model_sees(config: Mapping[str, Any]) -> None:
    """Before anything is played. A recorded run needs no eyes: its answers are there.

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
        reason = f"{profile.get('model', 'the model')} is not said to see pictures"
        advice = "say llm.vision=true if it does"
    raise ConfigError(
        f"nodes.critic.parameters.vision=true, and {reason}: {advice}, or set "
        "nodes.critic.parameters.vision=false"
    )
