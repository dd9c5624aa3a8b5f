"""A policy's actor without torch: linear layers with tanh between them, for one observation."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from messages.world import Actor, Layer


class PlainActor:
    """Raises ValueError for layers that do not fit each other, or the fields and choices."""

    def __init__(self, actor: Actor) -> None:
        width = sum(field.size for field in actor.fields)
        if not actor.layers:
            raise ValueError("an actor has at least one layer")
        self._layers: list[tuple[NDArray[np.float32], NDArray[np.float32]]] = []
        for layer in actor.layers:
            if layer.inputs != width:
                raise ValueError(f"a layer of an actor takes {layer.inputs} numbers, not {width}")
            self._layers.append(_read(layer))
            width = layer.outputs
        if width != len(actor.choices):
            raise ValueError(f"an actor has {width} outputs for {len(actor.choices)} choices")

    def logits(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """float32 (..., features) -> (..., choices)."""
        values = features
        for number, (weights, bias) in enumerate(self._layers):
            values = np.tanh(values) if number else values
            values = values @ weights.T + bias
        return values

    def choose(
        self,
        features: NDArray[np.float32],
        mask: NDArray[np.bool_],
        chance: np.random.Generator | None,
    ) -> int:
        """A choice of those that ``mask`` (choices,) allows: drawn, or without ``chance`` the most
        probable one."""
        logits = np.where(mask, self.logits(features).astype(np.float64), -np.inf)
        if chance is None:
            return int(logits.argmax())
        shares = np.exp(logits - logits.max()).cumsum()
        return int(np.searchsorted(shares, chance.random() * shares[-1], side="right"))


def layer_of(weights: NDArray[Any], bias: NDArray[Any]) -> Layer:
    """``weights`` (outputs, inputs), ``bias`` (outputs,)."""
    outputs, inputs = weights.shape
    return Layer(
        inputs=inputs,
        outputs=outputs,
        weights=np.ascontiguousarray(weights, "<f4").tobytes(),
        bias=np.ascontiguousarray(bias, "<f4").tobytes(),
    )


def _read(layer: Layer) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    weights, bias = np.frombuffer(layer.weights, "<f4"), np.frombuffer(layer.bias, "<f4")
    if weights.size != layer.inputs * layer.outputs or bias.size != layer.outputs:
        raise ValueError("a layer of an actor has other sizes than it states")
    if not (np.isfinite(weights).all() and np.isfinite(bias).all()):
        raise ValueError("a layer of an actor has numbers that are not finite")
    return weights.reshape(layer.outputs, layer.inputs), bias
