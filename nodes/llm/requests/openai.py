"""The backend for OpenAI-compatible servers, our own vLLM among them: no SDK."""

import copy
import json
import os
import time
from collections.abc import Callable, Mapping
from typing import Any

from messages.chat import ANSWERS, ChatMessage, Question
from nodes.common.questions.asking import kind_of
from nodes.common.questions.prompt_parts import with_examples
from nodes.llm.answers.answer_bounds import without_prose_bounds
from nodes.llm.answers.thinking import split
from nodes.llm.backend import BackendError, Completion, Listener, OnPiece
from nodes.llm.lessons.shown import library
from nodes.llm.profiles import OpenAI, Requests
from nodes.llm.requests.completions import post
from nodes.llm.requests.fitting import Fitted, fit
from nodes.llm.requests.measuring import Meter
from nodes.llm.requests.question_pictures import content

_WARMER = 0.3  # by how much the temperature rises with each answer that is repeated


class OpenAIBackend:
    """``url`` returns where the server is (up to and with /v1) before each request; it may take
    its time, and raises BackendError when there is none.

    Raises:
        ValueError: the profile's file of examples cannot be used.
    """

    def __init__(
        self, profile: Requests, model: str, url: Callable[[], str], key: str | None = None
    ) -> None:
        self.model = model
        self.varies = profile.temperature > 0
        self._key = key
        self._profile = profile
        self._url = url
        self._listener: Listener | None = None
        self._pictures: Mapping[str, bytes] = {}
        self._library = library(profile.examples) if profile.examples is not None else None
        self._headers = {"Content-Type": "application/json", "Connection": "close"}
        if key is not None:
            self._headers["Authorization"] = f"Bearer {key}"
        # Of all copies: what it finds out about the server holds for each of them.
        self._meter = Meter(model, profile.context, self._headers)

    @classmethod
    def at(cls, profile: OpenAI) -> "OpenAIBackend":
        """A server that is not ours.

        Raises:
            ValueError: the environment lacks the key that the profile names, or the profile's file
                of examples cannot be used.
        """
        key = None
        if profile.api_key_variable:
            key = os.environ.get(profile.api_key_variable)
            if not key:
                raise ValueError(
                    f"The language-model profile takes its key from ${profile.api_key_variable}, "
                    "which is not set: export it, or set llm.api_key_variable=null."
                )
            if not (key.isascii() and key.isprintable()):
                raise ValueError(
                    f"${profile.api_key_variable} holds no key: it has a line end in it, or "
                    "characters that no request can carry."
                )
        return cls(profile, profile.model, lambda: profile.url, key)

    def publishing_to(self, listener: Listener) -> "OpenAIBackend":
        """A copy of the backend whose answers are sent to ``listener`` as they come."""
        published = copy.copy(self)
        published._listener = listener
        return published

    def showing(self, pictures: Mapping[str, bytes]) -> "OpenAIBackend":
        """A copy of the backend that sends these (by digest) where the prompt names them."""
        showing = copy.copy(self)
        showing._pictures = pictures
        return showing

    def with_examples(self, question: Question, prompt: list[ChatMessage]) -> list[ChatMessage]:
        """The prompt with the examples of the profile's file that are the most like the question,
        as turns before its last message."""
        shown_for = self._profile.shown_for
        if self._library is None or (shown_for and kind_of(question) not in shown_for):
            return prompt
        return with_examples(prompt, self._library.turns(question, self._profile.shown))

    def fitted(self, prompt: list[ChatMessage]) -> Fitted:
        """As much of the prompt as the model's context holds beside an answer of ``max_tokens``,
        by the model's own tokenizer where the server counts.

        Raises:
            BackendError: there is no server.
        """
        if not any(message.parts for message in prompt):
            return Fitted(prompt)
        url = self._url()
        meter = self._meter
        if meter.context is None:
            # A server that counts may report how long prompts can be.
            meter.tokens(url, prompt, self._pictures)
        room = None if meter.context is None else meter.context - self._profile.max_tokens
        return fit(prompt, room, lambda prompt: meter.tokens(url, prompt, self._pictures))

    def complete(
        self,
        question: Question,
        prompt: list[ChatMessage],
        schema: dict[str, Any],
        repeats: int = 0,
    ) -> Completion:
        body = self._body(ANSWERS[type(question)].__name__, prompt, schema, repeats)
        url = self._url().rstrip("/") + "/chat/completions"
        listener = self._listener
        if listener is not None:
            listener.begins()
        on_piece = listener.piece if listener is not None else _unpublished
        began = time.monotonic()  # a server of our own is there by now
        try:
            return self._completion(url, json.dumps(body).encode(), on_piece)
        except BackendError as error:
            error.seconds = time.monotonic() - began
            if self._key:  # servers repeat a wrong one, and what went wrong is recorded
                error.args = (str(error).replace(self._key, "(the key)"),)
            raise

    def _completion(self, url: str, body: bytes, on_piece: OnPiece) -> Completion:
        reply = post(url, body, self._headers, self._profile.timeout, on_piece)
        read, written = reply.usage.prompt_tokens, reply.usage.completion_tokens
        if reply.finish_reason == "length":
            still = not split("".join(reply.content))[1].strip()
            raise BackendError(
                f"the answer was cut off at max_tokens={self._profile.max_tokens}"
                + (
                    ", while the model was still thinking; raise llm.max_tokens or set "
                    "llm.thinking=false"
                    if still
                    else "; raise llm.max_tokens"
                ),
                prompt_tokens=read,
                completion_tokens=written,
            )
        if reply.finish_reason == "abort":
            raise BackendError(
                f"{url} ended the answer before it was complete",
                lost=True,
                prompt_tokens=read,
                completion_tokens=written,
            )
        thinking, text = split("".join(reply.content))
        return Completion(
            text,
            read,
            written,
            thinking="".join(reply.thinking) + thinking,
            version=reply.version,
        )

    def _body(
        self, name: str, prompt: list[ChatMessage], schema: dict[str, Any], repeats: int
    ) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [
                {"role": message.role, "content": content(message, self._pictures)}
                for message in prompt
            ],
            "temperature": self._temperature(repeats),
            "max_tokens": self._profile.max_tokens,
        }
        if self._profile.stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        if self._profile.response_format == "json_schema":
            if not self._profile.bound_prose:
                schema = without_prose_bounds(schema)
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": name, "strict": True, "schema": schema},
            }
        elif self._profile.response_format == "json_object":
            body["response_format"] = {"type": "json_object"}
        if self._profile.thinking is not None:
            body["chat_template_kwargs"] = {"enable_thinking": self._profile.thinking}
        return {**body, **self._profile.extra}

    def _temperature(self, repeats: int) -> float:
        """The profile's, and nearer to 1, at which models are trained, where this one repeats
        itself."""
        least = self._profile.temperature
        return max(least, min(1.0, least + _WARMER * repeats)) if self.varies else least


def _unpublished(_text: str, _thinking: bool) -> None:
    """For an answer that is not published."""
