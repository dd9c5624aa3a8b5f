"""How long a prompt is in tokens, by the tokenizer of the model that will read it.

vLLM and llama.cpp count them on ``/tokenize``, beside ``/v1``. For a server that does not, tokens
are estimated by characters, and that is logged once.
"""

import json
import logging
from typing import Any
from urllib.parse import urlsplit

from messages.chat import ChatMessage
from nodes.llm.backend import BackendError
from nodes.llm.completions import exchange

LOG = logging.getLogger("llm")
CHARACTERS = 2.5
"""Characters of a token, where they are estimated: lists of numbers have as few, prose has 4."""
PER_MESSAGE = 8  # tokens that a chat template puts around a message
_SECONDS = 20.0


class Meter:
    """``model``: as the server knows it. ``context``: tokens of prompt and answer together, once it
    is known; the profile's comes before the server's."""

    def __init__(self, model: str, context: int | None, headers: dict[str, str]) -> None:
        self.context = context
        self._model = model
        self._headers = headers
        self._kind = ""  # "vllm", "llama", "none": what the server has, once it was tried

    def tokens(self, url: str, prompt: list[ChatMessage]) -> int:
        """``url``: up to and with /v1."""
        if self._kind == "none":
            return estimated(prompt)
        for kind in [self._kind] if self._kind else ["vllm", "llama"]:
            try:
                count = self._vllm(url, prompt) if kind == "vllm" else self._llama(url, prompt)
            except BackendError as error:
                if error.lost:  # it shows nothing about what the server has
                    return estimated(prompt)
                continue
            if count is not None:
                self._kind = kind
                return count
        if not self._kind:
            self._kind = "none"
            LOG.warning("the server has no /tokenize: tokens of prompts are estimated")
        return estimated(prompt)

    def _vllm(self, url: str, prompt: list[ChatMessage]) -> int | None:
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": each.role, "content": each.content} for each in prompt],
            "add_generation_prompt": True,
        }
        body = self._post(url, body)
        if self.context is None and isinstance(most := body.get("max_model_len"), int):
            self.context = most
        count = body.get("count")
        return count if isinstance(count, int) else None

    def _llama(self, url: str, prompt: list[ChatMessage]) -> int | None:
        text = "\n".join(each.content for each in prompt)
        tokens = self._post(url, {"content": text, "add_special": True}).get("tokens")
        return len(tokens) + PER_MESSAGE * len(prompt) if isinstance(tokens, list) else None

    def _post(self, url: str, body: dict[str, Any]) -> dict[str, Any]:
        parts = urlsplit(url)
        root = parts.path.rstrip("/").removesuffix("/v1")
        where = f"{parts.scheme}://{parts.netloc}{root}/tokenize"
        data = exchange(where, json.dumps(body).encode(), self._headers, _SECONDS)
        try:
            body = json.loads(data)
        except ValueError:
            raise BackendError(f"{where} did not answer with JSON") from None
        return body if isinstance(body, dict) else {}


def estimated(prompt: list[ChatMessage]) -> int:
    return sum(PER_MESSAGE + round(len(each.content) / CHARACTERS) for each in prompt)
