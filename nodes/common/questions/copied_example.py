"""What an answer has from the example of its prompt, which is about something else: small models
copy what is shown to them."""

import re
from collections.abc import Sequence

from messages.chat import ChatMessage

_EXAMPLES = re.compile(r"```json\n(.*?)```", re.DOTALL)


def only_in_example(prompt: Sequence[ChatMessage], name: str) -> bool:
    """Whether the example has the item, block or mob of this name, and the question has not."""
    word = re.compile(rf"\b{re.escape(_spaced(name))}s?\b")
    asked = " ".join(message.content for message in prompt if message.role == "user")
    return bool(name and word.search(_spaced(_example(prompt)))) and not word.search(_spaced(asked))


def _example(prompt: Sequence[ChatMessage]) -> str:
    """The last one, as it stands in the prompt; empty: there is none."""
    system = "\n".join(message.content for message in prompt if message.role == "system")
    return (_EXAMPLES.findall(system) or [""])[-1]


def _spaced(text: str) -> str:
    return text.replace("_", " ").lower()
