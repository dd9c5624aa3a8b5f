"""Every task of MineDojo by its id: 1,581 programmatic, 1,560 creative, and playthrough.

Programmatic ids are templates filled over lists of variables (templates.yaml). Each call makes new
specs, so that no caller can change another's.
"""

import itertools
import re
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec
import yaml

from voxeldojo.names import near, quoted

HERE = Path(__file__).parent
Kind = Literal["harvest", "combat", "techtree", "survival", "creative", "playthrough"]
KINDS: tuple[str, ...] = get_args(Kind)
PROGRAMMATIC = ("harvest", "combat", "techtree", "survival")
PLAYTHROUGH = "playthrough"
CREATIVE = re.compile(r"creative:(\d{1,18})")  # more digits are no number of a task
VARIABLE = re.compile(r"\{(\w+)\}")


class UnknownTask(KeyError, ValueError, AssertionError):
    """There is no task with that id.

    MineDojo raises ValueError for an unknown name and AssertionError for a creative number out of
    range; code written for it keeps working.
    """

    def __str__(self) -> str:
        return str(self.args[0])  # a KeyError would show the sentence in quotes


class TaskSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One task. ``kwargs``: the arguments of its meta task (``kind``), under MineDojo's names."""

    id: str
    kind: Kind
    prompt: str
    guidance: str | None = None
    kwargs: dict[str, Any] = {}
    template: str = ""  # of programmatic tasks: "harvest_{quantity}_{natural_items}"
    collection: str = ""  # of creative tasks: manual, youtube or gpt3
    source: tuple[str, int, int] | None = None  # YouTube id, first and last second


class Template(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kind: Kind
    prompt: str
    inventory: str = ""  # a kit
    kwargs: dict[str, Any] = {}


class Templates(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    common: dict[str, Any]
    variables: dict[str, list[str | int]]
    kits: dict[str, dict[str | int, dict[str, str | int]]]
    templates: dict[str, Template]


class CreativeTask(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    collection: Literal["manual", "youtube", "gpt3"]
    prompt: str
    source: tuple[str, int, int] | None = None
    guidance: str | None = None


def task_ids(kind: str | None = None) -> list[str]:
    """All ids, or those of one kind; "programmatic" is harvest, combat, techtree and survival.

    Raises:
        ValueError: there is no such kind.
    """
    if kind is None:
        return [*task_ids("programmatic"), *task_ids("creative"), PLAYTHROUGH]
    if kind == "creative":
        return [f"creative:{number}" for number in range(len(_creative()))]
    if kind not in (*KINDS, "programmatic"):
        raise ValueError(
            f"there is no kind of task {quoted(kind)}; "
            f"there are {', '.join(KINDS)} and programmatic"
        )
    wanted = PROGRAMMATIC if kind == "programmatic" else (kind,)
    templates = _templates().templates
    return [name for name, (template, _) in _filled().items() if templates[template].kind in wanted]


def task_spec(name: str) -> TaskSpec:
    """The task of that id.

    Raises:
        UnknownTask: there is none; the sentence names similar ids.
    """
    if (match := CREATIVE.fullmatch(name)) is not None:
        return _creative_spec(int(match[1]))
    known = _filled()
    found = known.get(PLAYTHROUGH if name.lower() == PLAYTHROUGH else name)
    if found is None:
        raise UnknownTask(_unknown(name, list(known)))
    template_name, values = found
    template = _templates().templates[template_name]
    kwargs = {**_templates().common, **template.kwargs}
    if template.inventory:
        kwargs["initial_inventory"] = _templates().kits[template.inventory]
    kwargs = _fill(kwargs, values)
    if "target_quantities" in kwargs:
        kwargs["target_quantities"] = int(kwargs["target_quantities"])
    about = kwargs.get("target_names") or kwargs.get("tech_item") or template.kind
    return TaskSpec(
        id=PLAYTHROUGH if name.lower() == PLAYTHROUGH else name,
        kind=template.kind,
        prompt=_prompt(template.prompt, values),
        guidance=_guidance().get(about),
        kwargs=kwargs,
        template=template_name,
    )


def templates() -> dict[str, list[str]]:
    """The templates, each with the ids that are made of it."""
    table: dict[str, list[str]] = {name: [] for name in _templates().templates}
    for name, (template, _) in _filled().items():
        table[template].append(name)
    return table


def task_suite() -> dict[str, dict[str, list[str]]]:
    """MineDojo's suite: programmatic and creative, each standard and difficult, 16 ids apiece."""
    text = (HERE / "suite.yaml").read_text(encoding="utf-8")
    return msgspec.convert(yaml.safe_load(text), dict[str, dict[str, list[str]]])


def _creative_spec(number: int) -> TaskSpec:
    tasks = _creative()
    if number >= len(tasks):
        raise UnknownTask(
            f"there is no creative task {number}; they are creative:0 to creative:{len(tasks) - 1}"
        )
    task = tasks[number]
    return TaskSpec(
        id=f"creative:{number}",
        kind="creative",
        prompt=task.prompt,
        guidance=task.guidance,
        collection=task.collection,
        source=task.source,
    )


def _prompt(text: str, values: dict[str, str | int]) -> str:
    # As in MineDojo: only if variables were filled in.
    return text.format(**values).replace("_", " ").replace(" 1", "") if values else text


def _fill(value: Any, values: dict[str, str | int]) -> Any:
    if isinstance(value, dict):
        return {key: _fill(entry, values) for key, entry in value.items()}
    if isinstance(value, list):
        return [_fill(entry, values) for entry in value]
    return value.format(**values) if isinstance(value, str) else value


def _unknown(name: str, known: list[str]) -> str:
    if name.startswith("creative:"):
        return f"a creative task's id is creative:NUMBER, as creative:0, not {quoted(name)}"
    return f"there is no task {quoted(name)}{near(name, known)}"


@cache
def _templates() -> Templates:
    text = (HERE / "templates.yaml").read_text(encoding="utf-8")
    return msgspec.convert(yaml.safe_load(text), Templates)


@cache
def _filled() -> dict[str, tuple[str, dict[str, str | int]]]:
    """Id -> its template and what it is filled with."""
    table: dict[str, tuple[str, dict[str, str | int]]] = {}
    lists = _templates().variables
    for template in _templates().templates:
        names = VARIABLE.findall(template)
        for choice in itertools.product(*(lists[name] for name in names)):
            values = dict(zip(names, choice, strict=True))
            table[template.format(**values)] = (template, values)
    return table


@cache
def _guidance() -> dict[str, str]:
    """A task's target or kind -> advice on how to do it."""
    return msgspec.json.decode((HERE / "guidance.json").read_bytes(), type=dict[str, str])


@cache
def _creative() -> list[CreativeTask]:
    decoder = msgspec.json.Decoder(CreativeTask)
    return decoder.decode_lines((HERE / "creative.jsonl").read_bytes())
