"""Plays stages one after another in a session of their own, and remembers how it went.

A session lasts only as long as the env server; the results of the goals that ran in it last longer.
So a play is all or nothing: when the env server, or this node, was restarted in the middle of one,
it starts over as the next attempt, in a new session and with new goal ids. A play that came to its
end is kept in this node's memory under its id, and is never repeated.
"""

import zlib
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple, TypeVar

import msgspec

from messages.bus import SESSION_KILLED, SESSION_LOST, BusError, PeerRestarted, RemoteError
from messages.plan import Stage
from messages.program import Program, ProgramReport
from messages.training import ACT, ACTOR, Act, GetActor, Policy
from messages.world import (
    CLOSE,
    LOOK,
    OPEN,
    RUN_PROGRAM,
    Actor,
    ChoiceUse,
    CloseSession,
    Episode,
    Guard,
    GuardReport,
    OpenSession,
    Picture,
    Pictures,
    RunProgram,
    SeedRange,
    SessionName,
    Task,
)
from models.outcomes import holds
from nodes.common.goals.goal_ids import slug
from nodes.common.goals.session_ends import session_was_lost, was_killed
from nodes.common.storage.node_memory import Memory
from nodes.node import Node

Result = TypeVar("Result")
_MOST_KILLED = 100  # attempts at a play that are lost to kills from outside
_LEFT_OVER = 60.0  # seconds to close what is not needed any more; a program may still run in it


class Play(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be played."""

    task: Task
    size: int  # episodes, side by side
    seeds: SeedRange
    stages: Sequence[Stage]
    prefix: Sequence[Program] = ()  # coded actions inside reset; what they spend is counted too
    guards: Sequence[Guard] = ()  # that interrupt the prefix; the stages have their own
    record: bool = False
    pictures: Pictures | None = None  # of the last stage
    # A policy whose horizon is over before its stage is done begins again until episodes are over.
    persist: bool = False
    look: bool = False  # after each stage, at where its condition holds?


class Played(msgspec.Struct, frozen=True, kw_only=True):
    """How a play went."""

    episodes: list[Episode]
    steps: int  # primitive steps, prefix included, all episodes together
    reports: list[ProgramReport]  # of the last stage, if it is a program
    video: str | None = None
    pictures: list[Picture] = []
    all_reports: list[ProgramReport] = []  # of every stage that is a program, in order
    # With ``look``: in how many episodes each stage's condition held after it, and how many of
    # those that failed were lost in it; see `Unseen`.
    held: list[int | None] = []
    lost: list[int] = []
    choices: list[ChoiceUse] = []  # of the last policy, see `Closed`
    mistakes: dict[str, int] = {}
    guards: list[GuardReport] = []


class StagePlayed(NamedTuple):
    """How one stage of a play went. ``late``: where the policy's horizon ended it."""

    steps: int
    reports: list[ProgramReport]
    late: list[int]


class Player:
    """``node`` calls and runs goals; ``attempts`` bounds how often a play starts over in one go,
    not counting those that were lost as a process was killed from outside."""

    def __init__(self, node: Node, memory: Memory, attempts: int) -> None:
        self._node = node
        self._memory = memory
        self._attempts = attempts
        self._actors: dict[tuple[str, str], Actor] = {}  # of guards that are policies

    def play(self, id: str, play: Play, cancelled: Callable[[], bool]) -> Played:
        """Play to the end under ``id``, or recall how it went.

        Raises:
            RemoteError: a stage failed, or the session was lost in every attempt.
            GoalCancelled: ``cancelled`` turned true.
        """
        return self.whole(id, Played, lambda session: self._once(session, play, cancelled))

    def remembered(self, name: str, value: int) -> int:
        """The value at the first call: parameters may change while a goal goes on."""
        return self._memory.first(name, value)

    def whole(self, id: str, kind: type[Result], once: Callable[[str], Result]) -> Result:
        """Run ``once(session name)`` to its end and store its result, or return the stored one. It
        starts over when the session was lost.

        Raises:
            RemoteError: a stage failed, or the session was lost in every attempt.
        """
        if (known := self._memory.find(id, kind)) is not None:
            return known
        lost: Counter[bool] = Counter()  # attempts, by whether they were killed from outside
        while True:
            attempt = self._memory.count(f"{id}/attempts")
            if attempt > 0:
                self.close_left_over(f"{id}/play-{attempt - 1}")
            try:
                return self._memory.keep(id, once(f"{id}/play-{attempt}"))
            except (RemoteError, PeerRestarted) as error:
                if not session_was_lost(error):
                    raise
                killed = was_killed(error)
                lost[killed] += 1
                if lost[killed] >= (_MOST_KILLED if killed else self._attempts):
                    raise _given_up(error, lost[killed]) from error
                self._node.log.info("%s: the session was lost, playing again: %s", id, error)

    def _once(self, session: str, play: Play, cancelled: Callable[[], bool]) -> Played:
        opened = self._node.call(
            OPEN,
            OpenSession(
                session=session,
                task=play.task,
                size=play.size,
                seeds=play.seeds,
                prefix=list(play.prefix),
                guards=self._with_actors(play.guards),
                record=play.record,
                pictures=play.pictures,
                play=play_of(session),
            ),
        )
        steps = opened.prefix_steps
        reports: list[ProgramReport] = []
        every: list[ProgramReport] = []
        held: list[Collection[int] | None] = []
        try:
            for index, stage in enumerate(play.stages):
                goal_id = f"{session}/{index}-{slug(stage.sub_action.name)}"
                played = self.stage(session, goal_id, stage, cancelled)
                steps, reports = steps + played.steps, played.reports
                every += reports
                if play.persist:
                    steps += self._go_on(session, goal_id, stage, played.late, cancelled)
                if play.look:
                    held.append(self._held_in(session, stage, play.task.game))
        except BusError:
            self.close_left_over(session)
            raise
        closed = self._node.call(CLOSE, CloseSession(session=session))
        return Played(
            episodes=closed.episodes,
            steps=steps,
            reports=reports,
            video=closed.video,
            pictures=closed.pictures,
            all_reports=every,
            held=[None if rows is None else len(rows) for rows in held],
            lost=_lost(held, closed.episodes),
            choices=closed.choices,
            mistakes=closed.mistakes,
            guards=closed.guards,
        )

    def _held_in(self, session: str, stage: Stage, game: str) -> set[int] | None:
        """The environments where the stage's condition holds, or the task's did already. None where
        the stage is left out."""
        if stage.left_out:
            return None
        episodes = self._node.call(LOOK, SessionName(session=session)).episodes
        success = stage.sub_action.success
        return {e.environment for e in episodes if e.success or holds(success, e, game)}

    def _go_on(
        self,
        session: str,
        goal_id: str,
        stage: Stage,
        late: Sequence[int],
        cancelled: Callable[[], bool],
    ) -> int:
        """Begin a policy again where its own horizon, which is its training's, was over before the
        episode was; the steps."""
        steps = number = 0
        while late:
            looked = self._node.call(LOOK, SessionName(session=session))
            rows = [e.environment for e in looked.episodes if e.ended == "running"]
            rows = [row for row in rows if row in late]
            if not rows:
                break
            number += 1
            again = self.stage(session, f"{goal_id}-again-{number}", stage, cancelled, rows)
            steps, late = steps + again.steps, again.late
        return steps

    def stage(
        self,
        session: str,
        goal_id: str,
        stage: Stage,
        cancelled: Callable[[], bool],
        environments: Sequence[int] = (),
        begins: bool = False,
    ) -> StagePlayed:
        """One stage in an open session, in all its environments or in some. With ``begins`` a
        subtask begins with it."""
        rows = list(environments)
        if stage.left_out:
            return StagePlayed(0, [], [])
        if stage.program is not None:
            goal = RunProgram(
                session=session,
                program=stage.program,
                environments=rows,
                begins=begins,
                guards=self._with_actors(stage.guards),
            )
            ran = self._node.run_goal(RUN_PROGRAM, goal_id, goal, cancelled=cancelled)
            return StagePlayed(ran.steps, ran.reports, [])
        if stage.policy is not None:
            goal = Act(
                session=session,
                policy=stage.policy,
                environments=rows,
                begins=begins,
                seed=_draws(session),
                guards=stage.guards,
            )
            acted = self._node.run_goal(ACT, goal_id, goal, cancelled=cancelled)
            return StagePlayed(acted.steps, [], acted.late)
        return StagePlayed(0, [], [])

    def check_guard(self, id: str, task: Task, guard: Guard) -> None:
        """Open a session that the guard interrupts, and close it again.

        Raises:
            RemoteError: no session of the task plays it; nothing that it interrupts could be
                played.
        """

        def once(session: str) -> bool:
            # A training's, of which no episode is kept as long as none has ended.
            opening = OpenSession(
                session=session,
                task=task,
                size=1,
                seeds=SeedRange(first=0, count=1),
                autoreset=True,
                guards=self._with_actors([guard]),
            )
            self._node.call(OPEN, opening)
            self.close_left_over(session)
            return True

        self.whole(id, bool, once)

    def _with_actors(self, guards: Sequence[Guard]) -> list[Guard]:
        """Guards as a session plays them: those by policy with its weights."""
        return [
            msgspec.structs.replace(guard, actor=self._actor(guard))
            if guard.interface is not None and guard.actor is None
            else guard
            for guard in guards
        ]

    def _actor(self, guard: Guard) -> Actor:
        key = guard.policy, guard.checkpoint
        if key not in self._actors:
            policy = Policy(id=guard.policy, checkpoint=guard.checkpoint)
            self._actors[key] = self._node.call(ACTOR, GetActor(policy=policy)).actor
        return self._actors[key]

    def close_left_over(self, session: str) -> None:
        try:
            self._node.call(CLOSE, CloseSession(session=session, whole=False), timeout=_LEFT_OVER)
        except BusError as error:
            # It was closed already, or ends with the env server: nothing is lost but memory.
            self._node.log.debug("%s was not closed: %s", session, error)


def _lost(held: Sequence[Collection[int] | None], episodes: Sequence[Episode]) -> list[int]:
    """How many episodes were lost in each stage: in the first one whose condition did not hold when
    it was over, or in the last one."""
    lost = [0] * len(held)
    played = [(place, rows) for place, rows in enumerate(held) if rows is not None]
    for episode in episodes:
        if played and not episode.success:
            missed = [place for place, rows in played if episode.environment not in rows]
            lost[missed[0] if missed else played[-1][0]] += 1
    return lost


def _draws(session: str) -> int:
    """The seed of a policy's choices in a session: the same in every attempt at a play, so that one
    that starts over plays as the first would have played."""
    return zlib.crc32(f"{play_of(session)}/play-0".encode())


def play_of(session: str) -> str:
    """The play that a session is an attempt at."""
    return session.rpartition("/play-")[0] or session


def _given_up(error: BusError, times: int) -> BusError:
    """The error after which an attempt is given up. An unknown session is no rejection: a retry
    may succeed."""
    if isinstance(error, PeerRestarted):
        return error
    why = f"the session was lost {times} times in a row, the last time so: {error}"
    code = SESSION_KILLED if was_killed(error) else SESSION_LOST
    return RemoteError("env_server", code, why)


def leading_programs(stages: Sequence[Stage]) -> list[Program]:
    """The programs of the stages up to the first policy: what a reset can run on its own."""
    programs: list[Program] = []
    for stage in stages:
        if stage.program is None:
            break
        programs.append(stage.program)
    return programs
