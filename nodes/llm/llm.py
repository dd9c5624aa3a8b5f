"""The llm node: one service, ``llm/ask``, and durable answers."""

import threading
import time
from typing import Any

import msgspec

from messages.bus import ServiceError
from messages.chat import ASK, EXCHANGES, Answered, Ask, Exchange
from nodes.config import ConfigError
from nodes.llm.answers import NoAnswer, answer, answer_schema
from nodes.llm.backend import Backend
from nodes.llm.openai import OpenAIBackend
from nodes.llm.profiles import OpenAI, Rulebook, read_profile
from nodes.llm.rulebook.rulebook import RulebookBackend
from nodes.llm.transcript import Entry, Transcript
from nodes.llm.vllm import explain
from nodes.node import Node


class Llm(Node):
    """Answers each question id once; a backend never sees an answered question again."""

    name = "llm"

    class Parameters(Node.Parameters, kw_only=True, forbid_unknown_fields=True):
        # One of models/llm/: `llm=<profile>` picks it.
        profile: dict[str, Any] = msgspec.field(default_factory=lambda: {"kind": "rulebook"})
        repairs: int = 3  # how often an answer that does not fit is asked for again

    parameters: Parameters
    live = frozenset({"repairs"})

    def setup(self) -> None:
        try:
            self.backend = self._backend()
        except ValueError as error:
            raise ConfigError(str(error)) from None
        self.transcript = Transcript(self.folder / "transcript.jsonl")
        self._asking: dict[str, threading.Lock] = {}
        self._asking_lock = threading.Lock()
        self.log.info(
            "answers come from %s; %d questions were answered before",
            self.backend.model,
            len(self.transcript),
        )
        self.serve(ASK, self.ask, background=True)

    def ask(self, request: Ask) -> Answered:
        """Raises ServiceError ``no_answer`` when the model gives none that fits."""
        with self._asking_lock:
            lock = self._asking.setdefault(request.id, threading.Lock())
        # A caller that was restarted may ask while its first question is still being answered.
        with lock:
            known = self.transcript.find(request.id)
            return known if known is not None else self._answer(request)

    def _answer(self, request: Ask) -> Answered:
        began = time.monotonic()
        try:
            valid = answer(self.backend, request.question, request.prompt, self.parameters.repairs)
        except NoAnswer as error:
            self.log.warning("%s asked %s: %s", request.agent, request.id, error)
            raise ServiceError(f"{error}.", code="no_answer") from None
        answered = Answered(
            id=request.id,
            answer=valid.answer,
            model=self.backend.model,
            prompt_tokens=valid.prompt_tokens,
            completion_tokens=valid.completion_tokens,
            seconds=time.monotonic() - began,
            repairs=len(valid.failures),
        )
        asked = type(request.question).__name__
        self.transcript.append(
            Entry(
                time=time.time(),
                agent=request.agent,
                asked=asked,
                question=msgspec.Raw(msgspec.json.encode(request.question)),
                prompt=request.prompt,
                schema=answer_schema(request.question),
                answered=answered,
                failures=valid.failures,
            )
        )
        self.publish(EXCHANGES, Exchange(agent=request.agent, asked=asked, answered=answered))
        return answered

    def _backend(self) -> Backend:
        profile = read_profile(self.parameters.profile)
        if isinstance(profile, Rulebook):
            return RulebookBackend()
        if isinstance(profile, OpenAI):
            return OpenAIBackend(profile)
        raise ValueError(explain(profile))
