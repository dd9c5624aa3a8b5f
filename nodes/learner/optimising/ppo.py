"""PPO: TorchRL's clipped loss and advantages over options, Adam, minibatches by plain indexing.

For plain networks the same step is written out by hand (fused.py), in half of the CPU time.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torch import Tensor, nn
from torchrl.modules import ProbabilisticActor
from torchrl.objectives import ClipPPOLoss

from models.cloning import kl_to_clone
from models.distribution import MaskedCategorical
from models.options import explained_variance, normalised, option_advantage
from models.policy import ActorCritic, floats_of
from nodes.common.parameters.hyperparameters import Hyperparameters
from nodes.learner.collecting.rollout import Rollout
from nodes.learner.optimising.fused import FusedUpdate, fits

REPORTED = ("entropy", "kl_approx", "clip_fraction", "loss_objective", "loss_critic")
"""The entries of a minibatch's losses that become statistics."""


@dataclass
class UpdateStatistics:
    """Means over the minibatches of one update; ``kl`` is of the last epoch. Without an
    update all are 0."""

    entropy: float = 0.0
    kl: float = 0.0
    clip_fraction: float = 0.0
    loss_objective: float = 0.0
    loss_critic: float = 0.0
    explained_variance: float = 0.0
    clone_kl: float = 0.0  # KL(clone, policy), 0 without a clone


class FromFeatures(TensorDictModule):
    """A network as TorchRL's losses take it. TensorDictModule's own ``forward`` looks for an
    optional package at each call, which costs a tenth of a small network's update."""

    def __init__(self, network: nn.Module, output: str) -> None:
        super().__init__(network, in_keys=["features"], out_keys=[output])

    def forward(self, tensordict: TensorDict) -> TensorDict:
        return tensordict.set(self.out_keys[0], self.module(tensordict.get("features")))


class Ppo:
    """The update of one policy's networks.

    Args:
        networks: on the device where they are trained.
        parameters: the hyper-parameters, with a reward scale.
        generator: draws the minibatches; a CPU generator.
    """

    def __init__(
        self, networks: ActorCritic, parameters: Hyperparameters, generator: torch.Generator
    ) -> None:
        self.networks = networks
        self.parameters = parameters
        self.generator = generator
        self.weights = list(networks.parameters())
        self.device = self.weights[0].device
        logits, value = self._modules()
        policy = ProbabilisticActor(
            logits,
            in_keys=["logits", "mask"],
            distribution_class=MaskedCategorical,
            return_log_prob=True,
        )
        self.loss = ClipPPOLoss(
            policy,
            value,
            clip_epsilon=parameters.clip,
            entropy_coeff=parameters.entropy_bonus,
            critic_coeff=parameters.critic_weight,
            loss_critic_type="l2",
            # Once per rollout here, instead of once per minibatch there.
            normalize_advantage=False,
            log_explained_variance=False,
            # Swapping parameters in and out of the modules costs a sixth of the update.
            functional=False,
        )
        self.optimiser = torch.optim.Adam(self.weights, lr=parameters.learning_rate, fused=True)
        self.fused = (
            FusedUpdate(networks, parameters, self.optimiser)
            if fits(networks, parameters)
            else None
        )
        self.clone: nn.Module | None = None  # an actor that the policy is kept close to
        self._to_clone = 0.0  # the weight of that in this update

    def copy_loss_parameters(self) -> None:
        """Copy to the loss the parameters that it keeps; the others are read at each update."""
        buffers = dict(self.loss.named_buffers())
        buffers["clip_epsilon"].fill_(self.parameters.clip)
        buffers["entropy_coeff"].fill_(self.parameters.entropy_bonus)

    @property
    def learning_rate(self) -> float:
        """The learning rate of the last update: the parameter, lowered with the budget that was
        spent."""
        return float(self.optimiser.param_groups[0]["lr"])

    def begin(self) -> None:
        """A session was opened: an episode begins in each environment."""

    def begin_in(self, environments: Sequence[int]) -> None:
        """An episode begins in these."""

    def update(
        self,
        rollout: Rollout,
        left: float = 1.0,
        to_clone: float = 0.0,
        critic_only: bool = False,
        after_epoch: Callable[[], None] | None = None,
    ) -> UpdateStatistics:
        """Learn from a rollout. ``left`` is the share of the budget that is not yet spent: the
        learning rate falls linearly with it. ``to_clone`` is the weight of the divergence from
        the clone, if there is one. ``after_epoch`` is called after each epoch."""
        self._to_clone = to_clone if self.clone is not None else 0.0
        final = self.parameters.final_share
        share = final + (1.0 - final) * left
        for group in self.optimiser.param_groups:
            group["lr"] = self.parameters.learning_rate * share
        if self.fused is not None:
            self.fused.begin()
        batch, explained = self._batch(rollout)
        count = batch.shape[0]
        size = self._minibatch_size(count)
        losses: list[dict[str, torch.Tensor]] = []
        kl = 0.0
        too_far = critic_only
        for _ in range(self.parameters.epochs):
            epoch = [self._minibatch(part, too_far) for part in self._minibatches(batch, size)]
            if after_epoch is not None:
                after_epoch()
            if critic_only:
                losses += epoch
            if too_far:
                continue
            losses += epoch
            kl = sum(loss["kl_approx"].item() for loss in epoch) / len(epoch)
            if self.parameters.target_kl and kl > self.parameters.target_kl:
                too_far = True
                if not self.parameters.critic_goes_on:
                    break

        if self.fused is not None:
            self.fused.end()

        def mean(name: str) -> float:
            return sum(loss[name].item() for loss in losses) / len(losses)

        return UpdateStatistics(
            entropy=mean("entropy"),
            kl=kl,
            clip_fraction=mean("clip_fraction"),
            loss_objective=mean("loss_objective"),
            loss_critic=mean("loss_critic"),
            explained_variance=explained,
            clone_kl=mean("clone_kl"),
        )

    def _minibatch_size(self, count: int) -> int:
        if not self.parameters.minibatch:
            return count
        # A rollout with long macros has few decisions; it still makes four minibatches.
        return max(1, min(self.parameters.minibatch, -(-count // 4)))

    def _modules(self) -> tuple[TensorDictModule, TensorDictModule]:
        """The modules that compute the logits and the values for the loss."""
        return (
            FromFeatures(self.networks.actor, "logits"),
            FromFeatures(self.networks.critic, "state_value"),
        )

    def _minibatches(self, batch: TensorDict, size: int) -> Iterator[Any]:
        """The minibatches of one epoch, ``size`` decisions at most, and equal but for one. The
        batch is shuffled once, so that they are views."""
        count = batch.shape[0]
        order = torch.randperm(count, generator=self.generator).to(self.device)
        sizes = even_sizes(count, size)
        if self.fused is None:
            shuffled: Any = batch[order].split(sizes)
            for part in shuffled:
                part["features"] = floats_of(part["features"])  # once for both networks
                yield part
            return
        names = list(batch.keys())
        columns = [batch[name][order].split(sizes) for name in names]
        for parts in zip(*columns, strict=True):
            yield dict(zip(names, parts, strict=True))

    def _values(self, rollout: Rollout) -> tuple[Tensor, Tensor]:
        """Values of all features of a rollout (T + 1, B), and of the states after its decisions
        (T, B)."""
        values = self._critic(rollout.features.to(self.device))
        next_values = values[1:].clone()
        if len(rollout.final_at):
            at, environment = rollout.final_at.to(self.device).unbind(-1)
            final_features = rollout.final_features.to(self.device)
            next_values[at, environment] = self._critic(final_features)
        return values, next_values

    def _clone_log_probs(self, rollout: Rollout, batch: TensorDict) -> Tensor:
        """The clone's log-probabilities of a rollout's decisions."""
        assert self.clone is not None
        return MaskedCategorical(self.clone(batch["features"]), batch["mask"]).log_probs

    def _logits(self, minibatch: TensorDict) -> Tensor:
        return self.networks.actor(minibatch["features"])

    def _batch(self, rollout: Rollout) -> tuple[TensorDict, float]:
        features = rollout.features.to(self.device)
        with torch.no_grad():
            values, next_values = self._values(rollout)
            terminated = rollout.terminated
            if self.parameters.time_limit == "terminal":
                terminated = terminated | rollout.truncated
            advantage, target = option_advantage(
                reward=rollout.reward.to(self.device) * self.parameters.reward_scale,
                steps=rollout.steps.to(self.device),
                terminated=terminated.to(self.device),
                truncated=rollout.truncated.to(self.device),
                value=values[:-1],
                next_value=next_values,
                gamma=self.parameters.gamma,
                lmbda=self.parameters.gae_lambda,
            )
        explained = explained_variance(values[:-1], target)
        if self.parameters.normalise_advantages:
            advantage = normalised(advantage)
        count = rollout.decisions
        batch = TensorDict(
            {
                "features": features[:-1].reshape(count, -1),
                "mask": rollout.mask.reshape(count, -1).to(self.device),
                "action": rollout.choices.reshape(count).to(self.device),
                "action_log_prob": rollout.log_probs.reshape(count).to(self.device),
                "advantage": advantage.reshape(count, 1),
                "value_target": target.reshape(count, 1),
            },
            batch_size=[count],
        )
        if self._to_clone and self.clone is not None:
            with torch.no_grad():
                batch["clone_log_probs"] = self._clone_log_probs(rollout, batch)
        return batch, explained

    def _critic(self, features: Tensor) -> Tensor:
        """Values of features (..., F)."""
        rows = features.reshape(-1, features.shape[-1])
        values = self.networks.critic(rows) if self.fused is None else self.fused.values(rows)
        return values.reshape(features.shape[:-1])

    def _minibatch(self, minibatch: Any, critic_only: bool) -> dict[str, torch.Tensor]:
        if self.fused is not None:
            return self.fused.minibatch(minibatch, self._to_clone, critic_only)
        half = self.parameters.precision == "bfloat16"
        with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=half):
            losses = self.loss(minibatch)
        total = losses["loss_critic"]
        if not critic_only:
            total = total + losses["loss_objective"]
            if self.parameters.entropy_bonus:
                total = total + losses["loss_entropy"]
        apart = torch.zeros(())
        if self._to_clone and not critic_only:
            logits = self._logits(minibatch)
            policy = MaskedCategorical(logits, minibatch["mask"])
            apart = kl_to_clone(minibatch["clone_log_probs"], policy.log_probs)
            total = total + self._to_clone * apart
        self.optimiser.zero_grad()  # to None: parameters without a gradient stay unchanged
        total.backward()
        if self.parameters.max_grad_norm:
            torch.nn.utils.clip_grad_norm_(self.weights, self.parameters.max_grad_norm)
        self.optimiser.step()
        reported = {name: losses[name].detach() for name in REPORTED}
        return {**reported, "clone_kl": apart.detach()}


def even_sizes(count: int, most: int) -> list[int]:
    """``count`` decisions in as few parts of at most ``most`` as possible, equal but for one. A
    small rest would take an optimiser's step as large as that of a whole minibatch."""
    parts = -(-count // most)
    return [count // parts + (part < count % parts) for part in range(parts)]
