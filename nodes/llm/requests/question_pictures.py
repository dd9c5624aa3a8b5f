"""Pictures that go along with a question: kept as files by their digests, sent as image parts."""

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from messages.chat import ChatMessage, digest
from nodes.common.storage.whole_files import write_whole

_KINDS = {b"\x89PNG\r\n\x1a\n": ("image/png", ".png"), b"\xff\xd8\xff": ("image/jpeg", ".jpg")}
_ADVICE = (
    "choose a model that sees (docs/llm.md), set llm.vision=true if this one does, or set "
    "nodes.critic.parameters.vision=false"
)


def refusal(model: str) -> str:
    """The sentence for a caller that shows pictures to a model without vision."""
    return f"{model} is not shown pictures, and the question has some: {_ADVICE}."


class QuestionPictures:
    """``folder`` has each picture once, whichever questions show it; the transcript names it by its
    digest."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, files: Sequence[bytes]) -> dict[str, bytes]:
        """Write them to disk, and give them by their digests.

        Raises:
            ValueError: one is neither PNG nor JPEG.
        """
        found: dict[str, bytes] = {}
        for data in files:
            name = digest(data)
            found[name] = data
            path = self._folder / f"{name}{_kind(data)[1]}"
            if not path.exists():
                self._folder.mkdir(exist_ok=True)
                write_whole(path, data)
        return found


def stored(folder: Path, names: Sequence[str]) -> dict[str, bytes]:
    """The pictures that ``folder`` has, by their digests."""
    found: dict[str, bytes] = {}
    for name in names:
        for path in folder.glob(f"{name}.*"):
            found[name] = path.read_bytes()
    return found


def check(prompt: Sequence[ChatMessage], pictures: Mapping[str, bytes]) -> None:
    """Raises ValueError where the prompt shows a picture that did not come with it."""
    for message in prompt:
        for name in message.pictures:
            if name not in pictures:
                raise ValueError(f"the prompt shows picture {name}, which did not come with it")


def content(message: ChatMessage, pictures: Mapping[str, bytes]) -> str | list[dict[str, Any]]:
    """A message's content as chat completions take it: text, or parts where it shows pictures."""
    if not message.pictures:
        return message.content
    parts: list[dict[str, Any]] = []
    rest = message.content
    for name in message.pictures:
        before, _, rest = rest.partition(f"<picture {name}>")
        if before.strip():
            parts.append({"type": "text", "text": before})
        parts.append({"type": "image_url", "image_url": {"url": _url(pictures[name])}})
    if rest.strip():
        parts.append({"type": "text", "text": rest})
    return parts


def _url(data: bytes) -> str:
    return f"data:{_kind(data)[0]};base64,{base64.b64encode(data).decode()}"


def _kind(data: bytes) -> tuple[str, str]:
    """Media type and ending. Raises ValueError."""
    for start, kind in _KINDS.items():
        if data.startswith(start):
            return kind
    raise ValueError("a picture is a PNG or JPEG file, and this one is neither")
