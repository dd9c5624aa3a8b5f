"""The learner's parameters: PPO's hyper-parameters and how it uses the machine."""

from typing import Annotated, Literal

from msgspec import Meta

from messages.bounds import Amount, Discount, NotNegative, Positive, Share, Threads
from nodes.node import Node

MOST_DEMONSTRATIONS = 1_000
"""Seeds at the end of a training's, on which nothing but demonstrations is played."""


class Hyperparameters(Node.Parameters, kw_only=True, forbid_unknown_fields=True):
    # Collection.
    environments: Positive = 64  # side by side in a training session
    decisions: Positive = 16  # per environment in a rollout, at most
    rollout_samples: Positive = 16384  # a rollout also ends here: macros make decisions long
    reward_scale: Amount = 0.0  # 0: one over the largest weight of the spec's rewards

    # The objective.
    gamma: Discount = 0.99  # per primitive step, at least
    # What a reward at the end of a stage's horizon is worth at its start, at least: for long
    # stages gamma is raised until it is. 0: gamma is the same for all stages.
    worth_at_horizon: Share = 0.0
    gae_lambda: Share = 0.95  # per decision
    clip: Share = 0.2
    entropy_bonus: Amount = 0.01
    critic_weight: Amount = 0.5
    normalise_advantages: bool = True
    # The return after a time limit: the critic's value, or 0 (a fault of the paper's code).
    time_limit: Literal["bootstrap", "terminal"] = "bootstrap"

    # The update. fused: by hand for plain networks of float32, TorchRL's loss for all others;
    # torchrl: TorchRL's loss for all. The same to rounding.
    update: Literal["fused", "torchrl"] = "fused"
    epochs: Positive = 8
    sequence: Positive = 16  # decisions in a sequence, for a policy with a memory
    minibatch: NotNegative = 256  # decisions; 0: the whole rollout at once
    # The rate falls linearly with the share of the budget that is left: where the budget grows, it
    # rises again.
    learning_rate: Amount = 1e-3
    final_share: Share = 0.1  # of the learning rate that is left when the budget is spent
    max_grad_norm: Amount = 0.5  # 0: not clipped
    target_kl: Amount = 0.05  # an update stops early beyond this; 0: never
    critic_goes_on: bool = False  # the critic alone learns on in the epochs after that stop

    # Nothing is learned, and choices are drawn evenly among those possible: a baseline.
    uniform: bool = False

    # Self-imitation: one epoch of cross-entropy on the actor, over trajectories that went well.
    imitation_every: NotNegative = 0  # iterations from one such epoch to the next; 0: none
    imitation_trajectories: Positive = 500  # are kept, at most
    imitation_minibatch: NotNegative = 256  # decisions; 0: all at once

    # The cloned start: a policy imitates the programs in `clone`, then is kept close to that.
    # Played in all, by the programs in turn.
    clone_episodes: Annotated[int, Meta(ge=1, le=MOST_DEMONSTRATIONS)] = 32
    clone_epochs: Positive = 100  # over the decisions of those that succeeded, at most
    clone_until: Amount = 0.1  # cross-entropy at which that ends
    clone_hold: NotNegative = 8192  # first samples, from which only the critic learns
    clone_kl: Amount = 0.1  # weight of KL(clone, policy) in the loss, at first
    clone_fade: Positive = 30_000  # samples over which that weight falls to 0 linearly

    # The network. encoder: width of each field's encoder, 0 for none (see models/policy.py).
    hidden: Positive = 128
    layers: Positive = 2
    encoder: NotNegative = 0
    fusion: NotNegative = 0

    # The machine. overlap: the next rollout is collected while an update runs, by weights that
    # change as it goes on (docs/options.md).
    overlap: bool = False
    # Who makes the decisions of a rollout. session: the session, which is sent the weights, where
    # it can play the policy; learner: the learner, which sends each of them.
    rollouts: Literal["session", "learner"] = "session"
    device: str = "cpu"  # or "cuda", "cuda:1", ...
    threads: Threads = 1
    precision: Literal["float32", "bfloat16"] = "float32"  # bfloat16 pays on a CPU with AMX

    # Episodes and the disk.
    window: Positive = 100  # recent training episodes that the success rate is taken over
    checkpoint_seconds: Amount = 1.0  # at most this much training is lost by a kill
    greedy: bool = False  # when acting: the most probable choice instead of a drawn one


TAKEN_WHILE_TRAINING = (
    *("learning_rate", "final_share", "entropy_bonus", "clip", "epochs", "target_kl"),
    *("minibatch", "max_grad_norm", "rollout_samples"),
)
"""Parameters that can be set while a training runs: it takes them before its next update."""
