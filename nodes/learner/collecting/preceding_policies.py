"""Earlier policies that play inside the resets of a training, so that it begins where they end."""

import zlib
from pathlib import Path
from typing import Any

import numpy as np
import torch

from messages.bus import ServiceError
from messages.training import LeadingStage, Policy
from messages.world import Lead
from nodes.learner.checkpoints.policies import folder_of, load_spec
from nodes.learner.checkpoints.state import checkpoint_of, stored_networks, stored_spaces
from nodes.learner.deciding import Deciding


class Leader:
    """One such policy, on the CPU.

    Raises:
        ServiceError: ``unknown_policy``, there is no such policy, or no whole checkpoint of it.
    """

    def __init__(self, learner: Path, policy: Policy, training: str, greedy: bool) -> None:
        self._id = policy.id
        folder = folder_of(learner, policy)
        self.interface = load_spec(folder, policy.id).interface
        refusal = f"{training} can't begin after the policy {policy.id}"
        found = checkpoint_of(learner, policy, refusal)
        spaces = stored_spaces(found)
        self._shown = sum(spaces.sizes), len(spaces.choices)
        # It chooses as it does where policies act in sessions.
        seed = zlib.crc32(f"{training}:{policy.id}".encode())
        generator = torch.Generator().manual_seed(seed)
        self._deciding = Deciding(stored_networks(found).actor, generator, greedy)

    def begin(self, environments: int) -> None:
        """Begin the leader's turn in all environments that it plays in."""
        self._deciding.begin(environments)

    def choose(
        self, features: np.ndarray[Any, Any], mask: np.ndarray[Any, Any]
    ) -> np.ndarray[Any, Any]:
        """A choice for each environment: int64 (B,). ``features`` (B, F), ``mask`` (B, N).

        Raises:
            ServiceError: ``policy_does_not_fit``.
        """
        shown = features.shape[1], mask.shape[1]
        if shown != self._shown:
            raise ServiceError(
                f"The policy {self._id}, which this training begins after, was trained on "
                f"{self._shown[0]} features and {self._shown[1]} choices; the session has "
                f"{shown[0]} and {shown[1]}.",
                code="policy_does_not_fit",
            )
        return self._deciding.choose(features, mask)


class Leaders:
    """The leading stages of a spec, in order; ``lead`` describes them for the session."""

    def __init__(
        self, learner: Path, stages: list[LeadingStage], training: str, greedy: bool = False
    ) -> None:
        self._learner, self._stages, self._greedy = learner, stages, greedy
        self._leaders: dict[int, Leader] = {}
        self.lead: list[Lead] = []
        for number, stage in enumerate(stages):
            if stage.policy is not None:
                self._leaders[number] = Leader(learner, stage.policy, training, greedy)
                self.lead.append(Lead(interface=self._leaders[number].interface))
            else:
                self.lead.append(Lead(program=stage.program))

    def copy_for(self, training: str) -> "Leaders":
        """The same stages for another session, with draws and memories of their own."""
        return Leaders(self._learner, self._stages, training, self._greedy)

    def begin(self, number: int, environments: int) -> None:
        """A policy's turn begins in all environments that it plays in."""
        if number in self._leaders:
            self._leaders[number].begin(environments)

    def choose(
        self, number: int, features: np.ndarray[Any, Any], mask: np.ndarray[Any, Any]
    ) -> np.ndarray[Any, Any]:
        """Choices of the policy with this number, for which the session waits."""
        leader = self._leaders.get(number)
        if leader is None:
            raise ServiceError(f"The session waits for policy {number}, which does not exist.")
        return leader.choose(features, mask)
