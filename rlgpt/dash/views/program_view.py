"""The code of each coded action of a run, where it was used, and how often it succeeded.

The env server keeps with the episodes of a play the programs that were run in it; a program is the
same wherever its source is.
"""

import hashlib
import zlib
from pathlib import Path

import msgspec

from messages.plan import Iteration
from messages.program import Program
from messages.undecodable import UNDECODABLE
from messages.world import Interface
from nodes.common.storage.episode_store import PlayPart
from rlgpt.report import played_episodes, stores
from rlgpt.report.account import account
from rlgpt.report.coloured_source import Piece, lines

_SHOWN = 40
"""Uses of a program that are shown: a long run has thousands."""
_PARTS = "select play, parts from plays order by began"


class Use(msgspec.Struct, frozen=True, kw_only=True):
    """A play in which a program ran: as a stage, or as a coded action of a policy (``macro``)."""

    play: str
    words: str
    kind: str
    macro: bool
    episodes: int
    successes: int
    endings: dict[str, int]


class MacroUse(msgspec.Struct, frozen=True, kw_only=True):
    """How often a policy chose it in its tryout."""

    subtask: str
    iteration: int
    times: int
    endings: dict[str, int]


class ProgramView(msgspec.Struct, kw_only=True):
    id: str
    name: str
    purpose: str
    max_steps: int
    source: list[list[Piece]]
    role: str  # "stage", "macro" or "guard": what it was last
    uses: list[Use] = []  # the newest last; of many only these
    plays: int = 0  # how many uses there are in all
    episodes: int = 0  # of all plays in which it was a stage or a guard
    successes: int = 0
    chosen: list[MacroUse] = []


def program_id(source: str) -> str:
    return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def programs(run: Path) -> list[ProgramView]:
    """All programs that were run or belong to an iteration, the ones used last first."""
    views: dict[str, ProgramView] = {}
    endings = played_episodes.endings(run)
    goals = played_episodes.several_goals(run)
    for play, packed in stores.rows(run / "env_server" / played_episodes.FILE, _PARTS):
        counted: set[str] = set()  # a program counts once in a play
        for program, role in _programs_of(_parts(packed)):
            view = _view(views, program, role)
            if play in endings and view.id not in counted:
                counted.add(view.id)
                _count(view, _use(play, endings[play], role == "macro", goals))
    for turn in account(run).iterations:
        for stage in turn.stages:
            if stage.program is not None:
                _view(views, stage.program, "stage")
            if stage.spec is not None:
                for macro in stage.spec.interface.macros:
                    _view(views, macro, "macro")
        _note_choices(views, turn)
    return list(reversed(list(views.values())))


def _count(view: ProgramView, use: Use) -> None:
    view.plays += 1
    view.uses = [*view.uses[1 - _SHOWN :], use]
    if not use.macro:
        view.episodes += use.episodes
        view.successes += use.successes


def _view(views: dict[str, ProgramView], program: Program, role: str) -> ProgramView:
    id = program_id(program.source)
    view = views.pop(id, None)
    if view is None:
        view = ProgramView(
            id=id,
            name=program.name,
            purpose=program.purpose,
            max_steps=program.max_steps,
            source=lines(program.source),
            role=role,
        )
    view.role = role
    views[id] = view  # the last one
    return view


def _parts(packed: bytes) -> list[PlayPart]:
    try:
        return msgspec.msgpack.decode(zlib.decompress(packed), type=list[PlayPart])
    except (zlib.error, *UNDECODABLE):
        return []


def _programs_of(parts: list[PlayPart]) -> list[tuple[Program, str]]:
    found: list[tuple[Program, str]] = []
    for part in parts:
        if part.program is not None:
            found.append((part.program, "stage"))
        if part.interface is not None:
            found += _macros(part.interface)
        found += [(g.program, "guard") for g in part.guards if g.program is not None]
    return found


def _macros(interface: Interface) -> list[tuple[Program, str]]:
    return [(macro, "macro") for macro in interface.macros]


def _use(
    play: str, endings: list[tuple[played_episodes.Ending, str, int]], macro: bool, goals: bool
) -> Use:
    counts: dict[str, int] = {}
    for ended, why, number in endings:
        words = played_episodes.WORDS[ended] + (f": {why}" if why else "")
        counts[words[:120]] = counts.get(words[:120], 0) + number
    purpose = played_episodes.purpose(play)
    return Use(
        play=play,
        words=played_episodes.in_words(purpose, goals),
        kind=purpose.kind,
        macro=macro,
        episodes=sum(counts.values()),
        successes=sum(number for ended, _, number in endings if ended == "success"),
        endings=dict(sorted(counts.items(), key=lambda item: -item[1])[:6]),
    )


def _note_choices(views: dict[str, ProgramView], turn: Iteration) -> None:
    for line in turn.lines:
        stage = next((s for s in turn.stages if s.sub_action.name == line.sub_action.name), None)
        if stage is None or stage.spec is None or line.learning is None:
            continue
        sources = {macro.name: macro.source for macro in stage.spec.interface.macros}
        for choice in line.learning.choices:
            view = views.get(program_id(sources[choice.name])) if choice.name in sources else None
            if view is not None:
                view.chosen.append(
                    MacroUse(
                        subtask=turn.subtask,
                        iteration=turn.number,
                        times=choice.times,
                        endings=choice.endings,
                    )
                )
