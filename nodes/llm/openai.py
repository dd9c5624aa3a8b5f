"""The backend for OpenAI-compatible servers: one HTTP request a completion, no SDK."""

import http.client
import json
import os
import urllib.error
import urllib.request
from typing import Any

import msgspec

from messages.chat import ANSWERS, ChatMessage, Question
from nodes.llm.backend import BackendError, Completion
from nodes.llm.profiles import OpenAI

# Statuses that a later try can cure; the other 4xx say that the request itself is wrong.
_PASSING = {408, 409, 425, 429}


class _Message(msgspec.Struct):
    content: str | None = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Response(msgspec.Struct):
    choices: list[_Choice]
    usage: _Usage | None = None


class OpenAIBackend:
    """Raises ValueError when the profile names a key that the environment lacks."""

    def __init__(self, profile: OpenAI) -> None:
        if not profile.url.startswith(("http://", "https://")):
            raise ValueError(f"llm.url must start with http:// or https://, not {profile.url!r}.")
        self.model = profile.model
        self._profile = profile
        self._headers = {"Content-Type": "application/json"}
        if profile.api_key_variable:
            key = os.environ.get(profile.api_key_variable)
            if not key:
                raise ValueError(
                    f"The language-model profile takes its key from ${profile.api_key_variable}, "
                    "which is not set: export it, or set llm.api_key_variable=null."
                )
            self._headers["Authorization"] = f"Bearer {key}"

    def complete(
        self, question: Question, prompt: list[ChatMessage], schema: dict[str, Any]
    ) -> Completion:
        body = self._body(ANSWERS[type(question)].__name__, prompt, schema)
        data = self._post(json.dumps(body).encode())
        try:
            response = msgspec.json.decode(data, type=_Response)
            choice = response.choices[0]
        except (msgspec.DecodeError, IndexError) as error:
            raise BackendError(
                f"{self._profile.url} answered with something else than a chat completion: {error}"
            ) from None
        if choice.finish_reason == "length":
            raise BackendError(
                f"the answer was cut off at max_tokens={self._profile.max_tokens}; "
                "raise llm.max_tokens"
            )
        usage = response.usage or _Usage()
        return Completion(
            choice.message.content or "", usage.prompt_tokens, usage.completion_tokens
        )

    def _body(self, name: str, prompt: list[ChatMessage], schema: dict[str, Any]) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [msgspec.to_builtins(message) for message in prompt],
            "temperature": self._profile.temperature,
            "max_tokens": self._profile.max_tokens,
        }
        if self._profile.response_format == "json_schema":
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": name, "strict": True, "schema": schema},
            }
        elif self._profile.response_format == "json_object":
            body["response_format"] = {"type": "json_object"}
        return {**body, **self._profile.extra}

    def _post(self, body: bytes) -> bytes:
        url = self._profile.url.rstrip("/") + "/chat/completions"
        request = urllib.request.Request(url, body, self._headers)
        try:
            with urllib.request.urlopen(request, timeout=self._profile.timeout) as response:
                return response.read()
        except urllib.error.HTTPError as error:
            with error:
                said = error.read(500).decode(errors="replace").strip()
            permanent = 400 <= error.code < 500 and error.code not in _PASSING
            raise BackendError(f"{url} answered {error.code}: {said}", permanent) from None
        except (OSError, http.client.HTTPException) as error:  # URLError, timeouts: OSErrors
            reason = getattr(error, "reason", error)
            raise BackendError(
                f"{url} was not reached ({type(error).__name__}: {reason})"
            ) from None
