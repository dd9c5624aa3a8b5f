"""Prompts that are too long for a model: what is left out of them, in which order.

The templates mark what a question can do without, each part with its turn (`messages.chat.Part`),
and examples that are shown before it are parts, too. They are left out in the order of their turns
until the prompt fits; a line in the place of each part of a message names it. Nothing else is ever
cut.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from messages.chat import ChatMessage
from nodes.common.questions.prompt_parts import without_next

Prompt = list[ChatMessage]


@dataclass(frozen=True)
class Fitted:
    """``left_out``: the names of the parts that the prompt goes without, in their order."""

    prompt: Prompt
    left_out: list[str] = field(default_factory=list)
    tokens: int | None = None  # as measured; None: it was not


def fit(prompt: Prompt, limit: int | None, measure: Callable[[Prompt], int]) -> Fitted:
    """As much of the prompt as takes ``limit`` tokens at most (None: any), or what is left of it
    where even that is too long."""
    pictured = any(message.pictures for message in prompt)
    if limit is None or (not pictured and _bytes(prompt) <= limit):
        return Fitted(prompt)  # no token of a text is shorter than a byte
    fitted = Fitted(prompt, tokens=measure(prompt))
    while (fitted.tokens or 0) > limit:
        shorter = without_next(fitted.prompt)
        if shorter is None:
            break
        prompt, name = shorter
        fitted = Fitted(prompt, [*fitted.left_out, name], measure(prompt))
    return fitted


def _bytes(prompt: Prompt) -> int:
    return sum(len(message.content.encode()) + 64 for message in prompt)
