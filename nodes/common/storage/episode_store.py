"""Episodes on disk: a table in the env server's folder, which the report and `rlgpt episode` read.

A *play* is a batch of episodes with one purpose: a tryout, an evaluation, a performance. It has an
id; when it begins again after a kill, its episodes replace the earlier ones. With the episodes the
play stores what was done in them (programs, and the choices of policies), so that one of them can
be played again. Of a training's episodes the seed and the end are stored; of a guard's training the
same of each turn, and there are many in an episode.
"""

import threading
import zlib
from pathlib import Path
from typing import Any

import msgspec

from messages.program import Program
from messages.undecodable import UNDECODABLE
from messages.world import Episode, Guard, Interface, OpenSession
from nodes.common.storage.sqlite_file import open_table, transaction

FILE = "episodes.sqlite"

_SCHEMA = """
create table if not exists plays (
    play text primary key, began real, ended real, whole integer, opened blob, parts blob
);
create table if not exists episodes (
    play text, environment integer, seed integer, ended text, why text, steps integer, told blob,
    primary key (play, environment)
) without rowid;
create table if not exists trained (
    play text, seed integer, ended text, steps integer, primary key (play, seed)
) without rowid;
create table if not exists turns (
    play text, seed integer, turn integer, ended text, steps integer,
    primary key (play, seed, turn)
) without rowid;
create table if not exists scored (
    play text, seed integer, began real, steps integer, gained text, primary key (play, seed)
) without rowid;
"""


class PlayPart(msgspec.Struct, frozen=True, kw_only=True):
    """What was done next in a play: a program was run, or a policy's stage began and ``choices``
    were made in it, two bytes for each environment and decision."""

    environments: list[int] = []  # none: all
    begins: bool = False
    program: Program | None = None
    interface: Interface | None = None
    choices: bytes = b""
    guards: list[Guard] = []  # that interrupt it


class StoredPlay(msgspec.Struct, frozen=True, kw_only=True):
    """A batch of episodes with one purpose. ``whole``: it came to its end; a play that was cut off
    may have begun again since."""

    id: str
    began: float  # seconds since the epoch
    ended: float
    whole: bool
    opened: OpenSession
    parts: list[PlayPart] = []


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """One episode. ``why``: the cause of a player's death, or how the last program or policy ended
    in an episode that had not ended."""

    play: str
    why: str
    episode: Episode


class TrainingEpisodes(msgspec.Struct, frozen=True, kw_only=True):
    """The episodes of one training, counted."""

    play: str
    episodes: int
    successes: int
    deaths: int
    steps: int


class StoredEpisodes:
    """The env server's table of episodes.

    Raises:
        UnusableFile: the file is no SQLite file, is damaged, or cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._table = open_table(path, _SCHEMA, "its episodes")
        self._table.execute("pragma synchronous=normal")

    def keep(self, play: StoredPlay, kept: list[Kept]) -> None:
        """Write a play with its episodes, in place of an earlier attempt. A play that was cut off
        does not replace a whole one."""
        with self._lock, transaction(self._table):
            known = self._table.execute(
                "select whole from plays where play = ?", (play.id,)
            ).fetchone()
            if known is not None and known[0] and not play.whole:
                return
            self._table.execute("delete from episodes where play = ?", (play.id,))
            self._table.execute(
                "insert or replace into plays values (?, ?, ?, ?, ?, ?)",
                (play.id, play.began, play.ended, play.whole, _packed(play.opened),
                 _packed(play.parts)),
            )  # fmt: skip
            self._table.executemany(
                "insert into episodes values (?, ?, ?, ?, ?, ?, ?)", [_row(each) for each in kept]
            )

    def keep_trained(self, play: str, ends: list[tuple[int, str, int]]) -> None:
        """Seeds, ends and steps of episodes of a training. One that is played again after a kill
        counts once."""
        with self._lock, transaction(self._table):
            self._table.executemany(
                "insert or replace into trained values (?, ?, ?, ?)",
                [(play, *each) for each in ends],
            )

    def keep_turns(self, play: str, ends: list[tuple[int, int, str, int]]) -> None:
        """Seeds of episodes in a guard's training, and the turns in them: their numbers in the
        episode, from 0, ends and steps. An episode that is played again after a kill counts
        once."""
        again = [(play, seed) for seed, turn, _, _ in ends if turn == 0]
        with self._lock, transaction(self._table):
            self._table.executemany("delete from turns where play = ? and seed = ?", again)
            self._table.executemany(
                "insert or replace into turns values (?, ?, ?, ?, ?)",
                [(play, *each) for each in ends],
            )

    def keep_scored(self, play: str, began: float, ends: list[tuple[int, int, list[str]]]) -> None:
        """Seeds and steps of episodes of a training, and what each had of what the game's score
        counts. ``began``: when the session was opened, in seconds since the epoch."""
        with self._lock, transaction(self._table):
            self._table.executemany(
                "insert or replace into scored values (?, ?, ?, ?, ?)",
                [(play, seed, began, steps, " ".join(had)) for seed, steps, had in ends],
            )

    def close(self) -> None:
        with self._lock:
            self._table.close()


def read_episode(encoded: bytes) -> Episode | None:
    """The last column of `EPISODES`; None if it cannot be read."""
    try:
        return msgspec.msgpack.decode(encoded, type=Episode)
    except UNDECODABLE:
        return None


def read_play(row: tuple[Any, ...]) -> StoredPlay | None:
    """A play out of a row of `PLAY`; None if it cannot be read."""
    id, began, ended, whole, opened, parts = row
    try:
        return StoredPlay(
            id=id,
            began=began,
            ended=ended,
            whole=bool(whole),
            opened=msgspec.msgpack.decode(zlib.decompress(opened), type=OpenSession),
            parts=msgspec.msgpack.decode(zlib.decompress(parts), type=list[PlayPart]),
        )
    except (zlib.error, *UNDECODABLE):
        return None


_END = (
    "case when episodes.ended != 'running' then episodes.ended"
    " when why != '' or whole then 'stopped' else 'cut_off' end"
)
"""How an episode ended. One that was running had nothing left to be done in it (``stopped``), or
its play was cut off."""
EPISODES = (
    f"select play, environment, seed, {_END} as ending, why, steps, began, told"
    " from episodes join plays using (play) order by began, play, environment"
)
ENDINGS = (
    f"select play, {_END} as ending, why, count(*) from episodes join plays using (play)"
    " group by play, ending, why order by began, play, min(environment)"
)
"""How many episodes of each play ended how."""
ENDS = (
    f"select play, environment, {_END} as ending, why"
    " from episodes join plays using (play) order by began, play, environment"
)
"""How each episode ended."""
PLAY = "select play, began, ended, whole, opened, parts from plays where play = ?"
_COUNTED = (
    "select play, count(*), sum(ended = 'success'), sum(ended = 'death'), sum(steps) from {}"
    " group by play"
)
TRAINED, TURNS = _COUNTED.format("trained"), _COUNTED.format("turns")
"""Episodes of trainings, and turns of guards in training. Older runs have no table of turns."""
SCORED = (
    "select play, steps, gained from scored"
    " join (select play, min(began) as first from scored group by play) using (play)"
    " order by first, play, seed"
)
"""Steps, and names with a space between them, of the episodes that trainings play, also beside
their own, in the order in which they began."""


def _packed(value: Any) -> bytes:
    return zlib.compress(msgspec.msgpack.encode(value), 1)


def _row(kept: Kept) -> tuple[Any, ...]:
    episode = kept.episode
    row = msgspec.msgpack.encode(episode)
    return (
        kept.play, episode.environment, episode.seed, episode.ended, kept.why, episode.steps, row
    )  # fmt: skip
