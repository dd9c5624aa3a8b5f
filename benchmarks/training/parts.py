"""Where a sample's time goes, from the world to the update, in one process: CPU time of the thread
for each part, and the codec's for the messages that a bus would carry."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.training.clock import Clock
from benchmarks.training.learners import PARAMETERS, Sampled, learner_of
from messages.codec import decode, encode, snapshot
from messages.training import TrainingSpec
from messages.world import Step, Stepped
from nodes.learner.checkpoints.state import TrainingState

PARTS = {
    "world": "steps of the world",
    "resets": "new worlds",
    "prefix": "what runs inside resets",
    "features": "features and masks",
    "rewards": "rewards, success, ends",
    "options": "program options and actions",
    "session": "the rest of a session",
    "bus": "messages: encoding and decoding",
    "policy": "the policy's network",
    "collection": "draws, storage",
    "advantages": "values, advantages",
    "update": "minibatches",
    "learner": "the rest of the learner",
}


@dataclass
class Parts:
    """Microseconds of CPU a sample, by part; how many samples a decision was."""

    spent: dict[str, float]
    a_decision: float


class _OverCodec:
    """A session's step as a bus carries it, without the socket."""

    def __init__(self, world: Sampled, clock: Clock) -> None:
        self._world = world
        self._clock = clock

    def step(self, choices: np.ndarray[Any, Any]) -> Stepped:
        with self._clock.part("bus"):
            asked = decode(Step, snapshot(encode(Step(session="bench", choices=choices))))
        stepped = self._world.step(asked.choices)
        with self._clock.part("bus"):
            return decode(Stepped, snapshot(encode(stepped)))


def parts(spec: TrainingSpec, rollouts: int) -> Parts:
    """The time by part of ``rollouts`` after a first one that is not counted."""
    world, clock = Sampled(spec), Clock()
    state, collector = learner_of(world, PARAMETERS)
    _watch(world, state, clock)
    over_codec = _OverCodec(world, clock)
    samples = decisions = 0
    for number in range(rollouts + 1):
        if number == 1:
            clock.spent.clear()
            samples = decisions = 0
        with clock.part("collection"):
            rollout = collector.collect(
                over_codec.step,
                state.networks.actor,
                state.generator,
                lambda samples, prefix_steps: samples < PARAMETERS.rollout_samples,
                state.device,
            )
        with clock.part("learner"):
            state.learn(rollout, 0, 10**9)
        samples += rollout.samples
        decisions += rollout.decisions
    return Parts(
        spent={name: clock.spent[name] * 1e6 / samples for name in PARTS},
        a_decision=samples / decisions,
    )


def _watch(world: Sampled, state: TrainingState, clock: Clock) -> None:
    session = world.local.sessions["bench"]
    steps = session._steps
    clock.watch(steps.world, "step", "world")
    clock.watch(steps.world, "reset", "resets")
    clock.watch(session._resets, "reset", "prefix")
    stage = session.stage
    assert stage is not None
    clock.watch(stage, "seen", "features")
    clock.watch(stage, "mask", "features")
    clock.watch(steps, "of_stage", "rewards")
    clock.watch(session._acting, "carry_out", "options")
    clock.watch(session, "step", "session")
    clock.watch(state.networks.actor, "forward", "policy")
    clock.watch(state.ppo, "_batch", "advantages")
    clock.watch(state.ppo, "_minibatch", "update")
