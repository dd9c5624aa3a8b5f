"""A toy env server for the learner's tests: environments are corridors, and the way out is right.

It serves the env server's services with the same conventions (automatic resets, final rows, rewards
discounted inside macros, horizons that truncate). ``python tests/learning/corridor.py RUN_FOLDER
[NAME]`` serves it on the bus, under the name ``env_server`` or another one.
"""

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from messages.bus import Bus, ServiceError
from messages.program import Program
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
    SessionName,
    Step,
    Stepped,
    TakeInterface,
    Task,
)
from tests.learning.own_playing import played_on, rolled_out

LENGTH = 12
PRIMITIVES = ["left", "stay", "right"]


def corridor_spec(budget: int = 20_000, stop_at: float = 0.95, macro: bool = True) -> TrainingSpec:
    """To the right, with a macro of four steps if wanted."""
    out = Condition(kind="near", name="door")
    return TrainingSpec(
        name="corridor",
        task=Task(id="corridor", prompt="leave the corridor", success=out),
        interface=Interface(
            observations=["cell", "bias"],
            actions=PRIMITIVES,
            macros=[Program(name="run", source="", max_steps=4)] if macro else [],
            rewards=[RewardTerm(kind="success", weight=100), RewardTerm(kind="step", weight=-1)],
            success=out,
            horizon=40,
        ),
        seeds=SeedRange(first=1000, count=400),
        budget=budget,
        stop_at=stop_at,
    )


class Session:
    """A batch of corridors. The seed decides where an episode starts: cell 0 or 1."""

    actor: Actor  # of the policy that is trained

    def __init__(
        self, request: OpenSession, walked: Callable[[int], int] = lambda episodes: 0
    ) -> None:
        """``walked``: primitive steps that prefixes take where so many episodes begin."""
        self.request = request
        self.walked = walked
        if request.interface is not None:
            self.interface = request.interface
        size = request.size
        self.next_seed = np.arange(size) + request.first
        self.played: list[int] = []  # seeds, in their order
        self.position = np.zeros(size, np.int64)
        self.length = np.zeros(size, np.int64)  # primitive steps of the running episodes
        self.total = np.zeros(size)  # and what they were paid
        self.over = np.zeros(size, bool)
        self.restart(np.arange(size))

    def restart(self, rows: np.ndarray) -> None:
        self.length[rows] = 0
        self.total[rows] = 0
        for row in rows.tolist():
            seed = self.request.seeds.first + int(self.next_seed[row]) % self.request.seeds.count
            self.position[row] = seed % 2
            self.played.append(seed)
            self.next_seed[row] += self.request.batch or self.request.size

    def take(self, interface: Interface) -> None:
        self.interface = interface
        self.over[:] = False
        self.length[:] = 0

    def opened(self) -> Opened:
        """As it stands."""
        return Opened(
            fields=[Field(name="cell", size=LENGTH + 1), Field(name="bias", size=1)],
            choices=PRIMITIVES + [macro.name for macro in self.interface.macros],
            features=self.features(),
            mask=self.mask(),
            prefix_steps=0,
        )

    def features(self) -> np.ndarray:
        features = np.zeros((self.request.size, LENGTH + 2), np.float32)
        features[np.arange(self.request.size), self.position] = 1
        features[:, -1] = 1
        return features

    def mask(self) -> np.ndarray:
        mask = np.ones((self.request.size, 3 + len(self.interface.macros)), bool)
        mask[:, 0] = self.position > 0
        return mask

    def step(self, choices: np.ndarray) -> Stepped:
        size = self.request.size
        reward, steps = np.zeros(size, np.float32), np.zeros(size, np.int64)
        terminated, truncated = np.zeros(size, bool), np.zeros(size, bool)
        matched = np.full(size, -1)
        for row in range(size):
            if self.over[row]:
                continue
            macro = int(choices[row]) - 3
            moves = [int(choices[row]) - 1]
            if macro >= 0:  # they start over when they were interrupted: each step is alike
                program = self.interface.macros[macro]
                moves = [1] * min(program.max_steps, program.interrupt or program.max_steps)
            matched[row] = moves[-1] + 1
            for move in moves:
                self.position[row] = np.clip(self.position[row] + move, 0, LENGTH)
                terminated[row] = self.position[row] == LENGTH
                paid = 100.0 * terminated[row] - 1.0
                reward[row] += self.interface.gamma ** steps[row] * paid
                self.total[row] += paid
                steps[row] += 1
                self.length[row] += 1
                truncated[row] = not terminated[row] and self.length[row] >= self.interface.horizon
                if terminated[row] or truncated[row]:
                    break
        ended = np.flatnonzero(terminated | truncated)
        final = self.features()[ended]
        returns = self.total[ended].astype(np.float32)
        lengths = self.length[ended]
        if self.request.autoreset and not self.request.once:
            self.restart(ended)
        else:
            self.over[ended] = True
        return Stepped(
            features=self.features(),
            mask=self.mask(),
            reward=reward,
            steps=steps,
            terminated=terminated,
            truncated=truncated,
            success=terminated.copy(),
            final_rows=ended,
            final_features=final,
            final_returns=returns,
            final_lengths=lengths,
            prefix_steps=self.walked(len(ended)),
            matched=matched if self.request.matched else None,
        )


class Corridors:
    """The env server's services."""

    def __init__(self) -> None:
        self.sessions: dict[str, Session] = {}
        self.walked: Callable[[int], int] = lambda episodes: 0  # see `Session`

    def open(self, request: OpenSession) -> Opened:
        session = self.sessions[request.session] = Session(request, self.walked)
        if request.interface is None:
            return Opened(
                fields=[],
                choices=[],
                features=np.zeros((request.size, 0), np.float32),
                mask=np.zeros((request.size, 0), bool),
                prefix_steps=0,
            )
        begun = self.walked(request.size)
        return msgspec.structs.replace(session.opened(), prefix_steps=begun)

    def session(self, name: str) -> Session:
        if name not in self.sessions:
            raise ServiceError(f"There is no session {name!r}.", code="unknown_session")
        return self.sessions[name]

    def interface(self, request: TakeInterface) -> Opened:
        session = self.session(request.session)
        session.take(request.interface)
        return session.opened()

    def step(self, request: Step) -> Stepped:
        return self.session(request.session).step(request.choices)

    def play_on(self, request: PlayOn) -> PlayedOn:
        session = self.session(request.session)
        return played_on(request, session.opened(), session.step)

    def roll_out(self, request: RollOut) -> RolledOut:
        session = self.session(request.session)
        session.actor = request.actor or session.actor
        return rolled_out(request, session.actor, session.opened(), session.step)

    def close(self, request: SessionName) -> Closed:
        self.session(request.session)
        del self.sessions[request.session]
        return Closed(episodes=[])

    def call(self, service: Any, request: Any) -> Any:
        """The bus's ``call``, without a bus."""
        served = {
            OPEN: self.open,
            INTERFACE: self.interface,
            STEP: self.step,
            ROLL_OUT: self.roll_out,
            CLOSE: self.close,
        }
        return served[service](request)


def main() -> None:
    corridors = Corridors()
    name = sys.argv[2] if len(sys.argv) > 2 else "env_server"
    bus = Bus(run=Path(sys.argv[1]), node=name)
    bus.serve(OPEN.at(name), corridors.open)
    bus.serve(INTERFACE.at(name), corridors.interface)
    bus.serve(STEP.at(name), corridors.step)
    bus.serve(PLAY_ON.at(name), corridors.play_on)
    bus.serve(ROLL_OUT.at(name), corridors.roll_out)
    bus.serve(CLOSE.at(name), corridors.close)
    bus.spin(threading.Event())


if __name__ == "__main__":
    main()
