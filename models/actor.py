"""A policy's actor without torch: linear layers with tanh between them, and its memory if it has
one."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from messages.world import Actor, Gru, Layer

Floats = NDArray[np.float32]


class PlainActor:
    """Raises ValueError for layers that do not fit each other, or the fields and choices.

    Attributes:
        memory_size: how many numbers it remembers; 0 for an actor without a memory.
    """

    def __init__(self, actor: Actor) -> None:
        width = sum(field.size for field in actor.fields)
        if not actor.layers:
            raise ValueError("an actor has at least one layer")
        self._layers, width = _read_all(actor.layers, width)
        self._memory = None if actor.memory is None else _PlainGru(actor.memory, width)
        self.memory_size = 0 if self._memory is None else self._memory.size
        self._after: list[tuple[Floats, Floats]] = []
        if self._memory is not None:
            if not actor.after:
                raise ValueError("an actor with a memory has at least one layer after it")
            self._after, width = _read_all(actor.after, width + self.memory_size)
        elif actor.after:
            raise ValueError("an actor without a memory has layers after it")
        if width != len(actor.choices):
            raise ValueError(f"an actor has {width} outputs for {len(actor.choices)} choices")

    def blank(self) -> Floats:
        """The memory at the start of an episode: zeros (memory_size,)."""
        return np.zeros(self.memory_size, np.float32)

    def logits(self, features: Floats, memory: Floats | None = None) -> Floats:
        """float32 (..., features) -> (..., choices). ``memory`` (..., memory_size) is updated in
        place; None: as in the first decision."""
        values = _through(self._layers, features)
        if self._memory is None:
            return values
        seen = np.tanh(values)
        if memory is None:
            memory = np.zeros((*features.shape[:-1], self.memory_size), np.float32)
        memory[...] = self._memory.forward(seen, memory)
        return _through(self._after, np.concatenate([seen, memory], -1))

    def choose(
        self,
        features: Floats,
        mask: NDArray[np.bool_],
        drawn: NDArray[np.float64] | None,
        memory: Floats | None = None,
    ) -> NDArray[np.int64]:
        """Choices (...) that ``mask`` (..., choices) allows, for features (..., features): by
        ``drawn`` (...), numbers from 0 up to 1, without them the most probable ones. ``memory``:
        see `logits`.

        Raises:
            RuntimeError: a logit is not finite.
        """
        logits = self._possible(features, mask, memory)
        if drawn is None:
            return logits.argmax(-1)
        return _drawn(np.exp(logits).cumsum(-1), drawn)

    def draw(
        self, features: Floats, mask: NDArray[np.bool_], drawn: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], Floats]:
        """Choices by ``drawn``, as `choose` has them, and the logarithms of their probabilities,
        float32 (...)."""
        logits = self._possible(features, mask, None)
        shares = np.exp(logits).cumsum(-1)
        choices = _drawn(shares, drawn)
        of_chosen = np.take_along_axis(logits, choices[..., None], -1)[..., 0]
        return choices, (of_chosen - np.log(shares[..., -1])).astype(np.float32)

    def _possible(
        self, features: Floats, mask: NDArray[np.bool_], memory: Floats | None
    ) -> NDArray[np.float64]:
        """The logits, of which the largest is 0, and -inf where the mask excludes the choice."""
        with np.errstate(over="ignore", invalid="ignore"):  # that is what is checked
            logits = self.logits(features, memory).astype(np.float64)
        if not np.isfinite(logits).all():
            raise RuntimeError("The policy's output is not finite: no choice can be made by it.")
        logits = np.where(mask, logits, -np.inf)
        return logits - logits.max(-1, keepdims=True)


def _drawn(shares: NDArray[np.float64], drawn: NDArray[np.float64]) -> NDArray[np.int64]:
    """``shares`` (..., choices): cumulated, up to any sum."""
    return (shares <= drawn[..., None] * shares[..., -1:]).sum(-1)


class _PlainGru:
    def __init__(self, gru: Gru, width: int) -> None:
        self.size = gru.kept.inputs
        if gru.seen.inputs != width:
            raise ValueError(f"an actor's memory is shown {gru.seen.inputs} numbers, not {width}")
        if {gru.seen.outputs, gru.kept.outputs} != {3 * self.size}:
            raise ValueError("an actor's memory has other sizes than it states")
        self._seen, self._kept = _read(gru.seen), _read(gru.kept)

    def forward(self, seen: Floats, memory: Floats) -> NDArray[Any]:
        """The memory after a decision (..., size)."""
        of_seen = np.split(seen @ self._seen[0].T + self._seen[1], 3, -1)
        of_kept = np.split(memory @ self._kept[0].T + self._kept[1], 3, -1)
        reset = _sigmoid(of_seen[0] + of_kept[0])
        update = _sigmoid(of_seen[1] + of_kept[1])
        candidate = np.tanh(of_seen[2] + reset * of_kept[2])
        return (1 - update) * candidate + update * memory


def layer_of(weights: NDArray[Any], bias: NDArray[Any]) -> Layer:
    """``weights`` (outputs, inputs), ``bias`` (outputs,)."""
    outputs, inputs = weights.shape
    return Layer(
        inputs=inputs,
        outputs=outputs,
        weights=np.ascontiguousarray(weights, "<f4").tobytes(),
        bias=np.ascontiguousarray(bias, "<f4").tobytes(),
    )


def _sigmoid(values: NDArray[Any]) -> NDArray[Any]:
    return 0.5 * (1 + np.tanh(0.5 * values))  # exp(-values) would overflow


def _through(layers: Sequence[tuple[Floats, Floats]], values: Floats) -> Floats:
    for number, (weights, bias) in enumerate(layers):
        values = np.tanh(values) if number else values
        values = values @ weights.T + bias
    return values


def _read_all(layers: Sequence[Layer], width: int) -> tuple[list[tuple[Floats, Floats]], int]:
    found: list[tuple[Floats, Floats]] = []
    for layer in layers:
        if layer.inputs != width:
            raise ValueError(f"a layer of an actor takes {layer.inputs} numbers, not {width}")
        found.append(_read(layer))
        width = layer.outputs
    return found, width


def _read(layer: Layer) -> tuple[Floats, Floats]:
    weights, bias = np.frombuffer(layer.weights, "<f4"), np.frombuffer(layer.bias, "<f4")
    if weights.size != layer.inputs * layer.outputs or bias.size != layer.outputs:
        raise ValueError("a layer of an actor has other sizes than it states")
    if not (np.isfinite(weights).all() and np.isfinite(bias).all()):
        raise ValueError("a layer of an actor has numbers that are not finite")
    return weights.reshape(layer.outputs, layer.inputs), bias
