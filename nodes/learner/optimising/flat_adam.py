"""Adam over flat networks: two tensors where torch's optimiser has a dozen."""

from typing import Any

import torch
from torch.optim.adam import adam

from models.flat_network import FlatNetwork


class FlatAdam:
    """Steps of ``optimiser`` on whole networks. The state stays in the optimiser: its moments
    become views of flat tensors, so its state dict, and steps that it takes itself, stay correct.

    Args:
        optimiser: with one group, of the parameters of all ``networks``.
    """

    def __init__(self, optimiser: torch.optim.Adam, networks: list[FlatNetwork]) -> None:
        self._optimiser = optimiser
        self._networks = networks
        self._means = [torch.zeros_like(network.weights) for network in networks]
        self._squares = [torch.zeros_like(network.weights) for network in networks]
        self._steps = [torch.zeros((), device=network.weights.device) for network in networks]

    def begin(self) -> None:
        """Take over the optimiser's present state."""
        for number, network in enumerate(self._networks):
            means, squares = (
                network.views(flat) for flat in (self._means[number], self._squares[number])
            )
            steps = self._steps[number].zero_()
            for parameter, mean, square in zip(network.parameters, means, squares, strict=True):
                state: dict[str, Any] = self._optimiser.state[parameter]
                if not state:
                    state["step"] = torch.zeros_like(steps)
                for name, view in (("exp_avg", mean), ("exp_avg_sq", square)):
                    if name not in state:
                        view.zero_()
                    elif state[name].data_ptr() != view.data_ptr():
                        view.copy_(state[name])
                    state[name] = view
                steps.copy_(state["step"])

    def step(self, only: int | None = None) -> None:
        """One step with the networks' gradients; ``only``: for that network alone."""
        chosen = range(len(self._networks)) if only is None else [only]
        group = self._optimiser.param_groups[0]
        beta1, beta2 = group["betas"]
        adam(
            params=[self._networks[number].weights for number in chosen],
            grads=[self._networks[number].gradient for number in chosen],
            exp_avgs=[self._means[number] for number in chosen],
            exp_avg_sqs=[self._squares[number] for number in chosen],
            max_exp_avg_sqs=[],
            state_steps=[self._steps[number] for number in chosen],
            foreach=False,
            fused=True,
            amsgrad=False,
            beta1=beta1,
            beta2=beta2,
            lr=group["lr"],
            weight_decay=0.0,
            eps=group["eps"],
            maximize=False,
        )

    def end(self) -> None:
        """Write the networks' step counts back to the optimiser's parameters."""
        for network, steps in zip(self._networks, self._steps, strict=True):
            for parameter in network.parameters:
                self._optimiser.state[parameter]["step"].copy_(steps)
