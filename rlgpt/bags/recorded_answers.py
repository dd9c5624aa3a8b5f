"""The replies of a bag, found by the requests that they were replies to."""

import hashlib
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from messages.bus.actions.goal_store import PENDING, UNKNOWN, GoalQuery, GoalState
from messages.bus.services.service_server import Call
from messages.calling import CallEvent
from messages.codec import CodecError, Frames, decode, encode, snapshot
from messages.system import Description, description
from rlgpt.bags.bag_reader import Recorded
from rlgpt.bags.message_maps import NoMap, parted
from rlgpt.bags.message_schemas import Types

NOT_RECORDED = "not_recorded"
"""The code of the error that a request gets to which there is no reply in the bag."""


@dataclass
class _Answer:
    """A reply or an error; without one its request is not answered in the bag."""

    frames: Frames | None = None
    code: str = ""
    text: str = ""
    failed: bool = False

    def give(self, call: Call) -> None:
        if self.failed:
            call.fail(self.code, self.text)
        else:
            call.reply_frames(list(self.frames or [b""]), self.code)


@dataclass
class _Goal:
    """A goal that was recorded, and how it ended."""

    id: str
    content: bytes
    end: _Answer | None = None
    taken: bool = False  # by a goal with the same content and another id


@dataclass
class Answers:
    """What the replaced nodes have answered. Each of them answers in a thread of its own.

    Attributes:
        types: of each service, the names of its request's and its reply's type.
        given, repeated, missing: how many requests were answered, how many of them with the last
            answer once more, and how many were not in the bag.
    """

    known: Types
    types: dict[str, tuple[str, str]] = field(default_factory=dict)
    given: int = 0
    repeated: int = 0
    missing: int = 0
    _answers: dict[tuple[str, bytes], list[_Answer]] = field(default_factory=dict)
    _next: dict[tuple[str, bytes], int] = field(default_factory=dict)
    _open: dict[tuple[str, str, int], tuple[str, _Answer]] = field(default_factory=dict)
    _goals: dict[str, dict[str, _Goal]] = field(default_factory=dict)  # by action and id
    _sent: dict[tuple[str, str], _Goal] = field(default_factory=dict)  # by action and id
    _cancelled: set[tuple[str, str]] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def read(self, messages: Iterable[Recorded]) -> None:
        """Take in the calls among ``messages``, and what the nodes have described."""
        for message in messages:
            node = message.channel.metadata.get("node", "")
            if message.channel.topic == description(node).name:
                self._take_description(message)
            if "service" not in message.channel.metadata:
                continue
            try:
                frames, _ = parted(message.data)
                event = decode(CallEvent, frames[:1])
            except (NoMap, CodecError):
                continue
            if not event.omitted:
                epoch = message.channel.metadata.get("epoch", "")
                self._take(event, [bytes(event.body), *frames[1:]], (epoch, event.client, event.id))

    def _take_description(self, message: Recorded) -> None:
        try:
            endpoints = decode(Description, parted(message.data)[0]).endpoints
        except (NoMap, CodecError):
            return
        for each in endpoints:
            if each.kind == "service":
                self.types.setdefault(each.name, (each.types[0], each.types[-1]))
            elif each.kind == "action":
                state, query = GoalState.__name__, GoalQuery.__name__
                for part, types in (
                    ("send", (each.types[0], state)),
                    ("result", (query, each.types[-1])),
                    ("cancel", (query, state)),
                ):
                    self.types.setdefault(f"{each.name}/{part}", types)

    def rewind(self) -> None:
        """Start over with the first recorded reply."""
        with self._lock:
            self._next.clear()
            self._sent.clear()
            self._cancelled.clear()
            for goals in self._goals.values():
                for goal in goals.values():
                    goal.taken = False

    def respond(self, call: Call) -> None:
        """Reply to a request as the node did, or with an error if it never had such a one."""
        with self._lock:
            self._respond(call)

    def _respond(self, call: Call) -> None:
        service, goal = call.header.endpoint, call.header.goal
        action, _, part = service.rpartition("/")
        if goal and action in self._goals and part in ("send", "result", "cancel"):
            self._respond_about_goal(call, action, part)
            return
        key = (service, self._content(service, call.frames))
        answers = [each for each in self._answers.get(key, []) if each.frames or each.failed]
        if not answers:
            self._miss(call, self._why_not(service, key in self._answers))
            return
        number = self._next.get(key, 0)
        self._next[key] = number + 1
        self.given += 1
        self.repeated += number >= len(answers)
        answers[min(number, len(answers) - 1)].give(call)

    def _take(self, event: CallEvent, frames: Frames, key: tuple[str, str, int]) -> None:
        service = event.endpoint
        action, _, part = service.rpartition("/")
        about_goal = bool(event.goal) and part in ("send", "result", "cancel")
        request, reply = self.types.get(service, ("", ""))
        if event.kind == "request":
            self.types[service] = (event.body_type, reply)
            content = self._content(service, frames)
            if about_goal:
                goals = self._goals.setdefault(action, {})
                if part == "send" and event.goal not in goals:
                    goals[event.goal] = _Goal(event.goal, content)
                return
            answer = _Answer()
            self._answers.setdefault((service, content), []).append(answer)
            self._open[key] = (service, answer)
            return
        self.types[service] = (request, event.body_type or reply)
        failed = event.kind == "error"
        whole = _Answer(snapshot(frames) if not failed else None, event.code, event.text, failed)
        if about_goal:
            goal = self._goals.get(action, {}).get(event.goal)
            if goal is not None and part == "result" and event.code not in (PENDING, UNKNOWN):
                goal.end = whole
        elif key in self._open:
            answer = self._open.pop(key)[1]
            answer.frames, answer.failed = whole.frames, failed
            answer.code, answer.text = whole.code, whole.text

    def _respond_about_goal(self, call: Call, action: str, part: str) -> None:
        id = call.header.goal
        if part == "send":
            goal = self._find_goal(action, id, self._content(call.header.endpoint, call.frames))
            if goal is None:
                self._miss(call, f"{action}: no goal with this content is in the bag")
                return
            self._sent[action, id] = goal
            self.given += 1
            call.reply(GoalState(goal=id, status="running"))
            return
        goal = self._sent.get((action, id))
        if part == "cancel":
            self._cancelled.add((action, id))
            call.reply(GoalState(goal=id, status="cancelling" if goal else UNKNOWN))
        elif goal is None:
            call.reply_frames([b""], UNKNOWN)  # its caller sends it again
        elif (action, id) in self._cancelled:
            call.reply_frames([b""], "cancelled")
        elif goal.end is None:
            self._miss(call, f"{action}: the end of goal {goal.id} is not in the bag")
        else:
            self.given += 1
            goal.end.give(call)

    def _find_goal(self, action: str, id: str, content: bytes) -> _Goal | None:
        goals = self._goals[action]
        if id in goals and goals[id].content == content:
            return goals[id]
        if (action, id) in self._sent:
            return self._sent[action, id]
        equal = [each for each in goals.values() if each.content == content]
        found = next((each for each in equal if not each.taken), equal[-1] if equal else None)
        if found is not None:
            found.taken = True
        return found

    def _why_not(self, service: str, unanswered: bool) -> str:
        if unanswered:
            return f"{service}: the reply to this request is not in the bag"
        count = sum(len(each) for (name, _), each in self._answers.items() if name == service)
        return f"{service}: no such request is in the bag, which has {count} others of this service"

    def _miss(self, call: Call, why: str) -> None:
        self.missing += 1
        call.fail(NOT_RECORDED, why)

    def _content(self, service: str, frames: Sequence[Any]) -> bytes:
        """A digest that equal requests share, also where the recorded one has fewer fields, as
        those of an earlier version had."""
        declared = self.known.service(service)
        if declared is not None and declared.request is not GoalQuery:
            with suppress(CodecError):
                frames = encode(decode(declared.request, frames))
        digest = hashlib.blake2b(digest_size=16)
        for frame in snapshot(list(frames)):
            digest.update(len(frame).to_bytes(8, "big"))
            digest.update(frame)
        return digest.digest()
