"""Trainings in corridors whose batch is spread over several toy env servers."""

import itertools
import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import torch

from messages.bus import DeadlineExceeded, RemoteError, ServiceError
from messages.roll_out import ROLL_OUT
from messages.training import Trained, TrainingSpec
from messages.world import OPEN, STEP
from nodes.common.parameters.hyperparameters import Hyperparameters
from nodes.learner.checkpoints import checkpoint
from nodes.learner.training import Training
from tests.learning.corridor import Corridors, Session, corridor_spec

PARAMETERS = Hyperparameters(
    environments=7, decisions=16, minibatch=32, hidden=16, checkpoint_seconds=0.0, reward_scale=0.01
)
NAMES = ("env_server", "env_server_2", "env_server_3")
TO_THE_END = corridor_spec(budget=3000, stop_at=2.0, macro=False)


class Server:
    """An env server of corridors that may be absent, restarted, or refuse."""

    def __init__(self) -> None:
        self.there = True
        self.at_most = 5  # decisions of a rollout in one answer
        self.absence = "no reply"
        self.steps = 0
        self.sessions: list[Session] = []  # all that were ever opened
        self.before: Callable[[], None] = lambda: None  # each step, or part of a rollout
        self.restart()

    def restart(self) -> None:
        self.corridors = Corridors()

    def __call__(self, service: Any, request: Any, timeout: float | None = None) -> Any:
        if service in (STEP, ROLL_OUT):
            self.before()
        if not self.there:
            raise DeadlineExceeded(f"{service.name}: {self.absence}")
        if service is ROLL_OUT:
            request = msgspec.structs.replace(request, drawn=request.drawn[: self.at_most])
        try:
            reply = self.corridors.call(service, request)
        except ServiceError as error:
            raise RemoteError(service.name, error.code, error.message) from error
        if service is OPEN:
            self.sessions.append(self.corridors.sessions[request.session])
        if service in (STEP, ROLL_OUT):
            self.steps += int(reply.steps.sum())
        return reply

    @property
    def played(self) -> list[int]:
        return [seed for session in self.sessions for seed in session.played]


def train(
    folder: Path,
    servers: list[Server],
    spec: TrainingSpec = TO_THE_END,
    parameters: Hyperparameters = PARAMETERS,
    report: Callable[[int], None] = lambda iteration: None,
) -> Trained:
    training = Training(
        policy="toy/train",
        spec=spec,
        parameters=parameters,
        learner=folder / "learner",
        folder=folder / "learner" / "toy+train",
        servers=dict(zip(NAMES, servers, strict=False)),
        log=logging.getLogger("test"),
        warn=logging.getLogger("test").error,
    )
    iterations = itertools.count(1)
    return training.run(lambda progress: report(next(iterations)))


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return checkpoint.read(folder / "learner" / "toy+train" / checkpoint.NAME)["networks"]


def all_there(servers: list[Server], count: int) -> Callable[[int], None]:
    """After each iteration: wait until so many sessions are open, that is until one that was lost
    or absent has been opened again beside the training."""

    def wait(iteration: int) -> None:
        deadline = time.monotonic() + 60.0
        while sum(len(server.corridors.sessions) for server in servers if server.there) < count:
            assert time.monotonic() < deadline
            time.sleep(0.001)

    return wait
