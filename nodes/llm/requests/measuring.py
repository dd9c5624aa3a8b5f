"""How long a prompt is in tokens, by the tokenizer of the model that will read it.

vLLM and llama.cpp count them on ``/tokenize``, beside ``/v1``. For a server that does not, tokens
are estimated by characters, and that is logged once; one that cannot now is asked the next time.
Those of pictures are estimated by their size in any case: they are not sent to be counted.
"""

import json
import logging
import struct
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from messages.chat import ChatMessage
from nodes.common.questions.prompt_parts import without_pictures
from nodes.llm.backend import BackendError
from nodes.llm.requests.completions import exchange

LOG = logging.getLogger("llm")
CHARACTERS = 2.5
"""Characters of a token, where they are estimated: lists of numbers have as few, prose has 4."""
PER_MESSAGE = 8  # tokens that a chat template puts around a message
PATCH = 28
"""Pixels of a side of what is one token to the models that see of models/llm/ (Qwen2.5-VL; 32 to
Qwen3-VL). Other models take more or less; a prompt that is then refused goes on with less of it."""
_AROUND = 2  # tokens that begin and end a picture
_DEFAULT_SIZE = (352, 224)  # of `Pictures`
_NO_PICTURES: Mapping[str, bytes] = {}
_SECONDS = 20.0
_LACKING = {200, 404, 405, 501}
"""Statuses of a server without /tokenize; 200 with another answer, as of a page for any path."""


class Meter:
    """``model``: as the server knows it. ``context``: tokens of prompt and answer together, once it
    is known; the profile's comes before the server's."""

    def __init__(self, model: str, context: int | None, headers: dict[str, str]) -> None:
        self.context = context
        self._model = model
        self._headers = headers
        self._kind = ""  # "vllm", "llama", "none": what the server has, once it was tried

    def tokens(
        self, url: str, prompt: list[ChatMessage], pictures: Mapping[str, bytes] = _NO_PICTURES
    ) -> int:
        """``url``: up to and with /v1. ``pictures``: the files of those that it shows."""
        seen = sum(
            picture_tokens(pictures.get(name, b"")) for each in prompt for name in each.pictures
        )
        texts = [ChatMessage(role=each.role, content=without_pictures(each)) for each in prompt]
        return seen + self._of_texts(url, texts)

    def _of_texts(self, url: str, prompt: list[ChatMessage]) -> int:
        if self._kind == "none":
            return estimated(prompt)
        lacking = True
        for kind in [self._kind] if self._kind else ["vllm", "llama"]:
            try:
                count = self._vllm(url, prompt) if kind == "vllm" else self._llama(url, prompt)
            except BackendError as error:
                if error.lost:  # it shows nothing about what the server has
                    return estimated(prompt)
                lacking = lacking and error.status in _LACKING
                continue
            if count is not None:
                self._kind = kind
                return count
        if not self._kind and lacking:
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
            raise BackendError(f"{where} did not answer with JSON", status=200) from None
        return body if isinstance(body, dict) else {}


def picture_tokens(data: bytes) -> int:
    """An estimate, by the size of a PNG file. Another file counts as one of the default size."""
    width, height = _DEFAULT_SIZE
    if data[12:16] == b"IHDR":
        width, height = struct.unpack(">II", data[16:24])
    return -(-width // PATCH) * -(-height // PATCH) + _AROUND


def estimated(prompt: list[ChatMessage]) -> int:
    return sum(PER_MESSAGE + round(len(each.content) / CHARACTERS) for each in prompt)
