"""What the language model is writing now: the pieces of `llm/tokens`, put together."""

import time
from typing import Any

from messages.chat import Tokens

_LONGEST = 20_000  # characters that are shown of an answer, the last ones
_SHOWN = 4  # questions, the newest
_OVER = 120.0  # seconds of silence after which a question is taken off


class Speaking:
    """The answers that are being written. For one thread."""

    def __init__(self) -> None:
        self._questions: dict[str, dict[str, Any]] = {}

    def add(self, piece: Tokens) -> list[dict[str, Any]]:
        """The questions that are being answered, the newest last."""
        now = time.time()
        known = self._questions.pop(piece.id, None)
        if known is None or known["attempt"] != piece.attempt:
            known = {
                "id": piece.id,
                "agent": piece.agent,
                "attempt": piece.attempt,
                "thinking": "",
                "text": "",
                "time": now,
            }
        part = "thinking" if piece.thinking else "text"
        known = {**known, part: (known[part] + piece.text)[-_LONGEST:], "time": now}
        self._questions[piece.id] = known
        for id, each in list(self._questions.items()):
            if len(self._questions) > _SHOWN or now - each["time"] > _OVER:
                del self._questions[id]
        return list(self._questions.values())
