"""A training's batch spread over several env servers: one session on each, with its share.

All that are up are stepped side by side, and their replies are put together, so that the training
sees one batch. Which environments a server has, and which seeds they play, follows from the batch's
size and the servers' order alone. docs/several_env_servers.md has the whole design.
"""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import replace
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from messages.bus import BusError, ServiceError
from messages.interface import Call
from messages.roll_out import RolledOut, RollOut
from messages.world import Opened, Stepped
from nodes.learner.checkpoints.state import Spaces
from nodes.learner.collecting.session import Arrival, SessionLost, TrainingSession
from nodes.learner.collecting.session_plan import SessionPlan
from nodes.learner.collecting.spread_answers import (
    opened_together,
    rolled_together,
    stepped_together,
)
from nodes.learner.collecting.spread_rollout import SureDecisions, roll_out_share
from nodes.times import WAITS, spending

LONGEST_PAUSE = 5.0
"""Seconds, at most, before a server that was lost, or refused, is tried again."""
_Answer = TypeVar("_Answer", Stepped, RolledOut)
_TURN = 0.2  # seconds between two checks whether the wait for a server is to go on


class Member:
    """One env server's part of the batch. Its calls are made one at a time."""

    def __init__(self, node: str, rows: slice, session: TrainingSession) -> None:
        self.node = node
        self.rows = rows
        self.session = session
        self.up = False
        self.opening: Future[Opened] | None = None
        self.losses = 0  # in a row, without a rollout in between
        self.again_at = 0.0  # when it is tried again
        self.refused = ""  # why it was not taken in, as far as that was reported
        self._threads = ThreadPoolExecutor(1, thread_name_prefix=f"env server {node}")

    @property
    def size(self) -> int:
        return self.rows.stop - self.rows.start

    def begin(self, seeds_used: int) -> None:
        """Begin to open its session, in its own thread."""
        self.opening = self._threads.submit(self.session.open, seeds_used)

    def begin_asking(self, ask: Callable[["Member"], _Answer]) -> Future[_Answer]:
        """Begin a call of its session, in its own thread."""
        return self._threads.submit(ask, self)

    def close(self) -> Future[None] | None:
        """Close its session, if it is open. One that is just being opened is closed once it is;
        that is not waited for."""
        opening, self.opening = self.opening, None
        closed = None
        if self.up or opening is not None:
            closed = self._threads.submit(self.session.close)
        self.up = False
        self.retire()
        return closed if opening is None else None

    def retire(self) -> None:
        """End its thread, once what is under way in it is done."""
        self._threads.shutdown(wait=False)


_Shown = tuple[Member, Opened]
_Loss = tuple[Member, SessionLost]


def shares(size: int, servers: int) -> list[slice]:
    """The rows of each server: an even split of ``size`` environments, without empty parts."""
    count = min(size, servers)
    ends = [size * k // count for k in range(count + 1)]
    return [slice(first, end) for first, end in pairwise(ends)]


class SpreadSession:
    """Environments on several env servers that train one policy; used like a `TrainingSession`.

    A server that is lost in a step takes its environments out of the batch: what they played since
    the rollout began is not to be learned from (`present`). It is opened again beside the training,
    and comes in with the next `take_in`. Where there are more servers than environments, those that
    are spare stand in for absent ones.

    Args:
        servers: the env servers' names, and what calls each of them; a call ends soon where its
            server is absent.
        plan: what all of them play together. With ``once`` every environment is needed: the batch
            is split over those that are there, and none may be lost.
        log: which servers come and go is reported there.
    """

    def __init__(self, servers: Mapping[str, Call], plan: SessionPlan, log: logging.Logger) -> None:
        self.size = plan.size
        self._servers = dict(servers)
        self.plan = plan
        self._log = log
        self._sure = SureDecisions(plan.spec, plan.size)
        self._spaces: Spaces | None = None
        self._room = float("inf")
        self._members: list[Member] = []
        self._spare: list[str] = []  # servers without a share, the longest untried first
        self._split(list(servers))

    def _split(self, nodes: Sequence[str]) -> None:
        """Split the batch over these servers; members of an earlier split are no longer used."""
        for member in self._members:
            member.retire()
        self._members = [
            Member(node, rows, self._share(node, rows))
            for node, rows in zip(nodes, shares(self.size, len(nodes)), strict=False)
        ]
        self._spare = list(nodes[len(self._members) :])

    def _stand_in(self, missing: Member) -> Member | None:
        """The member on a spare server that has the share of a missing one from now on; None if
        no server is spare."""
        if not self._spare:
            return None
        node = self._spare.pop(0)
        self._spare.append(missing.node)
        member = Member(node, missing.rows, self._share(node, missing.rows))
        member.session.seeds_used = missing.session.seeds_used
        member.session.room = missing.session.room
        self._members[self._members.index(missing)] = member
        missing.retire()
        self._log.debug("%s is absent: %s is tried in its place", missing.node, node)
        return member

    def _share(self, node: str, rows: slice) -> TrainingSession:
        """The session on an env server, with these rows of the batch."""
        plan = self.plan
        share = replace(
            plan,
            size=rows.stop - rows.start,
            batch=plan.size,
            first=rows.start,
            # Each is led on by itself, beside the others.
            leaders=plan.leaders.copy_for(f"{plan.name} on {node}"),
        )
        return TrainingSession(self._servers[node], share)

    # ---- as of a session

    @property
    def present(self) -> np.ndarray[Any, Any]:
        """Bool (size,): the environments that were stepped in all steps since `take_in`."""
        present = np.zeros(self.size, bool)
        for member in self._up:
            present[member.rows] = True
        return present

    @property
    def seeds_used(self) -> int:
        return max(member.session.seeds_used for member in self._members)

    @property
    def gave_up(self) -> str:
        return next((m.session.gave_up for m in self._members if m.session.gave_up), "")

    @property
    def room(self) -> float:
        return self._room

    @room.setter
    def room(self, room: float) -> None:
        self._room = room
        for member in self._members:  # each plays without the others
            member.session.room = room / len(self._members)

    @property
    def _up(self) -> list[Member]:
        return [member for member in self._members if member.up]

    def open(self, seeds_used: int, check: Callable[[], None] = lambda: None) -> Opened:
        """Open it on all servers that are there; while there is none, wait for one.

        ``check`` is called meanwhile and may raise.

        Raises:
            SessionLost: all that were there were lost meanwhile; try again.
            RemoteError, ServiceError: a server refused it.
        """
        reported = False
        while True:
            if self.plan.once:
                opened, lost = self._open_whole(seeds_used, check)
            else:
                opened, lost = self._open_shares(seeds_used, check)
            errors = [error for _, error in lost]
            if opened:
                if lost:
                    there = int(self.present.sum())
                    without = "; ".join(map(str, errors))
                    self._log.warning("%d of %d environments: %s", there, self.size, without)
                    for member, error in lost:
                        member.refused = str(error)
                return opened_together(self.size, [(m.rows, each) for m, each in opened])
            if reason := next((error for error in errors if not error.absent), None):
                raise reason
            if not reported:
                reported = True
                self._log.warning("waiting for an env server: %s", "; ".join(map(str, errors)))

    def _open_whole(
        self, seeds_used: int, check: Callable[[], None]
    ) -> tuple[list[_Shown], list[_Loss]]:
        """Open the whole batch on those servers that are there; nothing, where none is."""
        nodes, losses = list(self._servers), list[_Loss]()
        self._split(nodes)
        while True:
            opened, lost = self._open_all(self._members, seeds_used, check)
            if not lost:
                return opened, []
            losses += lost
            nodes = [node for node in nodes if all(member.node != node for member, _ in lost)]
            if not nodes or (not opened and any(not error.absent for _, error in lost)):
                return [], losses
            # These share the batch; opening replaces what they have now.
            self._split(nodes)

    def _open_shares(
        self, seeds_used: int, check: Callable[[], None]
    ) -> tuple[list[_Shown], list[_Loss]]:
        """Open each share on its server, or on a spare one where that is absent."""
        opened, lost = self._open_all(self._members, seeds_used, check)
        for _ in range(len(self._spare)):  # each of them is tried at most once
            missing = next((loss for loss in lost if loss[1].absent), None)
            member = self._stand_in(missing[0]) if missing is not None else None
            if missing is None or member is None:
                break
            lost.remove(missing)
            shown, missed = self._open_all([member], seeds_used, check)
            opened += shown
            lost += missed
        return opened, lost

    def _open_all(
        self, members: Sequence[Member], seeds_used: int, check: Callable[[], None]
    ) -> tuple[list[_Shown], list[_Loss]]:
        """Open these members: what they showed, and how others were lost."""
        for member in members:
            member.up = False
            if member.opening is None:
                member.begin(seeds_used)
        left = {member.opening for member in members if member.opening is not None}
        while left:
            check()
            left = wait(left, _TURN).not_done
        opened: list[_Shown] = []
        lost: list[_Loss] = []
        refused: BusError | None = None
        for member in members:
            try:
                opened.append((member, self._finish_opening(member)))
            except SessionLost as error:
                lost.append((member, error))
            except BusError as error:
                refused = refused or error
        if refused is not None:
            raise refused
        return opened, lost

    def step(self, choices: np.ndarray[Any, Any]) -> Stepped:
        """One decision for every environment; those of absent servers stand still: their rows are
        zero, ``steps`` too.

        Raises:
            SessionLost: no server is left, or (with ``once``) one was lost.
        """
        return stepped_together(
            self.size, self._ask(lambda member: member.session.step(choices[member.rows]))
        )

    @property
    def rolls_out(self) -> bool:
        return self._members[0].session.rolls_out

    def roll_out(self, request: RollOut) -> RolledOut:
        """Decisions that the servers make themselves, each without waiting for the others. Raises
        SessionLost: as `step`."""
        decisions = self._sure.of(request)
        return rolled_together(
            self.size,
            self._ask(
                lambda member: roll_out_share(member.session, request, member.rows, decisions)
            ),
        )

    def take_in(self) -> list[Arrival]:
        """Before a rollout: the servers that have come since the last one; the others that are
        absent are tried on, in threads of their own."""
        arrived: list[Arrival] = []
        for member in list(self._members):
            if member.up:
                member.losses = 0
            elif member.opening is None:
                self._try(member)
            elif member.opening.done() and (opened := self._admit(member)) is not None:
                arrived.append(Arrival(member.rows, opened))
        return arrived

    def close(self) -> None:
        """Close all sessions. Where one could not be, its server forgets it when it ends."""
        closing = [(member.node, closed) for member in self._members if (closed := member.close())]
        for node, closed in closing:
            wait([closed])
            if (error := closed.exception()) is not None:
                self._log.debug("the session on %s was not closed: %s", node, error)

    # ---- inside

    def _ask(self, ask: Callable[[Member], _Answer]) -> list[tuple[slice, _Answer]]:
        """Ask all servers that are there, side by side: the rows of those that answered, and their
        answers.

        Raises:
            SessionLost: none did, or (with ``once``) one did not.
        """
        first, *others = self._up
        answers: list[tuple[slice, _Answer]] = []
        lost: SessionLost | None = None
        futures = [(member, member.begin_asking(ask)) for member in others]
        try:
            answers.append((first.rows, ask(first)))
        except SessionLost as error:
            lost = error
            self._lose(first, error)
        finally:  # no session is left in the middle of a step
            for member, future in futures:
                with spending(WAITS + member.node):
                    wait([future])
        for member, future in futures:
            try:
                answers.append((member.rows, future.result()))
            except SessionLost as error:
                lost = error
                self._lose(member, error)
        if lost is not None and (self.plan.once or not answers):
            raise lost
        return answers

    def _finish_opening(self, member: Member) -> Opened:
        """Take in its session, which has been opened; what it shows.

        Raises:
            SessionLost, BusError: it has not, or does not fit the others.
        """
        opening, member.opening = member.opening, None
        assert opening is not None
        opened = opening.result()
        spaces = Spaces.of(opened)
        self._spaces = self._spaces or spaces
        if difference := self._spaces.difference(spaces):
            raise ServiceError(
                f"{member.node} has other spaces than the env servers before it: {difference}",
                code="policy_does_not_fit",
            )
        member.up, member.refused = True, ""
        return opened

    def _admit(self, member: Member) -> Opened | None:
        try:
            opened = self._finish_opening(member)
        except SessionLost as error:
            # The next call tries again, there or where a server is spare.
            used = self.seeds_used
            if error.absent and (stand_in := self._stand_in(member)) is not None:
                stand_in.begin(used)
            elif error.absent:  # as also one that rejects the keys of this node
                self._report(member, error)
            return None
        except BusError as error:
            # What one server refuses does not end what the others play.
            member.again_at = time.monotonic() + LONGEST_PAUSE
            self._report(member, error)
            return None
        self._log.info(
            "%s is taken in: %d environments, %d of %d are there",
            member.node,
            member.size,
            int(self.present.sum()),
            self.size,
        )
        return opened

    def _report(self, member: Member, error: Exception) -> None:
        if str(error) != member.refused:
            member.refused = str(error)
            self._log.warning("%s is not taken in: %s", member.node, error)

    def _try(self, member: Member) -> None:
        """Begin to open its session again, if it is time for that."""
        if time.monotonic() >= member.again_at:
            member.begin(self.seeds_used)

    def _lose(self, member: Member, error: SessionLost) -> None:
        member.up = False
        member.losses += 1
        member.again_at = time.monotonic() + min(member.losses - 1, LONGEST_PAUSE)
        self._log.warning(
            "%s is lost (%s): its %d episodes, and what it played in this rollout, are discarded, "
            "uncounted; %d of %d environments are left",
            member.node,
            error,
            member.size,
            int(self.present.sum()),
            self.size,
        )
        if not self.plan.once:
            self._try((self._stand_in(member) if error.absent else None) or member)
