"""What every backend is: something that completes a prompt with text."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from messages.chat import ChatMessage, Question

OnPiece = Callable[[str, bool], None]
"""Receives each piece of an answer as it comes, and whether it is thinking."""


class Listener(Protocol):
    """Receives an answer while it is being written."""

    def begins(self) -> None:
        """Another attempt at the answer begins."""
        ...

    def piece(self, text: str, thinking: bool) -> None: ...


class BackendError(Exception):
    """The backend gave no text: not reached, an error status, an answer cut short.

    ``permanent``: asking again cannot help (a wrong key, an unknown model). ``lost``: the server
    was lost or takes no question now, which means nothing for the question; ``wait``: seconds
    until it takes one again, as it says. ``no_model``: every question would end so (a wrong key, an
    unknown model, a server that cannot be started). ``too_long``: prompt and answer do not fit into
    the model's context. ``status``: of HTTP, if the server gave one. ``seconds``: that the request
    took, set by who sent it. ``prompt_tokens``, ``completion_tokens``: what an answer cost that
    cannot be used, if the server counted.
    """

    def __init__(
        self,
        message: str,
        permanent: bool = False,
        lost: bool = False,
        too_long: bool = False,
        status: int = 0,
        wait: float = 0.0,
        no_model: bool = False,
        prompt_tokens: int = 0,
        completion_tokens: int = 0,
    ) -> None:
        super().__init__(message)
        self.permanent = permanent
        self.lost = lost
        self.no_model = no_model or lost
        self.too_long = too_long
        self.status = status
        self.wait = wait
        self.prompt_tokens = prompt_tokens
        self.completion_tokens = completion_tokens
        self.seconds = 0.0


@dataclass(frozen=True)
class Completion:
    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    thinking: str = ""
    version: str = ""  # of what answered, as far as it is known


class Backend(Protocol):
    model: str
    """Sent with every answer, so that a transcript shows what answered."""
    varies: bool
    """May another answer come to the same prompt?"""

    def complete(
        self,
        question: Question,
        prompt: list[ChatMessage],
        schema: dict[str, Any],
        repeats: int = 0,
    ) -> Completion:
        """Answer as JSON by ``schema``, from the prompt (a language model) or the question (rules).
        ``repeats``: how many answers so far were ones that had been refused, word for word.

        Raises:
            BackendError: there is no text to check.
        """
        ...
