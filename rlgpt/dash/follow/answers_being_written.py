"""What the language model is writing now: the pieces of `llm/tokens`, put together."""

import threading
import time
from typing import Any

from messages.chat import Tokens

_LONGEST = 20_000  # characters that are shown of an answer, the last ones
_SHOWN = 4  # questions, the newest
_OVER = 120.0  # seconds of silence after which a question is taken off


class Speaking:
    """The answers that are being written, the newest last. May be used from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._questions: dict[str, dict[str, Any]] = {}

    def add(self, piece: Tokens) -> list[dict[str, Any]]:
        """The answers with a further piece."""
        with self._lock:
            known = self._questions.pop(piece.id, None)
            if known is None or known["attempt"] != piece.attempt:
                known = {
                    "id": piece.id,
                    "agent": piece.agent,
                    "attempt": piece.attempt,
                    "thinking": "",
                    "text": "",
                }
            part = "thinking" if piece.thinking else "text"
            written = (known[part] + piece.text)[-_LONGEST:]
            self._questions[piece.id] = {**known, part: written, "time": time.monotonic()}
            for id in list(self._questions)[:-_SHOWN]:
                del self._questions[id]
            return self._left()

    def answered(self, id: str) -> list[dict[str, Any]]:
        """The answers without the one to this question, which is whole."""
        with self._lock:
            self._questions.pop(id, None)
            return self._left()

    def left(self) -> list[dict[str, Any]]:
        """The answers without those of which nothing came for long: their node has ended, or they
        were given up."""
        with self._lock:
            return self._left()

    def _left(self) -> list[dict[str, Any]]:
        now = time.monotonic()
        for id, each in list(self._questions.items()):
            if now - each["time"] > _OVER:
                del self._questions[id]
        return list(self._questions.values())
