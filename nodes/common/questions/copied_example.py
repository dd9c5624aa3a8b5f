"""What an answer has from the example of its prompt, which is about something else: small models
copy what is shown to them."""

import re
from collections.abc import Sequence

import msgspec

from messages.chat import ChatMessage, DecomposeAnswer

_EXAMPLES = re.compile(r"```json\n(.*?)```", re.DOTALL)


def only_in_example(prompt: Sequence[ChatMessage], name: str) -> bool:
    """Whether the example has the item, block or mob of this name, and the question has not."""
    word = _word(name, "s?")
    asked = " ".join(message.content for message in prompt if message.role == "user")
    return bool(name and word.search(_spaced(_example(prompt)))) and not word.search(_spaced(asked))


def copied_subject(prompt: Sequence[ChatMessage], text: str) -> str:
    """The item, block or mob that a text is about, where it names or describes a sub-action of the
    example, word for word, and the question has nothing of that name; "" for any other text."""
    try:
        steps = msgspec.json.decode(_example(prompt), type=DecomposeAnswer).sub_actions
    except msgspec.DecodeError:
        return ""
    if not any(text in (each.name, each.description) for each in steps):
        return ""
    about = [each.success.name for each in steps if _word(each.success.name).search(_spaced(text))]
    return next((name for name in about if only_in_example(prompt, name)), "")


def reworded(text: str, subject: str, own: str) -> str:
    """The text with its own subject in the place of the example's."""
    return _word(subject).sub(_spaced(own), text)


def _word(name: str, ending: str = "") -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(_spaced(name))}{ending}\b")


def _example(prompt: Sequence[ChatMessage]) -> str:
    """The last one, as it stands in the prompt; empty: there is none."""
    system = "\n".join(message.content for message in prompt if message.role == "system")
    return (_EXAMPLES.findall(system) or [""])[-1]


def _spaced(text: str) -> str:
    return text.replace("_", " ").lower()
