"""Programs that stopped a worker: the same source is not run again.

Its next check reports why. Where it would be run all the same (as a prefix, a macro, a reward, a
stage of an earlier plan) it is skipped: a macro does nothing for one step, a reward is 0, a guard
never takes over.
"""

import logging
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from messages.program import Problem, Program, ProgramReport
from messages.world import Guard, Interface, Lead, OpenSession, RewardTerm
from nodes.common.storage.whole_files import UnusableFile, write_whole
from nodes.env_server.programs.pulse import mark_of

LOG = logging.getLogger("env_server")
# Checked like any other program, and over before it has acted.
STILL = "def action(obs):\n    if obs.steps < 0:\n        noop()\n"
NEVER = "def when(obs):\n    return False\n"
STILL_REWARD = "def reward(before, after):\n    return 0\n"


def programs_of(guards: Iterable[Guard]) -> list[Program]:
    """All programs of these guards: conditions, programs, macros of policies."""
    found: list[Program] = []
    for guard in guards:
        name = f"guard {guard.name}"
        found.append(Program(name=f"the condition of {name}", source=guard.when))
        if guard.program is not None:
            found.append(msgspec.structs.replace(guard.program, name=name))
        if guard.interface is not None:
            found += guard.interface.macros
    return found


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """``mark`` distinguishes its source from others, ``line`` is where it was (0: not known),
    ``reason`` one sentence."""

    mark: int
    name: str
    line: int
    reason: str = msgspec.field(name="said")  # so it is called in the files of earlier runs


class Quarantine:
    """Kept in ``path``, so that a restart of the env server forgets none of them.

    Raises:
        UnusableFile: what is there cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._entries: dict[int, Entry] = {}
        try:
            entries = msgspec.json.decode(path.read_bytes(), type=list[Entry])
        except FileNotFoundError:
            entries = []
        except (OSError, ValueError, RecursionError) as error:
            raise UnusableFile(
                f"{path} cannot be used: {error}; move it away to have the programs run again that "
                "stopped a worker"
            ) from error
        self._entries = {entry.mark: entry for entry in entries}

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, program: Program, line: int, reason: str) -> None:
        entry = Entry(mark=mark_of(program.source), name=program.name, line=line, reason=reason)
        LOG.warning("program %s is not run again: %s", program.name, reason)
        with self._lock:
            self._entries[entry.mark] = entry
            write_whole(self._path, msgspec.json.encode(list(self._entries.values())))

    def find(self, source: str) -> Entry | None:
        return self._entries.get(mark_of(source)) if self._entries else None

    def problems(self, source: str) -> list[Problem]:
        """What a check reports of it."""
        entry = self.find(source)
        return [] if entry is None else [Problem(line=entry.line or 1, message=entry.reason)]

    def report(self, program: Program, environments: Sequence[int]) -> ProgramReport | None:
        """The report in place of a run."""
        entry = self.find(program.source)
        if entry is None:
            return None
        return ProgramReport(
            program=program.name, status="killed", count=len(environments), steps=0,
            line=entry.line, error=f"{entry.reason}; it is not run again",
            environments=list(environments),
        )  # fmt: skip

    def without_quarantined(self, request: OpenSession) -> OpenSession:
        """The request with nothing in it that is not to be run."""
        if not self._entries:
            return request
        interface = request.interface
        return msgspec.structs.replace(
            request,
            prefix=[self.program_unless_quarantined(program) for program in request.prefix],
            lead=[self._lead_without_quarantined(lead) for lead in request.lead],
            interface=None if interface is None else self.interface_without_quarantined(interface),
            guards=self.guards_without_quarantined(request.guards),
            guard=None if request.guard is None else self._guard_unless_quarantined(request.guard),
            guarded=[self._lead_without_quarantined(lead) for lead in request.guarded],
        )

    def guards_without_quarantined(self, guards: Sequence[Guard]) -> list[Guard]:
        """The guards that may run: a guard that may not never takes over."""
        left: list[Guard] = []
        for guard in guards:
            found = (self.find(program.source) for program in programs_of([guard]))
            entry = next((each for each in found if each is not None), None)
            if entry is None:
                left.append(guard)
            else:
                LOG.warning("guard %s never takes over: %s", guard.name, entry.reason)
        return left

    def interface_without_quarantined(self, interface: Interface) -> Interface:
        if not self._entries:
            return interface
        return msgspec.structs.replace(
            interface,
            macros=[self.program_unless_quarantined(macro) for macro in interface.macros],
            rewards=[self._term_unless_quarantined(term) for term in interface.rewards],
        )

    def program_unless_quarantined(self, program: Program) -> Program:
        entry = self.find(program.source)
        if entry is None:
            return program
        LOG.warning("program %s does nothing: %s", program.name, entry.reason)
        return msgspec.structs.replace(program, source=STILL)

    def _guard_unless_quarantined(self, guard: Guard) -> Guard:
        """One that is trained: its condition never holds where it may not be looked at."""
        entry = self.find(guard.when)
        if entry is None:
            return guard
        LOG.warning("the condition of guard %s never holds: %s", guard.name, entry.reason)
        return msgspec.structs.replace(guard, when=NEVER)

    def _lead_without_quarantined(self, lead: Lead) -> Lead:
        program, interface = lead.program, lead.interface
        return msgspec.structs.replace(
            lead,
            program=None if program is None else self.program_unless_quarantined(program),
            interface=None if interface is None else self.interface_without_quarantined(interface),
        )

    def _term_unless_quarantined(self, term: RewardTerm) -> RewardTerm:
        entry = self.find(term.source) if term.kind == "code" else None
        if entry is None:
            return term
        LOG.warning("a reward that is code is 0: %s", entry.reason)
        return msgspec.structs.replace(term, source=STILL_REWARD)
