"""Parts of a prompt that a question can do without, as templates mark them:

    {% call part(3, "the programs of earlier iterations") %}
    ...
    {% endcall %}

Where the model's context is too small the llm node leaves parts out, those of the lowest turn
first. The turns that there are, over all templates:

0. examples that are like the question, the least similar one first (`nodes/llm/examples/`)
1. the episodes after the first few, for the critic; with pictures all but the first pictured one
2. the skills that could be called, the guards that worked before
3. failed episodes of the evaluations on unseen starts
4. the programs and the training spec of earlier iterations, the sources of other tried programs
5. the program that runs before
6. verdicts, outcomes and iterations before the last one
7. the program before the last one of this iteration, or the best one in its place; of a guard the
   try before the last one
"""

import re
import secrets
from collections.abc import Callable, Collection, Sequence
from typing import TypeVar

import msgspec

from messages.chat import ChatMessage, Part

Message = TypeVar("Message")

EXAMPLES = 0
"""The turn of examples: the user's message of each is one part as a whole."""
_PICTURE = re.compile(r"<picture ([0-9a-f]{64})>")


def pictures_in(content: str, digests: Collection[str]) -> list[str]:
    """Those of these pictures that a message shows, as ``<picture DIGEST>``, in their order. The
    same of another digest is text."""
    return [found for found in _PICTURE.findall(content) if found in digests]


def without_pictures(message: ChatMessage) -> str:
    """The text of a message without the marks of the pictures that it shows."""
    text = message.content
    for digest in set(message.pictures):
        text = text.replace(f"<picture {digest}>", "")
    return text


class Marks:
    """The marks of one rendering. The marks hold a number that is drawn for it, so that no text in
    a prompt can be taken for one."""

    def __init__(self) -> None:
        self._drawn = secrets.token_hex(8)
        self._known: list[tuple[int, str]] = []

    def part(self, turn: int, name: str, caller: Callable[[], str]) -> str:
        self._known.append((turn, name))
        number = len(self._known) - 1
        return f"\x00{self._drawn}<{number}\x00{caller()}\x00{self._drawn}>{number}\x00"

    def taken(self, text: str) -> tuple[str, list[Part]]:
        """The text without its marks, and its parts; empty ones are left out."""
        mark = re.compile(rf"\x00{self._drawn}([<>])(\d+)\x00")
        plain, at, begun = "", 0, 0
        parts: list[Part] = []
        for found in mark.finditer(text):
            plain += text[at : found.start()]
            at = found.end()
            if found[1] == "<":
                begun = len(plain)
                continue
            turn, name = self._known[int(found[2])]
            if plain[begun:].strip():
                parts.append(Part(name=name, turn=turn, start=begun, end=len(plain)))
        return plain + text[at:], parts


def with_examples(prompt: Sequence[Message], examples: Sequence[Message]) -> list[Message]:
    """The prompt as a model gets it: examples stand before its last message."""
    return [*prompt[:-1], *examples, *prompt[-1:]]


def without_next(prompt: list[ChatMessage]) -> tuple[list[ChatMessage], str] | None:
    """The prompt without the part whose turn comes next, and its name; None: there is no part."""
    found = [(part.turn, number, part) for number, m in enumerate(prompt) for part in m.parts]
    if not found:
        return None
    _, number, part = min(found, key=lambda each: (each[0], each[1], each[2].start))
    shorter = list(prompt)
    if part.turn == EXAMPLES:  # a question and its answer, two messages
        del shorter[number : number + 2]
        return shorter, part.name
    shorter[number] = _without(prompt[number], part)
    return shorter, part.name


def without_parts(prompt: list[ChatMessage], count: int) -> list[ChatMessage]:
    """The prompt without the first ``count`` parts that are left out of it."""
    for _ in range(count):
        shorter = without_next(prompt)
        if shorter is None:
            break
        prompt = shorter[0]
    return prompt


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
    shown = pictures_in(content, message.pictures)
    return msgspec.structs.replace(message, content=content, parts=parts, pictures=shown)
