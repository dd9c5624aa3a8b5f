"""Answers that wait for a person before the agent that asked gets them.

Breakpoints and waiting answers are files in the node's folder: a restarted node still stops, and
does not ask the model again for what waits.
"""

import contextlib
import fnmatch
import hashlib
import threading
from collections.abc import Callable, Container
from pathlib import Path

import msgspec

from messages.breaking import ASKED, Breaks, Held, HeldNote
from messages.bus import Later, ServiceError
from messages.chat import Answered, Question
from messages.undecodable import UNDECODABLE
from nodes.common.checks.answer_check import answer_problems
from nodes.common.questions.asking import kind_of
from nodes.common.questions.sent_prompt import as_sent
from nodes.common.storage.whole_files import UnusableFile, write_whole
from nodes.llm.recording.transcript import Entry, Unanswered


class Waiting(msgspec.Struct, kw_only=True):
    """One question whose answer, or lack of one, waits."""

    since: float
    entry: Entry | None = None
    failed: Unanswered | None = None  # where the model gave no valid answer
    released: bool = False
    answer: str | None = None  # JSON, in place of the model's
    by: str = ""

    @property
    def recorded(self) -> Entry | Unanswered:
        found = self.entry or self.failed
        assert found is not None
        return found

    @property
    def id(self) -> str:
        recorded = self.recorded
        return recorded.answered.id if isinstance(recorded, Entry) else recorded.id

    @property
    def question(self) -> Question:
        return msgspec.json.decode(self.recorded.question, type=Question)

    @property
    def note(self) -> HeldNote:
        return HeldNote(
            id=self.id,
            agent=self.recorded.agent,
            kind=kind_of(self.question),
            model=self.entry.answered.model if self.entry else "",
            since=self.since,
            answered=self.entry is not None,
        )


class NotHeld(Exception):
    """The answer waits no more: someone else let it go on."""


class Breakpoints:
    """The breakpoints and the answers held at them. ``changed`` is called with the state whenever
    it changes. No thread waits with an answer. ``recorded``: the ids of the questions whose answers
    are recorded; an earlier process may have ended right after it had recorded one that was held.

    Raises:
        UnusableFile: a file of an earlier process is damaged.
    """

    def __init__(
        self, folder: Path, changed: Callable[[Breaks], None], recorded: Container[str] = ()
    ) -> None:
        self._file = folder / "breakpoints.json"
        self._folder = folder / "held"
        self._changed = changed
        self._lock = threading.Lock()
        self._reporting = threading.Lock()  # taken first
        self._places: list[str] = []
        self._waiting: dict[str, Waiting] = {}
        self._askers: dict[str, list[Later[Answered]]] = {}  # by question
        path = self._file
        try:
            if path.is_file():
                self._places = msgspec.json.decode(path.read_bytes(), type=list[str])
            for path in sorted(self._folder.glob("*.json")):
                waiting = msgspec.json.decode(path.read_bytes(), type=Waiting)
                if waiting.id in recorded:
                    self._remove(waiting.id)
                else:
                    self._waiting[waiting.id] = waiting
        except (OSError, *UNDECODABLE) as error:
            raise UnusableFile(
                f"{path} cannot be read ({error}); remove it, and its answer is asked for again"
            ) from None

    def state(self) -> Breaks:
        with self._lock:
            held = sorted(self._waiting.values(), key=lambda each: each.since)
            return Breaks(at=list(self._places), held=[each.note for each in held])

    def set(self, at: str, stops: bool) -> Breaks:
        """Raises ValueError: there is no such place, or no breakpoint there."""
        check_place(at)
        with self._lock:
            if stops and at not in self._places:
                places = [*self._places, at]
            elif not stops and at not in self._places:
                there = ", ".join(self._places) or "none"
                raise ValueError(f"there is no breakpoint at {at}; there are: {there}")
            else:
                places = [each for each in self._places if stops or each != at]
            write_whole(self._file, msgspec.json.encode(places))
            self._places = places
        return self._report()

    def stops(self, agent: str, kind: str) -> bool:
        """Whether answers to such questions wait."""
        with self._lock:
            return any(fnmatch.fnmatchcase(f"{agent}/{kind}", each) for each in self._places)

    def find(self, id: str) -> Waiting | None:
        """What waits for this question."""
        with self._lock:
            return self._waiting.get(id)

    def held(self, waiting: Waiting, most_samples: int) -> Held:
        recorded = waiting.recorded
        left_out = (recorded if isinstance(recorded, Unanswered) else recorded.answered).left_out
        sent = as_sent(recorded.prompt, recorded.examples, left_out)
        answer = waiting.entry.answered.answer if waiting.entry else ""
        return Held(
            note=waiting.note,
            question=bytes(recorded.question).decode(),
            prompt="\n\n".join(f"[{m.role}]\n{m.content}" for m in sent),
            answer=answer,
            failure=waiting.failed.sentence if waiting.failed else "",
            problems=answer_problems(waiting.question, answer, most_samples) if answer else [],
        )

    def hold(self, waiting: Waiting) -> Later[Answered]:
        """Hold an answer until a person lets it go on; what its asker gets then. The answer is on
        the disk before anything else happens."""
        id = waiting.id
        asker: Later[Answered] = Later(lambda: self._left(id, asker))
        with self._lock:
            if id not in self._waiting:
                self._keep(waiting)
                self._waiting[id] = waiting
            self._askers.setdefault(id, []).append(asker)
        self._report()
        return asker

    def askers(self, id: str) -> int:
        """How many processes wait for an answer that is held."""
        with self._lock:
            return len(self._askers.get(id, []))

    def release(self, waiting: Waiting, answer: str | None, by: str) -> None:
        """Let it go on, with ``answer`` in place of the model's if there is one. `end` is to follow
        once it is recorded.

        Raises:
            NotHeld: another call did so in the meantime.
            OSError: it cannot be written, and the answer still waits.
        """
        with self._lock:
            if waiting.released or self._waiting.get(waiting.id) is not waiting:
                raise NotHeld(waiting.id)
            released = msgspec.structs.replace(waiting, answer=answer, by=by, released=True)
            self._keep(released)
            waiting.answer, waiting.by, waiting.released = answer, by, True

    def hold_on(self, waiting: Waiting) -> None:
        """A person has to let it go on once more, as it was not recorded. The next process would
        use it as it was released: that is what the file has."""
        with self._lock:
            waiting.released = False

    def end(self, waiting: Waiting, outcome: Answered | ServiceError) -> None:
        """Give the recorded outcome to the requests that wait for it."""
        with self._lock:
            self._waiting.pop(waiting.id, None)
            askers = self._askers.pop(waiting.id, [])
            self._remove(waiting.id)
        for asker in askers:
            asker.reply(outcome)
        self._report()

    def _left(self, id: str, asker: Later[Answered]) -> None:
        """The process that asked has ended; the answer waits on, for the next one."""
        with self._lock:
            askers = [each for each in self._askers.get(id, []) if each is not asker]
            if askers:
                self._askers[id] = askers
            else:
                self._askers.pop(id, None)

    def _keep(self, waiting: Waiting) -> None:
        self._folder.mkdir(exist_ok=True)
        write_whole(self._path(waiting.id), msgspec.json.encode(waiting))

    def _remove(self, id: str) -> None:
        """What cannot be removed is recorded by then, and the next process tries it again."""
        with contextlib.suppress(OSError):
            self._path(id).unlink(missing_ok=True)

    def _path(self, id: str) -> Path:
        return self._folder / f"{hashlib.sha256(id.encode()).hexdigest()[:32]}.json"

    def _report(self) -> Breaks:
        """Call ``changed``. Of two threads the one with the newer state is the later one."""
        with self._reporting:
            state = self.state()
            self._changed(state)
        return state


def check_place(at: str) -> None:
    """Raises ValueError where no agent asks such questions."""
    known = [f"{name}/{each}" for name, kinds in ASKED.items() for each in kinds]
    if "/" not in at or not any(fnmatch.fnmatchcase(each, at) for each in known):
        raise ValueError(
            f"no agent asks questions of {at!r}: write AGENT/KIND, with one of {', '.join(known)}; "
            "* stands for any agent or kind"
        )
