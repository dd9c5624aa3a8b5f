"""Publishes an answer on ``llm/tokens`` as it is written, in pieces that are worth a message."""

import time
from collections.abc import Callable
from typing import Any

from messages.chat import TOKENS, Ask, Tokens
from nodes.llm.answers.thinking import BEGINS, ENDS

_EVERY = 0.1  # seconds


class TokenPublisher:
    """Gathers pieces and publishes them some times a second. For one question, in one thread."""

    def __init__(self, publish: Callable[[Any, Any], None], request: Ask) -> None:
        self._publish = publish
        self._request = request
        self._pieces: list[str] = []
        self._thinking = False
        self._in_block = False  # between <think> and </think>, or the like
        self._published_at = 0.0
        self._attempt = -1

    def piece(self, text: str, thinking: bool) -> None:
        if BEGINS.search(text):
            self._in_block = True
        thinking = thinking or self._in_block
        if ENDS.search(text):
            self._in_block = False
        if thinking != self._thinking:
            self.flush()
            self._thinking = thinking
        self._pieces.append(text)
        if time.monotonic() - self._published_at >= _EVERY:
            self.flush()

    def begins(self) -> None:
        self.flush()
        self._in_block = False
        self._attempt += 1

    def flush(self) -> None:
        text = "".join(self._pieces)
        self._pieces.clear()
        self._published_at = time.monotonic()
        if text:
            self._publish(
                TOKENS,
                Tokens(
                    id=self._request.id,
                    agent=self._request.agent,
                    attempt=self._attempt,
                    thinking=self._thinking,
                    text=text,
                ),
            )
