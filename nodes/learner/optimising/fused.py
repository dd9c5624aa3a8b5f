"""PPO's clipped loss and its gradient by hand, for plain networks: what TorchRL's loss, autograd
and Adam compute, in less than half of the time (docs/speed.md).

`tests/learning/test_fused_update.py` compares it with TorchRL's on random minibatches.
"""

import math

import torch
from torch import Tensor, nn

from models.flat_network import FlatNetwork, is_plain
from models.policy import ActorCritic
from nodes.common.parameters.hyperparameters import Hyperparameters
from nodes.learner.optimising.flat_adam import FlatAdam
from nodes.learner.optimising.objective import Weights, objective_gradient

ACTOR, CRITIC = 0, 1
_ROWS = 6  # of statistics of each decision


def fits(networks: ActorCritic, parameters: Hyperparameters) -> bool:
    """Whether the fused update supports a policy. All others use the reference."""
    return (
        parameters.update == "fused"
        and parameters.precision == "float32"
        and is_plain(networks.actor)
        and is_plain(networks.critic)
    )


class FusedUpdate:
    """The minibatches of one policy's updates.

    Args:
        networks: those of a policy that it `fits`.
        optimiser: of the parameters of both.
    """

    def __init__(
        self, networks: ActorCritic, parameters: Hyperparameters, optimiser: torch.optim.Adam
    ) -> None:
        self.parameters = parameters
        actor, critic = networks.actor, networks.critic
        assert isinstance(actor, nn.Sequential)
        assert isinstance(critic, nn.Sequential)
        self.actor = FlatNetwork(actor)
        self.critic = FlatNetwork(critic)
        self._adam = FlatAdam(optimiser, [self.actor, self.critic])
        self._bounds = 0.0, 0.0  # of the log-ratio

    def begin(self) -> None:
        """Call before the minibatches of an update. Parameters may have changed since the last
        one."""
        clip = self.parameters.clip
        self._bounds = math.log1p(-clip) if clip < 1.0 else -math.inf, math.log1p(clip)
        self.actor.attach()
        self.critic.attach()
        self._adam.begin()

    def end(self) -> None:
        """Call after the minibatches of an update."""
        self._adam.end()

    def values(self, features: Tensor) -> Tensor:
        """The critic's, (B, 1), of features (B, F), at any time."""
        self.critic.attach()
        return self.critic.forward(features)

    @torch.inference_mode()  # saves a sixteenth: autograd's record of each tensor
    def minibatch(
        self, batch: dict[str, Tensor], to_clone: float = 0.0, critic_only: bool = False
    ) -> dict[str, Tensor]:
        """One step of the optimiser.

        Args:
            batch: of B decisions with F features among N choices: ``features`` float (B, F),
                ``mask`` bool (B, N), ``action`` int64 (B,), ``action_log_prob`` (B,),
                ``advantage`` (B, 1), ``value_target`` (B, 1), and ``clone_log_probs`` (B, N) where
                ``to_clone``, the weight of the divergence from the clone, is not 0.
            critic_only: leave the actor as it is.

        Returns:
            What TorchRL's loss reports, and ``clone_kl``: scalars.
        """
        statistics = torch.zeros(_ROWS, len(batch["features"]), device=batch["features"].device)
        to_clone = 0.0 if critic_only else to_clone
        weights = Weights(*self._bounds, self.parameters.entropy_bonus, to_clone)
        logits = self.actor.forward(batch["features"])
        gradient = objective_gradient(logits, batch, weights, statistics)
        if not critic_only:
            self.actor.backward(gradient)
        self._value(batch, statistics[5])
        self._clip_gradients(critic_only)
        self._adam.step(CRITIC if critic_only else None)
        objective, kl, clipped, entropy, apart, error = statistics.mean(1)
        return {
            "loss_objective": objective,
            "kl_approx": kl,
            "clip_fraction": clipped,
            "entropy": entropy,
            "clone_kl": apart,
            "loss_critic": error * self.parameters.critic_weight,
        }

    def _value(self, batch: dict[str, Tensor], squared_errors: Tensor) -> None:
        """Compute the critic's gradient, and fill ``squared_errors`` (B,)."""
        error = self.critic.forward(batch["features"]).sub_(batch["value_target"])
        torch.square(error.squeeze(1), out=squared_errors)
        self.critic.backward(error.mul_(2.0 * self.parameters.critic_weight / len(error)))

    def _clip_gradients(self, critic_only: bool) -> None:
        """Like `torch.nn.utils.clip_grad_norm_` over all parameters that have a gradient."""
        if not self.parameters.max_grad_norm:
            return
        gradients = [self.critic.gradient]
        if not critic_only:
            gradients.append(self.actor.gradient)
        norm = math.sqrt(sum(torch.dot(each, each).item() for each in gradients))
        share = self.parameters.max_grad_norm / (norm + 1e-6)
        if share < 1.0:
            for each in gradients:
                each.mul_(share)
