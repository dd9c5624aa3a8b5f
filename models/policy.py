"""The policy's networks: an actor and a critic, separate, of tanh layers.

With ``encoder`` above zero each field of the features (compass, voxels, ...) has an encoder of its
own and a fusion layer joins them, as in the paper. Without, one linear layer reads all features,
which says the same with fewer numbers: on a CPU the network is what training costs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import msgspec
import torch
from torch import Tensor, nn


class NetworkShape(msgspec.Struct, frozen=True, kw_only=True):
    """Sizes of a network; it is stored with the weights."""

    hidden: int = 128  # width of the hidden layers
    layers: int = 2  # how many hidden layers
    encoder: int = 0  # width of each field's encoder, 0: none
    fusion: int = 0  # width of the layer that joins the encoders


class FieldEncoders(nn.Module):
    """One linear tanh layer per field: float (B, sum of sizes) -> float (B, fields * width)."""

    def __init__(self, sizes: Sequence[int], width: int) -> None:
        super().__init__()
        self.sizes = list(sizes)
        self.encoders = nn.ModuleList(nn.Linear(size, width) for size in sizes)

    def forward(self, features: Tensor) -> Tensor:
        columns = features.split(self.sizes, -1)
        encoded = [encoder(part) for encoder, part in zip(self.encoders, columns, strict=True)]
        return torch.tanh(torch.cat(encoded, -1))


def network(
    sizes: Sequence[int],
    outputs: int,
    shape: NetworkShape,
    output_gain: float,
    generator: torch.Generator | None = None,
) -> nn.Sequential:
    """A network from features (B, sum of ``sizes``) to (B, ``outputs``), orthogonally initialised.

    ``output_gain`` scales the last layer: small for an actor, which then starts out uniform.
    """
    layers: list[nn.Module] = []
    width = sum(sizes)
    if shape.encoder:
        layers.append(FieldEncoders(sizes, shape.encoder))
        width = shape.encoder * len(sizes)
    widths = [width, *([shape.fusion] if shape.fusion else []), *[shape.hidden] * shape.layers]
    for inputs, hidden in pairwise(widths):
        layers += [nn.Linear(inputs, hidden), nn.Tanh()]
    layers.append(nn.Linear(widths[-1], outputs))
    built = nn.Sequential(*layers)
    last = layers[-1]
    for module in built.modules():
        if isinstance(module, nn.Linear):
            gain = output_gain if module is last else math.sqrt(2)
            nn.init.orthogonal_(module.weight, gain, generator=generator)
            nn.init.zeros_(module.bias)
    return built


def actor(
    sizes: Sequence[int],
    choices: int,
    shape: NetworkShape,
    generator: torch.Generator | None = None,
) -> nn.Sequential:
    """Features (B, sum of ``sizes``) -> logits (B, ``choices``)."""
    return network(sizes, choices, shape, 0.01, generator)


def critic(
    sizes: Sequence[int], shape: NetworkShape, generator: torch.Generator | None = None
) -> nn.Sequential:
    """Features (B, sum of ``sizes``) -> value (B, 1)."""
    return network(sizes, 1, shape, 1.0, generator)


class ActorCritic(nn.Module):
    """Both networks of a policy. ``sizes``: of the fields of the features; ``choices``: how many
    actions there are. The generator makes the initial weights repeatable."""

    def __init__(
        self,
        sizes: Sequence[int],
        choices: int,
        shape: NetworkShape,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        self.actor = actor(sizes, choices, shape, generator)
        self.critic = critic(sizes, shape, generator)
