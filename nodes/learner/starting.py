"""The policy that a new training begins from."""

import logging
from pathlib import Path
from typing import Any

import msgspec

from messages.bus import ServiceError
from messages.training import TrainingSpec
from models.policy import NetworkShape
from nodes.learner.checkpoints.state import Spaces, checkpoint_of, memory_of, stored_spaces


def start_of(
    policy: str, spec: TrainingSpec, spaces: Spaces, learner: Path, log: logging.Logger
) -> dict[str, Any] | None:
    """The checkpoint that a new training starts from; None: it starts from scratch.

    Raises:
        ServiceError: there is no such checkpoint, or it does not fit.
    """
    start = spec.start
    if start is None:
        return None
    refusal = f"{policy} can't start from the policy {start.id}"
    found = checkpoint_of(learner, start, refusal)
    if difference := stored_spaces(found).difference(spaces):
        raise ServiceError(
            f"{refusal}: {difference}. "
            "Start from one with the same observations and actions, or from none.",
            code="policy_does_not_fit",
        )
    theirs = msgspec.convert(found["shape"], NetworkShape).memory
    if theirs != (ours := memory_of(spec.interface)):
        raise ServiceError(
            f"{refusal}, which remembers {theirs} "
            f"numbers where the spec has {ours}. Start from one with the same memory, or from "
            "none.",
            code="policy_does_not_fit",
        )
    log.info("%s starts from the policy %s", policy, start.id)
    return found
