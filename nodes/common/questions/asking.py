"""How an agent asks the language model: a typed question, rendered from the agent's prompt files.

An agent's ``prompts/`` holds ``<question>.system.jinja`` (role, task, documents, knowledge,
heuristics, examples: the same text every time, so that servers can cache it) and
``<question>.user.jinja`` (this question). Text of several agents is in ``nodes/prompts/``, text
about the game in the folder of its card, which is searched before that.
"""

from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Literal, TypeVar, cast

import jinja2
import msgspec

from messages.bus import RemoteError, ServiceError
from messages.chat import (
    ANSWERS,
    ASK,
    Ask,
    ChatMessage,
    LookQuestion,
    Question,
    game_of,
)
from messages.program import ProgramReport
from messages.training import TrainingSpec
from messages.verdict import Evidence
from messages.world import Condition
from models.outcomes import (
    curve_in_words,
    ended_in_words,
    failed_first,
    failures,
    holds,
    listed,
    run_in_words,
)
from nodes.common.goals.guard_counts import line_in_words
from nodes.common.questions.prompt_parts import Marks, pictures_in
from nodes.common.questions.template_faults import template_fault
from nodes.node import Node
from worlds import card
from worlds.card import Card, Unreachable
from worlds.common.mineclip_feature import MINECLIP
from worlds.common.pictures import RGB
from worlds.program_lines import program_lines

Answer = TypeVar("Answer", bound=msgspec.Struct)

_NODES = Path(__file__).resolve().parents[2]
_SHARED = _NODES / "prompts"


class NoAnswer(RemoteError):
    """The language model gave no valid answer."""


def ask(
    node: Node,
    id: str,
    question: Question,
    answer: type[Answer],
    pictures: Sequence[bytes] = (),
) -> Answer:
    """Ask ``question`` under ``id`` and return its answer. ``pictures``: the files of those that it
    names.

    Raises:
        NoAnswer: the model gave no valid one.
        RemoteError: the question was refused for another reason, or no model was reached
            (``no_model``). That means nothing for what was asked: the goal ends with it, and can be
            resumed.
        ServiceError: a template of its prompt is wrong.
        TypeError: ``answer`` is not the question's answer type.
    """
    if ANSWERS[type(question)] is not answer:
        raise TypeError(f"{type(question).__name__} is not answered by {answer.__name__}")
    prompt = prompt_of(node, question)
    request = Ask(id=id, agent=node.name, question=question, prompt=prompt, pictures=list(pictures))
    try:
        answered = node.call(ASK, request)
    except RemoteError as error:
        if error.code != "no_answer":
            raise
        raise NoAnswer(error.endpoint, error.code, error.message) from error
    return msgspec.json.decode(answered.answer, type=answer)


def prompt_of(node: Node, question: Question) -> list[ChatMessage]:
    """The prompt by which the node asks the question.

    Raises:
        ServiceError: a template of it is wrong.
    """
    try:
        return render(_NODES / node.name / "prompts", question)
    except jinja2.TemplateError as error:
        raise ServiceError(
            f"a prompt template is wrong: {template_fault(error)}", code="template"
        ) from None


def render(
    prompts: Path, question: Question, instead: Mapping[str, str] | None = None
) -> list[ChatMessage]:
    """The prompt of a question. The templates see the question's fields by their names,
    ``title`` (of the game), ``api`` (the stub of the language that programs are written in),
    ``names_taken`` (some of that), ``features`` (by name), ``setting`` (where a task's episodes
    begin), ``kinds`` (of conditions, with their meanings), ``chain`` (how a goal's items come
    about), ``how`` (the verb of the last step to a condition) and ``part`` (what the question can
    do without, `prompt_parts.py`).
    ``instead``: templates by name that stand in for those of the files."""
    name = kind_of(question)
    fields = _fields(question)
    environment = _environment(prompts, game_of(question))
    if instead:
        files = environment.loader
        assert files is not None
        loader = jinja2.ChoiceLoader([jinja2.DictLoader(instead), files])
        environment = environment.overlay(loader=loader)
    marks = Marks()
    fields["part"] = marks.part
    return [
        _message(
            role, environment.get_template(f"{name}.{role}.jinja").render(fields), question, marks
        )
        for role in ("system", "user")
    ]


def subject(prompts: Path, question: Question) -> str:
    """What a question is about, in the words of ``<question>.subject.jinja``: by them it is
    compared with others of its kind. The template sees what those of the prompt see."""
    template = f"{kind_of(question)}.subject.jinja"
    environment = _environment(prompts, game_of(question))
    return environment.get_template(template).render(_fields(question))


def _fields(question: Question) -> dict[str, object]:
    return {field: getattr(question, field) for field in question.__struct_fields__}


def kind_of(question: Question) -> str:
    """The name of the question's kind, as its templates have it: ``plan``, ``program``, ..."""
    return type(question).__name__.removesuffix("Question").lower()


def _message(
    role: Literal["system", "user"], content: str, question: Question, marks: Marks
) -> ChatMessage:
    """A template shows a picture as ``<picture DIGEST>``. The same in an error or a name is text:
    only the pictures that the question names count."""
    content, parts = marks.taken(content)
    named = question.pictures if isinstance(question, LookQuestion) else []
    digests = {note.digest for note in named}
    return ChatMessage(
        role=role,
        content=content,
        pictures=pictures_in(content, digests),
        parts=parts,
    )


@cache
def _environment(prompts: Path, game: str) -> jinja2.Environment:
    known = card(game)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([prompts, known.prompts, _SHARED]),
        undefined=jinja2.StrictUndefined,  # an unknown variable is an error, not a blank
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    # Jinja leaves the types of its tables open.
    slots = cast("dict[str, object]", environment.globals)  # pyright: ignore[reportUnknownMemberType]
    slots["title"] = known.title
    slots["api"] = known.language.stub.read_text("utf-8").strip()
    slots["names_taken"] = known.names_taken
    # Pictures are seen in every game; some offer them only where a run's observations name them.
    slots["features"] = {RGB.name: RGB, **known.specs.features, MINECLIP.name: MINECLIP}
    slots["setting"] = known.setting
    slots["kinds"] = known.conditions.kinds
    slots["chain"] = partial(_chain, known)
    slots["how"] = known.planning.how
    filters = cast("dict[str, object]", environment.filters)  # pyright: ignore[reportUnknownMemberType]
    filters["words"] = known.conditions.words
    filters["numbered"] = _numbered
    filters["failures"] = _failures
    filters["failed_first"] = failed_first
    filters["worked_in"] = _worked_in
    filters["ended"] = ended_in_words
    filters["curve"] = curve_in_words
    filters["compact"] = _compact
    filters["spec_json"] = _spec_json
    filters["ending"] = _run_in_words
    filters["guarded"] = line_in_words
    return environment


def _chain(
    game: Card, success: Condition, inventory: Mapping[str, int], quantities: bool = False
) -> list[str]:
    try:
        return game.planning.chain(success, inventory, quantities)
    except Unreachable as reason:
        return [f"{reason}."]


def _run_in_words(report: ProgramReport) -> str:
    return run_in_words(report.status, report.line, report.error)


def _failures(evidence: Evidence) -> str:
    return listed(failures(evidence))


def _worked_in(evidence: Evidence) -> list[int]:
    """Environments of the episodes at whose end the condition held."""
    return [
        each.environment
        for each in evidence.episodes
        if holds(evidence.success, each, evidence.game)
    ]


def _compact(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _spec_json(spec: TrainingSpec) -> str:
    """A training spec in the form that a spec question is answered in."""
    interface = spec.interface
    shown = {
        "observations": interface.observations,
        "actions": interface.actions,
        "macros": interface.macros,
        "rewards": interface.rewards,
        "horizon": interface.horizon,
        "targets": interface.targets,
        "budget": spec.budget,
        "clone": [program.name for program in spec.clone],
    }
    if interface.memory != "none":
        shown |= {"memory": interface.memory, "memory_size": interface.memory_size}
    return _compact(shown)


def _numbered(source: str) -> str:
    lines = program_lines(source.rstrip())
    return "\n".join(f"{number:3} {line}" for number, line in enumerate(lines, 1))
