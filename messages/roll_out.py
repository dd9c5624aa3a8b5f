"""Rollouts that a training's session plays itself, by the weights of the policy that is trained."""

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from messages.array import Array
from messages.interface import LIMITED_BY_SERVER, Service
from messages.world import Actor, Stepped


class RollOut(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """Let a session with autoreset make the next decisions of the policy that is trained in it: one
    for each row of ``drawn``, or fewer, as an answer comes after some tenths of a second. While the
    env server is paused it is one decision.

    No further decision begins once so many primitive steps have been made: ``samples`` in
    decisions, ``in_all`` in decisions and resets together.
    """

    session: str
    drawn: Array  # float64 (T, size), from 0 up to 1: what the choices are drawn by
    samples: int
    in_all: int | None = None  # None: any number
    actor: Actor | None = None  # the weights from now on; None: those of the request before
    single: bool = False  # one decision


class RolledOut(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """The t decisions that were made, at least one, each as `messages.world.Stepped` has it."""

    choices: Array  # int64 (t, size)
    log_probs: Array  # float32 (t, size), of these choices
    features: Array  # float32 (t, size, F), after each decision
    mask: Array  # bool (t, size, N), after each decision
    reward: Array  # float32 (t, size)
    steps: Array  # int64 (t, size)
    terminated: Array  # bool (t, size)
    truncated: Array  # bool (t, size)
    success: Array  # bool (t, size)
    final_at: Array  # int64 (n, 2): decisions and environments that ended an episode
    final_features: Array  # float32 (n, F)
    final_returns: Array  # float32 (n,)
    final_lengths: Array  # int64 (n,)
    prefix_steps: int
    final_scored: list[list[str]] = []


def rolled_out(
    choices: Sequence[np.ndarray[Any, Any]],
    log_probs: Sequence[np.ndarray[Any, Any]],
    stepped: Sequence[Stepped],
) -> RolledOut:
    """Decisions, at least one, that were carried out one by one; ``choices`` and ``log_probs`` each
    (size,)."""

    def column(name: str) -> np.ndarray[Any, Any]:
        return np.stack([getattr(each, name) for each in stepped])

    def ends(name: str) -> np.ndarray[Any, Any]:
        return np.concatenate([getattr(each, name) for each in stepped])

    decisions = np.repeat(np.arange(len(stepped)), [len(each.final_rows) for each in stepped])
    return RolledOut(
        choices=np.stack(choices),
        log_probs=np.stack(log_probs),
        features=column("features"),
        mask=column("mask"),
        reward=column("reward"),
        steps=column("steps"),
        terminated=column("terminated"),
        truncated=column("truncated"),
        success=column("success"),
        final_at=np.stack([decisions, ends("final_rows")], 1),
        final_features=ends("final_features"),
        final_returns=ends("final_returns"),
        final_lengths=ends("final_lengths"),
        prefix_steps=sum(each.prefix_steps for each in stepped),
        final_scored=[scored for each in stepped for scored in each.final_scored],
    )


ROLL_OUT = Service("env_server/roll_out", RollOut, RolledOut, timeout=LIMITED_BY_SERVER)
