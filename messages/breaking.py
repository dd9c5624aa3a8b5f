"""Breakpoints before an answer of the language model is used: it waits for a person, who lets it go
on as it is, or gives another answer in its place."""

from typing import Annotated

import msgspec

from messages.empty import Empty
from messages.interface import Service, Topic

ASKED: dict[str, tuple[str, ...]] = {
    "planner": ("goal", "plan"),
    "slow_agent": ("decompose",),
    "fast_agent": ("program", "guard", "spec"),
    "critic": ("judge", "look"),
}
"""Which agent asks questions of which kinds."""

Place = Annotated[str, msgspec.Meta(max_length=100)]
"""``agent/kind``; either may be ``*``."""


class SetBreak(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """``stops``: whether answers there wait from now on. Those that wait already go on waiting."""

    at: Place
    stops: bool
    by: str = ""


class HeldNote(msgspec.Struct, frozen=True, kw_only=True):
    """An answer that waits."""

    id: str  # of its question
    agent: str
    kind: str
    model: str
    since: float  # seconds since the epoch
    answered: bool = True  # False: the model gave no valid answer


class Breaks(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    at: list[str]
    held: list[HeldNote]  # the first first


class HeldId(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    id: str


class Held(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """An answer that waits, whole."""

    note: HeldNote
    question: str  # JSON
    prompt: str  # as the model was sent it, for a person
    answer: str  # JSON; empty: the model gave none
    failure: str = ""  # why there is none
    problems: list[str] = []  # what the agent that asked would find wrong with it


class UseAnswer(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """Use the answer that waits, or ``answer`` (JSON) in its place. Without one where the model
    gave none, the agent gets the error that it gave none."""

    id: str
    answer: str | None = None
    by: str = ""


class Used(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """``problems``: why the answer is not used; the question still waits then."""

    problems: list[str] = []
    edited: bool = False


BREAKS = Service("llm/breaks", Empty, Breaks, idempotent=True)
SET_BREAK = Service("llm/set_break", SetBreak, Breaks, idempotent=True)
HELD = Service("llm/held", HeldId, Held, idempotent=True)
# The programs of an answer are checked by the env server.
USE_ANSWER = Service("llm/use_answer", UseAnswer, Used, timeout=60.0)
BROKEN = Topic("llm/breakpoints", Breaks, latched=True)
"""Whenever a breakpoint is set or cleared, and an answer begins or ends to wait."""
