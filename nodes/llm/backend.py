"""What every backend is: something that completes a prompt with text."""

from dataclasses import dataclass
from typing import Any, Protocol

from messages.chat import ChatMessage, Question


class BackendError(Exception):
    """The backend gave no text: not reached, an error status, an answer cut short.

    ``permanent``: asking again cannot help (a wrong key, an unknown model).
    """

    def __init__(self, message: str, permanent: bool = False) -> None:
        super().__init__(message)
        self.permanent = permanent


@dataclass(frozen=True)
class Completion:
    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0


class Backend(Protocol):
    model: str
    """Said with every answer, so that a transcript tells who answered."""

    def complete(
        self, question: Question, prompt: list[ChatMessage], schema: dict[str, Any]
    ) -> Completion:
        """Answer as JSON by ``schema``, from the prompt (a language model) or the question (rules).

        Raises:
            BackendError: there is no text to check.
        """
        ...
