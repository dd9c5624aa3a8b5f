"""The state of a policy's training between two rollouts, which is what a checkpoint holds."""

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import torch
from torch import nn

from messages.bus import ServiceError
from messages.training import Demonstrated, Policy
from messages.world import Interface, Opened
from models.cloning import faded
from models.memory import MemoryNetwork, Remembering, first_outputs
from models.policy import ActorCritic, NetworkShape, Shape
from nodes.common.parameters.hyperparameters import Hyperparameters
from nodes.learner.checkpoints import checkpoint as checkpoints
from nodes.learner.checkpoints.policies import folder_of
from nodes.learner.collecting.acting_weights import ActingWeights
from nodes.learner.collecting.episodes import RecentEpisodes
from nodes.learner.collecting.rollout import Rollout
from nodes.learner.ending.still_rising import Ended
from nodes.learner.optimising.imitation import Trajectories, imitate
from nodes.learner.optimising.ppo import UpdateStatistics
from nodes.learner.optimising.sequence_ppo import ppo_of
from worlds.common.pictures import only_pictures, picture_shape


class Counters(msgspec.Struct, kw_only=True):
    samples: int = 0  # primitive steps that were learned from
    prefix_samples: int = 0  # primitive steps of prefixes in resets, tryouts and demonstrations
    decisions: int = 0
    iterations: int = 0
    seeds_used: int = 0
    doubled: int = 0  # times that the budget was, as the success rate still rose


@dataclass
class Best:
    """The weights with the best tryout."""

    samples: int  # how many they had learned from
    rate: float
    networks: dict[str, Any]


class Spaces(msgspec.Struct, frozen=True, kw_only=True):
    """The observation and action space of a session; a policy only fits sessions with the same."""

    fields: list[tuple[str, int]]  # name and size
    choices: list[str]

    @staticmethod
    def of(opened: Opened) -> "Spaces":
        return Spaces(
            fields=[(field.name, field.size) for field in opened.fields],
            choices=list(opened.choices),
        )

    def difference(self, other: "Spaces") -> str:
        """The difference in words, empty if there is none."""
        for what, ours, theirs in (
            ("observations", self.fields, other.fields),
            ("actions", self.choices, other.choices),
        ):
            if ours != theirs:
                return f"its {what} are {ours}, the session's are {theirs}"
        return ""

    @property
    def sizes(self) -> list[int]:
        return [size for _, size in self.fields]

    @property
    def shapes(self) -> list[Shape]:
        """The shape of each field: (size,), or of a picture (channels, height, width)."""
        return [picture_shape(name) or (size,) for name, size in self.fields]

    @property
    def seen(self) -> torch.dtype:
        """The type of the features: uint8 where they are pictures and nothing else."""
        pictures = self.fields and only_pictures(name for name, _ in self.fields)
        return torch.uint8 if pictures else torch.float32


def network_shape(parameters: Hyperparameters, memory: int = 0) -> NetworkShape:
    return NetworkShape(
        memory=memory,
        hidden=parameters.hidden,
        layers=parameters.layers,
        encoder=parameters.encoder,
        fusion=parameters.fusion,
    )


def memory_of(interface: Interface) -> int:
    """Numbers that a policy of this interface remembers."""
    return 0 if interface.memory == "none" else interface.memory_size


def stored_spaces(checkpoint: dict[str, Any]) -> Spaces:
    return msgspec.convert(checkpoint["meeting"], Spaces)  # so called since the first checkpoints


def stored_networks(checkpoint: dict[str, Any]) -> ActorCritic:
    """The networks of a checkpoint, on the CPU."""
    spaces = stored_spaces(checkpoint)
    shape = msgspec.convert(checkpoint["shape"], NetworkShape)
    networks = ActorCritic(spaces.shapes, len(spaces.choices), shape)
    networks.load_state_dict(checkpoint["networks"])
    return networks


def load(folder: Path, reads_only: bool = False) -> tuple[dict[str, Any] | None, list[str]]:
    """`checkpoint.load`, for the newest one that a training can go on from."""
    return checkpoints.load(
        folder,
        lambda found: TrainingState(stored_spaces(found), Hyperparameters(), 0, found),
        reads_only,
    )


def checkpoint_of(learner: Path, policy: Policy, refusal: str) -> dict[str, Any]:
    """The newest whole checkpoint of a policy.

    Raises:
        ServiceError: ``unknown_policy``, there is none; the text is ``refusal`` and why.
    """
    found, problems = load(folder_of(learner, policy), reads_only=True)
    if found is None:
        why = " ".join(problems) or "it has no checkpoint."
        raise ServiceError(f"{refusal}: {why}", code="unknown_policy")
    return found


def _draw_evenly(actor: nn.Sequential | MemoryNetwork) -> None:
    """Make all choices of ``actor`` equally likely."""
    layers = actor.after if isinstance(actor, MemoryNetwork) else actor
    for weights in layers[-1].parameters():
        nn.init.zeros_(weights)


def _points(stored: torch.Tensor | list[list[float]]) -> list[list[float]]:
    """Points of a curve; older checkpoints have lists."""
    return stored.tolist() if isinstance(stored, torch.Tensor) else stored


def _choosing(overlap: bool, own: torch.Generator, stored: torch.Tensor | None) -> torch.Generator:
    """What draws the choices: the training's ``own`` generator, or another one where an update
    overlaps with a rollout. Two threads draw then, whose draws would be in no fixed order.
    ``stored``: the other one's state in a checkpoint."""
    if not overlap:
        return own
    choosing = torch.Generator()
    if stored is not None:
        choosing.set_state(stored)
    else:
        choosing.manual_seed(int(torch.randint(2**62, (), generator=own).item()))
    return choosing


class TrainingState:
    """Networks, optimiser, random numbers, counters and recent episodes of one policy.

    Args:
        spaces: of the session.
        parameters: hyper-parameters.
        seed: of weights, choices and minibatches.
        checkpoint: to go on from. Its network shape is kept; the other hyper-parameters are those
            of ``parameters``, which may have been edited since.
        start: another policy's checkpoint, whose networks a new training starts from. All else
            is new: optimiser, counters, episodes.
        memory: size of the memory of new networks.
    """

    def __init__(
        self,
        spaces: Spaces,
        parameters: Hyperparameters,
        seed: int,
        checkpoint: dict[str, Any] | None = None,
        start: dict[str, Any] | None = None,
        memory: int = 0,
    ) -> None:
        self.spaces = spaces
        self.parameters = parameters
        self.counters = Counters()
        self.episodes = RecentEpisodes(parameters.window)
        self.trajectories = Trajectories(parameters.imitation_trajectories)
        self.curve: list[tuple[int, float]] = []
        self.returns: list[tuple[int, float]] = []  # (samples, mean return of recent episodes)
        self.ended: list[Ended] = []
        self.stopped = ""  # why training ended, once it has
        self.imitation_loss = 0.0  # of the last epoch of self-imitation
        self.clone: ActorCritic | None = None  # the networks that it began as, if it was cloned
        self.demonstrated: list[Demonstrated] = []
        self.tryouts: list[tuple[int, float]] = []  # (samples, success rate)
        self.tryout_steps = 0  # primitive steps of the last one
        self.best: Best | None = None  # of the tryouts
        self.generator = torch.Generator().manual_seed(seed)
        self.device = torch.device(parameters.device)
        given = checkpoint or start
        if given is None:
            self.shape = network_shape(parameters, memory)
            self.networks = ActorCritic(
                spaces.shapes, len(spaces.choices), self.shape, self.generator
            ).to(self.device)
        else:
            self.shape = msgspec.convert(given["shape"], NetworkShape)
            self.networks = stored_networks(given).to(self.device)
        if parameters.uniform:
            _draw_evenly(self.networks.actor)
        self.ppo = ppo_of(self.networks, parameters, self.generator)
        # What chooses, decision by decision, in the training's session: the networks themselves,
        # or a copy of them where an update overlaps with a collection.
        self.acting: ActingWeights | None = None
        if parameters.overlap:
            self.acting = ActingWeights(self.networks)
        playing = self.networks if self.acting is None else self.acting.networks
        self.player = playing.remembering() or playing.actor
        if checkpoint is not None:
            self._go_on_from(checkpoint)
        stored = (checkpoint or {}).get("choosing")
        self.choosing = _choosing(parameters.overlap, self.generator, stored)
        self._chosen = self.choosing.get_state()  # with the last rollout that is counted

    def learn(self, rollout: Rollout, seeds_used: int, budget: int) -> UpdateStatistics:
        """Update from a rollout and count it."""
        update = self.update_of(rollout, budget)
        statistics = update()
        self.count(rollout, seeds_used)
        self.imitate_if_due()
        self.act_as_now()
        return statistics

    def act_as_now(self) -> None:
        """Choose by the present weights; call where no update runs."""
        if self.acting is not None:
            self.acting.take_newest()

    def update_of(self, rollout: Rollout, budget: int) -> Callable[[], UpdateStatistics]:
        """What updates the networks from a rollout. It uses them, their optimiser and the
        generator; counters are those of now."""
        samples, parameters = self.counters.samples, self.parameters
        left = max(0.0, 1.0 - samples / budget)
        to_clone = faded(parameters.clone_kl, samples, parameters.clone_fade)
        critic_only = self.clone is not None and samples < parameters.clone_hold

        acting = self.acting
        if acting is not None:
            acting.begin_update(parameters.epochs, len(rollout.choices))
        after_epoch = None if acting is None else acting.after_epoch

        def update() -> UpdateStatistics:
            try:
                if parameters.uniform:
                    return UpdateStatistics()
                return self.ppo.update(rollout, left, to_clone, critic_only, after_epoch)
            finally:
                if acting is not None:
                    acting.end_update()

        return update

    def count(self, rollout: Rollout, seeds_used: int) -> None:
        """Count a rollout that the networks learn from, which is done nowhere else. A checkpoint
        may be made once they have."""
        self.counters.samples += rollout.samples
        self.counters.prefix_samples += rollout.prefix_steps
        self.counters.decisions += rollout.decisions
        self.counters.iterations += 1
        self.counters.seeds_used = seeds_used
        self._chosen = self.choosing.get_state()
        if self.parameters.imitation_every:
            self.trajectories.add(rollout)
        for episode in rollout.episodes:
            self.episodes.end(
                episode.environment, episode.success, episode.total_reward, episode.length
            )
        self.curve.append((self.counters.samples, self.episodes.success_rate))
        self.returns.append((self.counters.samples, self.episodes.mean_return))
        self.ended.append(
            Ended(self.counters.samples, self.episodes.ended, self.episodes.succeeded)
        )

    def keep_clone(self) -> None:
        """Keep a copy of the networks, which were just cloned: the training is kept close to it."""
        self.clone = copy.deepcopy(self.networks)
        self.ppo.clone = self.clone.actor

    def tried(self, rate: float, steps: int = 0) -> None:
        """Record a tryout of the present networks, which took so many primitive steps; on a tie
        the later one is the best."""
        self.counters.prefix_samples += steps
        self.tryouts.append((self.counters.samples, rate))
        self.tryout_steps = steps
        if self.best is None or rate >= self.best.rate:
            weights = copy.deepcopy(self.networks.state_dict())
            self.best = Best(samples=self.counters.samples, rate=rate, networks=weights)

    def load_best(self) -> None:
        """Load the weights of the best tryout, if there was one."""
        if self.best is not None:
            self.networks.load_state_dict(self.best.networks)

    def _go_on_from(self, checkpoint: dict[str, Any]) -> None:
        """Take over from a checkpoint all but the networks."""
        self.ppo.optimiser.load_state_dict(checkpoint["optimiser"])
        self.generator.set_state(checkpoint["generator"])
        self.counters = msgspec.convert(checkpoint["counters"], Counters)
        self.episodes.load_state_dict(checkpoint["episodes"])
        self.trajectories.load_state_dict(checkpoint["trajectories"])
        self.curve = [(int(samples), rate) for samples, rate in _points(checkpoint["curve"])]
        self.stopped = checkpoint["stopped"]
        # Older checkpoints lack it, and their curve goes on from 0.
        self.imitation_loss = checkpoint.get("imitation_loss", 0.0)
        self._load_start(checkpoint)

    def _load_start(self, checkpoint: dict[str, Any]) -> None:
        """Load the entries that older checkpoints lack."""
        self.demonstrated = msgspec.convert(checkpoint.get("demonstrated", []), list[Demonstrated])
        if (weights := checkpoint.get("clone")) is not None:
            self.clone = copy.deepcopy(self.networks)
            self.clone.load_state_dict(weights)
            self.ppo.clone = self.clone.actor
        self.tryouts = [(samples, rate) for samples, rate in checkpoint.get("tryouts", [])]
        self.tryout_steps = checkpoint.get("tryout_steps", 0)
        returns, ended = checkpoint.get("returns", []), checkpoint.get("ended", [])
        self.returns = [(int(samples), mean) for samples, mean in _points(returns)]
        self.ended = [Ended(*map(int, each)) for each in _points(ended)]
        if (best := checkpoint.get("best")) is not None:
            self.best = Best(**best)

    def outputs_are_finite(self, rollout: Rollout) -> bool:
        """Whether the networks' outputs for the last features of the rollout are finite."""
        features = rollout.features[-1].to(self.device)
        with torch.no_grad():
            networks = (self.networks.actor, self.networks.critic)
            outputs = [first_outputs(each, features) for each in networks]
        return all(bool(numbers.isfinite().all()) for numbers in outputs)

    def begin(self, environments: int) -> None:
        """A session was opened: the first episode begins in each of its environments."""
        self.episodes.begin(environments)
        self.trajectories.begin(environments)
        self.ppo.begin()
        if isinstance(self.player, Remembering):
            self.player.begin(environments)

    def leave(self, environments: Sequence[int]) -> None:
        """Leave out lost environments, with their episodes."""
        self.episodes.leave(environments)
        self.trajectories.begin_in(environments)

    def enter(self, environments: Sequence[int]) -> None:
        """Take environments in that are there again: an episode begins in each of them."""
        self.episodes.enter(environments)
        self.trajectories.begin_in(environments)
        self.ppo.begin_in(environments)
        if isinstance(self.player, Remembering):
            self.player.forget(list(environments))

    def imitate_if_due(self) -> bool:
        """Self-imitation, after the update of every so many iterations. Returns whether it was
        due."""
        every = self.parameters.imitation_every
        due = bool(every) and self.counters.iterations % every == 0
        if due:
            self.imitation_loss = imitate(
                self.trajectories,
                self.networks.actor,
                self.ppo.optimiser,
                self.generator,
                minibatch=self.parameters.imitation_minibatch,
                max_grad_norm=self.parameters.max_grad_norm,
            )
        return due

    def finite(self) -> bool:
        """Whether all weights are finite."""
        return all(bool(each.isfinite().all()) for each in self.networks.parameters())

    def checkpoint(self) -> dict[str, Any]:
        """Tensors, numbers, strings, and dicts and lists of them; without the kept trajectories,
        which have their own files."""
        return {
            "meeting": msgspec.to_builtins(self.spaces),
            "shape": msgspec.to_builtins(self.shape),
            "networks": self.networks.state_dict(),
            "optimiser": self.ppo.optimiser.state_dict(),
            "generator": self.generator.get_state(),
            "choosing": self._chosen if self.parameters.overlap else None,
            "counters": msgspec.to_builtins(self.counters),
            "episodes": self.episodes.state_dict(),
            "trajectories": self.trajectories.state_dict(),
            # Tensors: of thousands of iterations, and a checkpoint is written every second.
            "curve": torch.tensor(self.curve, dtype=torch.float64),
            "returns": torch.tensor(self.returns, dtype=torch.float64),
            "ended": torch.tensor(self.ended, dtype=torch.float64),
            "stopped": self.stopped,
            "imitation_loss": self.imitation_loss,
            "clone": self.clone and self.clone.state_dict(),
            "demonstrated": msgspec.to_builtins(self.demonstrated),
            "tryouts": [list(tryout) for tryout in self.tryouts],
            "tryout_steps": self.tryout_steps,
            "best": self.best and vars(self.best),
        }
