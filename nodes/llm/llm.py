"""The llm node: one service, ``llm/ask``, durable answers, and the GPU's lease."""

import threading
import time
from collections.abc import Callable
from contextlib import nullcontext, suppress
from typing import Any
from weakref import WeakValueDictionary

import msgspec

from messages.bounds import NotNegative
from messages.breaking import BREAKS, BROKEN, HELD, SET_BREAK, USE_ANSWER, Breaks
from messages.bus import Later, ServiceError
from messages.chat import ASK, EXCHANGES, TOKENS, Answered, Ask, ChatMessage, Exchange
from messages.empty import Empty
from messages.gpu import GIVE_BACK_GPU, SERVER, TAKE_GPU, GiveBackGpu, GpuLease, TakeGpu
from messages.program import CHECK, CheckProgram, Problem
from messages.world import DEFAULT_GAME
from nodes.common.checks.answer_check import MOST_SAMPLES
from nodes.common.questions.asking import kind_of
from nodes.common.questions.prompt_parts import without_parts
from nodes.config import ConfigError, node_values
from nodes.llm.answers.answer_schema import answer_schema
from nodes.llm.answers.checked_answers import Asked, Attempt, NoValidAnswer, answer
from nodes.llm.backend import Backend, BackendError
from nodes.llm.breakpoint_services import BreakpointServices
from nodes.llm.breakpoints import Breakpoints, Waiting
from nodes.llm.profiles import OpenAI, Replay, Rulebook, Vllm, read_profile
from nodes.llm.recording.replay import Recording
from nodes.llm.recording.transcript import Entry, Transcript, Unanswered, UnansweredQuestions
from nodes.llm.requests.fitting import Fitted
from nodes.llm.requests.openai import OpenAIBackend
from nodes.llm.requests.question_pictures import QuestionPictures, check, refusal
from nodes.llm.requests.token_publisher import TokenPublisher
from nodes.llm.rulebook.rulebook_backend import RulebookBackend
from nodes.llm.sharing.shared_model import SharedModel
from nodes.llm.vllm.adapter import served_name
from nodes.llm.vllm.tenancy import Tenancy
from nodes.node import Node

_AWAY = 2.0  # seconds after which an absent env server checks no programs


class Llm(Node):
    """Answers each question id once; a backend never sees an answered question again."""

    name = "llm"
    works_on = "language_model"

    class Parameters(Node.Parameters, kw_only=True, forbid_unknown_fields=True):
        # One of models/llm/: `llm=<profile>` picks it.
        profile: dict[str, Any] = msgspec.field(default_factory=lambda: {"kind": "rulebook"})
        repairs: NotNegative = 3  # how often an answer that does not fit is requested again

    parameters: Parameters
    live = frozenset({"repairs"})
    steps = frozenset({ASK.name})  # who has the GPU keeps it
    handed_over = ("transcript.jsonl", "unanswered.jsonl", "pictures/*", "vllm.log")
    recording: Recording | None = None  # of the run that is replayed
    tenancy: Tenancy | None = None  # where the node runs a server of its own
    shared: SharedModel | None = None  # where it uses one that runs for several
    patience = 0.0  # seconds to wait for a server that was lost, or takes no question now
    sees = False  # may the model be shown pictures?
    weights = ""  # version of those that the node serves

    def setup(self) -> None:
        self.transcript = Transcript(self.folder / "transcript.jsonl")
        self.unanswered = UnansweredQuestions(self.folder / "unanswered.jsonl")
        self.pictures = QuestionPictures(self.folder / "pictures")
        # By question: one thread at a time works on it.
        self._turns: WeakValueDictionary[str, threading.Lock] = WeakValueDictionary()
        self._turns_lock = threading.Lock()
        self._holds: dict[str, Callable[[], None]] = {}  # by question; ends its time of waiting
        self._holds_lock = threading.Lock()
        try:
            self.backend = self._backend()
        except ValueError as error:
            raise ConfigError(str(error)) from None
        self.log.info(
            "answers come from %s; %d questions were answered before",
            self.recording.path if self.recording is not None else self.backend.model,
            len(self.transcript),
        )
        for topic in (EXCHANGES, TOKENS, SERVER, BROKEN):
            self.advertise(topic)
        self._serve_breakpoints()
        self.serve(ASK, self.ask, background=True)
        self.serve(TAKE_GPU, self.take_gpu, background=True)
        self.serve(GIVE_BACK_GPU, self.give_back_gpu, background=True)

    def shutdown(self) -> None:
        if self.tenancy is not None:
            self.tenancy.close()
        if self.shared is not None:
            self.shared.close()

    def close(self) -> None:
        if self.tenancy is not None:
            self.tenancy.close()
        super().close()

    def ask(self, request: Ask) -> Answered | Later[Answered]:
        """Raises ServiceError ``no_answer`` when the model gives none that fits, ``no_model`` when
        it is not reached, ``differs`` when a replayed run differs, ``blind`` when a model that sees
        nothing is shown pictures.
        """
        # A caller that was restarted may ask while its first question is still being answered.
        with self._turn(request.id):
            known = self.transcript.find(request.id)
            waiting = self.breakpoints.find(request.id)
            if known is not None:
                if waiting is not None:  # an error came right after it was recorded
                    self.breakpoints.end(waiting, known)
                return known
            if waiting is None:
                recorded = self._find_or_ask(request)
                if not self.breakpoints.stops(request.agent, kind_of(request.question)):
                    return self._use(recorded)
                waiting = Waiting(since=time.time())
                if isinstance(recorded, Entry):
                    waiting.entry = recorded
                else:
                    waiting.failed = recorded
            elif waiting.released:  # by a process that ended before it was recorded
                return self._settle(waiting)
            return self.breakpoints.hold(waiting)

    def _turn(self, id: str) -> threading.Lock:
        with self._turns_lock:
            turn = self._turns.get(id)
            if turn is None:
                turn = self._turns[id] = threading.Lock()
            return turn

    def _settle_released(self, waiting: Waiting) -> None:
        """Settle an answer that a person released. Raises OSError: it still waits."""
        with self._turn(waiting.id), suppress(ServiceError):
            if self.breakpoints.find(waiting.id) is not None:  # no other request settled it
                try:
                    self._settle(waiting)
                except Exception:
                    self.breakpoints.hold_on(waiting)
                    raise

    def _settle(self, waiting: Waiting) -> Answered:
        """Record what waited, and give it to those who asked. What could not be recorded, as the
        disk is full, still waits.

        Raises:
            ServiceError: ``no_answer`` or ``no_model``.
            OSError: it cannot be recorded.
        """
        try:
            outcome = self._use(self._breakpoint_services.settled(waiting))
        except ServiceError as error:
            self.breakpoints.end(waiting, error)
            raise
        self.breakpoints.end(waiting, outcome)
        return outcome

    def take_gpu(self, request: TakeGpu) -> GpuLease:
        """Raises ServiceError ``held`` or ``busy``."""
        slept = 0.0
        if self.tenancy is not None:
            slept = self.tenancy.take(request.holder, request.seconds)
        return GpuLease(holder=request.holder, seconds=request.seconds, slept=slept)

    def give_back_gpu(self, request: GiveBackGpu) -> Empty:
        if self.tenancy is not None:
            self.tenancy.give_back(request.holder)
        return Empty()

    def _store_pictures(self, request: Ask) -> dict[str, bytes]:
        """Keep the pictures of a question as files. Returns them by their digests."""
        if request.pictures and self.recording is None and not self.sees:
            raise ServiceError(refusal(self.backend.model), code="blind")
        try:
            shown = self.pictures.keep(request.pictures)
            check(request.prompt, shown)
        except ValueError as error:
            raise ServiceError(f"{request.id}: {error}.", code="invalid") from None
        return shown

    def _find_or_ask(self, request: Ask) -> Entry | Unanswered:
        """Find the question with its answer in the run that is repeated, or ask the model."""
        shown = self._store_pictures(request)
        if self.recording is None:
            return self._answer(request, shown)
        try:
            return self.recording.find(request)
        except ServiceError as error:
            self.log.error("%s asked %s: %s", request.agent, request.id, error)
            raise

    def _answer(self, request: Ask, shown: dict[str, bytes]) -> Entry | Unanswered:
        began = time.monotonic()
        asked = type(request.question).__name__
        backend = self.backend
        tokens = TokenPublisher(self.publish, request)
        prompt = request.prompt
        if isinstance(backend, OpenAIBackend):
            backend = backend.publishing_to(tokens).showing(shown)
            prompt = backend.with_examples(request.question, prompt)
        turn = self.tenancy.answering() if self.tenancy is not None else nullcontext()
        examples = prompt[len(request.prompt) - 1 : -1]
        fitted = Fitted(prompt)
        try:
            with turn:
                fitted = self._fitted(backend, request.id, prompt)
                valid = answer(
                    backend,
                    request.question,
                    fitted.prompt,
                    self.parameters.repairs,
                    self.patience,
                )
        except NoValidAnswer as error:
            self.log.warning("%s asked %s: %s", request.agent, request.id, error)
            left_out = self._left_out(request.id, fitted, error.asked)
            return _unanswered(request, asked, error, examples, left_out, time.monotonic() - began)
        finally:
            tokens.flush()
        answered = Answered(
            id=request.id,
            answer=valid.answer,
            model=self.backend.model,
            weights=self.weights or valid.asked.version,
            prompt_tokens=valid.asked.prompt_tokens,
            completion_tokens=valid.asked.completion_tokens,
            seconds=time.monotonic() - began,
            repairs=valid.asked.repairs,
            pictures=sum(
                len(message.pictures)
                for message in without_parts(fitted.prompt, len(valid.asked.left_out))
            ),
            left_out=self._left_out(request.id, fitted, valid.asked),
        )
        return Entry(
            time=time.time(),
            agent=request.agent,
            asked=asked,
            question=msgspec.Raw(msgspec.json.encode(request.question)),
            prompt=request.prompt,
            examples=examples,
            schema=answer_schema(request.question),
            answered=answered,
            failures=valid.asked.failures,
            attempts=_worth_keeping(valid.asked.attempts, valid.answer),
        )

    def _left_out(self, id: str, fitted: Fitted, asked: Asked) -> list[str]:
        """What the prompt went without: by its measure, and after the server had refused it."""
        if asked.left_out:
            self.log.warning(
                "%s: the server refused the prompt as too long, and it went without %s",
                id,
                ", ".join(asked.left_out),
            )
        return [*fitted.left_out, *asked.left_out]

    def _fitted(self, backend: Backend, id: str, prompt: list[ChatMessage]) -> Fitted:
        """The prompt as long as the model's context allows, with the pictures that ``backend``
        shows. What is left out is logged and kept with the answer."""
        if not isinstance(backend, OpenAIBackend):
            return Fitted(prompt)
        try:
            fitted = backend.fitted(prompt)
        except BackendError:
            return Fitted(prompt)  # the request itself will find out, and wait
        if fitted.left_out:
            self.log.warning(
                "%s: the prompt was too long and goes without %s (%s tokens are left)",
                id,
                ", ".join(fitted.left_out),
                fitted.tokens,
            )
        return fitted

    def _use(self, recorded: Entry | Unanswered) -> Answered:
        """Record it, and give the agent its answer. Raises ServiceError ``no_answer`` or
        ``no_model``."""
        if isinstance(recorded, Unanswered):
            self.unanswered.append(recorded)
            raise ServiceError(recorded.sentence, code=recorded.code)
        self.transcript.append(recorded)
        exchange = Exchange(agent=recorded.agent, asked=recorded.asked, answered=recorded.answered)
        self.publish(EXCHANGES, exchange)
        return recorded.answered

    def _held(self, state: Breaks) -> None:
        """What waits for a person is published, noted, and reported to the agents that wait."""
        count = len(state.held)
        answers = "1 answer waits" if count == 1 else f"{count} answers wait"
        self.notes = [f"{answers} at a breakpoint: `rlgpt break list`"] if count else []
        self.bus.delay("break", "which holds an answer: `rlgpt break list`" if count else "")
        with self._holds_lock:
            for note in state.held:
                if note.id not in self._holds:
                    self._holds[note.id] = self.note_waiting(ASK, note.agent)
            for id in self._holds.keys() - {note.id for note in state.held}:
                self._holds.pop(id)()
        self.publish(BROKEN, state)

    def _serve_breakpoints(self) -> None:
        self.breakpoints = Breakpoints(self.folder, self._held, self.transcript)

        def check(request: CheckProgram) -> list[Problem]:
            return self.bus.call(CHECK, request, absence=_AWAY).problems

        most = node_values(self.config, "fast_agent").get("most_samples", MOST_SAMPLES)
        self._breakpoint_services = BreakpointServices(
            breakpoints=self.breakpoints,
            check=check,
            most_samples=most,
            model=self.backend.model,
            log=self.log,
            use=self._settle_released,
        )
        self.serve(BREAKS, self._breakpoint_services.breaks)
        self.serve(SET_BREAK, self._breakpoint_services.set_break)
        self.serve(HELD, self._breakpoint_services.held)
        self.serve(USE_ANSWER, self._breakpoint_services.use, background=True)
        self._held(self.breakpoints.state())

    def _backend(self) -> Backend:
        profile = read_profile(self.parameters.profile)
        if isinstance(profile, Rulebook):
            return RulebookBackend(profile.rules, self._game(), profile.guards_by)
        if isinstance(profile, Replay):
            self.recording = Recording(profile, self.folder)
            return RulebookBackend()  # never used: what the recording lacks is a difference
        self.patience = profile.patience
        self.sees = profile.vision
        if isinstance(profile, OpenAI):
            return OpenAIBackend.at(profile)
        return self._vllm(profile)

    def _game(self) -> str:
        """Of the launch's task."""
        task = self.config.get("task")
        return task.get("game", DEFAULT_GAME) if isinstance(task, dict) else DEFAULT_GAME

    def _vllm(self, profile: Vllm) -> Backend:
        if profile.served is not None:
            self.shared = SharedModel(profile)
            self.weights = self.shared.version
            return OpenAIBackend(profile, served_name(profile), self.shared.url)
        self.tenancy = Tenancy(profile, self.folder, self.log, self.bus)
        self.tenancy.start()
        self.weights = self.tenancy.server.version
        self.log.info("weights of version %s", self.weights or "(not known)")
        return OpenAIBackend(profile, served_name(profile), self.tenancy.url)


def _unanswered(
    request: Ask,
    asked: str,
    error: NoValidAnswer,
    examples: list[ChatMessage],
    left_out: list[str],
    seconds: float,
) -> Unanswered:
    return Unanswered(
        time=time.time(),
        id=request.id,
        agent=request.agent,
        asked=asked,
        question=msgspec.Raw(msgspec.json.encode(request.question)),
        prompt=request.prompt,
        examples=examples,
        sentence=f"{error}.",
        code=error.code,
        left_out=left_out,
        prompt_tokens=error.asked.prompt_tokens,
        completion_tokens=error.asked.completion_tokens,
        seconds=seconds,
        failures=error.asked.failures,
        attempts=error.asked.attempts,
    )


def _worth_keeping(attempts: list[Attempt], answer: str) -> list[Attempt]:
    """An answer that came at once and without thinking is in the transcript already."""
    if len(attempts) == 1 and not attempts[0].thinking and attempts[0].text == answer:
        return []
    return attempts
