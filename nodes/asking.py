"""How an agent asks the language model: a typed question, rendered from the agent's prompt files.

An agent's ``prompts/`` holds ``<question>.system.jinja`` (role, task, documents, knowledge,
heuristics, examples: the same text every time, so that servers can cache it) and
``<question>.user.jinja`` (this question). What several agents say is in ``nodes/prompts/``.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal, TypeVar, cast

import jinja2
import msgspec

from messages.chat import ANSWERS, ASK, Ask, ChatMessage, LookQuestion, Question
from messages.verdict import Evidence
from messages.world import Condition, View
from models.conditions import is_mob
from models.features import FEATURES, MINECLIP
from models.outcomes import failures, listed
from models.plans import chain
from models.ways import Unreachable
from nodes.node import Node

Answer = TypeVar("Answer", bound=msgspec.Struct)

_SHARED = Path(__file__).parent / "prompts"
_MODELS = Path(__file__).parents[1] / "models"
_ENDINGS = {  # of a program's run
    "finished": "it came to its own end",
    "error": "an error",
    "fuel_exhausted": "it computed for too long",
    "step_limit": "its steps were used up",
    "time_limit": "it computed for too long",
    "episode_over": "the episode was over (the goal reached, its steps used up, or death)",
    "killed": "its process was ended for taking too much time or memory",
}
_PICTURE = re.compile(r"<picture ([0-9a-f]{64})>")


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
        RemoteError: ``no_answer`` when the model gave none that fits.
        TypeError: ``answer`` is not the question's answer type.
    """
    if ANSWERS[type(question)] is not answer:
        raise TypeError(f"{type(question).__name__} is not answered by {answer.__name__}")
    prompt = render(Path(__file__).parent / node.name / "prompts", question)
    request = Ask(id=id, agent=node.name, question=question, prompt=prompt, pictures=list(pictures))
    return msgspec.json.decode(node.call(ASK, request).answer, type=answer)


def render(prompts: Path, question: Question) -> list[ChatMessage]:
    """The prompt of a question. The templates see the question's fields by their names,
    ``api`` (the stub of the language that programs are written in), ``features`` (by name) and
    ``chain`` (how a goal's items come about)."""
    name = type(question).__name__.removesuffix("Question").lower()
    fields = {field: getattr(question, field) for field in question.__struct_fields__}
    environment = _environment(prompts)
    return [
        _message(role, environment.get_template(f"{name}.{role}.jinja").render(fields), question)
        for role in ("system", "user")
    ]


def _message(role: Literal["system", "user"], content: str, question: Question) -> ChatMessage:
    """A template shows a picture as ``<picture DIGEST>``. Whatever looks so in an error or a name
    is text: a picture is what the question itself names."""
    named = question.pictures if isinstance(question, LookQuestion) else []
    digests = {note.digest for note in named}
    return ChatMessage(
        role=role,
        content=content,
        pictures=[found for found in _PICTURE.findall(content) if found in digests],
    )


@cache
def _environment(prompts: Path) -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([prompts, _SHARED]),
        undefined=jinja2.StrictUndefined,  # a slot that nobody fills is an error, not a blank
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    # Jinja leaves the types of its tables open.
    slots = cast("dict[str, object]", environment.globals)  # pyright: ignore[reportUnknownMemberType]
    slots["api"] = (_MODELS / "program_api.pyi").read_text().strip()
    slots["features"] = FEATURES | {MINECLIP.name: MINECLIP}
    slots["place"] = _place
    slots["chain"] = _chain
    filters = cast("dict[str, object]", environment.filters)  # pyright: ignore[reportUnknownMemberType]
    filters["words"] = _condition_in_words
    filters["numbered"] = _numbered
    filters["failures"] = _failures
    filters["ending"] = _ENDINGS.__getitem__
    return environment


def _chain(success: Condition, inventory: Mapping[str, int]) -> list[str]:
    try:
        return chain(success, inventory)
    except Unreachable as reason:
        return [f"{reason}."]


def _condition_in_words(condition: Condition) -> str:
    if condition.kind == "nearby":
        return f"a `{condition.name}` put down near enough to work at"
    if condition.kind == "have":
        return f"at least {condition.quantity} more of `{condition.name}` in the inventory"
    if condition.kind == "near":  # only blocks can be
        return f"a block called `{condition.name}` right beside the player or within reach"
    what = "mob" if is_mob(condition.name) else "block"
    return f"the crosshair on a {what} called `{condition.name}` within reach"


def _place(view: View) -> str:
    x, y, z = view.position
    return f"({x:.1f}, {y:.1f}, {z:.1f}) yaw {view.yaw:.0f} pitch {view.pitch:.0f}"


def _failures(evidence: Evidence) -> str:
    return listed(failures(evidence))


def _numbered(source: str) -> str:
    lines = source.rstrip().splitlines()
    return "\n".join(f"{number:3} {line}" for number, line in enumerate(lines, 1))
