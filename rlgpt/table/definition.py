"""What a table is made of: ``launch/table/<name>.yaml``, read and checked."""

import math
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from messages.bounds import Positive, Share
from rlgpt.composing.composition import group_options, launch_folders
from rlgpt.composing.configuration import LARGEST_SEED
from rlgpt.composing.conversion import complaint
from rlgpt.composing.user_files import read_user_yaml
from rlgpt.refused import Refused, instead
from rlgpt.table import table_tasks
from rlgpt.table.table_tasks import Draw

_QUICK_EPISODES = 2
_QUICK_SAMPLES = 1_000_000  # what all may take that is begun, of most tasks
Seed = Annotated[int, msgspec.Meta(ge=0, le=LARGEST_SEED)]


class PaperMethod(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A method that the paper compares with and that is not run here."""

    name: str
    success: Share
    samples: str = ""


class Definition(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table: tasks x methods (x language models) x seeds, and the paper's numbers for them."""

    title: str
    caption: str
    tasks: list[str] = []  # of launch/task/, or ids that `rlgpt task list` has
    draw: Draw | None = None  # how they are drawn, where there are none
    methods: Annotated[list[str], msgspec.Meta(min_length=1)]  # the first is the paper's own
    llms: Annotated[list[str], msgspec.Meta(min_length=1)] = msgspec.field(
        default_factory=lambda: ["rulebook"]
    )
    seeds: Annotated[list[Seed], msgspec.Meta(min_length=1)]
    episodes: Positive  # evaluation episodes of a cell
    limits: dict[str, float] = {}  # what differs from launch/cell.yaml's
    limits_of: dict[str, dict[str, float]] = {}  # method -> what differs again
    samples: dict[str, Positive] = {}  # task -> limits.samples of its cells
    # What there is to learn: limits.samples of ids that have none above, with what the episodes of
    # their evaluations may take on top.
    learn: Positive | None = None
    overrides: list[str] = []
    by: Literal["method", "iteration", "llm", "score"] = "method"  # what stands side by side
    launch: str = "cell"
    paper: dict[str, dict[str, Share]] = {}  # task -> method -> success
    paper_iterations: dict[str, dict[str, dict[int, Share]]] = {}  # ... -> iteration -> success
    paper_also: list[PaperMethod] = []
    paper_samples: dict[str, str] = {}  # method -> environment samples
    published: dict[str, str] = {}  # method -> the budget of its own publication, in words


def definitions() -> dict[str, Path]:
    """Name -> file of every table; the user's own in ``./launch/table/`` win."""
    found: dict[str, Path] = {}
    for folder in launch_folders():
        for path in sorted((folder / "table").glob("*.yaml")):
            if path.is_dir():
                continue
            found.setdefault(path.stem, path)
    return found


def read(name: str) -> Definition:
    """The table ``name``. Raises Refused."""
    found = definitions()
    if name not in found:
        raise Refused(f"there is no table `{name}`{instead(name, found)}")
    path = found[name]
    data = read_user_yaml(path, "a table")
    try:
        definition = msgspec.convert(data, Definition)
    except msgspec.ValidationError as error:
        raise Refused(f"{path}: {complaint(str(error), Definition, data)}") from None
    if wrong := _problem(definition):
        raise Refused(f"{path}: {wrong}")
    return definition


def _problem(definition: Definition) -> str:
    """Problems that would otherwise appear hours into the run. A method may be missing: it is left
    out."""
    for axis in ("tasks", "methods", "llms", "seeds"):
        names = getattr(definition, axis)
        if twice := [name for name in names if names.count(name) > 1]:
            return f"`{axis}` has {twice[0]} twice"
    if len(definition.llms) > 1 and definition.by != "llm":
        return f"several `llms` stand side by side with `by: llm`, not with `by: {definition.by}`"
    if wrong := _of_others(definition):
        return wrong
    if bool(definition.tasks) == (definition.draw is not None):
        return "a table has `tasks`, or says by `draw` how they are drawn: one of the two"
    if wrong := table_tasks.problem(definition.tasks):
        return wrong
    if not set(definition.methods) & set(group_options("method")):
        return f"there is no launch/method/{definition.methods[0]}.yaml, nor one of the others"
    return ""


def _of_others(definition: Definition) -> str:
    """A field that is about a task or a method which is not the table's, as a sentence; empty if
    there is none. Its figures would be left out of the page without a word."""
    by_task = {"paper": definition.paper, "paper_iterations": definition.paper_iterations}
    of_tasks = {"samples": list(definition.samples)}
    of_methods = {
        "limits_of": list(definition.limits_of),
        "published": list(definition.published),
        "paper_samples": list(definition.paper_samples),
    }
    for field, figures in by_task.items():
        of_tasks[field] = list(figures)
        of_methods[field] = [method for each in figures.values() for method in each]
    for kind, known, named in (
        ("task", definition.tasks, of_tasks),
        ("method", definition.methods, of_methods),
    ):
        for field, names in named.items():
            if strange := [name for name in names if name not in known]:
                wrong = f"`{field}` is of the {kind} {strange[0]}"
                return f"{wrong}, which is not one of its {kind}s"
    return ""


def drawn(name: str, definition: Definition, number: int | None) -> tuple[str, Definition]:
    """The table ``name`` with its tasks, which a number draws where it has none of its own; and
    what it is called then. Raises Refused."""
    if (draw := definition.draw) is None:
        if number is not None:
            raise Refused(f"--draw {number}: the tasks of {name} are not drawn")
        return name, definition
    if number is None:
        raise Refused(f"the tasks of {name} are drawn: add --draw 1, or another number")
    if isinstance(draw.without, str):
        draw = msgspec.structs.replace(draw, without=read(draw.without).tasks)
    found = msgspec.structs.replace(
        definition,
        title=f"{definition.title}, draw {number}",
        tasks=table_tasks.drawn(draw, number),
        draw=None,
    )
    return f"{name}-{number}", found


def quick(definition: Definition) -> Definition:
    """The table in its smallest form: one seed, two episodes, one iteration, hardly anything
    learned. It shows that a table runs, and nothing else."""
    return msgspec.structs.replace(
        definition,
        seeds=definition.seeds[:1],
        episodes=_QUICK_EPISODES,
        limits={"iterations": 1, "samples": _QUICK_SAMPLES},
        samples=_quick_samples(definition),
        limits_of={
            method: {key: value for key, value in limits.items() if key != "samples"}
            for method, limits in definition.limits_of.items()
        },
        learn=None,
        overrides=[
            *definition.overrides,
            f"nodes.fast_agent.parameters.trial_episodes={_QUICK_EPISODES}",
            f"nodes.fast_agent.parameters.guard_episodes={_QUICK_EPISODES}",
            "nodes.fast_agent.parameters.repairs=0",
            "nodes.fast_agent.parameters.budget=2000",
        ],
    )


def _quick_samples(definition: Definition) -> dict[str, int]:
    """``limits.samples`` of the tasks whose episodes are so long that two of each evaluation and of
    the performance may take more than other tasks have."""
    found: dict[str, int] = {}
    for task in definition.tasks:
        if table_tasks.is_id(task):
            needed = table_tasks.samples(task, 0, _QUICK_EPISODES)
        else:
            # What the table states has room for all of its own episodes.
            stated = definition.samples.get(task, definition.limits.get("samples", 0))
            needed = math.ceil(stated * _QUICK_EPISODES / definition.episodes)
        if needed > _QUICK_SAMPLES:
            found[task] = needed
    return found
