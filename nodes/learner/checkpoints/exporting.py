"""Exports a policy as its actor's weights (`messages.world.Actor`), so that a session can play
it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from torch import nn

from messages.bus import ServiceError
from messages.training import LeadingStage, Policy
from messages.world import Actor, Field, Gru, Guard, Layer, Lead
from models.actor import layer_of
from models.memory import MemoryNetwork
from models.policy import FieldEncoders
from nodes.learner.checkpoints.policies import folder_of, load_spec
from nodes.learner.checkpoints.state import (
    Spaces,
    checkpoint_of,
    stored_networks,
    stored_spaces,
)


def actor_of(learner: Path, policy: Policy, greedy: bool = False) -> Actor:
    """The actor of a policy's newest whole checkpoint.

    Raises:
        ServiceError: ``unknown_policy``, there is none; ``policy_does_not_fit``, its network is one
            that a session cannot play.
    """
    refusal = f"The policy {policy.id} cannot be played as a guard"
    found = checkpoint_of(learner, policy, refusal)
    network = stored_networks(found).actor
    if (other := not_playable(network)) is not None:
        raise ServiceError(
            f"The policy {policy.id} has a {type(other).__name__}; a session plays "
            "policies of tanh layers, with or without a memory, only.",
            code="policy_does_not_fit",
        )
    return exported(stored_spaces(found), network, greedy)


def not_playable(network: nn.Module) -> nn.Module | None:
    """The part of an actor's network that a session cannot play, if there is one."""
    if isinstance(network, MemoryNetwork):
        return not_playable(network.before) or not_playable(network.after)
    known = nn.Linear | nn.Tanh | FieldEncoders
    return next((each for each in network.children() if not isinstance(each, known)), None)


def exported(spaces: Spaces, network: nn.Module, greedy: bool) -> Actor:
    """The actor of a network that a session can play."""
    remembers = isinstance(network, MemoryNetwork)
    return Actor(
        fields=[Field(name=name, size=size) for name, size in spaces.fields],
        choices=spaces.choices,
        layers=layers_of(network.before if remembers else network),
        memory=_gru(network.cell) if remembers else None,
        after=layers_of(network.after) if remembers else [],
        greedy=greedy,
    )


def with_actors(learner: Path, guards: Sequence[Guard], greedy: bool) -> list[Guard]:
    """The guards, those by policy with their actors."""
    return [
        msgspec.structs.replace(
            guard,
            actor=actor_of(learner, Policy(id=guard.policy, checkpoint=guard.checkpoint), greedy),
        )
        if guard.interface is not None and guard.actor is None
        else guard
        for guard in guards
    ]


def guarded(learner: Path, stages: Sequence[LeadingStage], greedy: bool) -> list[Lead]:
    """The stages that a guard interrupts, in the form in which the session that trains it plays
    them."""
    found: list[Lead] = []
    for stage in stages:
        policy = stage.policy
        if policy is None:
            found.append(Lead(program=stage.program))
        else:
            interface = load_spec(folder_of(learner, policy), policy.id).interface
            found.append(Lead(interface=interface, actor=actor_of(learner, policy, greedy)))
    return found


def layers_of(network: nn.Module) -> list[Layer]:
    """The layers of a network that a session can play, with a tanh between each and the next."""
    layers: list[Layer] = []
    for module in network.children():
        if isinstance(module, nn.Linear):
            layers.append(layer_of(_numbers(module.weight), _numbers(module.bias)))
        elif isinstance(module, FieldEncoders):
            layers.append(_encoders(module))
    return layers


def _gru(cell: nn.GRUCell) -> Gru:
    return Gru(
        seen=layer_of(_numbers(cell.weight_ih), _numbers(cell.bias_ih)),
        kept=layer_of(_numbers(cell.weight_hh), _numbers(cell.bias_hh)),
    )


def _encoders(module: FieldEncoders) -> Layer:
    """All encoders as one layer, whose weights are 0 except where an encoder reads its field."""
    parts = [each for each in module.encoders if isinstance(each, nn.Linear)]
    weights = np.zeros((sum(p.out_features for p in parts), sum(module.sizes)), np.float32)
    row = column = 0
    for part in parts:
        rows, columns = part.out_features, part.in_features
        weights[row : row + rows, column : column + columns] = _numbers(part.weight)
        row, column = row + rows, column + columns
    return layer_of(weights, np.concatenate([_numbers(part.bias) for part in parts]))


def _numbers(parameter: Any) -> np.ndarray[Any, Any]:
    return parameter.detach().cpu().numpy()
