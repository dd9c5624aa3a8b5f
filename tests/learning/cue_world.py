"""A toy env server whose episodes show a cue once, and ask for it at their end.

Four decisions: the first sees the cue, left or right, the others nothing but the time. The last one
has to be what the cue was. It keeps the endpoints' conventions, as tests/learning/corridor.py does.
"""

from typing import Any

import msgspec
import numpy as np

from messages.roll_out import ROLL_OUT, RolledOut, RollOut
from messages.training import TrainingSpec
from messages.world import (
    CLOSE,
    INTERFACE,
    OPEN,
    PLAY_ON,
    STEP,
    Actor,
    Closed,
    Condition,
    Field,
    Interface,
    Opened,
    OpenSession,
    PlayedOn,
    PlayOn,
    RewardTerm,
    SeedRange,
    Step,
    Stepped,
    TakeInterface,
    Task,
)
from tests.learning.own_playing import played_on, rolled_out

LENGTH = 4
CHOICES = ["left", "right"]


def cue_spec(budget: int = 20_000, **interface: Any) -> TrainingSpec:
    success = Condition(kind="near", name="cue")
    given = Interface(
        observations=["cue", "time"],
        actions=CHOICES,
        rewards=[RewardTerm(kind="success", weight=1)],
        success=success,
        horizon=LENGTH,
    )
    return TrainingSpec(
        name="cue",
        task=Task(id="cue", prompt="remember the cue", success=success),
        interface=msgspec.structs.replace(given, **interface),
        seeds=SeedRange(first=0, count=10_000),
        budget=budget,
        stop_at=0.97,
    )


class CueSession:
    actor: Actor  # of the policy that is trained

    def __init__(self, request: OpenSession) -> None:
        self.request = request
        size = request.size
        self.next_seed = np.arange(size)
        self.time = np.zeros(size, np.int64)
        self.cue = np.zeros(size, np.int64)
        self.over = np.zeros(size, bool)
        self.restart(np.arange(size))

    def restart(self, rows: np.ndarray) -> None:
        self.time[rows] = 0
        seeds = self.request.seeds.first + self.next_seed[rows] % self.request.seeds.count
        self.cue[rows] = seeds * 2654435761 // 65536 % 2
        self.next_seed[rows] += self.request.size

    def features(self) -> np.ndarray:
        shown = np.where(self.time == 0, 2.0 * self.cue - 1.0, 0.0)
        return np.stack([shown, self.time / LENGTH], 1).astype(np.float32)

    def opened(self) -> Opened:
        return Opened(
            fields=[Field(name="cue", size=1), Field(name="time", size=1)],
            choices=CHOICES,
            features=self.features(),
            mask=np.ones((self.request.size, 2), bool),
            prefix_steps=0,
        )

    def step(self, choices: np.ndarray) -> Stepped:
        playing = ~self.over
        self.time += playing
        last = playing & (self.time == LENGTH)
        success = last & (choices == self.cue)
        ended = np.flatnonzero(last)
        final = self.features()[ended]
        if self.request.autoreset and not self.request.once:
            self.restart(ended)
        else:
            self.over |= last
        return Stepped(
            features=self.features(),
            mask=np.ones((self.request.size, 2), bool),
            reward=success.astype(np.float32),
            steps=playing.astype(np.int64),
            terminated=success,
            truncated=last & ~success,
            success=success,
            final_rows=ended,
            final_features=final,
            final_returns=success[ended].astype(np.float32),
            final_lengths=np.full(len(ended), LENGTH),
            prefix_steps=0,
        )


class Cues:
    """``succeeded``: environments whose episodes of the last step succeeded."""

    def __init__(self) -> None:
        self.sessions: dict[str, CueSession] = {}
        self.succeeded = 0

    def open(self, request: OpenSession) -> Opened:
        self.sessions[request.session] = CueSession(request)
        return self.sessions[request.session].opened()

    def interface(self, request: TakeInterface) -> Opened:
        return self.sessions[request.session].opened()

    def step(self, request: Step) -> Stepped:
        stepped = self.sessions[request.session].step(request.choices)
        self.succeeded += int(stepped.success.sum())
        return stepped

    def play_on(self, request: PlayOn) -> PlayedOn:
        opened = self.sessions[request.session].opened()
        return played_on(
            request,
            opened,
            lambda choices: self.step(Step(session=request.session, choices=choices)),
        )

    def roll_out(self, request: RollOut) -> RolledOut:
        session = self.sessions[request.session]
        session.actor = request.actor or session.actor
        return rolled_out(
            request,
            session.actor,
            session.opened(),
            lambda choices: self.step(Step(session=request.session, choices=choices)),
        )

    def call(self, service: Any, request: Any) -> Any:
        """The bus's ``call``, without a bus."""
        if service is CLOSE:
            return Closed(episodes=[])
        endpoints = {
            OPEN: self.open,
            INTERFACE: self.interface,
            STEP: self.step,
            PLAY_ON: self.play_on,
            ROLL_OUT: self.roll_out,
        }
        return endpoints[service](request)
