"""The code of each coded action of a run, where it was used, and how often it succeeded.

The env server keeps with the episodes of a play the programs that were run in it; a program is the
same wherever its source is.
"""

import hashlib
import zlib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import msgspec

from messages.plan import Iteration
from messages.program import Program
from messages.undecodable import UNDECODABLE
from nodes.common.storage.episode_store import PlayPart
from rlgpt.report import played_episodes, stores
from rlgpt.report.account import account
from rlgpt.report.coloured_source import Piece, lines

_SHOWN = 40
"""Uses of a program that are shown: a long run has thousands."""
_PARTS = "select play, parts from plays order by began"


class Use(msgspec.Struct, frozen=True, kw_only=True):
    """A play in which a program ran: as a stage, or as a coded action of a policy (``macro``). Of
    its episodes those count in which it may have run: not those that had ended before."""

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
    episodes: int = 0  # of all plays in which it was a stage or a guard, those that it was in
    successes: int = 0
    chosen: list[MacroUse] = []


def program_id(source: str) -> str:
    return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def programs(run: Path) -> list[ProgramView]:
    """All programs that were run or belong to an iteration, the ones used last first."""
    views: dict[str, ProgramView] = {}
    ends = played_episodes.ends(run)
    goals = played_episodes.several_goals(run)
    for play, packed in stores.rows(run / "env_server" / played_episodes.FILE, _PARTS):
        there = ends.get(play, {})
        for each in _programs_of(_parts(packed), there):
            view = _view(views, each.program, each.role)
            # One that also was a sub-action counts as that.
            environments = each.run_in or each.chosen_in
            if environments:
                own = [there[environment] for environment in sorted(environments)]
                _count(view, _use(play, own, not each.run_in, goals))
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


class _InPlay:
    """A program of a play, and the environments of the parts in which it was a stage or a guard
    (``run_in``) or a coded action (``chosen_in``)."""

    def __init__(self) -> None:
        self.role = ""  # the last
        self.run_in: set[int] = set()
        self.chosen_in: set[int] = set()

    def add(self, program: Program, role: str, environments: set[int]) -> None:
        self.program = program
        self.role = role
        (self.chosen_in if role == "macro" else self.run_in).update(environments)


def _programs_of(parts: list[PlayPart], there: Iterable[int]) -> list[_InPlay]:
    """The programs of a play, each once, the ones used last at the end. ``there``: the play's
    environments."""
    found: dict[str, _InPlay] = {}
    for part in parts:
        own = set(there) & set(part.environments) if part.environments else set(there)
        for program, role in _programs_in(part):
            id = program_id(program.source)
            found[id] = found.pop(id, None) or _InPlay()
            found[id].add(program, role, own)
    return list(found.values())


def _programs_in(part: PlayPart) -> list[tuple[Program, str]]:
    found: list[tuple[Program, str]] = []
    if part.program is not None:
        found.append((part.program, "stage"))
    if part.interface is not None:
        found += [(macro, "macro") for macro in part.interface.macros]
    found += [(guard.program, "guard") for guard in part.guards if guard.program is not None]
    return found


def _use(
    play: str, ends: list[tuple[played_episodes.Ending, str]], macro: bool, goals: bool
) -> Use:
    counts = Counter(
        (played_episodes.WORDS[ended] + (f": {why}" if why else ""))[:120] for ended, why in ends
    )
    purpose = played_episodes.purpose(play)
    return Use(
        play=play,
        words=played_episodes.in_words(purpose, goals),
        kind=purpose.kind,
        macro=macro,
        episodes=len(ends),
        successes=sum(ended == "success" for ended, _ in ends),
        endings=dict(counts.most_common(6)),
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
