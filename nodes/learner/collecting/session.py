"""The learner's end of a training session: a vectorised environment over the bus, with the
collectors' conventions (automatic resets, the last features of an ended episode apart)."""

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec
import numpy as np

from messages.bus import DeadlineExceeded, PeerRestarted, RemoteError
from messages.interface import Call, Reply, Request, Service
from messages.roll_out import ROLL_OUT, RolledOut, RollOut
from messages.world import (
    CLOSE,
    MOST_STEPS_BEFORE_REPLY,
    OPEN,
    STEP,
    CloseSession,
    Opened,
    OpenSession,
    SeedRange,
    Step,
    Stepped,
)
from nodes.common.goals.session_ends import session_was_lost, was_killed
from nodes.learner.collecting.session_plan import SessionPlan

LONGEST_WAIT = 10_000
"""Steps in each environment, at least, after which the training of a guard is given up if its
condition never held."""
_Answer = TypeVar("_Answer", Opened, Stepped)


class SessionLost(Exception):
    """The session has ended (the env server was restarted, or closed it): open it again.
    ``killed``: a process was killed from outside, and nothing that ran in it is at fault.
    ``absent``: the env server did not answer in time."""

    def __init__(self, text: str, killed: bool = False, absent: bool = False) -> None:
        super().__init__(text)
        self.killed = killed
        self.absent = absent


@dataclass
class Arrival:
    """An env server that came into a batch: the rows of its environments, and how they begin."""

    rows: slice
    opened: Opened


def lost(error: Exception) -> bool:
    """Whether an error of a call means that the session has ended, or that its env server is
    absent, which for a training comes to the same: it goes on in another session."""
    return session_was_lost(error) or isinstance(error, DeadlineExceeded)


def remaining_seeds(seeds: SeedRange, used: int, size: int) -> SeedRange:
    """The seeds after the first ``used`` ones, from the start again if fewer than one for each of
    ``size`` environments are left. It never leaves the range, as other seeds have other uses."""
    offset = used % seeds.count
    if seeds.count - offset < size:
        offset = 0
    return SeedRange(first=seeds.first + offset, count=seeds.count - offset)


class TrainingSession:
    """Environments that train one policy.

    Where a guard is trained, the steps between its turns are played here; if they would take more
    than ``room`` steps, or its condition does not hold for too long, ``gave_up`` is set to the
    reason.

    Args:
        call: the bus's call.
        plan: what it plays.
    """

    def __init__(self, call: Call, plan: SessionPlan) -> None:
        self.call = call
        self.plan = plan
        self.spec, self.size, self.leaders = plan.spec, plan.size, plan.leaders
        self.interface = msgspec.structs.replace(plan.spec.interface, gamma=plan.gamma)
        self._batch = plan.batch or plan.size
        self.room = math.inf
        self.gave_up = ""
        self.seeds_used = 0
        self._episodes = np.zeros(plan.size, np.int64)
        self._seeds_before = 0

    @property
    def present(self) -> np.ndarray[Any, Any]:
        """Bool (size,): which environments there are."""
        return np.ones(self.size, bool)

    def take_in(self) -> list[Arrival]:
        """No environments come in while it is open."""
        return []

    def open(self, seeds_used: int, check: Callable[[], None] = lambda: None) -> Opened:
        """Open or reopen. ``seeds_used``: how many seeds were played before, see ``seeds_used``.
        ``check`` is called first and may raise.

        Raises:
            SessionLost: the env server was restarted meanwhile; retry.
        """
        check()
        plan = self.plan
        request = OpenSession(
            session=plan.name,
            task=plan.spec.task,
            size=plan.size,
            seeds=self._seeds(seeds_used),
            prefix=plan.spec.prefix,
            lead=plan.leaders.lead,
            guards=list(plan.guards),
            guard=plan.spec.guard,
            guarded=list(plan.guarded),
            interface=self.interface,
            autoreset=True,
            once=plan.once,
            matched=plan.matched,
            batch=plan.batch,
            first=plan.first,
        )
        opened = self._led(self._request(OPEN, request))
        self._seeds_before = seeds_used
        self._episodes[:] = 1
        self._count_seeds(opened.begun)
        return opened

    def step(self, choices: np.ndarray[Any, Any]) -> Stepped:
        """One decision for every environment. ``choices``: int64 (size,).

        Raises:
            SessionLost: steps that were not learned from yet are lost; open again.
        """
        stepped = self._led(self._request(STEP, Step(session=self.plan.name, choices=choices)))
        self._episodes[stepped.final_rows] += 1
        self._count_seeds(stepped.begun)
        return stepped

    @property
    def rolls_out(self) -> bool:
        """Whether it can play rollouts itself: see `RollOut`."""
        plan = self.plan
        return not (plan.leaders.lead or plan.spec.guard or plan.once or plan.matched)

    def roll_out(self, request: RollOut) -> RolledOut:
        """Decisions that it makes itself, for every environment. Raises SessionLost: as `step`."""
        rolled = self._request(ROLL_OUT, request)
        np.add.at(self._episodes, rolled.final_at[:, 1], 1)
        self._count_seeds()
        return rolled

    def _count_seeds(self, begun: int = 0) -> None:
        """Environment i plays seeds i, i + size, ...: the fastest one decides how many are used.
        ``begun``: see `Stepped`."""
        begun = begun or int(self._episodes.max())
        self.seeds_used = self._seeds_before + self._batch * begun

    def _seeds(self, used: int) -> SeedRange:
        """Those that are left. Where several env servers play them, the range is a multiple of the
        batch: so it is no other's seeds either that are played when it begins from its start."""
        seeds = self.spec.seeds
        if self.plan.batch:
            seeds = SeedRange(first=seeds.first, count=seeds.count - seeds.count % self._batch)
        return remaining_seeds(seeds, used, self._batch)

    def _led(self, answer: _Answer) -> _Answer:
        """``answer`` with the features at the trained policy's turn; until then the earlier
        policies choose. Their steps are counted with the prefix."""
        now: Opened | Stepped = answer
        prefix_steps = answer.prefix_steps
        playing = -1
        while now.lead >= 0 or now.waits:
            if now.waits and self._gives_up(prefix_steps):
                break
            if now.lead != playing:
                playing = now.lead
                self.leaders.begin(playing, self.size)
            choices = (
                np.zeros(self.size, np.int64)
                if now.waits
                else self.leaders.choose(now.lead, now.features, now.mask)
            )
            now = self._request(STEP, Step(session=self.plan.name, choices=choices))
            prefix_steps += now.prefix_steps
        if now is answer:
            return answer
        return msgspec.structs.replace(
            answer,
            features=now.features,
            mask=now.mask,
            prefix_steps=prefix_steps,
            lead=-1,
            begun=now.begun,
        )

    def _gives_up(self, waited: int) -> bool:
        """Whether to stop waiting for a guard's turn, after ``waited`` steps."""
        guard, size = self.spec.guard, self.size
        if waited + size * MOST_STEPS_BEFORE_REPLY > self.room:
            self.gave_up = "the samples are spent on the stages that it interrupts"
        elif waited > size * max(LONGEST_WAIT, 2 * self.spec.task.horizon):
            name = guard.name if guard is not None else ""
            self.gave_up = f"the condition of {name} did not hold in {waited} steps"
        return bool(self.gave_up)

    def close(self) -> None:
        with suppress(SessionLost):  # it is closed already
            self._request(CLOSE, CloseSession(session=self.plan.name))

    def _request(self, service: Service[Request, Reply], request: Request) -> Reply:
        try:
            return self.call(service, request)
        except (DeadlineExceeded, PeerRestarted, RemoteError) as error:
            if lost(error):
                absent = isinstance(error, DeadlineExceeded)
                raise SessionLost(str(error), was_killed(error), absent) from error
            raise
