"""A question is asked until a checked answer comes: invalid ones go back with what is wrong."""

import time
from dataclasses import dataclass, field

import msgspec

from messages.chat import ChatMessage, Question
from nodes.common.questions.prompt_parts import without_next
from nodes.llm.answers.answer_parsing import parse
from nodes.llm.answers.answer_schema import answer_schema
from nodes.llm.answers.repeated_answers import REPEATED, refused_before
from nodes.llm.backend import Backend, BackendError, Completion

_REPAIR = """That answer cannot be used: {error}
Answer the same question again, with one JSON object by this schema and nothing else:
{schema}"""

_PAUSES = (0.25, 5.0)  # seconds before a lost server is tried again: doubling from, at most


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """One text of the model, unchanged."""

    text: str
    thinking: str = ""
    problem: str = ""  # why it is invalid
    reminder: str = ""  # the message about it that the model got


@dataclass
class Asked:
    """What it cost to get an answer, or to fail to get one."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    failures: list[str] = field(default_factory=list)  # what was wrong with each earlier try
    attempts: list[Attempt] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)  # of the prompt
    version: str = ""  # of what gave the answer

    @property
    def repairs(self) -> int:
        """How often the model was sent the errors of its answer."""
        return sum(bool(attempt.reminder) for attempt in self.attempts)


class NoValidAnswer(Exception):
    """The model gave no valid answer, although it was sent the errors each time, or was not
    reached. ``code``: for the agent."""

    def __init__(self, message: str, asked: Asked, code: str = "no_answer") -> None:
        super().__init__(message)
        self.asked = asked
        self.code = code


@dataclass(frozen=True)
class Valid:
    """A checked answer."""

    answer: str  # JSON
    asked: Asked


def answer(
    backend: Backend,
    question: Question,
    prompt: list[ChatMessage],
    repairs: int,
    patience: float = 0.0,
) -> Valid:
    """Ask until the answer fits, at most ``1 + repairs`` times. A server that was lost, or takes no
    question now, is not the answer's fault: the question is sent again for ``patience`` seconds,
    and then no more. An answer that the agent has refused before does not fit either where the
    backend may give another one; only the last try's is taken, for the agent to refuse.

    Raises:
        NoValidAnswer: none fitted; the message has the last reason.
    """
    schema = answer_schema(question)
    asking = _Asking(prompt, patience)
    tries = 0
    while tries <= repairs:
        try:
            completion = backend.complete(
                question, asking.conversation, schema, repeats=asking.repeats
            )
        except BackendError as error:
            asking.failed(error)
            if error.too_long and asking.shortened():
                continue  # the model was not asked
            if error.lost and asking.waited(error.wait):
                continue
            tries += 1
            if error.permanent or error.lost:
                break
            continue
        tries += 1
        asking.count(completion)
        try:
            valid = parse(question, completion.text)
        except ValueError as error:  # msgspec's decoding errors are ValueErrors too
            schema_text = msgspec.json.encode(schema).decode()
            asking.refuse(completion, error, _REPAIR.format(error=error, schema=schema_text))
            continue
        if backend.varies and tries <= repairs and refused_before(question, valid):
            asking.discard(completion)
            continue
        return asking.accepted(completion, valid)
    raise asking.no_answer(backend.model, tries)


class _Asking:
    """One question while it is asked. ``conversation`` is what is sent next; ``repeats``: how often
    the model gave an answer that it knew to be wrong."""

    def __init__(self, prompt: list[ChatMessage], patience: float) -> None:
        self.repeats = 0
        self._prompt = prompt
        self._patience = patience
        self.conversation = list(prompt)
        self._asked = Asked()
        self._back()

    def _back(self) -> None:
        self._away = False  # the last error was one that every question would get
        self._pause, self._waited = _PAUSES[0], 0.0  # seconds since it was lost first

    def failed(self, error: BackendError) -> None:
        self._asked.failures.append(str(error))
        self._add_tokens(error)
        if not error.lost:
            self._back()
        elif self._away:
            self._waited += error.seconds
        self._away = error.no_model

    def shortened(self) -> bool:
        """Leave out what it can do without, after what was sent was too long; False: nothing."""
        if len(self.conversation) == len(self._prompt):
            # How long it may be was not known: parts are left out bit by bit.
            shorter = without_next(self._prompt)
            if shorter is None:
                return False
            self._prompt, name = shorter
            self._asked.left_out.append(name)
        # Else the wrong answer that was shown is what does not fit: the question does.
        self.conversation = list(self._prompt)
        return True

    def waited(self, least: float) -> bool:
        """Wait for a server that was lost, longer each time, ``least`` seconds where the patience
        lasts so long; False: it is over. It is spent by requests that failed, too: one that is not
        answered may take minutes. Not by the start of a server of our own."""
        left = self._patience - self._waited
        if left <= 0:
            return False
        pause = min(max(self._pause, least), left)
        time.sleep(pause)
        self._waited += pause
        self._pause = min(2 * self._pause, _PAUSES[1])
        return True

    def count(self, completion: Completion) -> None:
        self._back()
        self._add_tokens(completion)
        self._asked.version = completion.version

    def _add_tokens(self, spent: Completion | BackendError) -> None:
        self._asked.prompt_tokens += spent.prompt_tokens
        self._asked.completion_tokens += spent.completion_tokens

    def refuse(self, completion: Completion, error: ValueError, reminder: str) -> None:
        """Show the answer with what is wrong with it. Only the latest is shown: a growing pile of
        them crowds out the question."""
        text = completion.text
        self.repeats += any(text == earlier.text for earlier in self._asked.attempts)
        self._asked.failures.append(f"not valid: {error}")
        self._asked.attempts.append(
            Attempt(text=text, thinking=completion.thinking, problem=str(error), reminder=reminder)
        )
        shown = ChatMessage(role="assistant", content=text)
        self.conversation = [
            *self._prompt, shown, ChatMessage(role="user", content=reminder),
        ]  # fmt: skip

    def discard(self, completion: Completion) -> None:
        """Go on without an answer that the agent has refused before. The question says what is
        wrong with it, and a model that reads it once more copies it once more."""
        self.repeats += 1
        self._asked.failures.append(REPEATED)
        self._asked.attempts.append(
            Attempt(text=completion.text, thinking=completion.thinking, problem=REPEATED)
        )
        self.conversation = list(self._prompt)

    def accepted(self, completion: Completion, valid: str) -> Valid:
        self._asked.attempts.append(Attempt(text=completion.text, thinking=completion.thinking))
        return Valid(valid, self._asked)

    def no_answer(self, model: str, tries: int) -> NoValidAnswer:
        failures = self._asked.failures
        if self._away:
            waited = f", after {self._waited:.0f} s of waiting" if self._waited else ""
            return NoValidAnswer(
                f"{model} cannot be asked{waited}: {failures[-1]}", self._asked, code="no_model"
            )
        count = "1 try" if tries == 1 else f"{tries} tries"
        return NoValidAnswer(
            f"{model} gave no valid answer in {count}; the last: {failures[-1]}", self._asked
        )
