"""A feed-forward network whose parameters lie in one tensor, and its backward pass by hand.

For a network of three small layers, autograd, the bookkeeping of each parameter and the optimiser's
loop over parameters cost as much as the arithmetic. Here a pass is two matrix products a layer, and
the optimiser gets one tensor of weights and one of gradients.

The network's own parameters become views of that tensor, so the module, its state dict and its
copies work as before.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from models.products import affine, product

_ALIGNED = 16  # floats: each parameter begins at a multiple of 64 bytes


def is_plain(network: nn.Module) -> bool:
    """Whether a `FlatNetwork` can be made of it: linear layers with biases, float32, with one tanh
    between each and the next."""
    layers = list(network.children())
    return (
        isinstance(network, nn.Sequential)
        and len(layers) % 2 == 1
        and all(isinstance(layer, nn.Tanh) for layer in layers[1::2])
        and all(
            isinstance(layer, nn.Linear)
            and layer.bias is not None
            and layer.weight.dtype == torch.float32
            for layer in layers[::2]
        )
    )


def tanh_(values: Tensor) -> Tensor:
    """tanh in place. NumPy's is several times as fast as torch's on a CPU, and no less exact."""
    if values.device.type != "cpu" or values.dtype != torch.float32:
        return values.tanh_()
    array = values.numpy()
    np.tanh(array, out=array)
    return values


@dataclass
class _Layer:
    weight: Tensor  # (outputs, inputs), a view of all weights
    bias: Tensor  # (outputs,)
    weight_gradient: Tensor  # likewise, of all gradients
    bias_gradient: Tensor


class FlatNetwork:
    """
    Args:
        network: one that `is_plain`, on the device where it is trained.

    Attributes:
        parameters: the network's.
        weights: float32 (n,), all parameters, each padded with zeros.
        gradient: float32 (n,), of the last `backward`, in the same layout.
    """

    def __init__(self, network: nn.Sequential) -> None:
        self.parameters = list(network.parameters())
        ends = [0]
        for parameter in self.parameters:
            ends.append(ends[-1] + -(-parameter.numel() // _ALIGNED) * _ALIGNED)
        device = self.parameters[0].device
        self.weights = torch.zeros(ends[-1], device=device)
        self.gradient = torch.zeros(ends[-1], device=device)
        self._starts = ends[:-1]
        weights, gradients = self.views(self.weights), self.views(self.gradient)
        self._layers = [
            _Layer(weights[at], weights[at + 1], gradients[at], gradients[at + 1])
            for at in range(0, len(weights), 2)
        ]
        self._inputs: list[Tensor] = []  # of each layer, in the last `forward`

    def views(self, flat: Tensor) -> list[Tensor]:
        """``flat`` (n,) cut into views in the shapes of the parameters."""
        return [
            flat[start : start + parameter.numel()].view_as(parameter)
            for start, parameter in zip(self._starts, self.parameters, strict=True)
        ]

    def attach(self) -> None:
        """Make the network's parameters views of ``weights``; they keep their values."""
        for parameter, view in zip(self.parameters, self.views(self.weights), strict=True):
            if parameter.data_ptr() != view.data_ptr():
                view.copy_(parameter.detach())
                parameter.data = view

    def forward(self, features: Tensor) -> Tensor:
        """float32 (B, features) -> (B, outputs). Keeps the layers' inputs, ``features`` among them,
        for `backward`."""
        values = features
        self._inputs = []
        for number, layer in enumerate(self._layers):
            if number:
                tanh_(values)
            self._inputs.append(values)
            values = affine(values, layer.weight, layer.bias)
        return values

    def backward(self, gradient: Tensor) -> None:
        """Fill ``self.gradient`` with a loss's gradient in the weights. ``gradient``: that of the
        loss in what `forward` returned, float32 (B, outputs)."""
        for number in range(len(self._layers) - 1, -1, -1):
            layer, values = self._layers[number], self._inputs[number]
            layer.weight_gradient.copy_(product(gradient.T, values))
            torch.sum(gradient, 0, out=layer.bias_gradient)
            if number:
                below = product(gradient, layer.weight)
                gradient = torch.ops.aten.tanh_backward(below, values)
