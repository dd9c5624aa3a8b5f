"""The chat conversation: agents ask the language model typed questions.

A question is sent twice: as the prompt that a language model reads, and as the typed question that
it was rendered from, which the rulebook (no language model) answers. In both cases the answer is
JSON by the schema of the answer's type, and is checked against it before it is returned.
"""

import hashlib
from typing import Literal

import msgspec

from messages.interface import LIMITED_BY_SERVER, Service, Topic
from messages.plan import (
    GuardLine,
    GuardProposal,
    Iteration,
    Line,
    Lost,
    Method,
    Stage,
    SubAction,
    Subtask,
    Tried,
)
from messages.program import Problem, ProgramReport
from messages.verdict import Evidence
from messages.world import Condition, RewardTerm, Task


class GoalQuestion(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """Planner: when is a goal reached that is given in words alone? The task has no success yet."""

    task: Task
    problems: list[str] = []  # why the last answer is invalid
    refused: Condition | None = None  # the last answer


class GoalAnswer(msgspec.Struct, frozen=True, kw_only=True):
    thoughts: str = ""
    success: Condition


class PlanQuestion(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """Planner: which ordered subtasks lead to the goal?"""

    task: Task
    inventory: dict[str, int] = {}
    quantities: bool = False  # whether the prompt states how many of each item the plan takes
    problems: list[str] = []  # why the last answer is invalid
    refused: list[Subtask] = []  # the last answer
    practised: list[Subtask] = []  # the plan so far, where a performance of it fell short
    performed: list[Lost] = []  # and what that lost, the most first


class PlanAnswer(msgspec.Struct, frozen=True, kw_only=True):
    thoughts: str = ""
    subtasks: list[Subtask]


class DecomposeQuestion(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """Slow agent: into which sub-actions is the subtask split, each by code or by rl?"""

    task: Task
    subtask: Subtask
    history: list[Iteration] = []
    problems: list[str] = []
    refused: list[SubAction] = []  # the last answer, which is invalid
    performed: Lost | None = None  # what a performance lost at the subtask, after these iterations
    methods: tuple[Method, ...] = ("code", "rl")  # that a sub-action may be implemented by
    most_sub_actions: int | None = None  # None: as many as it takes
    most_guards: int = 0  # that may be proposed


class DecomposeAnswer(msgspec.Struct, frozen=True, kw_only=True):
    thoughts: str = ""
    sub_actions: list[SubAction]
    guards: list[GuardProposal] = []  # the one that comes first has its turn first


class ProgramAttempt(msgspec.Struct, frozen=True, kw_only=True):
    """A program that was tried before, and its outcome."""

    source: str
    problems: list[Problem] = []
    reports: list[ProgramReport] = []
    verdict: str = ""
    late: int = 0  # episodes in which the condition held when all steps were used up


class SkillNote(msgspec.Struct, frozen=True, kw_only=True):
    """A coded action of the skill library that may be called by its name."""

    name: str
    purpose: str
    success: Condition  # its aim
    rate: float  # success rate of its tryouts


class TriedNote(msgspec.Struct, frozen=True, kw_only=True):
    """A program that was tried out for a sub-action of the subtask in this run."""

    name: str  # by which a spec may use it
    sub_action: str  # what it was tried for
    success: Condition  # its aim
    rate: float  # of the episodes of its tryout
    episodes: int
    reason: str = ""  # the verdict's
    source: str = ""


class ProgramQuestion(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """Fast agent: which program implements this sub-action?"""

    task: Task
    sub_action: SubAction
    before: list[Stage] = []
    attempts: list[ProgramAttempt] = []  # in this iteration, oldest first
    history: list[Line] = []  # verdicts of earlier iterations, oldest first
    skills: list[SkillNote] = []  # a program may call these
    tried: list[Tried] = []  # what was implemented in earlier iterations, oldest first
    performed: Lost | None = None  # what a performance lost at the subtask
    best: int | None = None  # which of ``attempts`` stands so far, from 0 on
    left: int | None = None  # how many more may be tried after this one


class ProgramAnswer(msgspec.Struct, frozen=True, kw_only=True):
    thoughts: str = ""
    source: str


class GuardAttempt(msgspec.Struct, frozen=True, kw_only=True):
    """A guard that was written before, and what is wrong with it."""

    when: str
    source: str
    when_problems: list[Problem] = []
    problems: list[Problem] = []
    others: list[str] = []  # problems that belong to neither source


class GuardNote(msgspec.Struct, frozen=True, kw_only=True):
    """A guard of the skill library, as an example."""

    name: str
    purpose: str
    when: str
    source: str
    rate: float  # share of its turns after which its condition no longer held


class GuardQuestion(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """Fast agent: which condition and which program make this guard?"""

    task: Task
    proposal: GuardProposal
    sub_actions: list[SubAction] = []  # that it is to interrupt
    attempts: list[GuardAttempt] = []  # in this iteration, oldest first
    history: list[GuardLine] = []  # its outcomes in earlier iterations, oldest first
    skills: list[GuardNote] = []


class GuardAnswer(msgspec.Struct, frozen=True, kw_only=True):
    thoughts: str = ""
    when: str  # ``def when(obs)``
    source: str = ""  # ``def action(obs)``; empty for a guard by rl
    max_steps: int = 100  # of one turn


class MacroDraft(msgspec.Struct, frozen=True, kw_only=True):
    """A coded action that the fast agent wants in the action space."""

    name: str
    source: str
    purpose: str = ""
    max_steps: int = 100
    # Steps after which the policy is asked again; chosen again at once the macro goes on.
    interrupt: int | None = None


class SpecQuestion(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """Fast agent: with which training spec is this sub-action learned?"""

    task: Task
    sub_action: SubAction
    before: list[Stage] = []
    history: list[Line] = []
    observations: list[str] = []  # to choose from
    actions: list[str] = []
    macros_allowed: bool = True
    problems: list[str] = []
    refused: "SpecAnswer | None" = None  # the last answer, which is invalid
    skills: list[SkillNote] = []  # these may be macros
    tried: list[Tried] = []  # what was implemented in earlier iterations, oldest first
    performed: Lost | None = None  # what a performance lost at the subtask
    programs: list[TriedNote] = []  # the best first
    programs_as_macros: bool = True  # may those be macros?
    programs_to_clone: bool = True  # may the policy begin as a clone of them?
    guard: GuardProposal | None = None  # it is a guard's policy; ``before``: what it interrupts
    when: str = ""  # and its condition
    guard_history: list[GuardLine] = []  # its outcomes in earlier iterations, oldest first


class SpecAnswer(msgspec.Struct, frozen=True, kw_only=True):
    thoughts: str = ""
    observations: list[str]
    actions: list[str]
    macros: list[MacroDraft] = []
    rewards: list[RewardTerm]
    horizon: int
    targets: list[str] = []
    budget: int
    clone: list[str] = []  # names of programs whose successful episodes are imitated first
    memory: Literal["none", "gru"] = "none"  # what the policy carries from decision to decision
    memory_size: int = 64  # numbers of it


class JudgeQuestion(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """Critic: did it work, why, and how could it be improved?"""

    evidence: Evidence
    success_rate: float


class JudgeAnswer(msgspec.Struct, frozen=True, kw_only=True):
    success: bool
    reason: str
    suggestion: str = ""


class PictureNote(msgspec.Struct, frozen=True, kw_only=True):
    """A picture that is sent with a question, by its name in the prompt."""

    environment: int  # which episode it is of
    step: int  # primitive steps since the sub-action began
    digest: str


class LookQuestion(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """Critic with vision: the critic's question with pictures of some of the episodes."""

    evidence: Evidence  # without the pictures themselves
    success_rate: float
    pictures: list[PictureNote]


class LookAnswer(msgspec.Struct, frozen=True, kw_only=True):
    seen: str  # what the pictures show; written first, so that the rest follows from it
    success: bool
    reason: str
    suggestion: str = ""


Question = (
    GoalQuestion
    | PlanQuestion
    | DecomposeQuestion
    | ProgramQuestion
    | GuardQuestion
    | SpecQuestion
    | JudgeQuestion
    | LookQuestion
)


def game_of(question: Question) -> str:
    """The game by whose card a question is put and answered."""
    if isinstance(question, JudgeQuestion | LookQuestion):
        return question.evidence.game
    return question.task.game


ANSWERS: dict[type[msgspec.Struct], type[msgspec.Struct]] = {
    GoalQuestion: GoalAnswer,
    PlanQuestion: PlanAnswer,
    DecomposeQuestion: DecomposeAnswer,
    ProgramQuestion: ProgramAnswer,
    GuardQuestion: GuardAnswer,
    SpecQuestion: SpecAnswer,
    JudgeQuestion: JudgeAnswer,
    LookQuestion: LookAnswer,
}
"""Which type answers which question."""


def digest(picture: bytes) -> str:
    """The name of a picture: SHA-256 of its file, in hexadecimal."""
    return hashlib.sha256(picture).hexdigest()


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """Some characters of a message that the question can do without, where the model's context is
    too small for all. Parts do not overlap."""

    name: str  # in words, for the line that stands there then
    turn: int  # those of the lowest turn go first
    start: int
    end: int


class ChatMessage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """``pictures``: digests of the pictures in ``content``, each as ``<picture DIGEST>``."""

    role: Literal["system", "user", "assistant"]
    content: str
    pictures: list[str] = []
    parts: list[Part] = []


class Ask(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """``id`` names the question: asked again (by a restarted caller, for example), it gets the same
    answer."""

    id: str
    agent: str
    question: Question
    prompt: list[ChatMessage]
    pictures: list[bytes] = []  # files (PNG or JPEG) of the pictures that the prompt shows


class Answered(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    id: str
    answer: str  # JSON, valid by the schema of ANSWERS[type(question)]
    model: str
    # Version of what answered: a digest of the weights, or of the rulebook's rules; of a server
    # elsewhere what it reports. Empty: not known.
    weights: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    repairs: int = 0  # how often the model was sent the errors of its answer
    pictures: int = 0  # how many it was shown; what they cost is among the prompt's tokens
    left_out: list[str] = []  # parts of the prompt that the model's context was too small for
    edited_by: str = ""  # a person who gave the answer in place of the model's


class Exchange(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """One question and its answer, as the transcript has them."""

    agent: str
    asked: str  # the type of the question
    answered: Answered


class Tokens(msgspec.Struct, tag=True, frozen=True, kw_only=True):
    """A piece of an answer while it is written, for display only."""

    id: str  # of the question
    agent: str
    attempt: int  # 0 for the first; after an invalid answer the next one begins
    thinking: bool  # reasoning, which is no part of the answer
    text: str


# The llm node's own limits (``llm.timeout``, ``repairs``, ``patience``) end each question.
ASK = Service("llm/ask", Ask, Answered, idempotent=True, timeout=LIMITED_BY_SERVER)
EXCHANGES = Topic("llm/exchange", Exchange)
TOKENS = Topic("llm/tokens", Tokens)
