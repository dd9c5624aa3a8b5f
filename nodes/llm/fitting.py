"""Prompts that are too long for a model: what is left out of them, in which order.

The templates mark what a question can do without, each part with its turn (`messages.chat.Part`).
Parts go in the order of their turns until the prompt fits; where one stood, a line says what was
left out. Nothing else is ever cut.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec

from messages.chat import ChatMessage, Part

Prompt = list[ChatMessage]


@dataclass(frozen=True)
class Fitted:
    """``left_out``: the names of the parts that the prompt goes without, in their order."""

    prompt: Prompt
    left_out: list[str] = field(default_factory=list)
    tokens: int | None = None  # as measured; None: it was not


def fit(prompt: Prompt, room: int | None, measure: Callable[[Prompt], int]) -> Fitted:
    """As much of the prompt as takes ``room`` tokens at most (None: any), or what is left of it
    where even that is too long."""
    if room is None or _bytes(prompt) <= room:  # no token is shorter than a byte
        return Fitted(prompt)
    fitted = Fitted(prompt, tokens=measure(prompt))
    while (fitted.tokens or 0) > room:
        shorter = without_next(fitted.prompt)
        if shorter is None:
            break
        prompt, name = shorter
        fitted = Fitted(prompt, [*fitted.left_out, name], measure(prompt))
    return fitted


def _bytes(prompt: Prompt) -> int:
    return sum(len(message.content.encode()) + 64 for message in prompt)


def without_next(prompt: Prompt) -> tuple[Prompt, str] | None:
    """The prompt without the part whose turn comes next, and its name; None: there is no part."""
    found = [(part.turn, number, part) for number, m in enumerate(prompt) for part in m.parts]
    if not found:
        return None
    _, number, part = min(found, key=lambda each: (each[0], each[1], each[2].start))
    shorter = list(prompt)
    shorter[number] = _without(prompt[number], part)
    return shorter, part.name


def _without(message: ChatMessage, part: Part) -> ChatMessage:
    text = f"(Left out, as the prompt would be too long: {part.name}.)\n"
    moved = len(text) - (part.end - part.start)
    parts = [
        each
        if each.end <= part.start
        else msgspec.structs.replace(each, start=each.start + moved, end=each.end + moved)
        for each in message.parts
        if each != part
    ]
    content = message.content[: part.start] + text + message.content[part.end :]
    return msgspec.structs.replace(message, content=content, parts=parts)
