"""A trained policy plays on in a session that another node opened."""

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from messages.bus import SESSION_KILLED, BusError, ServiceError
from messages.interface import Call, Reply, Request, Service
from messages.training import Act, Acted, TrainingSpec
from messages.world import (
    INTERFACE,
    PLAY_ON,
    STEP,
    Actor,
    Opened,
    PlayOn,
    Step,
    TakeInterface,
)
from nodes.common.goals.session_ends import UNKNOWN_SESSION, was_killed
from nodes.learner.checkpoints.exporting import exported, not_playable, with_actors
from nodes.learner.checkpoints.state import Spaces, load, stored_networks, stored_spaces
from nodes.learner.collecting.session import lost
from nodes.learner.deciding import Deciding


def play(
    call: Call,
    act: Act,
    *,
    spec: TrainingSpec,
    folder: Path,
    learner: Path,
    greedy: bool,
    warn: Callable[[str], None],
    check: Callable[[], None] = lambda: None,
) -> Acted:
    """Play until the policy's stage is over in every environment.

    Choices are drawn, as in the paper, or with ``greedy`` the most probable ones. ``check`` is
    called several times a second, at least before each decision that is made here, and raises to
    end it early. ``warn`` gets one sentence about a bad checkpoint when the previous one is used
    instead.

    Raises:
        ServiceError: ``unknown_session``, ``session_killed``: the session ended, so the caller
            starts over; ``unknown_policy``: there is no whole checkpoint;
            ``policy_does_not_fit``.
    """
    state = _checkpoint(folder, act.policy.id, warn)
    seed = zlib.crc32(act.session.encode()) if act.seed is None else act.seed
    session = ActingSession(call, act)
    opened = session.request(
        INTERFACE,
        TakeInterface(
            session=act.session,
            interface=spec.interface,
            environments=act.environments,
            begins=act.begins,
            guards=with_actors(learner, act.guards, greedy),
        ),
    )
    spaces, network = stored_spaces(state), stored_networks(state).actor
    if difference := spaces.difference(Spaces.of(opened)):
        raise ServiceError(
            f"The policy {act.policy.id} does not fit the session: {difference}.",
            code="policy_does_not_fit",
        )
    if not_playable(network) is None:
        return played_there(session, exported(spaces, network, greedy), seed, check)
    deciding = Deciding(network, torch.Generator().manual_seed(seed), greedy)
    return played_from_here(session, deciding, opened, check)


class ActingSession:
    """The session that is played in. Its end raises an error of its own, unlike other failures."""

    def __init__(self, call: Call, act: Act) -> None:
        self.name = act.session
        self.environments = act.environments
        self._call = call
        self._act = act

    def request(self, service: Service[Request, Reply], request: Request) -> Reply:
        try:
            return self._call(service, request)
        except BusError as error:
            if lost(error):
                raise ServiceError(
                    f"The session {self._act.session} ended while {self._act.policy.id} played in "
                    f"it ({error}): play its episodes again from the start.",
                    code=SESSION_KILLED if was_killed(error) else UNKNOWN_SESSION,
                ) from error
            raise


def played_there(
    session: ActingSession, actor: Actor, seed: int, check: Callable[[], None]
) -> Acted:
    """The session plays the policy itself."""
    request = PlayOn(session=session.name, actor=actor, seed=seed)
    steps = 0
    late: set[int] = set()
    while True:
        check()
        played = session.request(PLAY_ON, request)
        steps += played.steps
        late.update(np.flatnonzero(played.late).tolist())
        if played.over.all():
            return Acted(steps=steps, late=sorted(late))
        request = PlayOn(session=session.name)


def played_from_here(
    session: ActingSession, deciding: Deciding, opened: Opened, check: Callable[[], None]
) -> Acted:
    """Each decision is made here: of a policy that sees pictures, for example."""
    features, mask = opened.features, opened.mask
    over = np.zeros(len(features), bool)
    if session.environments:
        over[:] = True
        over[session.environments] = False
    steps = 0
    deciding.begin(len(features))
    late = np.zeros(len(features), bool)
    while not over.all():
        check()
        possible = mask | over[:, None]  # where the stage is over, choices have no effect
        chosen = deciding.choose(features, possible)
        stepped = session.request(STEP, Step(session=session.name, choices=chosen))
        steps += int(stepped.steps.sum())
        late |= ~over & stepped.truncated & ~stepped.terminated
        over |= stepped.terminated | stepped.truncated | (stepped.steps == 0)
        features, mask = stepped.features, stepped.mask
    return Acted(steps=steps, late=np.flatnonzero(late).tolist())


def _checkpoint(folder: Path, policy: str, warn: Callable[[str], None]) -> dict[str, Any]:
    """The policy's whole checkpoint, the previous one where the last is bad."""
    state, problems = load(folder, reads_only=True)
    if state is None:
        raise ServiceError(
            " ".join(problems) or f"The policy {policy} has no checkpoint: train it first.",
            code="unknown_policy",
        )
    if problems:
        warn(f"{policy} plays from the previous checkpoint. {' '.join(problems)}")
    return state
