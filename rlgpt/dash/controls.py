"""What a page may change of a live run: nodes are paused, stepped, restarted and killed, parameters
set, answers of the language model stopped and edited.

It is done by the functions of the command line, so by the same services and with the same
sentences; the nodes' logs have who did it.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from messages.breaking import (
    ASKED,
    BREAKS,
    HELD,
    SET_BREAK,
    USE_ANSWER,
    Held,
    HeldId,
    SetBreak,
    UseAnswer,
)
from messages.bus import Bus, BusError
from messages.codec import CodecError
from messages.empty import Empty
from messages.system import KILL, RESTART, NodeName
from rlgpt.composing.configuration import Stack
from rlgpt.dash.follow.follower import Follower, NotRunning
from rlgpt.inspecting.answer_text import answer_of, draft
from rlgpt.inspecting.held_answers import call_llm
from rlgpt.inspecting.node_pauses import set_paused, take_steps, user
from rlgpt.inspecting.parameter_values import change_parameters, parameters_of, value_of
from rlgpt.refused import Refused

MOST_STEPS = 100_000
_STEPPING = 10.0  # seconds in which a page's steps are to be taken


class CannotChange(Exception):
    """The text is a sentence for the user."""


class BreakpointChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A change of the breakpoint at one place, as AGENT/KIND."""

    at: str
    stops: bool


class AnswerChoice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The choice about an answer that waits. ``answer``: YAML or JSON in its place; None: it is
    used as it is."""

    id: str
    answer: str | None = None


class ParameterChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``values``: as a person writes them, JSON or text. ``reset``: back to what was configured."""

    node: str
    values: dict[str, str] = {}
    reset: list[str] = []


class Controls:
    """The controls of one run. Each method raises CannotChange; it may wait for a node and belongs
    in a thread."""

    def __init__(self, follower: Follower) -> None:
        self._follower = follower

    def control_node(self, what: str, node: str, count: int) -> Any:
        """``pause``, ``continue``, ``step`` (``count`` of them), ``restart`` or ``kill``."""
        if what in ("restart", "kill"):
            return self._restart(what, node)
        if what == "step" and not 1 <= count <= MOST_STEPS:
            raise CannotChange(f"{count} steps: take 1 to {MOST_STEPS:,} at a time")

        def change(bus: Bus, stack: Stack) -> str:
            run = self._follower.run
            stack.check_node(node)
            if what == "step":
                return take_steps(bus, run, node, count, _STEPPING, _by())
            return set_paused(bus, run, node, what == "pause", _by())

        return {"node": node, "text": self._done(change)}

    def parameters(self) -> dict[str, Any]:
        """The parameters of each node that answers: values, which of them are live, what was
        configured."""
        run = self._follower.run
        return self._done(lambda bus, stack: parameters_of(None, run, stack, bus))

    def set_parameters(self, change: ParameterChange) -> dict[str, Any]:
        """Set all of the parameters or none. Returns the parameters of the node afterwards."""
        values = {name: value_of(text) for name, text in change.values.items()}

        def set_them(bus: Bus, stack: Stack) -> dict[str, Any]:
            run, node = self._follower.run, change.node
            stack.check_node(node)
            change_parameters(node, values, run, bus, change.reset, _by())
            return dict(parameters_of(node, run, stack, bus))

        return self._done(set_them)

    def breakpoints(self) -> dict[str, Any]:
        """The breakpoints that are set and the answers that wait; ``places``: where one can be
        set."""
        state = self._llm(BREAKS, Empty())
        places = [f"{agent}/{kind}" for agent, kinds in ASKED.items() for kind in kinds]
        return {**msgspec.to_builtins(state), "places": places}

    def set_breakpoint(self, change: BreakpointChange) -> Any:
        return self._llm(SET_BREAK, SetBreak(at=change.at, stops=change.stops, by=_by()))

    def held(self, id: str) -> dict[str, Any]:
        """An answer that waits, whole; ``draft`` is the answer as text to be edited."""
        held: Held = self._llm(HELD, HeldId(id=id))
        return {**msgspec.to_builtins(held), "draft": draft(held)}

    def use_answer(self, choice: AnswerChoice) -> Any:
        """``problems``: why what was written is not used; the answer still waits then."""
        answer = choice.answer
        try:
            text = None if answer is None else answer_of(answer, "what you wrote")
        except Refused as refused:
            return {"problems": [refused.sentence], "edited": False}
        return self._llm(USE_ANSWER, UseAnswer(id=choice.id, answer=text, by=_by()))

    def _llm(self, service: Any, request: Any) -> Any:
        def call(bus: Bus, stack: Stack) -> Any:
            stack.check_node("llm")
            return call_llm(bus, self._follower.run, service, request)

        return self._done(call)

    def _restart(self, what: str, node: str) -> Any:
        service = {"restart": RESTART, "kill": KILL}[what]
        return self._done(lambda bus, _: bus.call(service, NodeName(node=node)), launched=True)

    def _done(self, change: Callable[[Bus, Stack], Any], launched: bool = False) -> Any:
        try:
            return change(*self._follower.reached(launched))
        except (NotRunning, Refused) as error:
            raise CannotChange(str(error)) from error
        except CodecError as error:
            raise CannotChange(f"it cannot be sent: {error}") from error
        except BusError as error:
            raise CannotChange(getattr(error, "message", str(error))) from error


def _by() -> str:
    return f"{user()} on the page".strip()
