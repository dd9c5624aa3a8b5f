"""Trainings in corridors (corridor.py), without a bus, for several files of tests."""

import logging

import msgspec

from nodes.common.parameters.hyperparameters import Hyperparameters
from nodes.learner.checkpoints.state import Spaces, TrainingState
from nodes.learner.collecting.rollout import Collector
from nodes.learner.collecting.session import TrainingSession
from nodes.learner.collecting.session_plan import SessionPlan
from nodes.learner.training import Training
from tests.learning.corridor import Corridors, corridor_spec

PARAMETERS = Hyperparameters(
    environments=8, decisions=16, minibatch=32, hidden=16, checkpoint_seconds=0.0, reward_scale=0.01
)


def begin():
    """A session of corridors, a collector, and an untrained policy."""
    session = TrainingSession(
        Corridors().call, SessionPlan(name="toy", spec=corridor_spec(), gamma=0.99, size=8)
    )
    opened = session.open(0)
    collector = Collector(size=8, features=opened.features.shape[1], choices=4, decisions=16)
    collector.begin(opened)
    state = TrainingState(Spaces.of(opened), PARAMETERS, seed=3)
    state.episodes.begin(8)
    return session, collector, state


def collected(session, collector, state):
    """A whole rollout of the policy as it is."""
    return collector.collect(
        session.step,
        state.networks.actor,
        state.generator,
        lambda samples, prefix_steps: True,
        state.device,
    )


def iterate(session, collector, state, count):
    for _ in range(count):
        rollout = collected(session, collector, state)
        state.learn(rollout, session.seeds_used, session.spec.budget)


def training(folder, corridors, spec=None, call=None, **changed):
    return Training(
        policy="toy/train",
        spec=spec or corridor_spec(budget=2000, stop_at=2.0),
        parameters=msgspec.structs.replace(PARAMETERS, **changed),
        learner=folder / "learner",
        folder=folder / "learner" / "toy+train",
        servers={"env_server": call or corridors.call},
        log=logging.getLogger("test"),
        warn=logging.getLogger("test").error,
    )
