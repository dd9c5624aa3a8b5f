"""What a table is made of: ``launch/table/<name>.yaml``, read and checked."""

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
    if strange := [task for task in definition.samples if task not in definition.tasks]:
        return f"`samples` is of the task {strange[0]}, which is not one of its tasks"
    if strange := [each for each in definition.limits_of if each not in definition.methods]:
        return f"`limits_of` is of the method {strange[0]}, which is not one of its methods"
    if bool(definition.tasks) == (definition.draw is not None):
        return "a table has `tasks`, or says by `draw` how they are drawn: one of the two"
    if strange := [each for each in definition.published if each not in definition.methods]:
        return f"`published` is of the method {strange[0]}, which is not one of its methods"
    if wrong := table_tasks.problem(definition.tasks):
        return wrong
    if not set(definition.methods) & set(group_options("method")):
        return f"there is no launch/method/{definition.methods[0]}.yaml, nor one of the others"
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
        episodes=2,
        limits={"iterations": 1, "samples": 1_000_000},  # what all may take that is begun
        samples={},
        limits_of={
            method: {key: value for key, value in limits.items() if key != "samples"}
            for method, limits in definition.limits_of.items()
        },
        learn=None,
        overrides=[
            *definition.overrides,
            "nodes.fast_agent.parameters.trial_episodes=2",
            "nodes.fast_agent.parameters.guard_episodes=2",
            "nodes.fast_agent.parameters.repairs=0",
            "nodes.fast_agent.parameters.budget=2000",
        ],
    )
