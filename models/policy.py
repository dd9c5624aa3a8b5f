"""The policy's networks: an actor and a critic of tanh layers, which share nothing.

With ``encoder`` above zero each field of the features (compass, voxels, ...) has its own encoder
and a fusion layer joins them, as in the paper. Without, one linear layer reads all features: fewer
weights for the same inputs, as on a CPU the network is most of the cost of training.

A field that is a picture always has its own convolutions (`PictureEncoder`). With ``memory`` above
zero both networks have a memory (models/memory.py).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import msgspec
import numpy as np
import torch
from torch import Tensor, nn

from models.memory import MemoryNetwork, Remembering


class NetworkShape(msgspec.Struct, frozen=True, kw_only=True):
    """Sizes of a network; it is stored with the weights."""

    hidden: int = 128  # width of the hidden layers
    layers: int = 2  # how many hidden layers
    encoder: int = 0  # width of each field's encoder, 0: none
    fusion: int = 0  # width of the layer that joins the encoders
    memory: int = 0  # numbers that a GRU carries from decision to decision, 0: none


Shape = tuple[int, ...]
"""The shape of a field: (size,) of a vector, (channels, height, width) of a picture."""

PICTURE_WIDTH = 256
"""Size of the encoding of a picture."""


def floats_of(features: Tensor) -> Tensor:
    """Pictures of uint8 as float32, 0 to 1; other features as they are."""
    if features.dtype != torch.uint8:
        return features
    if features.device.type != "cpu":
        return features.float().mul_(1 / 255)
    # In half of torch's time, which makes two passes.
    return torch.from_numpy(np.multiply(features.numpy(), np.float32(1 / 255), dtype=np.float32))


class PictureEncoder(nn.Module):
    """Float (B, channels * height * width), 0 to 1, or uint8 to 255 -> float (B, `PICTURE_WIDTH`).
    Two convolutions (16 of 8 x 8, every 4 pixels; 32 of 4 x 4, every 2) and a linear layer: small,
    for a CPU."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        channels, height, width = shape
        self.convolutions = nn.Sequential(
            nn.Conv2d(channels, 16, 8, 4), nn.ReLU(), nn.Conv2d(16, 32, 4, 2), nn.ReLU()
        )
        left = [((side - 8) // 4 + 1 - 4) // 2 + 1 for side in (height, width)]
        self.joined = nn.Linear(32 * math.prod(left), PICTURE_WIDTH)

    def forward(self, columns: Tensor) -> Tensor:
        rows = floats_of(columns).reshape(-1, *self.shape)
        found = torch.tanh(self.joined(self.convolutions(rows).flatten(1)))
        return found.reshape(*columns.shape[:-1], PICTURE_WIDTH)


class MixedEncoders(nn.Module):
    """Encodes pictures by convolutions and each other field by a linear tanh layer of ``width``;
    with ``width`` 0 other fields stay as they are."""

    def __init__(self, shapes: Sequence[Shape], width: int) -> None:
        super().__init__()
        self.sizes = [math.prod(shape) for shape in shapes]
        self.encoders = nn.ModuleList(self._encoder(shape, width) for shape in shapes)
        self.width = sum(
            PICTURE_WIDTH if len(shape) > 1 else width or math.prod(shape) for shape in shapes
        )

    def _encoder(self, shape: Shape, width: int) -> nn.Module:
        if len(shape) > 1:
            return PictureEncoder(shape)
        return (
            nn.Sequential(nn.Linear(math.prod(shape), width), nn.Tanh()) if width else nn.Identity()
        )

    def forward(self, features: Tensor) -> Tensor:
        columns = features.split(self.sizes, -1)
        parts = zip(self.encoders, columns, strict=True)
        return torch.cat([encoder(part) for encoder, part in parts], -1)


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
    shapes: Sequence[Shape],
    outputs: int,
    shape: NetworkShape,
    output_gain: float,
    generator: torch.Generator | None = None,
) -> nn.Sequential | MemoryNetwork:
    """A network from features (B, sum of sizes) to (B, ``outputs``), orthogonally initialised.

    ``shapes``: of the fields, in the order of their columns.
    ``output_gain`` scales the last layer: small for an actor, which then starts out uniform.
    """
    layers, width = _encoders(shapes, shape)
    hidden = _hidden(shape)
    last = nn.Linear(shape.hidden if shape.memory else [width, *hidden][-1], outputs)
    if shape.memory:
        # The memory is of the first hidden layer; the other ones read it.
        before = nn.Sequential(*layers, *_tanh_layers(width, _until_memory(shape)))
        cell = nn.GRUCell(shape.hidden, shape.memory)
        later = [shape.hidden] * max(1, shape.layers - 1)
        after = nn.Sequential(*_tanh_layers(shape.hidden + shape.memory, later), last)
        built: nn.Sequential | MemoryNetwork = MemoryNetwork(before, cell, after)
    else:
        built = nn.Sequential(*layers, *_tanh_layers(width, hidden), last)
    _initialise(built, last, output_gain, generator)
    return built


def _encoders(shapes: Sequence[Shape], shape: NetworkShape) -> tuple[list[nn.Module], int]:
    """The layers that encode fields, if there are any, and the size of their output."""
    layers: list[nn.Module] = []
    sizes = [math.prod(each) for each in shapes]
    width = sum(sizes)
    if any(len(each) > 1 for each in shapes):
        encoders = MixedEncoders(shapes, shape.encoder)
        layers.append(encoders)
        width = encoders.width
    elif shape.encoder:
        layers.append(FieldEncoders(sizes, shape.encoder))
        width = shape.encoder * len(sizes)
    return layers, width


def _hidden(shape: NetworkShape) -> list[int]:
    return [*([shape.fusion] if shape.fusion else []), *[shape.hidden] * shape.layers]


def _until_memory(shape: NetworkShape) -> list[int]:
    return [*([shape.fusion] if shape.fusion else []), shape.hidden]


def _tanh_layers(width: int, widths: Sequence[int]) -> list[nn.Module]:
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise([width, *widths]):
        layers += [nn.Linear(inputs, outputs), nn.Tanh()]
    return layers


def _initialise(
    built: nn.Module, last: nn.Linear, output_gain: float, generator: torch.Generator | None
) -> None:
    for module in built.modules():
        if isinstance(module, nn.Linear | nn.Conv2d):
            gain = output_gain if module is last else math.sqrt(2)
            nn.init.orthogonal_(module.weight, gain, generator=generator)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
        elif isinstance(module, nn.GRUCell):
            for weights in (module.weight_ih, module.weight_hh):
                for gate in weights.chunk(3):
                    nn.init.orthogonal_(gate, generator=generator)
            nn.init.zeros_(module.bias_ih)
            nn.init.zeros_(module.bias_hh)


def actor(
    shapes: Sequence[Shape],
    choices: int,
    shape: NetworkShape,
    generator: torch.Generator | None = None,
) -> nn.Sequential | MemoryNetwork:
    """Features (B, sum of sizes) -> logits (B, ``choices``)."""
    return network(shapes, choices, shape, 0.01, generator)


def critic(
    shapes: Sequence[Shape], shape: NetworkShape, generator: torch.Generator | None = None
) -> nn.Sequential | MemoryNetwork:
    """Features (B, sum of sizes) -> value (B, 1)."""
    return network(shapes, 1, shape, 1.0, generator)


class ActorCritic(nn.Module):
    """Both networks of a policy. ``shapes``: of the fields of the features; ``choices``: how many
    actions there are. The generator makes the initial weights repeatable."""

    def __init__(
        self,
        shapes: Sequence[Shape],
        choices: int,
        shape: NetworkShape,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        self.actor = actor(shapes, choices, shape, generator)
        self.critic = critic(shapes, shape, generator)

    def remembering(self) -> Remembering | None:
        """Both networks, the actor first, to be run decision by decision; None: they have no
        memory."""
        if isinstance(self.actor, MemoryNetwork) and isinstance(self.critic, MemoryNetwork):
            return Remembering(self.actor, self.critic)
        return None
