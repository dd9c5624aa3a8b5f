"""Rollouts that a training's session plays itself, by the weights of the policy that is trained."""

import msgspec

from messages.array import Array
from messages.interface import LIMITED_BY_SERVER, Service
from messages.world import Actor


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


ROLL_OUT = Service("env_server/roll_out", RollOut, RolledOut, timeout=LIMITED_BY_SERVER)
