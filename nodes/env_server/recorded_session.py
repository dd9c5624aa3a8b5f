"""A session whose episodes are kept: a `Hosted` that passes calls on to another one, and
records what was really played: a program that may not run is not in it, so that an episode which is
played again elsewhere, where that program may run, is the same."""

import logging
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import msgspec
import numpy as np

from messages.program import Program, ProgramReport
from messages.roll_out import RolledOut, RollOut
from messages.world import (
    ChoiceUse,
    Episode,
    Guard,
    GuardReport,
    Interface,
    Opened,
    OpenSession,
    Picture,
    PlayedOn,
    PlayOn,
    Stepped,
)
from nodes.common.storage.episode_store import Kept, PlayPart, StoredEpisodes, StoredPlay
from nodes.common.storage.sqlite_file import unusable
from nodes.env_server.hosting import Hosted, HostedSessionLost
from nodes.times import steady_clock
from worlds.play import Bools, Ints

LOG = logging.getLogger("env_server")


class Recorded:
    """Writing to ``kept`` may fail (a full disk): the session plays on, and ``warn`` is called
    once."""

    def __init__(
        self,
        session: Hosted,
        request: OpenSession,
        kept: StoredEpisodes,
        warn: Callable[[str], None],
    ) -> None:
        self.name = session.name
        self.size = session.size
        self.lock: threading.Lock = session.lock
        self.film: Any = session.film
        self._session = session
        self._request = session.as_opened(request)
        self._kept = kept
        self._warn = warn
        self._play = request.play or request.session
        self._clock = steady_clock()
        self._began = self._clock()
        self._parts: list[PlayPart] = []
        self._interface = self._request.interface
        self._choices: list[bytes] = []  # of the stage at hand
        self._rounds = np.zeros(request.size, np.int64)  # of a training: episodes that are over
        self._turns: Counter[int] = Counter()  # of a guard's training, by seed: turns that are over
        self._warned = False

    def opened(self) -> Opened:
        return self._session.opened()

    def take(
        self,
        interface: Interface,
        environments: Sequence[int] = (),
        begins: bool = False,
        guards: Sequence[Guard] = (),
    ) -> None:
        self._session.take(interface, environments, begins, guards)
        self._end_part()
        part = PlayPart(
            environments=list(environments),
            begins=begins,
            interface=interface,
            guards=list(guards),
        )
        part = self._session.as_played(part)
        self._interface = part.interface
        self._parts.append(part)

    def step(self, choices: Ints) -> Stepped:
        stepped = self._session.step(choices)
        if self._request.autoreset:
            rows = stepped.final_rows
            self._note_trained(
                rows.tolist(),
                stepped.final_lengths.tolist(),
                _endings(stepped.terminated[rows], stepped.success[rows]),
                stepped.final_scored,
                None if stepped.final_seeds is None else stepped.final_seeds.tolist(),
            )
        else:
            self._choices.append(choices.astype("<u2").tobytes())
        return stepped

    def play_on(self, request: PlayOn) -> PlayedOn:
        played = self._session.play_on(request)
        self._choices.append(played.choices.astype("<u2").tobytes())
        return played

    def roll_out(self, request: RollOut) -> RolledOut:
        rolled = self._session.roll_out(request)
        at, rows = rolled.final_at[:, 0], rolled.final_at[:, 1]
        self._note_trained(
            rows.tolist(),
            rolled.final_lengths.tolist(),
            _endings(rolled.terminated[at, rows], rolled.success[at, rows]),
            rolled.final_scored,
        )
        return rolled

    def run_program(
        self,
        program: Program,
        check: Callable[[], None] = lambda: None,
        environments: Sequence[int] = (),
        begins: bool = False,
        guards: Sequence[Guard] = (),
    ) -> tuple[int, list[ProgramReport]]:
        self._end_part()
        part = PlayPart(
            environments=list(environments), begins=begins, program=program, guards=list(guards)
        )
        refused = False
        try:
            return self._session.run_program(program, check, environments, begins, guards)
        except ValueError:  # before its first step
            refused = True
            raise
        finally:
            if not refused:
                self._parts.append(self._session.as_played(part))

    def episodes(self) -> list[Episode]:
        return self._session.episodes()

    def endings(self) -> list[str]:
        return self._session.endings()

    def pictures(self) -> list[Picture]:
        return self._session.pictures()

    def choices(self) -> list[ChoiceUse]:
        return self._session.choices()

    def mistakes(self) -> dict[str, int]:
        return self._session.mistakes()

    def guards(self) -> list[GuardReport]:
        return self._session.guards()

    def close(self, whole: bool = False) -> None:
        """``whole``: its user has come to the end of it."""
        if not self._request.autoreset:
            with suppress(HostedSessionLost):  # then it is played again
                self._note(self._session.episodes(), self._session.endings(), whole)
        self._session.close()

    # ---- inside

    def _end_part(self) -> None:
        """The choices of the stage that is over go with it."""
        if not self._choices:
            return
        last = self._parts.pop() if self._parts and self._parts[-1].interface else None
        stage = last or PlayPart(interface=self._interface)  # that it was opened with, or goes on
        choices = b"".join(self._choices)
        self._parts.append(msgspec.structs.replace(stage, choices=choices))
        self._choices = []

    def _note(self, episodes: list[Episode], endings: list[str], whole: bool) -> None:
        self._end_part()
        play = StoredPlay(
            id=self._play,
            began=self._began,
            ended=self._clock(),
            whole=whole,
            opened=self._request,
            parts=self._parts,
        )
        kept = [
            Kept(play=self._play, why=why, episode=episode)
            for episode, why in zip(episodes, endings, strict=True)
        ]
        self._keeping(lambda: self._kept.keep(play, kept))

    def _note_trained(
        self,
        rows: list[int],
        lengths: list[int],
        endings: list[str],
        scored: list[list[str]],
        seeds_of_turns: list[int] | None = None,
    ) -> None:
        """Record training episodes that ended in these environments, or turns of a guard in
        training. The seeds of episodes follow from how many each environment has ended: see
        `SeedRange`."""
        if not rows:
            return
        if seeds_of_turns is not None:
            turns = [self._number(seed) for seed in seeds_of_turns]
            ends_of_turns = list(zip(seeds_of_turns, turns, endings, lengths, strict=True))
            self._keeping(lambda: self._kept.keep_turns(self._play, ends_of_turns))
            return
        seeds = [self._ended(row) for row in rows]
        ends = list(zip(seeds, endings, lengths, strict=True))
        scores = list(zip(seeds, lengths, scored, strict=False))
        self._keeping(lambda: self._kept.keep_trained(self._play, ends))
        if scores:
            self._keeping(lambda: self._kept.keep_scored(self._play, self._began, scores))

    def _ended(self, row: int) -> int:
        """The seed of the episode of an environment, which has ended."""
        seeds, batch = self._request.seeds, self._request.batch or self._request.size
        place = self._request.first + row + int(self._rounds[row]) * batch
        self._rounds[row] += 1
        return seeds.first + place % seeds.count

    def _number(self, seed: int) -> int:
        """The number of the turn that ended in the episode with this seed."""
        number = self._turns[seed]
        self._turns[seed] += 1
        return number

    def _keeping(self, keep: Callable[[], None]) -> None:
        try:
            keep()
        except sqlite3.Error as error:
            if not self._warned:
                why = unusable(self._kept.path, error, "its episodes")
                self._warn(f"episodes of {self._play} cannot be kept: {why}")
            self._warned = True


def _endings(terminated: Bools, success: Bools) -> list[str]:
    """How each of n episodes, or turns, ended; both (n,)."""
    return [
        "horizon" if not ended else "success" if won else "death"
        for ended, won in zip(terminated.tolist(), success.tolist(), strict=True)
    ]
